// The server's knowledge of jobs over time: that begin, go on, end, and are forgotten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "correlate/rules.h"
#include "fleet/server/analysis.h"
#include "unit/fleet/cluster_fixture.h"

namespace ingero::fleet::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(ClusterTest, ALateRankWhoseDeviceIsSlowerThanItsPeersIsOfClassDevice) {
  const auto run_with = [&](size_t count, double slow, const std::function<void(wire::DeviceState&)>& change) {
    for (; count > 0; --count) {
      pass(5);
      std::vector<wire::Window> windows;
      for (uint32_t rank = 0; rank < 16; ++rank) {
        windows.push_back(window("j1", rank, workload.window(rank, rank == 5 ? slow : 0)));
        windows.back().device = usual_device(rank);
        if (rank == 5) change(*windows.back().device);
      }
      send(std::move(windows));
    }
  };
  run_with(40, 0, [](wire::DeviceState&) {});
  run_with(14, 0.3, [](wire::DeviceState& device) {
    device.sm_clock_hertz = 1.1e9;
    device.throttle_reasons = wire::kThrottleThermal;
  });
  const Json found = outliers()["outliers"];
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0]["rank"], 5);
  EXPECT_EQ(found[0]["class"], "device");
  const Json& device = found[0]["evidence"]["device"];
  EXPECT_EQ(device["hw_id"], "GPU-5");
  EXPECT_EQ(device["throttle_reasons"], Json::array({"temperature"}));
  EXPECT_THAT(found[0]["cause"].get<std::string>(), HasSubstr("runs at 1100 MHz, and its peers' at 1500 MHz"));
  EXPECT_EQ(incidents()[0]["class"], "device");
  // After a restart the states of before are known, too.
  open();
  EXPECT_EQ(outliers()["outliers"][0]["class"], "device");
}

// In noise it is a little late for a while longer, and by then its device has been well for as long as is looked at.
TEST_F(ClusterTest, WhatWasKnownOfALateRankWhileItWasSlowIsKnownWhenItIsOver) {
  const auto run_with = [&](size_t count, double slow, bool is_throttled) {
    for (; count > 0; --count) {
      pass(5);
      std::vector<wire::Window> windows;
      for (uint32_t rank = 0; rank < 16; ++rank) {
        windows.push_back(window("j1", rank, workload.window(rank, rank == 5 ? slow : 0)));
        windows.back().device = usual_device(rank);
        if (rank == 5 && is_throttled) windows.back().device->throttle_reasons = wire::kThrottleThermal;
      }
      send(std::move(windows));
    }
  };
  run_with(40, 0, false);
  run_with(14, 0.3, true);
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["class"], "device");
  run_with(8, 0.08, false);
  EXPECT_EQ(outliers()["outliers"][0]["class"], "device");
  run_with(30, 0, false);
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["state"], "over");
  EXPECT_EQ(incidents()[0]["class"], "device");
  EXPECT_THAT(incidents()[0]["cause"].get<std::string>(), HasSubstr("is throttled (temperature)"));
}

TEST_F(ClusterTest, ClocksOfTwoNodesAreBoundByTheCollectivesOfBoth) {
  constexpr int64_t kAhead_ns = 500'000'000;  // the clock of node-1
  const auto arrivals = [&](uint32_t rank, uint64_t late_ns) {
    std::vector<wire::Arrival> some;
    const uint64_t begin_ns = clock.now_ns - clock.now_ns % kWindow_ns - 2 * kSecond;
    for (uint64_t number = 1; number <= 4; ++number) {
      const uint64_t at_ns = begin_ns + number * 100'000'000;
      const bool is_last = rank == (number % 2 == 0 ? 3U : 11U);  // one of each node in turn
      const uint64_t own_ns = rank >= 8 ? kAhead_ns : 0;
      some.push_back(
          {number, at_ns + own_ns + (is_last ? late_ns : 0), at_ns + own_ns + late_ns + 1'000'000, "ALL_REDUCE", 4096});
    }
    return some;
  };
  pass(5);
  std::vector<wire::Window> windows;
  for (uint32_t rank = 0; rank < 16; ++rank) {
    windows.push_back(window("j1", rank, 1));
    windows.back().arrivals = arrivals(rank, 20'000'000);
  }
  send(windows);
  const auto difference = [&] {
    const Json found = cluster->clocks("lab", "node-0");
    EXPECT_THAT(found["differences"], SizeIs(1));
    return found["differences"][0];
  };
  Json found = difference();
  EXPECT_EQ(found["node_id"], "node-1");
  EXPECT_EQ(found["by"], "collectives");
  EXPECT_NEAR(found["difference_ns"].get<double>(), -kAhead_ns, 2e6);
  EXPECT_LE(found["within_ns"].get<double>(), 2e6);
  // What nodes measured with their messages is not as close, and agrees.
  pass(5);
  for (auto& one : windows) {
    one = window("j1", one.rank, 1);
    one.sender.clock = {one.rank >= 8 ? kAhead_ns : 0, 5'000'000};
  }
  send(windows);
  found = difference();
  EXPECT_EQ(found["by"], "both");
  EXPECT_LE(found["within_ns"].get<double>(), 2e6);
  // The clock of node-1 is set: its next messages say so, and what collectives said holds no more.
  pass(5);
  for (auto& one : windows) {
    one = window("j1", one.rank, 1);
    one.sender.clock = {0, 5'000'000};
  }
  send(windows);
  found = difference();
  EXPECT_EQ(found["by"], "messages");
  EXPECT_NEAR(found["difference_ns"].get<double>(), 0, 1e7);
  EXPECT_THAT(cluster->clocks("lab", "nowhere")["differences"], IsEmpty());
}

