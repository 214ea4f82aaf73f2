// Addresses of nodes and their clocks.
#include "fleet/nodes.h"

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
