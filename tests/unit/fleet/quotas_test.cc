// What one token may send: rates, series, and that tokens do not pay for each other.
#include "fleet/server/quotas.h"

#include <gtest/gtest.h>

#include "fleet/server/node_reports.h"

namespace ingero::fleet::server {
namespace {

constexpr uint64_t kSecond_ns = 1'000'000'000, kHour_ns = 3600 * kSecond_ns;

wire::Batch batch_of(size_t points, const std::string& node = "n", size_t first = 0) {
  wire::Batch batch;
  batch.received = points;
  for (size_t i = 0; i < points; ++i) {
    wire::Point point;
    point.sender = {"c", node, ""};
    point.metric = "m";
    point.hash = (first + i + 1) * 0x9e3779b97f4a7c15;
    batch.points.push_back(point);
  }
  return batch;
}

Quotas make(uint64_t points, uint64_t bytes, uint64_t series, bool has_tokens = true) {
  return Quotas(
      {.points_per_second = points, .bytes_per_second = bytes, .series_per_hour = series, .has_tokens = has_tokens});
}

TEST(Quotas, TwoSecondsAtOnceThenTheRate) {
  Quotas quotas = make(100, 0, 0);
  auto at_once = batch_of(200);
  ASSERT_FALSE(quotas.take_points("a", at_once, 0));
  auto next = batch_of(50);
  const auto refusal = quotas.take_points("a", next, 0);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, Quotas::Kind::kPoints);
  EXPECT_EQ(refusal->why, "the token's 100 points a second are used up");
  EXPECT_EQ(next.points.size(), 50U);  // the same may be sent again
  // As soon as it says, and no sooner.
  ASSERT_GT(refusal->wait_ns, 0U);
  EXPECT_TRUE(quotas.take_points("a", next, refusal->wait_ns / 2));
  EXPECT_FALSE(quotas.take_points("a", next, refusal->wait_ns));
  EXPECT_EQ(quotas.refused()[static_cast<size_t>(Quotas::Kind::kPoints)], 2U);
}

TEST(Quotas, OverAnHourTheRateIsWhatIsTaken) {
  Quotas quotas = make(100, 0, 0);
  uint64_t taken = 0;
  for (uint64_t ns = 0; ns < kHour_ns; ns += kSecond_ns / 10) {
    auto batch = batch_of(1);
    batch.received = 37;
    if (!quotas.take_points("a", batch, ns)) taken += batch.received;
  }
  EXPECT_NEAR(static_cast<double>(taken), 100.0 * 3600, 300);
}

TEST(Quotas, ARequestOfManyPointsIsTakenAndPaidForLater) {
  Quotas quotas = make(100, 0, 0);
  auto large = batch_of(1000);
  ASSERT_FALSE(quotas.take_points("a", large, 0));
  auto small = batch_of(1);
  const auto refusal = quotas.take_points("a", small, 0);
  ASSERT_TRUE(refusal);
  EXPECT_NEAR(static_cast<double>(refusal->wait_ns), 8.01e9, 1e7);
}

TEST(Quotas, OneTokenDoesNotPayForAnother) {
  Quotas quotas = make(0, 1000, 0);
  ASSERT_FALSE(quotas.take_bytes("a", 5000, 0));
  const auto refusal = quotas.take_bytes("a", 1, 0);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->why, "the token's 1000 bytes a second are used up");
  EXPECT_FALSE(quotas.take_bytes("b", 1, 0));
}

TEST(Quotas, WithoutTokensAHeaderMakesNoNewSender) {
  Quotas quotas = make(0, 1000, 0, false);
  ASSERT_FALSE(quotas.take_bytes("a", 5000, 0));
  EXPECT_TRUE(quotas.take_bytes("b", 1, 0));
}

TEST(Quotas, NewSeriesAreRefusedUntilTheHourIsOver) {
  Quotas quotas = make(0, 0, 100);
  auto hundred = batch_of(100);
  ASSERT_FALSE(quotas.take_points("a", hundred, kSecond_ns));
  auto known = batch_of(100);
  EXPECT_FALSE(quotas.take_points("a", known, 2 * kSecond_ns)) << "the same series again are none";
  auto more = batch_of(101);
  const auto refusal = quotas.take_points("a", more, 3 * kSecond_ns);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, Quotas::Kind::kSeries);
  EXPECT_EQ(refusal->why, "the token's 100 time series of this hour are used up");
  EXPECT_EQ(refusal->wait_ns, kHour_ns - 3 * kSecond_ns);
  EXPECT_EQ(more.points.size(), 101U);
  EXPECT_FALSE(quotas.take_points("a", more, kHour_ns));
}

TEST(Quotas, CausalChainsAreNoSeries) {
  Quotas quotas = make(0, 0, 100);
  auto hundred = batch_of(100);
  ASSERT_FALSE(quotas.take_points("a", hundred, kSecond_ns));
  auto chains = batch_of(kMaxNodeSeries + 1, "n", 200);
  for (auto& point : chains.points) point.metric = kChainMetric;
  EXPECT_FALSE(quotas.take_points("a", chains, kSecond_ns)) << "an incident is said when all else is refused";
  EXPECT_EQ(chains.points.size(), kMaxNodeSeries + 1);
}

TEST(Quotas, AMillionSeriesOfOneNodeLeaveRoomForTheOthers) {
  Quotas quotas = make(0, 0, 1 << 20);
  uint64_t taken = 0, refused = 0;
  for (size_t first = 0; first < 1'000'000; first += 10'000) {
    auto batch = batch_of(10'000, "flood", first);
    ASSERT_FALSE(quotas.take_points("a", batch, kSecond_ns));
    taken += batch.points.size();
    for (const auto& [why, count] : batch.refused) {
      EXPECT_EQ(why, "the node has more than 4096 time series in this hour");
      refused += count;
    }
  }
  EXPECT_EQ(taken, kMaxNodeSeries);
  EXPECT_EQ(refused, 1'000'000 - kMaxNodeSeries);
  auto other = batch_of(100, "other");
  EXPECT_FALSE(quotas.take_points("a", other, kSecond_ns));
  EXPECT_EQ(other.points.size(), 100U);
  auto known = batch_of(100, "flood");  // its first ones
  EXPECT_FALSE(quotas.take_points("a", known, kSecond_ns));
  EXPECT_EQ(known.points.size(), 100U);
}

}  // namespace
}  // namespace ingero::fleet::server
