// What an interpreter runs, by its command line.
#include "report/script_name.h"

#include <gtest/gtest.h>

namespace ingero::report {
namespace {

TEST(ScriptName, IsWhatTheInterpreterRuns) {
  EXPECT_EQ(script_name("/usr/bin/python3 -u /srv/worker.py --port 1"), "worker.py");
  EXPECT_EQ(script_name("python3.11 -X importtime -W ignore -O train.py"), "train.py");
  EXPECT_EQ(script_name("python -m http.server 8000"), "http.server");
  EXPECT_EQ(script_name("/opt/venv/bin/python /opt/venv/bin/vllm serve m"), "vllm");
  EXPECT_EQ(script_name("bash ./run.sh a"), "run.sh");
  EXPECT_EQ(script_name("node --max-old-space-size=100 server.mjs"), "server.mjs");
}

TEST(ScriptName, IsEmptyWhereThereIsNone) {
  for (const char* line : {"", " ", "python3", "python3 -c print(1) x.py", "python3 -", "python3 -m", "bash -c ./x.sh",
                           "pythonista x.py", "/srv/train x.py", "shred x.py", "perl -e 1 x.pl"}) {
    EXPECT_EQ(script_name(line), "") << line;
  }
}

TEST(ScriptName, IsPrintableAndShort) {
  EXPECT_EQ(script_name("python3 /srv/a\x1b[31m.py").find('\x1b'), std::string::npos);
  EXPECT_LE(script_name("python3 " + std::string(5000, 'a')).size(), 64U);
}

}  // namespace
}  // namespace ingero::report