// Two jobs of eight ranks that neither Slurm nor a launcher names, each on its node: no rank of them is well because
// none is named.
TEST_F(ClusterTest, RanksOfTwoJobsOfOneNameAreSaidToBe) {
  for (int i = 0; i < 20; ++i) {
    pass(5);
    for (const uint32_t node : {i % 2, 1 - i % 2}) {
      std::vector<wire::Window> windows;
      for (uint32_t rank = 0; rank < 8; ++rank) {
        wire::Window one = window("", rank, 0.5);
        one.sender.node = fmt::format("node-{}", node);
        one.communicator = 70 + node;
        one.nranks = 8;
        windows.push_back(std::move(one));
      }
      send(std::move(windows));
    }
  }
  pass(15);
  EXPECT_EQ(outliers()["jobs"][0]["contested_ranks"], 8);
  const auto analysis = analyse(*cluster, {});
  ASSERT_TRUE(analysis.ok());
  const std::string said = dump((*analysis)["sentences"]);
  EXPECT_THAT(said, HasSubstr("8 ranks come from several nodes by turns"));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("No rank is late")));
}

// The same on one node: each rank comes from two processes, in communicators of their own.
TEST_F(ClusterTest, RanksOfTwoJobsOfOneNameOnOneNodeAreSaidToBe) {
  for (int i = 0; i < 40; ++i) {
    pass(5);
    std::vector<wire::Window> windows;
    for (const uint32_t job : {0, 1}) {
      for (uint32_t rank = 0; rank < 8; ++rank) {
        wire::Window one = window("", rank, 0.5 + (rank == 3 && job == 1 && i > 20 ? 0.4 : 0));
        one.communicator = 70 + job;
        one.nranks = 8;
        one.pid = 1000 + 100 * job + rank;
        windows.push_back(std::move(one));
      }
    }
    send(std::move(windows));
  }
  EXPECT_EQ(outliers()["jobs"][0]["contested_ranks"], 8);
  EXPECT_THAT(incidents(), IsEmpty());
  const auto analysis = analyse(*cluster, {});
  ASSERT_TRUE(analysis.ok());
  const std::string said = dump((*analysis)["sentences"]);
  EXPECT_THAT(said, HasSubstr("8 ranks come from several nodes by turns or from two processes at a time"));
  EXPECT_THAT(said, Not(HasSubstr("No rank is late")));
}

// Started anew within a window, a rank comes from two processes once.
TEST_F(ClusterTest, AProcessThatFollowsAnotherIsNoSecondJob) {
  for (uint32_t i = 0; i < 20; ++i) {
    pass(5);
    std::vector<wire::Window> windows;
    for (uint32_t rank = 0; rank < 16; ++rank) {
      for (const uint32_t life : {0, 1}) {
        if (i != 10 && life != (i > 10 ? 1 : 0)) continue;
        windows.push_back(window("j1", rank, workload.window(rank, 0)));
        windows.back().communicator = 77 + life;
        windows.back().pid = 1000 + 100 * life + rank;
      }
    }
    send(std::move(windows));
  }
  EXPECT_EQ(outliers()["jobs"][0]["contested_ranks"], 0);
}

// The ranks of node-1 come no more. Its agent is there and knows of none; or one that was started anew is, which cannot
// know; or none.
TEST_F(ClusterTest, ANodeThatHasNothingToSendIsNotSilent) {
  for (const std::string instance : {"run-1", "run-2", ""}) {
    for (int i = 0; i < 16; ++i) {
      pass(5);
      std::vector<wire::Window> windows;
      const bool hangs = i >= 6;
      for (uint32_t rank = 0; rank < (hangs ? 8U : 16U); ++rank) {
        windows.push_back(window("job-" + instance, rank, 0.5));
        windows.back().sender.instance = "run-1";
        windows.back().left = hangs ? 7 : i;
        windows.back().entered = hangs ? 8 : i;
      }
      send(std::move(windows));
      if (!hangs || instance.empty()) continue;
      wire::Batch idle;
      idle.idle.push_back({"lab", "node-1", "", instance});
      idle.idle.push_back({"lab", "node-77", "", instance});  // of which nothing is known
      EXPECT_TRUE(cluster->take(idle).ok());
    }
    pass(3);
    const Json found = cluster->hangs("lab")["hangs"];
    const auto hang = std::ranges::find_if(found, [&](const Json& one) { return one["job_id"] == "job-" + instance; });
    ASSERT_NE(hang, found.end()) << instance;
    EXPECT_EQ((*hang)["kind"], instance == "run-1" ? "process_gone" : "node_silent") << instance;
    EXPECT_EQ((*hang)["evidence"]["rank_count"], 8);
  }
}

