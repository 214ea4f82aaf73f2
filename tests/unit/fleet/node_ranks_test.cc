// How many ranks a node may have, and that the others do not suffer from one that says it has more.
#include "fleet/server/node_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingero::fleet::server {
namespace {

constexpr uint64_t kRanksSecond_ns = 1'000'000'000;

wire::Window window_of(const std::string& node, uint32_t rank, const std::string& job = "j") {
  wire::Window window;
  window.sender = {"c", node, job};
  window.rank = rank;
  return window;
}

TEST(NodeRanks, ANodeHasSoManyAndTheOthersDoNotSuffer) {
  NodeRanks ranks;
  uint32_t taken = 0;
  for (uint32_t rank = 0; rank < 65'536; ++rank) taken += ranks.take(window_of("bad", rank), 1) ? 1 : 0;
  EXPECT_EQ(taken, NodeRanks::kMaxRanks);
  EXPECT_TRUE(ranks.take(window_of("bad", 0), 2)) << "those that it had first stay";
  EXPECT_FALSE(ranks.take(window_of("bad", 0, "another job"), 2));
  EXPECT_TRUE(ranks.take(window_of("good", 65'535), 2));
  EXPECT_THAT(ranks.excessive(3), testing::ElementsAre("c: bad"));
  EXPECT_THAT(ranks.excessive(3 + NodeRanks::kHeard_ns), testing::IsEmpty());
}

TEST(NodeRanks, ShortJobsOneAfterAnotherAreNotTooMany) {
  NodeRanks ranks;
  for (uint64_t job = 0; job < 1000; ++job) {
    for (uint32_t rank = 0; rank < 64; ++rank) {
      ASSERT_TRUE(ranks.take(window_of("n", rank, std::to_string(job)), job * 20 * kRanksSecond_ns)) << job;
    }
  }
}

TEST(NodeRanks, NodesWithoutEndAreBounded) {
  NodeRanks ranks;
  for (uint32_t node = 0; node < 10'000; ++node) {
    ASSERT_TRUE(ranks.take(window_of("n" + std::to_string(node), 1), 1)) << "the store's to refuse";
  }
}

}  // namespace
}  // namespace ingero::fleet::server
