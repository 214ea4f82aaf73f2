// The job that does not exist: the same with the same seed, its communicators whole, and its windows as they are sent.
#include "fleet/simulate/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/wire/encode.h"
#include "fleet/wire/protobuf.h"

namespace ingero::fleet::simulate {
namespace {

constexpr uint64_t kFirst_ns = 1'800'000'000'000'000'000;

PlanOptions options(uint32_t ranks, uint64_t seed = 3) {
  PlanOptions made;
  made.ranks = ranks;
  made.seed = seed;
  made.first_ns = kFirst_ns;
  return made;
}

TEST(Plan, HasTheMembersThatItsCommunicatorsSay) {
  auto plan = Plan::make(options(256));
  ASSERT_TRUE(plan.ok()) << plan.error().text();
  std::map<uint64_t, std::set<uint32_t>> members;
  std::map<uint64_t, uint32_t> sizes;
  for (uint32_t node = 0; node < plan->nodes(); ++node) {
    for (const auto& window : plan->window(node, 0)) {
      members[window.communicator].insert(window.rank);
      sizes[window.communicator] = window.nranks;
      EXPECT_LT(window.comm_rank, window.nranks);
    }
  }
  EXPECT_EQ(members.size(), 32U + 4 * 8 + 8 * 8) << "tensor, data and pipeline parallel ones";
  for (const auto& [id, ranks] : members) EXPECT_EQ(ranks.size(), sizes[id]);
}

TEST(Plan, IsTheSameWithTheSameSeedAndSlowWhereItsTruthSays) {
  auto one = Plan::make(options(512)), other = Plan::make(options(512)), third = Plan::make(options(512, 4));
  ASSERT_TRUE(one.ok() && other.ok() && third.ok());
  EXPECT_EQ(one->truth(), other->truth());
  EXPECT_NE(one->truth(), third->truth());
  ASSERT_EQ(one->stragglers().size(), 2U);
  const Straggler& slow = one->stragglers().front();
  const uint32_t node = slow.rank / kRanksOfNode;
  double before = 0, during = 0;
  for (uint32_t number = 0; number < slow.to; ++number) {
    for (const auto& window : one->window(node, number)) {
      if (window.rank == slow.rank) (number < slow.from ? before : during) = *window.work_s;
    }
  }
  EXPECT_GT(during, before * (1 + slow.effect / 2));
}

// What a node reports is of all of its ranks: of two slow ones of it the reason of each is not known.
TEST(Plan, ASlowRankIsTheOnlyOneOfItsNode) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto plan = Plan::make(options(8192, seed));
    ASSERT_TRUE(plan.ok());
    std::set<uint32_t> nodes;
    for (const Straggler& one : plan->stragglers()) nodes.insert(one.rank / kRanksOfNode);
    EXPECT_EQ(nodes.size(), plan->stragglers().size()) << seed;
  }
}

// A node whose clock is ahead ends its windows before the others do.
TEST(Plan, CutsANodesWindowsByItsOwnClock) {
  auto plan = Plan::make(options(256));
  ASSERT_TRUE(plan.ok());
  std::set<int64_t> entered;
  for (uint32_t node = 0; node < plan->nodes(); ++node) {
    uint64_t sum = 0;
    for (uint32_t number = 0; number < 3; ++number) {
      const auto windows = plan->window(node, number);
      sum += windows.front().count;
      EXPECT_EQ(windows.front().entered, static_cast<int64_t>(sum));
    }
    EXPECT_EQ(sum, plan->clock(node, 0).offset_ns > 0 ? 14U : 15U);
    entered.insert(static_cast<int64_t>(sum));
  }
  EXPECT_EQ(entered.size(), 2U) << "clocks are ahead and behind";
}