// A rank that does something else than all others.
TEST_F(ClusterTest, RanksThatAreComparedWithNoOtherAreCounted) {
  for (int i = 0; i < 20; ++i) {
    pass(5);
    std::vector<wire::Window> windows;
    for (uint32_t rank = 0; rank < 16; ++rank) {
      windows.push_back(window("j1", rank, workload.window(rank, 0)));
      if (rank == 7) windows.back().bytes *= 64;
    }
    send(std::move(windows));
  }
  EXPECT_EQ(outliers()["jobs"][0]["not_compared_ranks"], 1);
  const auto analysis = analyse(*cluster, {});
  ASSERT_TRUE(analysis.ok());
  const std::string said = dump((*analysis)["sentences"]);
  EXPECT_THAT(said, HasSubstr("No rank is late of the 15 of 16 ranks that are compared with others."));
  EXPECT_THAT(said, HasSubstr("1 rank sends work and is compared with no other"));
}

// The same for all ranks: the windows of a job in which they wait `more_s` longer in each step than 0.5 s.
class SlowJobTest : public ClusterTest {
 protected:
  void run_alike(size_t count, double more_s, const std::function<void(wire::DeviceState&)>& change = {},
                 bool has_devices = true) {
    for (; count > 0; --count) {
      pass(5);
      steps_ += 5 / (1.5 + more_s);
      const double whole = std::floor(steps_);
      steps_ -= whole;
      std::vector<wire::Window> windows;
      for (uint32_t rank = 0; rank < 16; ++rank) {
        wire::Window one = window("j1", rank, workload.window(rank, 0));
        one.count = static_cast<uint64_t>(whole);
        one.bytes = static_cast<int64_t>(1e6 * whole);
        one.wait_s = (0.5 + more_s) * whole;
        if (has_devices) one.device = usual_device(rank);
        if (one.device && rank == 11 && change) change(*one.device);
        windows.push_back(std::move(one));
      }
      send(std::move(windows));
    }
  }

 private:
  double steps_ = 0;
};

TEST_F(SlowJobTest, WhereANodesNetworkHasAFaultMeanwhileThatIsWhy) {
  run_alike(60, 0, {}, false);
  run_alike(6, 0.5, {}, false);
  report("fabric_errors", 20, 0, std::nullopt, "node-1");
  report("fabric_errors", 20, 0, std::nullopt, "node-9");  // not of this job
  run_alike(4, 0.5, {}, false);
  const Json found = outliers()["outliers"];
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0]["kind"], "slow_job");
  EXPECT_EQ(found[0]["class"], "network");
  EXPECT_EQ(found[0]["node_id"], "node-1");
  EXPECT_TRUE(found[0]["rank"].is_null());
  EXPECT_THAT(found[0]["sentence"].get<std::string>(), HasSubstr("the network of node-1 has a fault"));
  EXPECT_THAT(found[0]["cause"].get<std::string>(), HasSubstr("fabric_errors says why"));
  EXPECT_EQ(incidents()[0]["class"], "network");
  EXPECT_TRUE(incidents()[0]["rank"].is_null());
}

TEST_F(SlowJobTest, WhereAllWaitForASlowDeviceItIsNamedByItsState) {
  run_alike(60, 0);
  EXPECT_THAT(outliers()["outliers"], IsEmpty());
  run_alike(16, 0.5, [](wire::DeviceState& device) {
    device.sm_clock_hertz = 1.0e9;
    device.throttle_reasons = wire::kThrottleThermal | wire::kThrottleHardware;
  });
  const Json found = outliers()["outliers"];
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0]["kind"], "slow_job");
  EXPECT_EQ(found[0]["class"], "device");
  EXPECT_EQ(found[0]["rank"], 11);
  EXPECT_EQ(found[0]["node_id"], "node-1");
  EXPECT_LE(found[0]["confidence"].get<double>(), 0.8);
  EXPECT_EQ(found[0]["delayed_count"], 15);
  EXPECT_NEAR(found[0]["lateness_s_per_step"].get<double>(), 0.5, 0.25);
  EXPECT_THAT(found[0]["cause"].get<std::string>(), HasSubstr("GPU-11"));
  const auto analysis = analyse(*cluster, {});
  ASSERT_TRUE(analysis.ok());
  EXPECT_THAT((*analysis)["sentences"][0].get<std::string>(), HasSubstr("the device of rank 11 on node-1 is slower"));
  // It is one incident, which goes on after a restart, and ends when the job is as fast as before.
  const Json id = incidents()[0]["id"];
  open();
  run_alike(2, 0.5, [](wire::DeviceState& device) { device.sm_clock_hertz = 1.0e9; });
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["id"], id);
  EXPECT_EQ(incidents()[0]["state"], "open");
  run_alike(30, 0);
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["state"], "over");
  EXPECT_EQ(incidents()[0]["rank"], 11);
  EXPECT_THAT(outliers()["outliers"], IsEmpty());
}

