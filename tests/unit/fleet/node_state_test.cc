// What a machine says of itself: what it believes of an answer, whose word counts when, and when it is a straggler.
#include "fleet/send/node_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingero::fleet::send {
namespace {

using ::testing::DoubleNear;
using ::testing::Optional;
using ::testing::StrEq;

constexpr uint64_t kWindowNs = correlate::RankWindows::kPeriodNs, kSecond = 1'000'000'000;

TEST(PushedThreshold, NothingIsBelievedThatCannotBe) {
  const auto good = read_threshold("0.952381", "true", "0.83");
  ASSERT_TRUE(good);
  EXPECT_DOUBLE_EQ(good->threshold, 0.952381);
  EXPECT_TRUE(good->has_quorum);
  EXPECT_THAT(good->score, Optional(0.83));
  EXPECT_FALSE(read_threshold("0.1", "false", "")->has_quorum);
  EXPECT_TRUE(read_threshold("0.99", "true", ""));
  // Both are needed, and exactly as they are to be.
  for (const char* quorum : {"", "True", "TRUE", "1", "yes", " true", "true ", "falsee"}) {
    EXPECT_FALSE(read_threshold("0.9", quorum, "")) << quorum;
  }
  for (const char* threshold : {"", "0.0999", "0.991", "1e300", "-0.5", "nan", "inf", "0x0.8", "0.9 ", " 0.9",
                                "0.9,0.9", "0.9000000000000000000000000000000000000000"}) {
    EXPECT_FALSE(read_threshold(threshold, "true", "")) << threshold;
  }
  EXPECT_FALSE(read_threshold(std::string(1 << 20, '9'), "true", ""));
  for (const char* score : {"1.01", "-0.1", "nan", "high"}) {
    EXPECT_FALSE(read_threshold("0.9", "true", score)->score) << score;
  }
}

TEST(PushedThreshold, AnAnswerOfJsonIsCheckedAlike) {
  const auto good = read_threshold_json(R"({"threshold": 0.9, "quorum_met": false, "score": 0.5})");
  ASSERT_TRUE(good);
  EXPECT_EQ((std::tuple(good->threshold, good->has_quorum, *good->score)), std::tuple(0.9, false, 0.5));
  for (const char* body : {"", "[]", "0.9", "{", R"({"threshold": 0.9})", R"({"quorum_met": true})",
                           R"({"threshold": "0.9", "quorum_met": true})", R"({"threshold": 0.9, "quorum_met": 1})",
                           R"({"threshold": 1e9, "quorum_met": true})", R"({"threshold": null, "quorum_met": true})"}) {
    EXPECT_FALSE(read_threshold_json(body)) << body;
  }
}

class NodeStateTest : public ::testing::Test {
 protected:
  // One window of two ranks; own work before a collective, in milliseconds.
  NodeReport window(uint64_t first_ms, uint64_t second_ms, const std::optional<PushedThreshold>& pushed = {}) {
    now_ns_ += kWindowNs;
    std::vector<correlate::RankWindow> windows;
    for (const uint64_t ms : {first_ms, second_ms}) {
      correlate::RankWindow& one = windows.emplace_back();
      one.start_ns = now_ns_ - kWindowNs;
      one.end_ns = now_ns_;
      one.rank = static_cast<uint32_t>(windows.size());
      one.comm_id_hash = 7;
      one.nranks = 8;
      one.measured = 10;
      one.median_ns = ms * 1'000'000;
      one.off.preempted_ns = cpu_wait_ns_;
    }
    state_.add(windows);
    state_.hear(pushed, now_ns_);
    return state_.report(now_ns_, now_ns_);
  }
  NodeReport windows(size_t count, uint64_t first_ms, uint64_t second_ms,
                     const std::optional<PushedThreshold>& pushed = {}) {
    NodeReport last;
    for (; count > 0; --count) last = window(first_ms, second_ms, pushed);
    return last;
  }

