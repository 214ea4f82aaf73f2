// Clocks of nodes by the collectives that both took part in, and what began first by them.
#include "fleet/detect/clocks.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/chains.h"
#include "store/read/time_order.h"

namespace ingero::fleet::detect {
namespace {

using store::in_order;
using store::Moment;
using store::order_json;

constexpr uint64_t kBegin = 1'700'000'000'000'000'000, kMs = 1'000'000;

// Three nodes whose clocks are wrong by known times; in each collective one of them is the last.
class ClocksTest : public ::testing::Test {
 protected:
  void collective(uint64_t number, uint64_t at_ms, uint32_t last, uint64_t late_ms = 20) {
    for (uint32_t node = 0; node < 3; ++node) {
      const uint64_t entered_ns = kBegin + at_ms * kMs + (node == last ? late_ms * kMs : node * kMs);
      const uint64_t left_ns = kBegin + (at_ms + late_ms + 1) * kMs + node * 1000;  // a millisecond after the last came
      clocks.add(9, number, node, entered_ns + wrong_ns[node], left_ns + wrong_ns[node]);
    }
  }
  std::optional<ClockBound> difference(uint32_t a, uint32_t b) const {
    const auto all = clocks.differences(a);
    const auto found = all.find(b);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  }
  int64_t truth(uint32_t a, uint32_t b) const {
    return static_cast<int64_t>(wrong_ns[a]) - static_cast<int64_t>(wrong_ns[b]);
  }
  Clocks clocks;
  std::vector<uint64_t> wrong_ns = {0, 500 * kMs, 3 * kMs};
};

// (Q1)
TEST_F(ClocksTest, AreBoundAsCloselyAsTheLastToComeIsFollowedByTheFirstToLeave) {
  EXPECT_FALSE(difference(0, 1));
  for (uint64_t number = 1; number <= 6; ++number) collective(number, 100 * number, number % 3);
  for (uint32_t a = 0; a < 3; ++a) {
    for (uint32_t b = 0; b < 3; ++b) {
      if (a == b) continue;
      const auto bound = difference(a, b);
      ASSERT_TRUE(bound);
      EXPECT_LE(bound->least_ns, truth(a, b));
      EXPECT_GE(bound->most_ns, truth(a, b));
      EXPECT_LE(bound->within_ns(), 2 * kMs);
      EXPECT_EQ(bound->collectives, 6U);
    }
  }
}

TEST_F(ClocksTest, AreNotKnownFromOneSideAlone) {
  clocks.add(9, 1, 0, kBegin, kBegin + 5);
  clocks.add(9, 1, 1, kBegin, std::nullopt);
  EXPECT_FALSE(difference(0, 1));
  clocks.add(9, 1, 1, kBegin, kBegin + 7);
  EXPECT_TRUE(difference(0, 1));
}

// (Q2)
TEST_F(ClocksTest, OnlyWhatWaitsForAllSaysSomething) {
  EXPECT_TRUE(waits_for_all("ALL_REDUCE"));
  EXPECT_FALSE(waits_for_all("BROADCAST"));
  EXPECT_FALSE(waits_for_all("REDUCE"));
  EXPECT_FALSE(waits_for_all(""));
}

// (Q3)
TEST_F(ClocksTest, AClockThatIsSetBeginsAnewAndOldBoundsWiden) {
  for (uint64_t number = 1; number <= 6; ++number) collective(number, 100 * number, number % 3);
  wrong_ns[1] = 100 * kMs;
  for (uint64_t number = 7; number <= 12; ++number) collective(number, 100 * number, number % 3);
  const auto bound = difference(1, 0);
  ASSERT_TRUE(bound);
  EXPECT_LE(bound->least_ns, truth(1, 0));
  EXPECT_GE(bound->most_ns, truth(1, 0));
  EXPECT_EQ(bound->collectives, 6U);
  // An hour later there is one that says little: what was known has widened by 50 millionths of the time.
  collective(13, 3'600'000, 2, 1000);
  const auto later = difference(1, 0);
  ASSERT_TRUE(later);
  EXPECT_GE(later->within_ns(), 100 * kMs);
  EXPECT_LE(later->within_ns(), 200 * kMs);
  EXPECT_LE(later->least_ns, truth(1, 0));
  EXPECT_GE(later->most_ns, truth(1, 0));
}

TEST_F(ClocksTest, HostileTimesAndManyCollectivesDoNotHarm) {
  std::mt19937_64 random(std::random_device{}());
  for (int i = 0; i < 300'000; ++i) {
    clocks.add(random() % 8, random(), static_cast<uint32_t>(random() % 64), random(), random());
  }
  for (uint64_t number = 1; number <= 6; ++number) collective(number, 100 * number, number % 3);
  ASSERT_TRUE(difference(0, 1));
}

Moment moment(const std::string& node, uint64_t at_ms, std::optional<ClockOffset> clock) {
  return {node, node + "-chain", kBegin + at_ms * kMs, clock, 0};
}

TEST(Order, IsThatOfCorrectedTimesAndSaysWhereItIsNotKnown) {
  const int64_t half_s = 500 * static_cast<int64_t>(kMs);
  const auto ordered = in_order({moment("a", 600, ClockOffset{half_s, 2 * kMs}),  // 100 ms, by our clock
                                 moment("b", 50, ClockOffset{0, 1 * kMs}),
                                 moment("c", 103, ClockOffset{0, 4 * kMs}),  // within what a's clock is known
                                 moment("d", 10, std::nullopt)});
  ASSERT_EQ(ordered.size(), 4U);
  EXPECT_EQ(ordered[0].moment.node, "b");
  EXPECT_EQ(ordered[1].moment.node, "a");
  EXPECT_EQ(ordered[1].ours_ns, kBegin + 100 * kMs);
  EXPECT_TRUE(ordered[1].is_certain);
  EXPECT_EQ(ordered[2].moment.node, "c");
  EXPECT_FALSE(ordered[2].is_certain);
  EXPECT_EQ(ordered[3].moment.node, "d");  // its clock is not known
  EXPECT_FALSE(ordered[3].is_certain);
  const Json json = order_json(ordered);
  EXPECT_TRUE(json[3]["within_ns"].is_null());
  EXPECT_EQ(json[2]["is_certain"], false);
}

TEST(Order, IsShownUnderTheChains) {
  const Json order =
      order_json(in_order({moment("a", 100, ClockOffset{0, 2 * kMs}), moment("b", 200, ClockOffset{0, 2 * kMs}),
                           moment("c", 201, ClockOffset{0, 2 * kMs})}));
  const std::string text =
      report::fleet_chains_text({{"chains", Json::array()}, {"nodes", Json::array()}, {"order", order}}, false);
  EXPECT_THAT(text, ::testing::HasSubstr("  2023-11-14T22:13:20.200000000Z [b] b-chain\n"
                                         "~ 2023-11-14T22:13:20.201000000Z [c] c-chain\n"));
}

TEST(Order, OfNodesThatOneAnswersForIsNotThatOfItsClock) {
  auto moments = {moment("a", 2, std::nullopt), moment("a", 1, std::nullopt)};
  std::vector<Moment> merged(moments);
  merged[0].recorded = "x";
  merged[1].recorded = "y";
  EXPECT_FALSE(in_order(merged)[1].is_certain);
  merged[1].recorded = "x";
  EXPECT_TRUE(in_order(merged)[1].is_certain);
}

TEST(Order, OfOneNodeIsThatOfItsClock) {
  const auto ordered =
      in_order({moment("a", 2, ClockOffset{0, 1000 * kMs}), moment("a", 1, ClockOffset{0, 1000 * kMs})});
  EXPECT_TRUE(ordered[1].is_certain);
}

}  // namespace
}  // namespace ingero::fleet::detect