TEST_F(SlowJobTest, WhereNoDeviceDiffersTheRankIsUnknown) {
  run_alike(60, 0);
  run_alike(16, 0.5);
  Json found = outliers()["outliers"];
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0]["class"], "unknown");
  EXPECT_TRUE(found[0]["rank"].is_null());
  EXPECT_THAT(found[0]["sentence"].get<std::string>(), HasSubstr("rank unknown"));
  EXPECT_THAT(found[0]["cause"].get<std::string>(), HasSubstr("no device differs"));
  const auto analysis = analyse(*cluster, {});
  ASSERT_TRUE(analysis.ok());
  EXPECT_THAT((*analysis)["sentences"][0].get<std::string>(), HasSubstr("rank unknown"));
}

TEST_F(SlowJobTest, WithoutStatesOfDevicesItSaysSoAndASilentJobIsNotOver) {
  run_alike(60, 0, {}, false);
  run_alike(16, 0.5, {}, false);
  const Json found = outliers()["outliers"];
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0]["cause"].get<std::string>(), HasSubstr("nodes do not say what their devices do"));
  pass(60);
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["state"], "silent");
}

TEST_F(SlowJobTest, AHealthyJobHasNone) {
  run_alike(1000, 0);
  EXPECT_THAT(incidents(), IsEmpty());
}

TEST_F(ClusterTest, AStragglerOfAJobThatEndsIsSilentAndNotOpenForEver) {
  run("j1", 40);
  run("j1", 20, 0.5);
  ASSERT_THAT(outliers()["outliers"], SizeIs(1));
  EXPECT_THAT(metrics(), HasSubstr("ingero_fleet_incidents_open{"));
  pass(60);
  EXPECT_THAT(outliers()["outliers"], IsEmpty());
  EXPECT_EQ(outliers()["jobs"][0]["ranks"], 0);
  EXPECT_THAT(metrics(), Not(HasSubstr("ingero_fleet_incidents_open{")));
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["rank"], 5);
  EXPECT_EQ(incidents()[0]["state"], "silent");
  // It goes on: the rank is named anew.
  run("j1", 20, 0.5);
  EXPECT_THAT(outliers()["outliers"], SizeIs(1));
}

// The server measures that a rank is late; why, where what it sent says nothing, its node's causal engine knows.
TEST_F(ClusterTest, WhatANodeReportsIsTheReasonThatNothingMeasured) {
  run("j1", 40);
  run("j1", 20, 0.5);
  EXPECT_EQ(outliers()["outliers"][0]["class"], "unknown");
  report("device_throttling", 30, 0, 3);            // another rank's
  report("device_throttling", 30, 0, 5, "node-1");  // another node's
  report("tcp_retransmits", 60, 2);                 // two seconds of a minute, where 20 were lost
  report("late_rank", 60, 30);                      // says that it is late, and not why
  EXPECT_EQ(outliers()["outliers"][0]["class"], "unknown");
  EXPECT_FALSE(outliers()["outliers"][0]["evidence"].contains("reported"));
  report("memory_pressure", 60, 25, std::nullopt);  // the machine's
  const Json late = outliers()["outliers"][0];
  EXPECT_EQ(late["class"], "memory");
  EXPECT_EQ(late["evidence"]["reported"]["rule"], "memory_pressure");
  EXPECT_EQ(late["cause"], "its node reports: memory_pressure says why");
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["class"], "memory");
  // After a restart as well.
  open();
  EXPECT_EQ(outliers()["outliers"][0]["class"], "memory");
}

// Two machines of one name: each is kept under its own, and so is what its causal engine says.
TEST_F(ClusterTest, AReportOfOneOfTwoNodesOfOneNameIsFound) {
  const auto run_both = [&](size_t count, double slow) {
    for (; count > 0; --count) {
      pass(5);
      for (const uint32_t first : {0, 8}) {
        std::vector<wire::Window> windows;
        for (uint32_t rank = first; rank < first + 8; ++rank) {
          windows.push_back(window("j1", rank, workload.window(rank, rank == 5 ? slow : 0)));
          windows.back().sender.node = "node-0";
          windows.back().sender.instance = first == 0 ? "one" : "other";
        }
        send(std::move(windows));
      }
    }
  };
  run_both(40, 0);
  run_both(20, 0.5);
  EXPECT_EQ(outliers()["outliers"][0]["node_id"], "node-0#one");
  report("device_throttling", 30, 0, std::nullopt, "node-0", "other");
  EXPECT_EQ(outliers()["outliers"][0]["class"], "unknown");
  report("memory_pressure", 30, 0, 5, "node-0", "one");
  EXPECT_EQ(outliers()["outliers"][0]["class"], "memory");
}

TEST_F(ClusterTest, OfTooManyNodesTheFirstThatIsRefusedIsNamedAndRefusedIsNotRepeated) {
  wire::Batch batch;
  for (size_t i = 0; i <= store::kMaxNodes; ++i) {
    wire::Point& point = batch.points.emplace_back();
    point.sender = {"lab", fmt::format("node-{:04}", i), ""};
    point.metric = "m";
    point.time_ns = clock.now_ns;
  }
  EXPECT_TRUE(cluster->take(batch).ok());
  ASSERT_THAT(batch.refused, SizeIs(1));
  EXPECT_EQ(batch.refused.begin()->first,
            "node node-4096: 4096 other nodes have sent in the last day, and no more are known at a time: let pods "
            "send the name of their machine (host.name)");
  const Json received = health()["received"];
  EXPECT_EQ(received["points"], 4096);
  EXPECT_EQ(received["repeated"], 0);
  EXPECT_EQ(received["refused"], Json::parse(R"({"4096 other nodes have sent in the last day": 1})"));
}

