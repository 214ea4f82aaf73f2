// Who is there, who is missing, and when that is said.
#include "correlate/arrivals.h"

#include "collective_calls.h"
#include "numbers.h"

namespace ingero::correlate::testing {
namespace {

constexpr uint64_t kAfter = 2'000'000'000;

// A communicator of `n` processes on this host, pid 100 on.
class ArrivalsTest : public ::testing::Test {
 protected:
  void make(int32_t n, int32_t nranks) {
    for (int32_t rank = 0; rank < n; ++rank) feeder.init(pid(rank), kHandle, rank, nranks);
    know();
  }
  void know() {
    for (const auto& reported : feeder.communicators.take_changes()) arrivals.know(reported);
  }
  static uint32_t pid(int32_t rank) { return 100 + static_cast<uint32_t>(rank); }
  void enter(int32_t rank, Outcome outcome = Outcome::kReturned) {
    Event event = event_of("collect", pid(rank), feeder.now += 10'000);
    event.outcome = outcome;
    const Exchange exchange = feeder.collect(event, kHandle);
    know();
    arrivals.take(event, exchange);
  }
  static std::vector<int32_t> ranks(const std::vector<hal::CollectiveHang::Rank>& list) {
    std::vector<int32_t> found;
    for (const auto& rank : list) found.push_back(rank.rank.value_or(-1));
    return found;
  }

  Feeder feeder;
  Arrivals arrivals;
};

TEST_F(ArrivalsTest, WhoCameLastIsReportedOnceAllHaveCome) {
  make(3, 3);
  enter(0);
  feeder.now += 1'000'000;
  enter(2);
  EXPECT_TRUE(arrivals.take_arrivals().empty()) << "one has not come";
  feeder.now += 5'000'000;
  enter(1);
  const auto found = arrivals.take_arrivals();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].number, 1U);
  EXPECT_EQ(found[0].ranks, 3U);
  EXPECT_EQ(found[0].last_rank, 1);
  EXPECT_EQ(found[0].late_ns, 5'010'000U);
  EXPECT_EQ(found[0].skew_ns, 6'020'000U);
  EXPECT_TRUE(arrivals.take_arrivals().empty()) << "told once";
}

TEST_F(ArrivalsTest, NobodyIsMissingWhileAllComeInTime) {
  make(3, 3);
  for (int round = 0; round < 5; ++round) {
    for (int32_t rank = 0; rank < 3; ++rank) enter(rank);
  }
  EXPECT_TRUE(arrivals.evaluate(feeder.now + 100 * kAfter, kAfter).empty());
}

TEST_F(ArrivalsTest, TheMissingAreNamedOnceWhenTheTimeIsUp) {
  make(4, 4);
  for (int32_t rank = 0; rank < 4; ++rank) enter(rank);
  enter(2);
  const uint64_t entered = feeder.now;
  enter(0);
  EXPECT_TRUE(arrivals.evaluate(entered + kAfter - 1, kAfter).empty());
  const auto found = arrivals.evaluate(entered + kAfter, kAfter);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].number, 2U);
  EXPECT_EQ(found[0].entered_mono_ns, entered);
  EXPECT_EQ(found[0].waited_ns, kAfter);
  EXPECT_THAT(ranks(found[0].present), ::testing::ElementsAre(0, 2));
  EXPECT_THAT(ranks(found[0].missing), ::testing::ElementsAre(1, 3));
  EXPECT_FALSE(found[0].is_over);
  EXPECT_TRUE(arrivals.evaluate(entered + kAfter + 1, kAfter).empty()) << "told once";
  enter(1);
  const auto fewer = arrivals.evaluate(feeder.now + 2 * kAfter, kAfter);
  ASSERT_EQ(fewer.size(), 1U);
  EXPECT_THAT(ranks(fewer[0].missing), ::testing::ElementsAre(3));
  EXPECT_EQ(arrivals.hanging(feeder.now).size(), 1U);
  enter(3);
  const auto over = arrivals.evaluate(feeder.now + 3 * kAfter, kAfter);
  ASSERT_EQ(over.size(), 1U);
  EXPECT_TRUE(over[0].is_over);
  EXPECT_TRUE(arrivals.hanging(feeder.now).empty());
}

