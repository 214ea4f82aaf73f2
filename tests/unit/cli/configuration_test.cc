// ingero.yaml: which file counts, what it sets, and that a wrong one is refused with its place.
#include "cli/configuration.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

#include "cli_fixture.h"

namespace ingero::cli {
namespace {

class Configuration : public TemporaryFolder {
 protected:
  // The one of the user's home; `text` as a file there.
  void home(const std::string& text) {
    std::filesystem::create_directories(path("home/.config/ingero"));
    std::ofstream(path("home/.config/ingero/ingero.yaml")) << text;
  }
  void named(const std::string& text) {
    named_ = path("named.yaml");
    std::ofstream(*named_) << text;
  }
  Environment environment() const {
    Environment out;
    out.variable = [this](const char* name) -> std::optional<std::string> {
      if (std::string_view(name) == "HOME") return path("home");
      if (std::string_view(name) == "INGERO_CONFIG") return named_;
      return std::nullopt;
    };
    out.effective_uid = geteuid();
    return out;
  }
  Outcome trace(std::vector<std::string> arguments) const {
    std::ostringstream out, err;
    Context context(out, err);
    context.environment = environment();
    arguments.insert(arguments.begin(), "trace");
    const int status = run(std::move(arguments), context);
    return {status, out.str(), err.str()};
  }
  std::optional<std::string> named_;
};

TEST_F(Configuration, TheFirstFileThatHasTheSectionCounts) {
  home("trace:\n  max_db: 20g\n  library: [/a.so, /b.so]\n  rdma-verbs: true\n");
  auto flags = configured_flags("trace", environment());
  ASSERT_TRUE(flags.ok()) << flags.error().text();
  ASSERT_EQ(flags->size(), 3U);
  EXPECT_EQ((*flags)[0].name, "max-db");
  EXPECT_EQ((*flags)[0].values, std::vector<std::string>{"20g"});
  EXPECT_EQ((*flags)[0].place, path("home/.config/ingero/ingero.yaml") + ":2:3");
  EXPECT_EQ((*flags)[1].values, (std::vector<std::string>{"/a.so", "/b.so"}));

  named("fleet:\n  nodes: [a:1]\n");  // has no such section
  EXPECT_EQ(configured_flags("trace", environment())->size(), 3U);
  named("trace: {hang-after: 3s}\n");
  flags = configured_flags("trace", environment());
  ASSERT_EQ(flags->size(), 1U);
  EXPECT_EQ((*flags)[0].name, "hang-after");
  EXPECT_TRUE(configured_flags("explain", environment())->empty());
}

TEST_F(Configuration, AFileThatOthersMayWriteDoesNotCount) {
  home("trace: {max-db: 20g}\n");
  chmod(path("home/.config/ingero/ingero.yaml").c_str(), 0666);
  EXPECT_TRUE(configured_flags("trace", environment())->empty());
}

TEST_F(Configuration, WhatIsNotAMapOfWordsIsRefusedWithItsPlace) {
  named("trace: [max-db]\n");
  EXPECT_NE(configured_flags("trace", environment()).error().text().find("named.yaml:1:8: "), std::string::npos);
  named("trace:\n  max-db: {a: b}\n");
  EXPECT_NE(configured_flags("trace", environment()).error().text().find("named.yaml:2:11: --max-db takes"),
            std::string::npos);
  named("trace: {max-db: 1g");
  EXPECT_FALSE(configured_flags("trace", environment()).ok());
  named_ = path("none.yaml");
  EXPECT_NE(configured_flags("trace", environment()).error().text().find("INGERO_CONFIG="), std::string::npos);
}

// Each is refused before a probe is placed.
TEST_F(Configuration, TraceTakesItsFlagsFromThere) {
  named("trace: {ringbuf-size: 3m}\n");
  expect_refused(trace({"--ringbuf", "1m"}), kExitUsage, "--ringbuf");
  named("trace: {max-db: much}\n");
  expect_refused(trace({}), kExitUsage, "named.yaml:1:9: --max-db");
  named("trace: {max-bd: 1g}\n");
  expect_refused(trace({}), kExitUsage, "named.yaml:1:9: trace has no flag --max-bd, did you mean max-db?");
  named("trace: {backend: /nonexistent.yaml}\n");
  const Outcome outcome = trace({});
  EXPECT_EQ(outcome.status, kExitFailed);
  EXPECT_EQ(outcome.err.rfind("ingero: " + path("named.yaml") + " sets --backend\n", 0), 0U) << outcome.err;
  EXPECT_NE(outcome.err.find("/nonexistent.yaml"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace ingero::cli
