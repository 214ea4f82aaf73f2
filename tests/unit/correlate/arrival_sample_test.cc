// The sample of collectives that all ranks choose alike.
#include "correlate/arrival_sample.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingero::correlate {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kPeriodNs = 5'000'000'000, kBegin = 1'700'000'000'000'000'000, kId = 3, kHash = 0xfeedface;

void enter(ArrivalSample& sample, uint64_t from, uint64_t to, size_t limit, uint64_t window = kBegin) {
  for (uint64_t number = from; number < to; ++number) {
    SampledArrival one;
    one.communicator_id = kId;
    one.number = number;
    one.entered_ns = window + number;
    sample.enter(window, ArrivalSample::level_of(kHash, number), limit, one);
  }
}

std::set<uint64_t> numbers(const std::vector<SampledArrival>& some) {
  std::set<uint64_t> all;
  for (const auto& one : some) all.insert(one.number);
  return all;
}

// (H1)
TEST(ArrivalSample, IsTheSameOnRanksThatEnteredTheSame) {
  ArrivalSample one, other;
  enter(one, 1000, 3000, 10);
  enter(other, 1000, 3000, 10);
  const auto first = numbers(one.take(kId, kBegin, kPeriodNs, true));
  EXPECT_EQ(first, numbers(other.take(kId, kBegin, kPeriodNs, true)));
  EXPECT_LE(first.size(), 10U);
  EXPECT_GE(first.size(), 2U);
}

TEST(ArrivalSample, OfASmallerLimitOrAnotherCutIsInTheLarger) {
  ArrivalSample large, small, shifted;
  enter(large, 1000, 3000, 10);
  enter(small, 1000, 3000, 3);
  enter(shifted, 1010, 3010, 10);
  const auto all = numbers(large.take(kId, kBegin, kPeriodNs, true));
  const auto few = numbers(small.take(kId, kBegin, kPeriodNs, true));
  EXPECT_LE(few.size(), 3U);
  EXPECT_TRUE(std::ranges::includes(all, few));
  const auto other = numbers(shifted.take(kId, kBegin, kPeriodNs, true));
  std::set<uint64_t> both;
  std::ranges::set_intersection(all, other, std::inserter(both, both.end()));
  EXPECT_GE(both.size() + 2, std::min(all.size(), other.size()));
}

TEST(ArrivalSample, TakesAllWhereThereAreFew) {
  ArrivalSample sample;
  enter(sample, 5, 12, 10);
  EXPECT_THAT(sample.take(kId, kBegin, kPeriodNs, true), SizeIs(7));
}

// (H2)
TEST(ArrivalSample, IsGivenOnceWhenItWasLeftAndAtTheLatestAWindowLater) {
  ArrivalSample sample;
  enter(sample, 5, 8, 10);
  sample.leave(kId, 6, kBegin + 1000);
  sample.leave(kId + 1, 7, kBegin + 1000);
  const auto left = sample.take(kId, kBegin, kPeriodNs, false);
  EXPECT_EQ(numbers(left), (std::set<uint64_t>{5, 6}));
  EXPECT_EQ(left.front().left_ns, kBegin + 1000);
  EXPECT_THAT(sample.take(kId, kBegin, kPeriodNs, false), IsEmpty());
  const auto late = sample.take(kId, kBegin + kPeriodNs, kPeriodNs, false);
  EXPECT_EQ(numbers(late), (std::set<uint64_t>{7}));
  EXPECT_FALSE(late.front().left_ns);
  EXPECT_THAT(sample.take(kId, kBegin + 2 * kPeriodNs, kPeriodNs, true), IsEmpty());
}

TEST(ArrivalSample, ForgetsNumbersThatMeanNothingAnyMore) {
  ArrivalSample sample;
  enter(sample, 5, 8, 10);
  sample.forget(kId);
  EXPECT_THAT(sample.take(kId, kBegin, kPeriodNs, true), IsEmpty());
}

TEST(ArrivalSample, IsSmallerWhereThereAreManyRanks) {
  EXPECT_EQ(ArrivalSample::limit_of(0), 10U);
  EXPECT_EQ(ArrivalSample::limit_of(256), 10U);
  EXPECT_EQ(ArrivalSample::limit_of(512), 5U);
  EXPECT_EQ(ArrivalSample::limit_of(16384), 1U);
}

}  // namespace
}  // namespace ingero::correlate