TEST_F(ClusterTest, AReportOfBeforeTheLatenessIsNotItsReason) {
  run("j1", 40);
  report("device_throttling", 30, 0);
  run("j1", 20, 0.5);
  EXPECT_EQ(outliers()["outliers"][0]["class"], "unknown");
  report("device_throttling", 30, 0);
  EXPECT_EQ(outliers()["outliers"][0]["class"], "device");
}

TEST_F(ClusterTest, AReportThatBeganLongAfterTheLatenessIsNotItsReason) {
  run("j1", 40);
  run("j1", 60, 0.5);
  report("tcp_retransmits", 30, 10, std::nullopt);  // a third of its time, as the rank is late by
  EXPECT_EQ(outliers()["outliers"][0]["class"], "unknown");
  report("tcp_retransmits", 200, 66, std::nullopt);
  EXPECT_EQ(outliers()["outliers"][0]["class"], "network");
}

TEST(NodeReports, AreBounded) {
  NodeReports reports;
  wire::Point point;
  point.metric = kChainMetric;
  detect::Incident incident;
  const auto take = [&](size_t node, size_t chain) {
    point.sender = {"lab", fmt::format("node-{}", node), ""};
    point.time_ns = 1000 + chain;
    point.attributes = dump(Json{{"causal_chain_id", std::to_string(chain)}, {"rule", "cpu_steal"}, {"summary", "s"}});
    return reports.take(point);
  };
  for (size_t chain = 0; chain < 3 * NodeReports::kOfNode; ++chain) EXPECT_TRUE(take(0, chain));
  EXPECT_EQ(reports.reason("lab", "node-0", incident, 0, 1000), nullptr);  // the first went
  EXPECT_NE(reports.reason("lab", "node-0", incident, 0, 2000), nullptr);
  for (size_t node = 1; node < NodeReports::kMaxNodes; ++node) EXPECT_TRUE(take(node, 0));
  EXPECT_FALSE(take(NodeReports::kMaxNodes, 0));
  EXPECT_TRUE(take(1, 1));
}

TEST(NodeReports, RulesThatHaveAClassAreTheEngines) {
  for (const auto& [rule, what] : kRuleClasses) {
    EXPECT_NE(std::ranges::find(correlate::kRules, rule, &correlate::Rule::name), std::end(correlate::kRules)) << rule;
    EXPECT_EQ(class_of_rule(rule), what);
  }
  EXPECT_TRUE(class_of_rule("late_rank").empty());
}

TEST_F(ClusterTest, AfterARestartAJobThatDoesNotGoOnIsSilentToo) {
  run("j1", 40);
  run("j1", 20, 0.5);
  cluster.reset();
  clock.now_ns += 200 * kSecond;
  open();
  EXPECT_THAT(outliers()["outliers"], SizeIs(1));
  pass(60);
  EXPECT_THAT(outliers()["outliers"], IsEmpty());
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["state"], "silent");
}

// What a node could not send while the server was away comes at once, and not from all at the same time.
TEST_F(ClusterTest, AfterAnOutageTheNodeThatIsBackFirstEndsNothing) {
  run("j1", 40);
  run("j1", 20, 0.5);
  const Json before = incidents();
  ASSERT_THAT(before, SizeIs(1));
  cluster.reset();
  std::vector<wire::Window> waiting[2];
  for (int i = 0; i < 12; ++i) {
    clock.now_ns += kWindow_ns;
    for (uint32_t rank = 0; rank < 16; ++rank) {
      waiting[rank / 8].push_back(window("j1", rank, workload.window(rank, rank == 5 ? 0.5 : 0)));
    }
  }
  open();
  pass(3);
  send(waiting[1]);
  pass(20);
  send(waiting[0]);
  EXPECT_EQ(health()["not_compared"]["late"], 0);
  for (int i = 0; i < 4; ++i) run("j1", 1, 0.5);
  const Json after = incidents();
  ASSERT_THAT(after, SizeIs(1));
  EXPECT_EQ(after[0]["id"], before[0]["id"]);
  EXPECT_EQ(after[0]["state"], "open");
}

// All of what the rank did is compared anew after a restart, but the incident was there before.
TEST_F(ClusterTest, AnIncidentThatIsOverIsNotWrittenAgainAfterARestart) {
  run("j1", 10);
  run("j1", 90, 0.5);
  run("j1", 79);
  const Json before = incidents();
  ASSERT_THAT(before, SizeIs(1));
  EXPECT_EQ(before[0]["state"], "over");
  for (int i = 0; i < 2; ++i) {
    open();
    pass(2);
    EXPECT_EQ(incidents(), before);
  }
}