  NodeState state_;
  uint64_t now_ns_ = 1000 * kWindowNs, cpu_wait_ns_ = 0;
};

PushedThreshold pushed(double score, double threshold = 0.95, bool has_quorum = true) {
  return {threshold, has_quorum, score};
}

TEST_F(NodeStateTest, AStragglerIsOneFromTheThresholdOnUntilItIsClearOfIt) {
  EXPECT_FALSE(window(100, 100, pushed(0.95)).is_straggler) << "not below it";
  const NodeReport slow = window(100, 100, pushed(0.949));
  EXPECT_TRUE(slow.is_straggler);
  EXPECT_THAT(slow.state, StrEq("active"));
  EXPECT_EQ(slow.mode, DetectionMode::kFleet);
  EXPECT_EQ(slow.since_ns, now_ns_);
  EXPECT_TRUE(window(100, 100, pushed(0.96)).is_straggler) << "within the hysteresis";
  const NodeReport over = window(100, 100, pushed(0.97));
  EXPECT_FALSE(over.is_straggler);
  EXPECT_EQ(over.since_ns, slow.since_ns) << "that it is over is about the same event";
  EXPECT_FALSE(window(100, 100, pushed(0.96)).is_straggler) << "it was over";
}

TEST_F(NodeStateTest, WhatTheServerFoundCountsAndNotTheOwnPast) {
  // The work of all ranks grows by a third, as in an evaluation.
  windows(60, 100, 100, pushed(1));
  EXPECT_FALSE(windows(30, 133, 133, pushed(1)).is_straggler);
}

TEST_F(NodeStateTest, ModesFollowTheAgeOfWhatIsKnown) {
  EXPECT_EQ(window(100, 100).mode, DetectionMode::kNone);
  EXPECT_THAT(window(100, 100).state, StrEq("calibrating"));
  EXPECT_EQ(windows(kWarm, 100, 100).mode, DetectionMode::kLocalBaseline);
  EXPECT_EQ(window(100, 100, pushed(1, 0.95, false)).mode, DetectionMode::kLocalBaseline) << "never with quorum";
  EXPECT_EQ(window(100, 100, pushed(1)).mode, DetectionMode::kFleet);
  EXPECT_EQ(windows(4, 100, 100, pushed(1, 0.5, false)).mode, DetectionMode::kFleetCached);
  EXPECT_THAT(window(100, 100, pushed(1, 0.5, false)).threshold, Optional(0.95)) << "the last with quorum";
  EXPECT_EQ(windows(3, 100, 100).mode, DetectionMode::kFleetCached) << "the answer is 15 s old";
  EXPECT_EQ(window(100, 100).mode, DetectionMode::kLocalCached) << "20 s";
  EXPECT_EQ(windows(49, 100, 100).mode, DetectionMode::kLocalCached);
  EXPECT_EQ(windows(2, 100, 100).mode, DetectionMode::kLocalBaseline) << "five minutes since there was a quorum";
  EXPECT_THAT(name_of(DetectionMode::kLocalCached), StrEq("local-cached"));
}

TEST_F(NodeStateTest, WithoutAServerItIsComparedWithItsOwnPastAndDoesNotGetUsedToIt) {
  EXPECT_THAT(windows(60, 100, 200).score, Optional(DoubleNear(1, 1e-9)));
  EXPECT_FALSE(windows(30, 100, 230).is_straggler) << "15 % are too little";
  NodeReport slow = windows(20, 130, 200);
  EXPECT_TRUE(slow.is_straggler);
  EXPECT_THAT(slow.score, Optional(DoubleNear(1 / 1.3, 1e-3)));
  EXPECT_THAT(slow.threshold, Optional(kBaseline));
  EXPECT_THAT(slow.signal, StrEq("throughput"));
  cpu_wait_ns_ = 200'000'000;  // two thirds of what it is late by
  slow = windows(400, 130, 200);
  EXPECT_TRUE(slow.is_straggler) << "what is slow has not become usual";
  EXPECT_THAT(slow.signal, StrEq("cpu"));
  EXPECT_FALSE(windows(kRecent, 100, 200).is_straggler);
}

TEST_F(NodeStateTest, AThresholdThatIsAboutAnotherScoreIsNotComparedWithTheOwnPast) {
  const PushedThreshold without{0.95, true, {}};
  windows(60, 100, 100, without);
  const NodeReport later = windows(30, 110, 110, without);
  EXPECT_EQ(later.mode, DetectionMode::kFleet);
  EXPECT_THAT(later.threshold, Optional(kBaseline));
  EXPECT_FALSE(later.is_straggler);
}

TEST_F(NodeStateTest, AMachineWhoseRanksDoNothingIsIdleAndNoStraggler) {
  EXPECT_TRUE(window(100, 100, pushed(0.5)).is_straggler);
  EXPECT_TRUE(state_.report(now_ns_ + 3 * kWindowNs, now_ns_ + kSecond).is_straggler);
  const NodeReport idle = state_.report(now_ns_ + 3 * kWindowNs + 1, now_ns_ + kSecond);
  EXPECT_THAT(idle.state, StrEq("idle"));
  EXPECT_FALSE(idle.is_straggler);
  EXPECT_FALSE(idle.score);
}

TEST_F(NodeStateTest, AnotherCommunicatorIsOtherWork) {
  windows(60, 100, 100);
  for (int i = 0; i < 30; ++i) {
    correlate::RankWindow one;
    now_ns_ += kWindowNs;
    one.end_ns = now_ns_;
    one.comm_id_hash = 8;
    one.rank = 1;
    one.nranks = 16;
    one.measured = 10;
    one.median_ns = 300'000'000;
    state_.add({&one, 1});
    EXPECT_FALSE(state_.report(now_ns_, now_ns_).is_straggler);
  }
}

}  // namespace
}  // namespace ingero::fleet::send
