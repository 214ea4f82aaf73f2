// ingero.yaml: which file counts, what it sets, and that a wrong one is refused with its place.
#include "cli/configuration.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "cli_fixture.h"

namespace ingero::cli {
namespace {

class ConfigurationTest : public TemporaryFolder {
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
  Result<std::vector<FlagSetting>> flags(const std::string& command = "trace") const {
    const auto read = Configuration::read(environment());
    INGERO_TRY(read);
    return read->flags(command);
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

// A user who can change the link must not have another file read than the one that was checked.
TEST_F(ConfigurationTest, TheFileThatIsReadIsTheOneThatWasChecked) {
  const std::string mine = path("mine.yaml"), others = path("others.yaml"), link = path("link.yaml");
  std::ofstream(mine) << "trace:\n  max_db: 1g\n";
  std::ofstream(others) << "trace:\n  max_db: 2g\n";
  ASSERT_EQ(::chmod(others.c_str(), 0666), 0);
  std::filesystem::create_symlink(mine, link);
  named_ = link;
  std::atomic<bool> is_over = false;
  std::thread swapping([&] {
    for (bool is_mine = false; !is_over; is_mine = !is_mine) {
      const std::string next = path("next.yaml");
      std::filesystem::create_symlink(is_mine ? mine : others, next);
      std::filesystem::rename(next, link);
    }
  });
  size_t read = 0;
  size_t wrong = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < end) {
    const auto set = flags();
    if (!set.ok() || set->empty()) continue;
    ++read;
    wrong += set->front().values == std::vector<std::string>{"1g"} ? 0 : 1;
  }
  is_over = true;
  swapping.join();
  EXPECT_GT(read, 0U);
  EXPECT_EQ(wrong, 0U);
}

TEST_F(ConfigurationTest, TheFirstFileThatHasTheSectionCounts) {
  home("trace:\n  max_db: 20g\n  library: [/a.so, /b.so]\n  rdma-verbs: true\n");
  auto set = flags();
  ASSERT_TRUE(set.ok()) << set.error().text();
  ASSERT_EQ(set->size(), 3U);
  EXPECT_EQ((*set)[0].name, "max-db");
  EXPECT_EQ((*set)[0].values, std::vector<std::string>{"20g"});
  EXPECT_EQ((*set)[0].place, path("home/.config/ingero/ingero.yaml") + ":2:3");
  EXPECT_EQ((*set)[1].values, (std::vector<std::string>{"/a.so", "/b.so"}));

  named("fleet:\n  nodes: [a:1]\n");  // has no such section
  EXPECT_EQ(flags()->size(), 3U);
  named("trace: {hang-after: 3s}\n");
  set = flags();
  ASSERT_EQ(set->size(), 1U);
  EXPECT_EQ((*set)[0].name, "hang-after");
  EXPECT_TRUE(flags("explain")->empty());
}

// A file behind the one that has the key may be wrong: nothing of it is asked for.
TEST_F(ConfigurationTest, EachKeyIsTheFirstFilesThatHasIt) {
  home("trace: {max-db: 20g}\nagent: {node: of-home}\nfleet: {nodes: [a:1, b:2]}\n");
  named("agent: {node: of-named}\n");
  const auto read = Configuration::read(environment());
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->node().value(), "of-named");
  EXPECT_EQ(read->flags("trace")->size(), 1U);
  EXPECT_EQ(read->nodes()->nodes, (std::vector<std::string>{"a:1", "b:2"}));
  EXPECT_EQ(read->nodes()->file, path("home/.config/ingero/ingero.yaml"));

  home("trace: {max-db: 20g");
  const auto wrong = Configuration::read(environment());
  EXPECT_EQ(wrong->node().value(), "of-named");
  EXPECT_FALSE(wrong->flags("trace").ok());
}

// Reported: a section "inference:" or "trase:" did nothing, and nothing said so.
TEST_F(ConfigurationTest, ASectionThatMeansNothingIsNamedWithItsPlace) {
  home(
      "trace: {max-db: 20g}\ninference:\n  enabled: true\ntrase: {db: a.db}\nagent: {node: n}\nfleet: {nodes: "
      "[a:1]}\n");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(flags()->size(), 1U);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("ingero.yaml:2: section inference has no effect (a setting is a flag of trace"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("ingero.yaml:4: section trase has no effect, did you mean trace?"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;
}

TEST_F(ConfigurationTest, AFileThatOthersMayWriteDoesNotCount) {
  home("trace: {max-db: 20g}\n");
  chmod(path("home/.config/ingero/ingero.yaml").c_str(), 0666);
  EXPECT_TRUE(flags()->empty());
}

TEST_F(ConfigurationTest, WhatIsNotAMapOfWordsIsRefusedWithItsPlace) {
  named("trace: [max-db]\n");
  EXPECT_NE(flags().error().text().find("named.yaml:1:8: "), std::string::npos);
  named("trace:\n  max-db: {a: b}\n");
  EXPECT_NE(flags().error().text().find("named.yaml:2:11: --max-db takes"), std::string::npos);
  named("trace: {max-db: 1g");
  EXPECT_FALSE(flags().ok());
  named_ = path("none.yaml");
  EXPECT_NE(flags().error().text().find("INGERO_CONFIG="), std::string::npos);
}

// Each is refused before a probe is placed.
TEST_F(ConfigurationTest, TraceTakesItsFlagsFromThere) {
  named("trace: {ringbuf-size: 3m}\n");
  expect_refused(trace({"--ringbuf", "1m"}), kExitUsage, "--ringbuf");
  // Typed, also behind other letters, it is the one that counts.
  named("trace: {duration: never}\n");
  expect_refused(trace({}), kExitUsage, "named.yaml:1:9: --duration");
  for (const auto& typed : std::vector<std::vector<std::string>>{{"-d", "2s"}, {"-d2s"}, {"-vd", "2s"}, {"-vd2s"}}) {
    std::vector<std::string> arguments = typed;
    arguments.insert(arguments.end(), {"--backend", "/nonexistent.yaml"});
    const Outcome outcome = trace(arguments);
    EXPECT_NE(outcome.err.find("/nonexistent.yaml"), std::string::npos) << typed[0] << outcome.err;
  }
  named("trace: {verbose: perhaps}\n");
  expect_refused(trace({"-odv", "--backend", "/nonexistent.yaml"}), kExitUsage, "verbose is true or false");
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