TEST_F(ClusterTest, AnOpenIncidentIsOneOfTheLastMinutesHoweverLongThereIsNoNews) {
  run("j1", 40);
  run("j1", 120, 0.5);
  const uint64_t since_ns = clock.now_ns - 60 * kSecond;
  const auto found = cluster->incidents("lab", since_ns, 100);
  ASSERT_TRUE(found.ok());
  ASSERT_THAT(found->at("incidents"), SizeIs(1));
  const Json& open = found->at("incidents")[0];
  EXPECT_EQ(open["state"], "open");
  EXPECT_GE(open["to_ns"], clock.now_ns - 2 * kWindow_ns);
  EXPECT_EQ(open["persistence"], "persistent");
}

// Nodes whose trace is older than the communicator know its number, and the library's; the others only the first.
TEST_F(ClusterTest, ACommunicatorOfWhichSomeKnowTheLibrarysNumberIsTheSameAfterARestart) {
  const auto go_on = [&](size_t count) {
    for (; count > 0; --count) {
      pass(5);
      std::vector<wire::Window> windows;
      for (const uint32_t rank : {8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7}) {
        wire::Window& one = windows.emplace_back(window("j1", rank, workload.window(rank, rank == 5 ? 0.5 : 0)));
        if (rank < 8) continue;
        one.comm_id_hash = one.communicator;
        one.communicator = 991;
      }
      send(std::move(windows));
    }
  };
  go_on(60);
  const Json before = incidents();
  ASSERT_THAT(before, SizeIs(1));
  open();
  go_on(16);
  const Json after = incidents();
  ASSERT_THAT(after, SizeIs(1));
  EXPECT_EQ(after[0]["id"], before[0]["id"]);
  EXPECT_EQ(after[0]["state"], "open");
}

TEST_F(ClusterTest, ALowHealthScoreIsOpenAfterARestartAndSilentOnlyWhereNoneComes) {
  const auto go_on = [&](size_t count, bool is_low = true) {
    for (; count > 0; --count) {
      pass(10);
      wire::Batch batch;
      for (uint32_t node = 0; node < 16; ++node) {
        wire::Point& point = batch.points.emplace_back();
        point.sender.cluster = "lab";
        point.sender.node = fmt::format("node-{}", node);
        point.metric = "ingero.node.health_score";
        point.time_ns = clock.now_ns;
        point.value_double = is_low && node == 3 ? 0.5 : 0.9 + 0.01 * ((node + count) % 3);
        point.hash = ++reports;
        point.attributes = "{}";
      }
      EXPECT_TRUE(cluster->take(batch).ok());
    }
  };
  go_on(20, false);
  go_on(40);
  const Json before = incidents();
  ASSERT_THAT(before, SizeIs(1));
  EXPECT_EQ(before[0]["kind"], "low_health_score");
  open();
  EXPECT_EQ(incidents()[0]["state"], "open");
  go_on(40);
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["id"], before[0]["id"]);
  EXPECT_EQ(incidents()[0]["state"], "open");
  open();
  pass(290);
  EXPECT_EQ(incidents()[0]["state"], "open");
  pass(20);
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["state"], "silent");
}

TEST_F(ClusterTest, OneOddFirstWindowIsNotTheLengthOfAllOthers) {
  wire::Window odd = window("j1", 0, 1);
  odd.start_ns = odd.end_ns - kSecond;
  send({odd});
  run("j1", 40);
  run("j1", 20, 0.5);
  EXPECT_EQ(outliers()["jobs"][0]["window_s"], 5);
  EXPECT_THAT(outliers()["outliers"], SizeIs(1));
  // Nor is one of later; but many are, where no other comes.
  send({odd});
  EXPECT_EQ(outliers()["jobs"][0]["window_s"], 5);
  for (int i = 0; i < 30; ++i) {
    pass(15);
    std::vector<wire::Window> windows;
    for (uint32_t rank = 0; rank < 16; ++rank) {
      windows.push_back(window("j1", rank, 1));
      windows.back().start_ns = windows.back().end_ns - 15 * kSecond;
    }
    send(std::move(windows));
  }
  EXPECT_EQ(outliers()["jobs"][0]["window_s"], 15);
  EXPECT_EQ(outliers()["jobs"][0]["ranks"], 16);
}

TEST_F(ClusterTest, AllJobsTogetherHaveAMaximumOfRanks) {
  for (const char* job : {"j1", "j2", "j3"}) {
    std::vector<wire::Window> windows;
    for (uint32_t rank = 0; rank < detect::kMaxRanks; ++rank) {
      windows.push_back(window(job, rank, 1));
      windows.back().sender.node = fmt::format("node-{}", rank / 64);
    }
    send(std::move(windows));
    pass(12);
  }
  send({window("j4", 0, 1), window("j2", 7, 1)});
  EXPECT_EQ(health()["not_compared"]["too_many_ranks"], detect::kMaxRanks + 1);
  EXPECT_THAT(metrics(), HasSubstr("{reason=\"too_many_ranks\"} 65537"));
}

