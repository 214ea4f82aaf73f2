// A node whose ranks are slow together is one incident at every interface.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/incidents.h"
#include "fleet/server/analysis.h"
#include "unit/fleet/cluster_fixture.h"

namespace ingero::fleet::server {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Of 32 ranks on four nodes those of one are slow: the CPUs of its ranks are taken. Rank 27 is slow by itself.
class SlowNodeTest : public ClusterTest {
 protected:
  void run_nodes(size_t count, double slow, const std::function<void(wire::Window&)>& change = {}) {
    for (; count > 0; --count) {
      pass(5);
      std::vector<wire::Window> windows;
      for (uint32_t rank = 0; rank < 32; ++rank) {
        const bool is_slow = slow > 0 && (rank / 8 == 1 || rank == 27);
        wire::Window one = window("j1", rank, ranks_.window(rank, is_slow ? slow : 0));
        one.nranks = 32;
        if (is_slow && change) change(one);
        windows.push_back(std::move(one));
      }
      send(std::move(windows));
    }
  }
  // Rank 8 is slow all the time; its whole node is, besides, for two windows of fifteen.
  void run_bursts(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      pass(5);
      std::vector<wire::Window> windows;
      for (uint32_t rank = 0; rank < 32; ++rank) {
        const double burst = rank / 8 == 1 && i % 15 >= 13 ? 0.25 : 0, own = rank == 8 ? 0.1 : 0;
        wire::Window one = window("j1", rank, ranks_.window(rank, (1 + burst) * (1 + own) - 1));
        one.nranks = 32;
        windows.push_back(std::move(one));
      }
      send(std::move(windows));
    }
  }
  static void take_cpus(wire::Window& window) { window.preempted_s = 5 * 0.3; }

 private:
  Workload ranks_{32, kUsualNoise, 1};
};

