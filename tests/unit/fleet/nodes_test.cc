// Addresses of nodes and their clocks.
#include "fleet/nodes.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/clocks.h"

namespace ingero::fleet {
namespace {

using ::testing::HasSubstr;

std::string urls(const std::string& list, NodeRules rules = {}) {
  const auto nodes = parse_nodes({list}, rules);
  if (!nodes.ok()) return nodes.error().text();
  std::string out;
  for (const Node& node : *nodes) out += (out.empty() ? "" : " ") + node.peer.url();
  return out;
}

TEST(NodeList, AreEncryptedUnlessTheyAreThisMachine) {
  EXPECT_EQ(urls("gpu-01,gpu-02:9090 , 10.0.0.3"), "https://gpu-01:8080 https://gpu-02:9090 https://10.0.0.3:8080");
  EXPECT_EQ(urls("127.0.0.1:1,localhost,[::1]:2"), "http://127.0.0.1:1 http://localhost:8080 http://[::1]:2");
  EXPECT_EQ(urls("127.0.0.1:1", {.has_tls_files = true}), "https://127.0.0.1:1");
  EXPECT_EQ(urls("https://127.0.0.1:1"), "https://127.0.0.1:1");
  EXPECT_EQ(urls("gpu-01", {.is_plain_allowed = true}), "http://gpu-01:8080");
  EXPECT_EQ(urls("gpu-01", {.has_tls_files = true, .is_plain_allowed = true}), "https://gpu-01:8080");
  EXPECT_THAT(urls("http://gpu-01"), HasSubstr("--fleet-require-tls=false"));
  EXPECT_THAT(urls("http://127.0.0.1.example.com"), HasSubstr("not encrypted"));
  // A name is believed to be this machine only while it resolves to it.
  EXPECT_TRUE(parse_nodes({"localhost"}, {})->front().peer.only_loopback);
}

TEST(NodeList, WrongEntriesAreNamed) {
  for (const char* list : {"gpu-01:0", "gpu-01:99999", "gpu-01:x", "a b", "ftp://gpu-01", "gpu-01/path", "[::1", "::1",
                           "gpu-01,gpu-01:8080", "gpu\x1b[31m"}) {
    const auto nodes = parse_nodes({list}, {});
    ASSERT_FALSE(nodes.ok()) << list;
    EXPECT_EQ(nodes.error().code(), Errc::kInvalid);
    EXPECT_EQ(nodes.error().text().find('\x1b'), std::string::npos);
  }
  const auto secret = parse_nodes({"https://user:hunter2@gpu-01"}, {});
  ASSERT_FALSE(secret.ok());
  EXPECT_EQ(secret.error().text().find("hunter2"), std::string::npos);
  std::string many;
  for (size_t i = 0; i <= kMaxNodes; ++i) many += "n" + std::to_string(i) + ",";
  EXPECT_FALSE(parse_nodes({many}, {}).ok());
}

TEST(Clocks, TheQuickestAnswerIsTheOffset) {
  EXPECT_FALSE(best_of({}).has_value());
  const ClockOffset samples[] = {{900, 30}, {-5, 2}, {10, 3}};
  EXPECT_EQ(best_of(samples)->offset_ns, -5);
  // Asked at 1000, answered 200 later: the node read its clock at 1100 of ours.
  const auto offset = clock_offset(1000, 200, 1600);
  ASSERT_TRUE(offset.has_value());
  EXPECT_EQ(offset->offset_ns, 500);
  EXPECT_EQ(offset->within_ns, 100U);
  EXPECT_FALSE(clock_offset(1000, 200, -1).has_value());
  EXPECT_FALSE(clock_offset(1000, 200, INT64_MAX).has_value());
}

// The node had the request at 1500 and answered at 1550 by its clock; ours said 1000 before, and 200 had passed after.
TEST(Clocks, WhatTheAnswerTookIsNoUncertainty) {
  const auto offset = wire::clock_offset(1000, 200, "1500 1550");
  ASSERT_TRUE(offset.has_value());
  EXPECT_EQ(offset->offset_ns, 425);
  EXPECT_EQ(offset->within_ns, 75U);
  EXPECT_EQ(wire::clock_offset(1000, 20, "1500 1550")->within_ns, 0U) << "its clock runs, or it does not say the truth";
  for (const char* wrong : {"", "1500", "1500 ", " 1550", "1550 1500", "-5 10", "1e3 2e3", "x y", "1500 1550 1600",
                            "9223372036854775807 9223372036854775807", "18446744073709551615 1"}) {
    EXPECT_FALSE(wire::clock_offset(1000, 200, std::string_view(wrong)).has_value()) << wrong;
  }
  EXPECT_EQ(wire::time_header(1500, 1550), "1500 1550");
}

// Any delays there and back, and any offset: the truth lies within what is said.
TEST(Clocks, TheTruthIsWithinTheBound) {
  std::mt19937_64 random(std::random_device{}());
  for (int i = 0; i < 10'000; ++i) {
    const auto some = [&](uint64_t most) { return std::uniform_int_distribution<uint64_t>(0, most)(random); };
    const uint64_t there = some(1'000'000), held = some(5'000'000), back = some(1'000'000), begin = some(1ULL << 60);
    const int64_t truth = static_cast<int64_t>(some(2'000'000'000)) - 1'000'000'000;
    const int64_t received = static_cast<int64_t>(begin + there) + truth;
    if (received < 0) continue;
    const auto offset = wire::clock_offset(begin, there + held + back, received, received + static_cast<int64_t>(held));
    ASSERT_TRUE(offset.has_value());
    EXPECT_LE(static_cast<uint64_t>(std::abs(offset->offset_ns - truth)), offset->within_ns + 1);
  }
}

TEST(Clocks, TheFilterKeepsTheMostCertainAndForgets) {
  wire::ClockFilter filter;
  EXPECT_FALSE(filter.best(0).has_value());
  filter.add({280, 50}, 0);
  filter.add({300, 10}, 0);
  filter.add({240, 90}, 0);
  EXPECT_EQ(filter.best(0)->offset_ns, 300);
  // Five seconds later it may have drifted by 250 us.
  EXPECT_EQ(filter.best(5'000'000'000)->within_ns, 250'010U);
  filter.add({400, 20'000}, 5'000'000'000);
  EXPECT_EQ(filter.best(5'000'000'000)->offset_ns, 400);
  for (size_t i = 0; i < wire::ClockFilter::kMaxSamples; ++i) filter.add({500, 1'000'000}, 5'000'000'000);
  EXPECT_EQ(filter.best(5'000'000'000)->offset_ns, 500);
}

TEST(Clocks, TheFilterBeginsAnewWhenAClockWasSet) {
  wire::ClockFilter filter;
  filter.add({0, 200'000}, 0);  // a good one, and then a clock is set by an hour
  filter.add({3'600'000'000'000, 2'000'000}, 5'000'000'000);
  EXPECT_EQ(filter.best(5'000'000'000)->offset_ns, 3'600'000'000'000);
  // As far as it may have drifted since it is the same clock.
  filter.add({3'600'000'000'000 - 4'500'000, 2'300'000}, 10'000'000'000);
  EXPECT_EQ(filter.best(10'000'000'000)->offset_ns, 3'600'000'000'000);
}

TEST(Clocks, PairsFurtherApartThanTheThresholdAreReported) {
  const auto pairs = clocks_apart({ClockOffset{-20, 1}, std::nullopt, ClockOffset{0, 2}, ClockOffset{15, 3}}, 16);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].first, 0U);
  EXPECT_EQ(pairs[0].second, 3U);
  EXPECT_EQ(pairs[0].difference_ns, 35U);
  EXPECT_EQ(pairs[0].within_ns, 4U);
  EXPECT_EQ(pairs[1].difference_ns, 20U);
  EXPECT_THAT(clocks_apart({ClockOffset{0, 15}, ClockOffset{27, 15}}, 10), ::testing::IsEmpty()) << "not certain";
  const auto widest = clocks_apart({ClockOffset{INT64_MIN, 0}, ClockOffset{INT64_MAX, 0}}, 0);
  EXPECT_EQ(widest[0].difference_ns, UINT64_MAX);
}

}  // namespace
}  // namespace ingero::fleet