TEST_F(ClusterTest, JobsThatEndedMakeRoomForLaterOnes) {
  for (int job = 0; job < 300; ++job) {
    run(fmt::format("job-{}", job), 3, 0, 4);
    EXPECT_LT(health()["jobs"], 60);
  }
  const Json jobs = outliers()["jobs"];
  const auto last = std::find_if(jobs.begin(), jobs.end(), [](const Json& job) { return job["job_id"] == "job-299"; });
  ASSERT_NE(last, jobs.end());
  EXPECT_EQ((*last)["ranks"], 4);
  EXPECT_EQ(health()["not_compared"]["too_many_jobs"], 0);
  EXPECT_EQ(health()["displaced_jobs"], 0);
  pass(700);
  EXPECT_EQ(health()["jobs"], 0);
  EXPECT_THAT(metrics(), HasSubstr("ingero_fleet_jobs 0\n"));
}

TEST_F(ClusterTest, NamesOfJobsThatDoNotExistKeepNoRoom) {
  std::vector<wire::Window> windows;
  for (size_t job = 0; job < kMaxJobs; ++job) {
    windows.push_back(window(fmt::format("invented-{}", job), 0, 1));
    windows.back().sender.node = fmt::format("invented-{}", job / 8);
  }
  send(std::move(windows));
  send({window("real", 0, 1)});
  EXPECT_EQ(health()["not_compared"]["too_many_jobs"], 1) << "none is silent yet";
  pass(40);
  run("real", 2, 0, 4);
  EXPECT_EQ(health()["not_compared"]["too_many_jobs"], 1);
  EXPECT_EQ(health()["displaced_jobs"], 1);
  EXPECT_EQ(health()["jobs"], kMaxJobs);
  EXPECT_THAT(metrics(), HasSubstr("ingero_fleet_displaced_jobs_total 1\n"));
}

TEST_F(ClusterTest, WhatWasLateStaysCountedWhenItsJobIsForgotten) {
  run("j1", 2, 0, 4);
  wire::Window late = window("j1", 4, 1);
  pass(5);
  send({late});
  EXPECT_EQ(health()["not_compared"]["late"], 1);
  pass(700);
  EXPECT_EQ(health()["jobs"], 0);
  EXPECT_EQ(health()["not_compared"]["late"], 1);
}

TEST_F(ClusterTest, AnIncidentThatCannotBeWrittenIsWrittenLater) {
  run("j1", 40);
  is_busy = true;
  run("j1", 20, 0.5);
  EXPECT_EQ(health()["unwritten_incidents"], 1);
  EXPECT_THAT(incidents(), IsEmpty());
  is_busy = false;
  pass(1);
  EXPECT_EQ(health()["unwritten_incidents"], 0);
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["state"], "open");
  is_busy = true;
  pass(60);
  is_busy = false;
  pass(1);
  ASSERT_THAT(incidents(), SizeIs(1));
  EXPECT_EQ(incidents()[0]["state"], "silent");
  EXPECT_EQ(health()["lost_incidents"], 0);
}

std::vector<uint32_t> ranks_of(const Json& hang) {
  std::vector<uint32_t> ranks;
  for (const Json& one : hang["evidence"]["ranks"]) ranks.push_back(one["rank"]);
  return ranks;
}

// As where its agent was started anew, and what was made before it has no numbers.
TEST_F(ClusterTest, ANodeThatSendsWithoutNumbersIsNotSilent) {
  const auto go_on = [&](int64_t number, bool has_all_numbers, bool is_hanging) {
    pass(5);
    std::vector<wire::Window> windows;
    for (uint32_t rank = 0; rank < 16; ++rank) {
      wire::Window one = window("j1", rank, 1);
      one.work_s.reset();
      if (rank < 8 || has_all_numbers) {
        one.entered = number + (is_hanging && rank != 3 ? 1 : 0);
        one.left = number;
      }
      windows.push_back(std::move(one));
    }
    send(std::move(windows));
  };
  for (int64_t number = 1; number <= 6; ++number) go_on(number, true, false);
  for (int64_t number = 7; number <= 12; ++number) go_on(number, false, false);
  for (int i = 0; i < 6; ++i) go_on(12, false, true);
  const Json answer = cluster->hangs("");
  ASSERT_THAT(answer["hangs"], SizeIs(1));
  EXPECT_EQ(answer["hangs"][0]["kind"], "missing_enter");
  EXPECT_THAT(ranks_of(answer["hangs"][0]), ElementsAre(3U));
  EXPECT_EQ(answer["hangs"][0]["evidence"]["not_observed_ranks"], 8);
  EXPECT_EQ(answer["jobs"][0]["unnumbered_ranks"], 8);
  EXPECT_THAT(incidents(), SizeIs(1)) << "no other ever was";
  const auto analysis = analyse(*cluster, {});
  ASSERT_TRUE(analysis.ok());
  EXPECT_THAT(dump((*analysis)["sentences"]),
              HasSubstr("Of 8 ranks it is not known which collectives they enter, nor whether they hang."));
}

