// What is taken out of command lines, and what a recording needs and keeps.
#include "base/secrets.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingero {
namespace {

// Arguments as /proc has them.
std::string joined(const std::vector<std::string>& arguments) {
  std::string all;
  for (const std::string& one : arguments) all += one + '\0';
  return all;
}

TEST(Secrets, ValuesBehindNamesAreTakenOut) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> lines = {
      {{"serve", "--api-key", "Xsecret", "--port", "80"}, "serve --api-key <redacted> --port 80"},
      {{"serve", "--password=Xsecret"}, "serve --password=<redacted>"},
      {{"psql", "postgres://me:Xsecret@db/x"}, "psql postgres://<redacted>@db/x"},
      {{"git", "clone", "https://Xsecret@host/x"}, "git clone https://<redacted>@host/x"},
      {{"env", "DB_PASSWORD=Xsecret", "run"}, "env DB_PASSWORD=<redacted> run"},
      {{"java", "-Ddb.password=Xsecret"}, "java -Ddb.password=<redacted>"},
      {{"curl", "-H", "Authorization: Bearer Xsecret"}, "curl -H Authorization: Bearer <redacted>"},
      {{"curl", "-u", "me:Xsecret", "http://h/"}, "curl -u me:<redacted> http://h/"},
      {{"curl", "http://h/?a=1&access_token=Xsecret&b=2"}, "curl http://h/?a=1&access_token=<redacted>&b=2"},
      {{"run", "{\"clientSecret\": \"Xsecret\", \"n\": 1}"}, "run {\"clientSecret\": <redacted>, \"n\": 1}"},
      {{"sh", "-c", "train --token Xsecret --steps 9"}, "sh -c train --token <redacted> --steps 9"},
      {{"run", "--secret", "two Xsecret words"}, "run --secret <redacted>"},
      {{"run", "hf_Xsecret0123456789"}, "run <redacted>"},
      {{"run", "--header=X-Api-Key: Xsecret"}, "run --header=X-Api-Key: <redacted>"},
      {{"run", "--hf-token", "Xsecret"}, "run --hf-token <redacted>"},
      {{"run", "--apikey", "Xsecret"}, "run --apikey <redacted>"},
      {{"run", "--auth-token='Xsecret'"}, "run --auth-token=<redacted>"},
  };
  for (const auto& [arguments, expected] : lines) {
    const std::string shown = arguments_without_secrets(joined(arguments));
    EXPECT_EQ(shown, expected);
    EXPECT_THAT(shown, testing::Not(testing::HasSubstr("Xsecret")));
  }
}

TEST(Secrets, WhatIsNoneStays) {
  for (const char* line :
       {"vllm serve m --max-num-batched-tokens 8192 --tokenizer t --port 8000",
        "run --token-file /etc/t --device cuda:0",
        "python -m torch.distributed.run --nproc_per_node=8 --rdzv_endpoint=h:29500 t.py", "ls -la /tmp",
        "run --keep-going --passes 3 http://host:80/a@b", "run --max-tokens=512 --no-password --verbose", ""}) {
    std::string arguments(line);
    std::replace(arguments.begin(), arguments.end(), ' ', '\0');
    EXPECT_EQ(arguments_without_secrets(arguments), line);
  }
}

TEST(Secrets, AnyBytesAreHandled) {
  for (const char* text : {"://", "://@", "=", "--token", "--token=", "--token ", "\"token\":", "Bearer ", "a://b@",
                           ":", "--password\"", "'", "token='x"}) {
    EXPECT_LE(without_secrets(text).size(), std::string_view(text).size() + kRedacted.size()) << text;
  }
  std::string every;
  for (int i = 0; i < 4096; ++i) every += static_cast<char>(i * 37 % 256);
  EXPECT_FALSE(arguments_without_secrets(every).empty());
}

}  // namespace
}  // namespace ingero
