// explain says what was measured, names who ran instead, and never shows a figure it does not have.
#include <nlohmann/json.hpp>

#include "unit/cli/recording_fixture.h"

namespace ingero::report {
namespace {

using cli::expect_refused;
using cli::Outcome;
using cli::Recording;
using cli::run_cli;

class Explain : public Recording {
 protected:
  std::string text(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"explain", "-d", database_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_cli(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
  nlohmann::json json(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), "--json");
    return nlohmann::json::parse(text(more));
  }
};

TEST_F(Explain, CountsCallsErrorsAndWhatNeverReturned) {
  const auto report = json();
  EXPECT_EQ(report["recording"]["earlier_agent"], false);
  nlohmann::json by_op;
  for (const auto& call : report["calls"]) by_op[call["op"].get<std::string>()] = call;
  EXPECT_EQ(by_op["cudaLaunchKernel"]["count"], 21);
  EXPECT_EQ(by_op["cudaLaunchKernel"]["errors"], 0);
  EXPECT_EQ(by_op["cudaLaunchKernel"]["max_ns"], 5'000'000);
  EXPECT_EQ(by_op["cudaLaunchKernel"]["off_cpu"]["preempted_ns"], 4'000'000);
  EXPECT_EQ(by_op["cudaMemcpy"]["errors"], 3);
  EXPECT_EQ(by_op["cudaStreamSync"]["unfinished"], 1);
  EXPECT_EQ(by_op["cudaStreamSync"]["count"], 0);
  EXPECT_TRUE(by_op["cudaStreamSync"]["p50_ns"].is_null()) << "no call returned, so there is no median";
  ASSERT_EQ(report["unfinished"].size(), 1U);
  EXPECT_EQ(report["unfinished"][0]["outcome"], "never returned");
  EXPECT_EQ(report["host"].size(), 1U);
}

TEST_F(Explain, ReportsWhereTheSlowestCallsTimeWentAndWhoRanInstead) {
  const std::string said = text();
  EXPECT_NE(said.find("1. cudaLaunchKernel 5ms, 498 times its usual 10us, train"), std::string::npos) << said;
  EXPECT_NE(said.find("off the CPU 80% of it: 80% preempted; stress-ng ran instead (pid 991), 3ms"), std::string::npos)
      << said;
}

TEST_F(Explain, NamesTheErrorsAndTheCallThatHangs) {
  const std::string said = text();
  EXPECT_NE(said.find("cudaMemcpy returned 1 (cudaErrorInvalidValue): 3 times"), std::string::npos) << said;
  EXPECT_NE(said.find("cudaStreamSync never returned"), std::string::npos) << said;
}

TEST_F(Explain, StatesWhatWasLostAndReportsLossFromNote) {
  const std::string said = text();
  EXPECT_NE(said.find("ring_full: 7"), std::string::npos) << said;
  EXPECT_EQ(said.find("Nothing was lost"), std::string::npos);
  const auto report = json();
  ASSERT_EQ(report["losses"].size(), 2U);
}

TEST_F(Explain, NeverPrintsATracedProcessesEscapes) {
  EXPECT_EQ(text().find('\x1b'), std::string::npos);
  EXPECT_EQ(text({"--per-process"}).find('\x1b'), std::string::npos);
}

TEST_F(Explain, SelectsByTimeProcessAndCall) {
  EXPECT_EQ(json({"--pid", "1"})["recording"]["events"], 0);
  EXPECT_NE(text({"--pid", "1"}).find("no events in the selected part"), std::string::npos);
  EXPECT_EQ(json({"--op", "CUDAMEMCPY"})["calls"].size(), 1U);
  EXPECT_EQ(json({"--from", "2026-11-21T02:26:40Z", "--to", "2026-11-21T02:26:40.0105Z"})["calls"][0]["count"], 10);
}

TEST_F(Explain, PerProcessGivesOneRowForEachProcessAndCall) {
  const auto rows = json({"--per-process"});
  ASSERT_TRUE(rows.is_array());
  EXPECT_EQ(rows.size(), 4U);
  for (const auto& row : rows) EXPECT_EQ(row["pid"], kPid);
}

TEST_F(Explain, RefusesWhatItCannotDo) {
  expect_refused(run_cli({"explain", "-d", path("none.db")}), cli::kExitFailed, "none.db");
  expect_refused(run_cli({"explain"}), cli::kExitUsage, "--db");
  expect_refused(run_cli({"explain", "-d", database_, "--from", "yesterday"}), cli::kExitUsage, "yesterday");
  expect_refused(run_cli({"explain", "-d", database_, "--from", "2026-11-22", "--to", "2026-11-21"}), cli::kExitUsage,
                 "later");
  expect_refused(run_cli({"explain", "-d", database_, "--since", "5m", "--from", "02:26"}), cli::kExitUsage, "--since");
  expect_refused(run_cli({"explain", "-d", database_, "--pid", "many"}), cli::kExitUsage, "pid");
}

class NothingLost : public Explain {
 protected:
  void record() override { write(event("cudaFree", 1'000, 2'000)); }
};

TEST_F(NothingLost, SaysSo) {
  const std::string said = text();
  EXPECT_NE(said.find("Nothing was lost"), std::string::npos) << said;
  EXPECT_NE(said.find("on the CPU all the time"), std::string::npos) << said;
  EXPECT_EQ(json()["unfinished"].size(), 0U);
}

class Nothing : public Explain {
 protected:
  void record() override {}
};

TEST_F(Nothing, SaysThatThereAreNoEvents) { EXPECT_NE(text().find("It holds no events."), std::string::npos); }

class NothingButALoss : public Explain {
 protected:
  void record() override { losses_.add(hal::Loss::process_unprobed); }
};

TEST_F(NothingButALoss, SaysWhyThereMayBeNone) {
  const std::string said = text();
  EXPECT_NE(said.find("It holds no events."), std::string::npos);
  EXPECT_NE(said.find("process_unprobed: 1 Programs that ended"), std::string::npos) << said;
}

class OneThatFails : public Explain {
 protected:
  void record() override { write(event("cudaFree", 1'000, 2'000, 1)); }
};

TEST_F(OneThatFails, IsTheOnlyOne) {
  EXPECT_NE(text().find("The only GPU call returned an error."), std::string::npos) << text();
}

// Some synchronisations wait for all the work, the others find it done: of so few neither kind is the usual one.
class AFewCallsOfTwoKinds : public Explain {
 protected:
  void record() override {
    for (uint64_t i = 0; i < 8; ++i) {
      write(event("cudaStreamSynchronize", (i + 1) * 10'000'000, i % 4 == 0 ? 5'000'000 : 1'000));
    }
  }
};

TEST_F(AFewCallsOfTwoKinds, AreNotCalledUnusual) {
  EXPECT_NE(text().find("1. cudaStreamSync 5ms, train"), std::string::npos) << text();
}

}  // namespace
}  // namespace ingero::report