// By their own clocks, so that they bound how far these are apart; and no receiver refuses one.
TEST(Plan, LeavesACollectiveOnAllNodesAtOnce) {
  PlanOptions wanted = options(256);
  wanted.has_arrivals = true;
  auto plan = Plan::make(wanted);
  ASSERT_TRUE(plan.ok());
  std::map<std::pair<uint64_t, uint64_t>, std::set<int64_t>> left_of;  // by communicator and number, in milliseconds
  for (uint32_t node = 0; node < plan->nodes(); ++node) {
    for (uint32_t number = 0; number < 3; ++number) {
      wire::Collector collector(kFirst_ns + 4 * kPeriod_ns);
      ASSERT_TRUE(wire::read_protobuf(wire::encode_windows(plan->window(node, number), {}), collector).ok());
      const wire::Batch batch = collector.take();
      EXPECT_EQ(batch.refused_count(), 0U) << "node " << node << ", window " << number;
      for (const auto& window : batch.windows) {
        for (const auto& one : window.arrivals) {
          const int64_t left_ns = static_cast<int64_t>(*one.left_ns) - plan->clock(node, number).offset_ns;
          left_of[{window.communicator, one.number}].insert((left_ns + 500'000) / 1'000'000);
        }
      }
    }
  }
  EXPECT_GT(left_of.size(), 50U);
  for (const auto& [collective, left] : left_of) EXPECT_EQ(left.size(), 1U) << collective.second;
}

// Of every class some are planted, each with what shows it, and with what must not be taken for it.
TEST(Plan, ShowsWhyARankIsSlow) {
  std::map<std::string, int> planted;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    auto plan = Plan::make(options(512, seed));
    ASSERT_TRUE(plan.ok());
    for (const Straggler& slow : plan->stragglers()) {
      ++planted[slow.what];
      const uint32_t node = slow.rank / kRanksOfNode, during = slow.from + 1;
      EXPECT_TRUE(plan->incidents(node, slow.from - 1).empty());
      std::set<std::string> own;  // what is reported of this rank, or of no rank, and is large enough
      for (const wire::Incident& chain : plan->incidents(node, during)) {
        if (chain.rank && chain.rank != slow.rank) continue;
        if (chain.lost_s < 1e-9 * kPeriod_ns * slow.effect / 4) continue;
        for (const auto& [name, value] : chain.attributes) {
          if (name == "rule") own.insert(value);
        }
      }
      const std::set<std::string> wanted = slow.what == "memory"    ? std::set<std::string>{"memory_pressure"}
                                           : slow.what == "network" ? std::set<std::string>{"tcp_retransmits"}
                                                                    : std::set<std::string>{};
      EXPECT_EQ(own, wanted) << slow.what;
      for (const wire::Window& window : plan->window(node, during)) {
        if (!window.device) continue;
        const bool is_hot = window.rank == slow.rank && slow.what == "device";
        EXPECT_EQ(window.device->throttle_reasons, is_hot ? wire::kThrottleThermal : 0);
        EXPECT_EQ(*window.device->sm_clock_hertz < 1.9e9, is_hot);
      }
    }
  }
  EXPECT_EQ(planted.size(), 6U);
  for (const auto& [what, count] : planted) EXPECT_GT(count, 4) << what;
}

TEST(Plan, LosesDoublesAndRestarts) {
  const Deliveries deliveries(7, 120);
  const Json truth = deliveries.truth(256);
  EXPECT_NEAR(truth["lost"].get<double>(), 256 * 120 * 0.002 + 8, 30);
  EXPECT_NEAR(truth["doubled"].get<double>(), 256 * 120 * 0.002, 30);
  EXPECT_NEAR(static_cast<double>(truth["restarted_nodes"].size()), 8, 8);
  for (uint32_t node = 0; node < 256; ++node) {
    const auto restart = deliveries.restart_of(node);
    if (!restart) continue;
    EXPECT_EQ(deliveries.of(node, *restart), Delivery::kLost);
    EXPECT_NE(deliveries.instance_of(node, *restart - 1), deliveries.instance_of(node, *restart + 1));
  }
}

// By their mean over many windows, in which noise is the same for all.
TEST(Plan, KnowsTheClockThatAServerHeardOfLast) {
  uint32_t lost_at_the_end = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const auto plan = Plan::make(options(512, seed));
    ASSERT_TRUE(plan.ok());
    const Json truth = plan->truth();
    for (uint32_t node = 0; node < plan->nodes(); ++node) {
      std::optional<int64_t> heard_ns;
      for (uint32_t number = 0; number < 120; ++number) {
        if (plan->deliveries().of(node, number) != Delivery::kLost) heard_ns = plan->clock(node, number).offset_ns;
      }
      ASSERT_TRUE(heard_ns);
      EXPECT_EQ(truth["clock_offset_ns"][node], *heard_ns) << "node " << node << ", seed " << seed;
      lost_at_the_end += plan->deliveries().of(node, 119) == Delivery::kLost;
    }
  }
  EXPECT_GT(lost_at_the_end, 0U) << "what the test is about";
}

TEST(Plan, KnowsWhoIsAlwaysSlow) {
  PlanOptions wanted = options(2048);
  wanted.noise = kNoisyNoise;
  wanted.noise.spread = 0.025;
  wanted.has_stragglers = false;
  auto plan = Plan::make(wanted);
  ASSERT_TRUE(plan.ok());
  std::map<uint32_t, double> work;  // of all stages but the last, which has more to do
  constexpr uint32_t kWindows = 40;
  for (uint32_t number = 0; number < kWindows; ++number) {
    for (uint32_t node = 0; node < plan->nodes(); ++node) {
      if (node % 4 == 3) continue;
      for (const auto& window : plan->window(node, number)) work[window.rank] += *window.work_s / kWindows;
    }
  }
  std::vector<double> sorted;
  for (const auto& [rank, work_s] : work) sorted.push_back(work_s);
  std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
  const double median = sorted[sorted.size() / 2];
  size_t count = 0;
  const Json truth = plan->truth();
  for (const auto& one : truth["always_slow"]) {
    const auto found = work.find(one["rank"].get<uint32_t>());
    if (found == work.end()) continue;
    ++count;
    EXPECT_GT(found->second, median * 1.03) << found->first;
  }
  EXPECT_GT(count, 15U);  // 2.3 % of 1,536
}