TEST_F(ClusterTest, AHangSaysWhereTheRankIsThatIsWaitedFor) {
  const auto go_on = [&](int64_t number, bool is_hanging) {
    pass(5);
    std::vector<wire::Window> windows;
    for (uint32_t rank = 0; rank < 16; ++rank) {
      wire::Window one = window("j1", rank, 1);
      one.work_s.reset();
      one.entered = number + (is_hanging && rank != 3 ? 1 : 0);
      one.left = number;
      one.pid = 4000 + rank;
      if (is_hanging) {
        one.activity = {wire::ActivityKind::kAsleep, "cudaLaunchKernel", 1'700'000'000 * kSecond,
                        "load() at train.py:61", "read() at io.py:5\nload() at train.py:61"};
      }
      windows.push_back(std::move(one));
    }
    windows[3].device.emplace().id = "GPU-3";
    send(std::move(windows));
  };
  for (int64_t number = 1; number <= 6; ++number) go_on(number, false);
  for (int i = 0; i < 6; ++i) go_on(6, true);
  const Json answer = cluster->hangs("");
  ASSERT_THAT(answer["hangs"], SizeIs(1));
  const Json& evidence = answer["hangs"][0]["evidence"];
  EXPECT_THAT(
      std::string(evidence["sentence"]),
      HasSubstr("15 ranks wait; it sleeps, in load() at train.py:61, and has made no GPU call since 2023-11-14"));
  const Json& rank = evidence["ranks"][0];
  EXPECT_EQ(rank["pid"], 4003);
  EXPECT_EQ(rank["hw_id"], "GPU-3");
  EXPECT_EQ(rank["activity"], "asleep");
  EXPECT_EQ(rank["last_call"], "cudaLaunchKernel");
  EXPECT_EQ(rank["stack"], Json({"read() at io.py:5", "load() at train.py:61"}));
  // It has gone on: what it did is over.
  go_on(7, false);
  EXPECT_THAT(cluster->hangs("")["hangs"], IsEmpty());
}

TEST_F(ClusterTest, WithoutAnyNumbersItIsNotSaidThatNoJobHangs) {
  run("j1", 5);
  EXPECT_EQ(cluster->hangs("")["jobs"][0]["communicators"], 0);
  EXPECT_EQ(cluster->hangs("")["jobs"][0]["unnumbered_ranks"], 16);
  const auto analysis = analyse(*cluster, {});
  ASSERT_TRUE(analysis.ok());
  EXPECT_THAT(dump((*analysis)["sentences"]), HasSubstr("Whether a job hangs is not known"));
}

// One window in ten of a healthy rank is beyond the effect that the threshold is made of.
TEST_F(ClusterTest, ANodeGetsTheScoreThatItsThresholdIsFor) {
  EXPECT_FALSE(cluster->threshold("lab", "node-0").is_known);
  size_t healthy = 0;
  for (int i = 0; i < 60; ++i) {
    run("j1", 1);
    const Threshold first = cluster->threshold("lab", "node-0"), other = cluster->threshold("lab", "node-1");
    if (!first.score) continue;
    ++healthy;
    EXPECT_GE(*first.score, first.value + 0.02);
    EXPECT_GE(*other.score, other.value + 0.02);
  }
  EXPECT_GE(healthy, 50U);
  run("j1", 15, 0.3);
  const Threshold slow = cluster->threshold("lab", "node-0"), other = cluster->threshold("lab", "node-1");
  EXPECT_TRUE(slow.has_quorum);
  EXPECT_NEAR(*slow.score, 1 / 1.3, 0.05);
  EXPECT_LT(*slow.score, slow.value);
  EXPECT_GE(*other.score, other.value + 0.02);
  EXPECT_DOUBLE_EQ(slow.value, cluster->threshold("lab").value);
  EXPECT_FALSE(cluster->threshold("lab").score) << "of no node";
  EXPECT_FALSE(cluster->threshold("lab", "node-9").score);
  run("j1", 40);
  EXPECT_GE(*cluster->threshold("lab", "node-0").score, 0.95) << "it is over";
}

TEST_F(ClusterTest, TheThresholdOfANodeIsThatOfItsOwnJob) {
  for (int i = 0; i < 30; ++i) {
    run("j1", 1);
    std::vector<wire::Window> windows;
    for (uint32_t rank = 0; rank < 40; ++rank) {
      wire::Window one = window("j2", rank, rank % 3 == 0 ? 1.4 : 1);
      one.sender.node = fmt::format("other-{}", rank / 8);
      one.communicator = 78;
      one.nranks = 40;
      windows.push_back(one);
    }
    send(std::move(windows));
  }
  const Threshold of_small = cluster->threshold("lab", "node-0"), of_large = cluster->threshold("lab", "other-0");
  EXPECT_LT(of_large.value, of_small.value - 0.1);
  EXPECT_DOUBLE_EQ(cluster->threshold("lab").value, of_large.value) << "of the largest job";
}

TEST_F(ClusterTest, AScoreOfANodeWhoseRanksAreComparedIsNotComparedToo) {
  run("j1", 3);
  const auto send_score = [&](const std::string& node) {
    wire::Batch batch;
    wire::Point& point = batch.points.emplace_back();
    point.sender = {"lab", node, ""};
    point.metric = "ingero.node.health_score";
    point.time_ns = clock.now_ns;
    point.value_double = 0.9;
    point.attributes = "{}";
    EXPECT_TRUE(cluster->take(batch).ok());
  };
  send_score("node-0");
  EXPECT_EQ(health().at("jobs"), 1);
  send_score("legacy-0");
  EXPECT_EQ(health().at("jobs"), 2);
}

}  // namespace
}  // namespace ingero::fleet::server
