// What explain --follow prints of the stored chains, and what it keeps to itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/chain_follower.h"
#include "unit/cli/recording_fixture.h"

namespace ingero::report {
namespace {

using cli::Outcome;
using cli::run_cli;

using ::testing::IsEmpty;
using ::testing::SizeIs;

ReportedChain chain(const char* id, const char* severity) {
  ReportedChain one;
  one.id = id;
  one.severity = severity;
  one.summary = "reads wait for the disk";
  one.lost_ns = 1'200'000'000;
  return one;
}

TEST(ChainFollower, ReportsEachChainOnceThenWhatChanges) {
  ChainFollower follower;
  std::vector<ReportedChain> chains = {chain("a", "MEDIUM")};
  auto changes = follower.next(chains);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].what, ChainFollower::What::kFound);

  chains[0].lost_ns = 9'000'000'000;  // it goes on
  EXPECT_THAT(follower.next(chains), IsEmpty());

  chains[0].severity = "HIGH";
  chains.push_back(chain("b", "LOW"));
  changes = follower.next(chains);
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0].what, ChainFollower::What::kWorse);
  EXPECT_EQ(changes[1].chain->id, "b");

  chains[0].resolved = true;
  chains[0].severity = "MEDIUM";  // becoming better is not a change of its own
  changes = follower.next(chains);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].what, ChainFollower::What::kResolved);
  EXPECT_THAT(follower.next(chains), IsEmpty());
  EXPECT_EQ(follower.followed(), 2U);
}

TEST(ChainFollower, ALineOfJsonIsTheChainWithItsChangeInFront) {
  const ReportedChain one = chain("a", "HIGH");
  const std::string line = change_json({ChainFollower::What::kResolved, &one});
  ASSERT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["change"], "resolved");
  EXPECT_EQ(json["id"], "a");
  EXPECT_EQ(json["lost_ns"], 1'200'000'000);
  EXPECT_EQ(line.find("{\"change\""), 0U);
}

TEST(Follow, AFinishedRecordingIsReportedAndLeft) {
  const Outcome text = run_cli({"explain", "--follow", "--db", "/nonexistent.db"});
  EXPECT_NE(text.status, 0);
  EXPECT_NE(run_cli({"explain", "--follow", "--per-process"}).status, 0);
}

}  // namespace
}  // namespace ingero::report