// What follows from who stopped, without the plan's own walk: all others wait somewhere, and only these do not.
TEST(Plan, ThatHangsStopsAllOthersSoon) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    PlanOptions wanted = options(512, seed);
    wanted.has_stragglers = false;
    wanted.has_hang = true;
    wanted.windows = 30;
    auto plan = Plan::make(wanted);
    ASSERT_TRUE(plan.ok());
    const Json truth = plan->truth()["hangs"].at(0);
    const auto stopped = truth["ranks"].get<std::set<uint32_t>>();
    std::set<uint32_t> inside, heard;
    for (uint32_t number = 0; number < wanted.windows; ++number) {
      plan->begin(number);
      inside.clear();
      heard.clear();
      for (uint32_t node = 0; node < plan->nodes(); ++node) {
        for (const auto& window : plan->window(node, number)) {
          heard.insert(window.rank);
          if (*window.entered > *window.left) inside.insert(window.rank);
          EXPECT_LE(*window.entered - *window.left, 1);
          if (number < wanted.windows / 2) {
            EXPECT_EQ(window.entered, int64_t{5} * (number + 1) - (plan->clock(node, 0).offset_ns > 0 ? 1 : 0));
          }
        }
      }
    }
    const std::string kind = truth["kind"];
    const bool are_inside = kind == "missing_exit" || kind == "mismatch";
    EXPECT_EQ(heard.size(), kind == "node_silent" ? 512 - stopped.size() : 512U) << seed;
    EXPECT_EQ(inside.size(), are_inside ? 512U : 512 - stopped.size()) << seed << kind;
    for (const uint32_t rank : stopped) EXPECT_EQ(inside.count(rank), are_inside ? 1U : 0U) << seed << kind;
  }
}

TEST(Plan, OfTooFewRanksIsRefused) {
  for (const uint32_t ranks : {0U, 8U, 17U, 65544U}) EXPECT_FALSE(Plan::make(options(ranks)).ok()) << ranks;
  PlanOptions brief = options(64);
  brief.windows = 30;
  EXPECT_FALSE(Plan::make(brief).ok());
}

TEST(Encoding, IsReadAsItWas) {
  auto plan = Plan::make(options(64));
  ASSERT_TRUE(plan.ok());
  auto sent = plan->window(3, 0);
  for (auto& window : sent) {
    window.preempted_s = 0.25;
    window.io_s = 0.5;
    window.entered_bytes = 4096;
    window.is_matched = window.has_failed = true;
    window.pid = 1000 + window.rank;
    window.activity = {wire::ActivityKind::kAsleep, "cudaLaunchKernel", kFirst_ns, "load() at train.py:61",
                       "read() at io.py:5\nload() at train.py:61"};
  }
  wire::Collector collector(kFirst_ns);
  const wire::Push about{"an-instance", 7, wire::ClockOffset{-512, 34}};
  ASSERT_TRUE(wire::read_protobuf(wire::encode_windows(sent, about), collector).ok());
  const wire::Batch batch = collector.take();
  EXPECT_EQ(batch.refused_count(), 0U);
  ASSERT_EQ(batch.windows.size(), sent.size());
  const auto by_rank = [](const wire::Window& a, const wire::Window& b) {
    return std::tie(a.rank, a.communicator) < std::tie(b.rank, b.communicator);
  };
  std::sort(sent.begin(), sent.end(), by_rank);
  for (size_t i = 0; i < sent.size(); ++i) {
    const wire::Window &a = sent[i], &b = batch.windows[i];
    EXPECT_EQ(b.sender.instance, "an-instance");
    ASSERT_TRUE(b.sender.clock.has_value());
    EXPECT_EQ(std::pair(b.sender.clock->offset_ns, b.sender.clock->within_ns), std::pair(int64_t{-512}, uint64_t{34}));
    EXPECT_EQ(b.pid, a.pid);
    ASSERT_TRUE(b.activity.has_value());
    EXPECT_EQ(std::tie(a.activity->kind, a.activity->call, a.activity->since_ns, a.activity->line, a.activity->stack),
              std::tie(b.activity->kind, b.activity->call, b.activity->since_ns, b.activity->line, b.activity->stack));
    EXPECT_EQ(std::tie(a.sender.cluster, a.sender.node, a.sender.job, a.start_ns, a.end_ns, a.rank, a.communicator),
              std::tie(b.sender.cluster, b.sender.node, b.sender.job, b.start_ns, b.end_ns, b.rank, b.communicator));
    EXPECT_EQ(std::tie(a.comm_rank, a.nranks, a.count, a.blocked, a.work_s, a.work_total_s, a.wait_s, a.bytes),
              std::tie(b.comm_rank, b.nranks, b.count, b.blocked, b.work_s, b.work_total_s, b.wait_s, b.bytes));
    EXPECT_EQ(std::tie(a.entered, a.left, a.operation, a.preempted_s, a.io_s),
              std::tie(b.entered, b.left, b.operation, b.preempted_s, b.io_s));
    EXPECT_EQ(std::tie(a.entered_bytes, a.is_lost, a.is_matched, a.has_failed, a.is_gone),
              std::tie(b.entered_bytes, b.is_lost, b.is_matched, b.has_failed, b.is_gone));
  }
}

}  // namespace
}  // namespace ingero::fleet::simulate