TEST_F(SlowNodeTest, IsOneIncidentAtEveryInterface) {
  run_nodes(60, 0);
  run_nodes(20, 0.3, take_cpus);
  const Json found = outliers()["outliers"];
  ASSERT_THAT(found, SizeIs(2));
  const Json& node = found[0]["rank"].is_null() ? found[0] : found[1];
  const Json& rank = found[0]["rank"].is_null() ? found[1] : found[0];
  EXPECT_EQ(rank["rank"], 27);
  EXPECT_EQ(rank["kind"], "straggler");
  EXPECT_EQ(rank["scope"], "rank");
  EXPECT_EQ(node["kind"], "slow_node");
  EXPECT_EQ(node["scope"], "node");
  EXPECT_EQ(node["node_id"], "node-1");
  EXPECT_EQ(node["class"], "host");
  EXPECT_EQ(node["state"], "named");
  EXPECT_EQ(node["evidence"]["ranks"], Json::array({8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(node["evidence"]["node_ranks"], 8);
  EXPECT_EQ(node["delayed_count"], 24);
  EXPECT_GE(node["score"].get<double>(), detect::kNamed);
  EXPECT_NEAR(node["effect"].get<double>(), 0.3, 0.05);
  EXPECT_THAT(node["sentence"].get<std::string>(), HasSubstr("all 8 ranks on node-1 (8 to 15) need "));
  const Json listed = incidents();
  ASSERT_THAT(listed, SizeIs(2));
  const Json& one = listed[0]["kind"] == "slow_node" ? listed[0] : listed[1];
  EXPECT_EQ(one["kind"], "slow_node");
  EXPECT_EQ(one["node_id"], "node-1");
  EXPECT_TRUE(one["rank"].is_null());
  EXPECT_EQ(one["class"], "host");
  EXPECT_EQ(one["evidence"]["rank_count"], 8);
  EXPECT_EQ(one["evidence"]["delayed_count"], 24);
  EXPECT_EQ(one["to_ns"], (clock.now_ns / kWindow_ns) * kWindow_ns);  // as of now
  const std::string exposed = metrics();
  EXPECT_THAT(exposed, HasSubstr(R"(ingero_fleet_incidents_open{cluster_id="lab",kind="slow_node",class="host"} 1)"));
  EXPECT_THAT(exposed, HasSubstr(R"(ingero_fleet_incidents_open{cluster_id="lab",kind="straggler",class="host"} 1)"));
  const auto analysis = analyse(*cluster, {});
  ASSERT_TRUE(analysis.ok());
  const std::string said = dump((*analysis)["sentences"]);
  EXPECT_THAT(said, HasSubstr("all 8 ranks on node-1"));
  EXPECT_THAT(said, HasSubstr("24 ranks wait for it."));
  const Json chains = chains_of_cluster(*analysis);
  ASSERT_THAT(chains, SizeIs(2));
  const Json& chain = chains[0]["rank"].is_null() ? chains[0] : chains[1];
  EXPECT_EQ(chain["node"], "node-1");
  EXPECT_EQ(chain["severity"], "HIGH");
  EXPECT_THAT(chain["root_cause"].get<std::string>(), HasSubstr("wait for a CPU"));
  // A restart knows it; it is over when the node is as fast as the others.
  const Json id = one["id"];
  open();
  run_nodes(2, 0.3, take_cpus);
  ASSERT_THAT(incidents(), SizeIs(2));
  EXPECT_TRUE(incidents()[0]["id"] == id || incidents()[1]["id"] == id);
  run_nodes(60, 0);
  EXPECT_THAT(outliers()["outliers"], IsEmpty());
  const Json ended = incidents();
  ASSERT_THAT(ended, SizeIs(2));
  for (const Json& row : ended) EXPECT_EQ(row["state"], "over") << dump(row);
}

TEST_F(SlowNodeTest, BurstsOfANodeDoNotMakeItsWhatOneOfItsRanksHadBefore) {
  run_nodes(60, 0);
  run_bursts(60);
  const Json listed = incidents();
  ASSERT_THAT(listed, SizeIs(1));
  EXPECT_EQ(listed[0]["kind"], "straggler");
  EXPECT_EQ(listed[0]["rank"], 8);
}

TEST_F(SlowNodeTest, WhoseDevicesAreSlowIsOfClassDevice) {
  Workload others(48, kUsualNoise, 2);
  const auto run_with = [&](size_t count, double slow) {
    for (; count > 0; --count) {
      pass(5);
      std::vector<wire::Window> windows;
      for (uint32_t rank = 0; rank < 16; ++rank) {
        const bool is_slow = slow > 0 && rank >= 8;
        windows.push_back(window("j1", rank, workload.window(rank, is_slow ? slow : 0)));
        windows.back().device = usual_device(rank);
        if (is_slow) windows.back().device->throttle_reasons = wire::kThrottleThermal;
        if (is_slow) windows.back().device->sm_clock_hertz = 1.1e9;
      }
      // Six other nodes of the job: what half of the devices has is how they are set.
      for (uint32_t rank = 16; rank < 64; ++rank) {
        windows.push_back(window("j1", rank, others.window(rank - 16, 0)));
        windows.back().device = usual_device(rank);
      }
      for (wire::Window& one : windows) one.nranks = 64;
      send(std::move(windows));
    }
  };
  run_with(60, 0);
  run_with(20, 0.3);
  const Json found = outliers()["outliers"];
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0]["kind"], "slow_node");
  EXPECT_EQ(found[0]["class"], "device");
  EXPECT_EQ(found[0]["evidence"]["slow_devices"], 8);
  EXPECT_THAT(found[0]["cause"].get<std::string>(), HasSubstr("8 of its devices differ from their peers'"));
}

// What a node reports of one of its ranks or of itself explains the whole.
TEST_F(SlowNodeTest, WhatItReportsOfItselfIsItsClass) {
  run_nodes(60, 0);
  run_nodes(6, 0.3);
  report("memory_pressure", 20, 10, std::nullopt, "node-1");
  run_nodes(6, 0.3);
  const Json found = outliers()["outliers"];
  const auto node = std::ranges::find_if(found, [](const Json& one) { return one["kind"] == "slow_node"; });
  ASSERT_NE(node, found.end());
  EXPECT_EQ((*node)["class"], "memory");
}

}  // namespace
}  // namespace ingero::fleet::server