TEST_F(ArrivalsTest, ACallInFlightHasBeenEntered) {
  make(2, 2);
  enter(0, Outcome::kInFlight);
  const auto found = arrivals.evaluate(feeder.now + kAfter, kAfter);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(ranks(found[0].present), ::testing::ElementsAre(0));
}

TEST_F(ArrivalsTest, ARankFarAheadWaitsForTheOldestThatOthersHaveNotEntered) {
  make(2, 2);
  enter(0);
  const uint64_t first = feeder.now;
  for (int i = 0; i < 10; ++i) enter(0);
  const auto found = arrivals.evaluate(first + kAfter, kAfter);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].number, 1U);
  EXPECT_EQ(found[0].entered_mono_ns, first);
  enter(1);
  // The second was entered later, and has not been waited for so long.
  const auto next = arrivals.evaluate(first + 10'000 + kAfter - 1, kAfter);
  ASSERT_EQ(next.size(), 1U);
  EXPECT_TRUE(next[0].is_over);
}

TEST_F(ArrivalsTest, ARankThatEndedIsMissing) {
  make(2, 2);
  feeder.communicators.process_ended(pid(1), feeder.now + 5000);
  know();
  enter(0);
  const auto found = arrivals.evaluate(feeder.now + kAfter, kAfter);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(ranks(found[0].missing), ::testing::ElementsAre(1));
  feeder.communicators.process_ended(pid(0), feeder.now + 5000);
  know();
  const auto over = arrivals.evaluate(feeder.now + 2 * kAfter, kAfter);
  ASSERT_EQ(over.size(), 1U);
  EXPECT_TRUE(over[0].is_over) << "nobody is left to wait";
}

TEST_F(ArrivalsTest, OneThatHasEndedIsMissingAtOnce) {
  make(3, 3);
  enter(0);
  enter(2);
  feeder.now += Arrivals::kGoneNs;
  EXPECT_TRUE(arrivals.evaluate(feeder.now, 10 * kAfter).empty()) << "it may still come";
  feeder.communicators.process_ended(pid(1), feeder.now);
  know();
  const auto found = arrivals.evaluate(feeder.now, 10 * kAfter);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(ranks(found[0].present), (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(ranks(found[0].missing), (std::vector<int32_t>{1}));
}

TEST_F(ArrivalsTest, OneThatEndsWithTheOthersLeavesNobodyWaiting) {
  make(2, 2);
  enter(0);
  enter(1);
  feeder.communicators.process_ended(pid(1), feeder.now);
  know();
  EXPECT_TRUE(arrivals.evaluate(feeder.now + 10 * kAfter, kAfter).empty());
}

TEST_F(ArrivalsTest, RanksElsewhereAreNeverMissing) {
  make(1, 8);
  enter(0);
  EXPECT_TRUE(arrivals.evaluate(feeder.now + kAfter, kAfter).empty());
}

TEST_F(ArrivalsTest, ALostCountIsEvaluatedNoMore) {
  make(2, 2);
  enter(0);
  feeder.communicators.lost_collectives();
  enter(1);  // which one is not known
  EXPECT_TRUE(arrivals.evaluate(feeder.now + kAfter, kAfter).empty());
}

TEST_F(ArrivalsTest, AfterALossNobodyIsSaidToBeMissing) {
  make(2, 2);
  enter(0);
  ASSERT_EQ(arrivals.evaluate(feeder.now + kAfter, kAfter).size(), 1U);
  arrivals.forget();
  const auto over = arrivals.evaluate(feeder.now + 2 * kAfter, kAfter);
  ASSERT_EQ(over.size(), 1U);
  EXPECT_TRUE(over[0].is_over);
  enter(0);
  EXPECT_TRUE(arrivals.evaluate(feeder.now + 3 * kAfter, kAfter).empty());
}

TEST_F(ArrivalsTest, AFailedCallEntersNothing) {
  make(2, 2);
  Event event = event_of("collect", pid(0), feeder.now += 10'000);
  event.failed = true;
  const Exchange exchange = feeder.collect(event, kHandle);
  arrivals.take(event, exchange);
  EXPECT_TRUE(arrivals.evaluate(feeder.now + kAfter, kAfter).empty());
  enter(0);
  EXPECT_EQ(arrivals.evaluate(feeder.now + kAfter, kAfter).size(), 1U);
}

}  // namespace
}  // namespace ingero::correlate::testing
