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

TEST(Quotas, AWindowAtOnceThenTheRate) {
  Quotas quotas = make(100, 0, 0);
  auto at_once = batch_of(500);
  ASSERT_FALSE(quotas.take_points("a", at_once, 0));
  auto next = batch_of(50);
  const auto refusal = quotas.take_points("a", next, 0);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, Quotas::Kind::kPoints);
  EXPECT_EQ(refusal->why,
            "node n of c: of the token's 100 points a second its share is used up, and what the others leave");
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
  EXPECT_NEAR(static_cast<double>(taken), 100.0 * 3600, 600);
}

TEST(Quotas, ARequestOfManyPointsIsTakenAndPaidForLater) {
  Quotas quotas = make(100, 0, 0);
  auto large = batch_of(1000);
  ASSERT_FALSE(quotas.take_points("a", large, 0));
  auto small = batch_of(1);
  const auto refusal = quotas.take_points("a", small, 0);
  ASSERT_TRUE(refusal);
  EXPECT_NEAR(static_cast<double>(refusal->wait_ns), 5.01e9, 1e7);
}

TEST(Quotas, ByDefaultTheLargestJobMaySendItsWindowsAllAtOnce) {
  constexpr size_t kNodes = 2048, kOfNode = kLargestJob / kNodes * kPointsOfRank;
  Quotas quotas{QuotaOptions()};
  for (uint64_t window = 1; window <= 24; ++window) {
    for (size_t node = 0; node < kNodes; ++node) {
      auto batch = batch_of(1, "gpu-" + std::to_string(node));
      batch.received = kOfNode;
      // Within half a second of the window's end.
      const uint64_t ns = window * 5 * kSecond_ns + node * (kSecond_ns / 2) / kNodes;
      ASSERT_FALSE(quotas.take_points("a", batch, ns)) << window << " " << node;
      ASSERT_FALSE(quotas.take_bytes("a", "10.0.0." + std::to_string(node), 16 << 10, ns));
    }
  }
}

TEST(Quotas, WhatOneNodeFloodsTheOthersDoNotMiss) {
  constexpr size_t kNodes = 100, kOfNode = 450;  // in 5 s; of 50,000
  Quotas quotas = make(10'000, 0, 0);
  const auto send = [&](const std::string& node, size_t points, uint64_t ns) {
    auto batch = batch_of(1, node);
    batch.received = points;
    return !quotas.take_points("a", batch, ns);
  };
  for (size_t node = 0; node < kNodes; ++node) ASSERT_TRUE(send("gpu-" + std::to_string(node), kOfNode, kSecond_ns));
  uint64_t flooded = 0;
  for (uint64_t ns = 6 * kSecond_ns; ns < 606 * kSecond_ns; ns += kSecond_ns / 100) {
    if (send("gpu-0", 1000, ns)) flooded += 1000;
    if (ns % (5 * kSecond_ns) != kSecond_ns) continue;
    for (size_t node = 1; node < kNodes; ++node) {
      ASSERT_TRUE(send("gpu-" + std::to_string(node), kOfNode, ns)) << node << " at " << ns;
    }
  }
  // What the others leave, and no less.
  EXPECT_NEAR(static_cast<double>(flooded), 600.0 * (10'000 - 99.0 * kOfNode / 5), 60'000);
  // One that is new is let in as soon as something has come back.
  EXPECT_TRUE(send("gpu-new", kOfNode, 606 * kSecond_ns) || send("gpu-new", kOfNode, 607 * kSecond_ns));
}

// Those that are known keep what they do not use; that share is less where there are more.
TEST(Quotas, NodesThatAreNewFindRoomWhereTheOthersUseLittle) {
  Quotas quotas = make(200'000, 0, 0);
  for (const char* known : {"a", "b", "c"}) {
    auto batch = batch_of(3, known);
    ASSERT_FALSE(quotas.take_points("t", batch, 0));
  }
  uint64_t now_ns = 13 * kSecond_ns;
  auto last = batch_of(1, "a");
  ASSERT_FALSE(quotas.take_points("t", last, now_ns));
  for (int i = 0; i < 40; ++i) {
    auto batch = batch_of(10, "new-" + std::to_string(i));
    EXPECT_FALSE(quotas.take_points("t", batch, now_ns += 100'000)) << i;
  }
}

TEST(Quotas, AMillionNodesOfOneTokenAreBounded) {
  Quotas quotas = make(1000, 0, 0);
  uint64_t taken = 0;
  for (size_t node = 0; node < 1'000'000; ++node) {
    auto batch = batch_of(1, "made-up-" + std::to_string(node));
    if (!quotas.take_points("a", batch, kSecond_ns + node * 100'000)) ++taken;  // in 100 s
  }
  EXPECT_LT(taken, 5000 + 100 * 1000 + SharedBucket::kMaxMembers);
}

TEST(Quotas, OneTokenDoesNotPayForAnother) {
  Quotas quotas = make(0, 1000, 0);
  ASSERT_FALSE(quotas.take_bytes("a", "10.0.0.1", 5000, 0));
  const auto refusal = quotas.take_bytes("a", "10.0.0.1", 1, 0);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->why,
            "10.0.0.1: of the token's 1000 bytes a second its share is used up, and what the others leave");
  EXPECT_FALSE(quotas.take_bytes("b", "10.0.0.1", 1, 0));
}

TEST(Quotas, WithoutTokensAHeaderMakesNoNewSender) {
  Quotas quotas = make(0, 1000, 0, false);
  ASSERT_FALSE(quotas.take_bytes("a", "10.0.0.1", 5000, 0));
  EXPECT_TRUE(quotas.take_bytes("b", "10.0.0.1", 1, 0));
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
