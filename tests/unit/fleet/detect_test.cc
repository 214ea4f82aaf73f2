// The rule that names a slow rank: soon, only that one, and never a healthy one, in the noise of real machines.
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/detect/detector.h"
#include "fleet/detect/normal.h"
#include "fleet/simulate/plan.h"
#include "unit/fleet/fleet_noise.h"

namespace ingero::fleet::detect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kPeriod_ns = 5'000'000'000;

// A job of `groups` communicators of `ranks` each; eight ranks are a node.
struct Job {
  size_t groups = 1, ranks = 8;
  Noise noise = kUsualNoise;
  uint64_t seed = 1;
};

struct Named {
  std::map<uint32_t, size_t> after;  // rank: windows from the onset to the end of the window that named it
  std::vector<Incident> changes;
};

class Simulation {
 public:
  explicit Simulation(const Job& job) : job_(job), workload_(job.groups * job.ranks, job.noise, job.seed) {}

  // `slow(rank)`: by which share. Windows go on where the last call ended.
  template <typename Slow>
  Named run(size_t windows, const Slow& slow, const std::set<uint32_t>& silent = {}) {
    Named named;
    const size_t first = window_;
    for (; window_ < first + windows; ++window_) {
      for (uint32_t rank = 0; rank < job_.groups * job_.ranks; ++rank) {
        if (silent.count(rank) == 0) add(rank, slow(rank));
      }
      for (const Incident& change : detector.advance(window_ * kPeriod_ns + kWaitForWindow_ns)) {
        named.changes.push_back(change);
        if (change.state != State::kOpen) continue;
        for (const uint32_t rank : change.is_of_node() ? change.ranks : std::vector<uint32_t>{change.rank}) {
          named.after.emplace(rank, window_ + 1 - first);
        }
      }
    }
    return named;
  }
  Named run(size_t windows) {
    return run(windows, [](uint32_t) { return 0.0; });
  }
  Detector detector;
  Reasons reasons;                       // of each window, of slow ranks
  std::optional<double> effect_of_zero;  // of rank 0, in place of its noise

 private:
  void add(uint32_t rank, double slow) {
    Sample sample;
    sample.window = 1000 + window_;
    sample.rank = rank;
    sample.node = 1 + rank / 8;
    sample.communicator = 77 + rank / job_.ranks;
    sample.nranks = static_cast<uint32_t>(job_.ranks);
    sample.count = 5;
    sample.bytes = 1e6;
    sample.work_s = workload_.window(rank, slow);
    if (rank == 0 && effect_of_zero) sample.work_s = (1 + job_.noise.middle) * (1 + *effect_of_zero);
    if (slow > 0) sample.reasons = reasons;
    EXPECT_TRUE(detector.add(sample, window_ * kPeriod_ns));
  }
  Job job_;
  Workload workload_;
  size_t window_ = 0;
};

// The p95 of windows to name, over seeds, of a slow rank in each of `groups`; no other may be named.
size_t windows_to_name(const Job& job, double slow, size_t seeds) {
  std::vector<size_t> all;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    Simulation simulation({job.groups, job.ranks, job.noise, seed});
    const auto is_slow = [&](uint32_t rank) { return rank % job.ranks == (seed + rank / job.ranks) % job.ranks; };
    EXPECT_THAT(simulation.run(60).changes, IsEmpty());
    const Named named = simulation.run(60, [&](uint32_t rank) { return is_slow(rank) ? slow : 0.0; });
    for (const auto& [rank, after] : named.after) {
      EXPECT_TRUE(is_slow(rank)) << rank;
      all.push_back(after);
    }
    EXPECT_EQ(named.after.size(), job.groups) << "seed " << seed;
  }
  std::sort(all.begin(), all.end());
  return all.empty() ? SIZE_MAX : all[all.size() * 95 / 100];
}

TEST(Quantile, IsTheInverseOfTheNormalDistribution) {
  for (double z = -6; z <= 6; z += 0.25) {
    const double share = std::erfc(-z / std::sqrt(2)) / 2;
    EXPECT_NEAR(normal_quantile(share), z, 1e-6 * (1 + std::abs(z))) << z;
  }
  EXPECT_LT(normal_quantile(0), -6);
  EXPECT_GT(normal_quantile(1), 6);
}

TEST(PoolOfEffects, EqualValuesAreNeverRare) {
  Pool pool;
  for (int i = 0; i < 12; ++i) pool.add(std::vector<double>(256, 0.02), 256);
  EXPECT_LT(pool.score_of(0.02), kReference);
  EXPECT_GT(pool.score_of(0.03), kReference);
  EXPECT_EQ(pool.windows(), kWindows);
}

TEST(PoolOfEffects, SaysHowSlowARankMustBeInThisNoise) {
  Pool quiet, loud;
  Workload small(256, kUsualNoise, 3), large(256, kNoisyNoise, 3);
  for (int i = 0; i < 12; ++i) {
    std::vector<double> one, other;
    for (size_t rank = 0; rank < 256; ++rank) {
      one.push_back(small.window(rank) - 1.02);
      other.push_back(large.window(rank) - 1.03);
    }
    quiet.add(one, 256);
    loud.add(other, 256);
  }
  EXPECT_GT(quiet.detectable_effect(), kFloor);
  EXPECT_GT(loud.detectable_effect(), quiet.detectable_effect());
  EXPECT_LT(loud.detectable_effect(), 0.2);
}

// Time to name, p95, in usual noise: 35 s for 10 %, 20 s for 30 %, in 2,048 ranks.
TEST(Straggler, IsNamedSoonAndNobodyElseIs) {
  EXPECT_LE(windows_to_name({8, 256, kUsualNoise}, 0.1, 2), 7U);
  EXPECT_LE(windows_to_name({8, 256, kUsualNoise}, 0.3, 2), 4U);
}

// And in noisy ones: 30 s. Of 10 % there some are not named at all (`make fleet-truth`).
TEST(Straggler, IsNamedThroughNoise) { EXPECT_LE(windows_to_name({8, 256, kNoisyNoise}, 0.3, 4), 6U); }

TEST(Straggler, IsNamedInSmallJobsToo) {
  EXPECT_LE(windows_to_name({1, 8, kUsualNoise}, 0.1, 20), 10U);
  EXPECT_LE(windows_to_name({1, 5, kUsualNoise}, 0.1, 20), 12U);
  EXPECT_LE(windows_to_name({1, 4, kUsualNoise}, 0.3, 20), 10U);
  EXPECT_LE(windows_to_name({1, 2, kUsualNoise}, 0.3, 20), 27U);
}

TEST(Straggler, NobodyIsAccusedInAnHourOfAHealthyJob) {
  constexpr size_t kHour = 720;
  EXPECT_THAT(Simulation({8, 256, kUsualNoise, 11}).run(kHour).changes, IsEmpty());
  for (const size_t ranks : {2, 3, 4, 5, 8}) {
    EXPECT_THAT(Simulation({1, ranks, kUsualNoise, 12 + ranks}).run(kHour).changes, IsEmpty()) << ranks;
  }
  // Some are really more than 5 % slow there: 0.04 % of a normal distribution with a deviation of 1.5 %.
  EXPECT_LE(Simulation({8, 256, kNoisyNoise, 13}).run(kHour).after.size(), 3U);
}

// What healthy ranks had, in percent, in six hours of `fleet_load healthy 16384 6` when one sum of scores named them:
// windows that noise makes long come together, since it is correlated in time.
TEST(Straggler, OneThatHasABurstOfNoiseIsNot) {
  const std::vector<std::pair<Noise, std::vector<double>>> kBursts = {
      {kUsualNoise, {2.2, 4.3, 1.6, 1.5, 13.5, 3.7, 20.0, 8.9, 9.8, 7.3}},
      {kUsualNoise, {4.4, 3.0, 8.3, 6.3, 5.7, 6.6, 4.6, 6.9, 9.5, 14.7}},
      {kNoisyNoise, {2.0, 1.7, 4.4, 7.4, 21.7, 22.1, 23.9, 15.7, 28.2, 24.3}},
      {kNoisyNoise, {7.1, 3.1, 6.1, 21.2, 15.2, 12.6, 16.3, 13.7, 16.7, 12.1}},
      {kNoisyNoise, {2.5, 2.4, 1.4, 4.7, 27.5, 24.4, 16.9, 45.8, 22.3, 18.3}}};
  for (const auto& [noise, percents] : kBursts) {
    Simulation simulation({8, 256, noise, 21});
    simulation.run(30);
    for (const double percent : percents) {
      simulation.effect_of_zero = percent / 100;
      EXPECT_EQ(simulation.run(1).after.count(0), 0U) << percents.back();
    }
  }
}

void add_window(simulate::Plan& plan, uint32_t number, Detector& detector, std::optional<uint32_t> lost = {}) {
  plan.begin(number);
  for (uint32_t node = 0; node < plan.nodes(); ++node) {
    if (node == lost) continue;
    for (const wire::Window& one : plan.window(node, number)) {
      const double bytes = static_cast<double>(one.bytes) / static_cast<double>(one.count);
      detector.add({number + 1, one.rank, node, one.communicator, one.nranks, one.count, *one.work_s, bytes, 0, 0},
                   number * kPeriod_ns);
    }
  }
}

// Jobs of `fleet simulate`, each with a rank that is some 4 % slower for ever than a cohort of eight. With a floor that
// does not know how uncertain the median of eight is, each was accused; as in 9 of 1,500 such jobs.
TEST(Straggler, OneThatIsALittleSlowerThanAFewOthersIsNotAccused) {
  for (const uint64_t seed : {5161, 5218, 5531, 5789, 788431011}) {
    simulate::PlanOptions options;
    options.ranks = 256;
    options.seed = seed;
    options.has_stragglers = false;
    auto plan = simulate::Plan::make(options);
    ASSERT_TRUE(plan.ok());
    Detector detector;
    for (uint32_t number = 0; number < options.windows; ++number) {
      add_window(*plan, number, detector);
      EXPECT_THAT(detector.advance(number * kPeriod_ns + kWaitForWindow_ns), IsEmpty()) << "seed " << seed;
    }
  }
}

// In percent, of ranks of `fleet simulate` in noise that were 4.5 and 3.1 % faster than their peers until they became
// 10 % slower than they were.
size_t windows_to_name(const std::vector<double>& before, const std::vector<double>& after) {
  Simulation simulation({2, 256, kNoisyNoise, 31});
  for (size_t i = 0; i < 60; ++i) {
    simulation.effect_of_zero = before[i % before.size()] / 100;
    EXPECT_EQ(simulation.run(1).after.count(0), 0U) << i;
  }
  for (size_t i = 0; i < after.size(); ++i) {
    simulation.effect_of_zero = after[i] / 100;
    if (simulation.run(1).after.contains(0)) return i + 1;
  }
  return SIZE_MAX;
}

TEST(Straggler, OneThatHasBeenFasterIsNamedAllTheSame) {
  EXPECT_LE(windows_to_name({-5.5, -3.9, -4.6, -2.8, -5.0},
                            {7.3, 5.7, 3.9, 4.7, 4.7, 5.9, 4.3, 6.7, 5.3, 3.8, 3.4, 7.7, 3.0, 1.9, 1.4, 1.8, 12.2}),
            21U);
  EXPECT_LE(windows_to_name({-5.1, -2.0, -3.4, -3.0, 1.2},
                            {6.0, 7.0, 3.8, 3.9, 6.2, 4.6, 7.8, 5.6, 7.9, 6.6, 5.7, 11.4, 4.4, 4.6, 4.7, 4.0, 6.6}),
            21U);
}

// Ranks of `fleet simulate` that are 4.5 to 4.9 % slower for ever, each with a minute of more noise than usual.
TEST(Straggler, OneThatIsAsItAlwaysWasIsNotAccused) {
  for (const auto& [seed, rank] : {std::pair(3008, 1675U), {3020, 1479U}, {3061, 1383U}}) {
    simulate::PlanOptions options;
    options.ranks = 2048;
    options.seed = static_cast<uint64_t>(seed);
    options.noise = simulate::kNoisyNoise;
    options.has_stragglers = false;
    auto plan = simulate::Plan::make(options);
    ASSERT_TRUE(plan.ok());
    Detector detector;
    for (uint32_t number = 0; number < options.windows; ++number) {
      add_window(*plan, number, detector);
      for (const Incident& one : detector.advance(number * kPeriod_ns + kWaitForWindow_ns)) {
        EXPECT_NE(one.rank, rank) << "seed " << seed << ", window " << number;
      }
    }
  }
}

// Where tensor and data parallel communicators have as many ranks, each rank could choose either: those whom all others
// had left alone in one were compared with no other, and 40 % slow for minutes without a word (8 of 256 ranks, 2 of
// 64).
TEST(Straggler, EveryRankIsComparedWhereTwoOfItsCommunicatorsAreAsLarge) {
  for (const uint32_t ranks : {64, 128, 256, 512}) {
    simulate::PlanOptions options;
    options.ranks = ranks;
    options.has_stragglers = false;
    auto plan = simulate::Plan::make(options);
    ASSERT_TRUE(plan.ok());
    Detector detector;
    for (uint32_t number = 0; number < 10; ++number) {
      add_window(*plan, number, detector);
      (void)detector.advance(number * kPeriod_ns + kWaitForWindow_ns);
    }
    const auto standings = detector.standings();
    EXPECT_THAT(standings, SizeIs(ranks));
    for (const Standing& one : standings) EXPECT_GT(one.usual_s, 0) << "rank " << one.rank << " of " << ranks;
  }
}

// Of 32 nodes, of which those of a stage are eight: a data parallel communicator is as large as one of a node.
TEST(Roles, AreComparedAcrossNodesWhicheverBatchIsLost) {
  for (uint32_t lost_in = 0; lost_in < 2 * kRoleWindows; ++lost_in) {
    simulate::PlanOptions options;
    options.ranks = 256;
    options.has_stragglers = false;
    auto plan = simulate::Plan::make(options);
    ASSERT_TRUE(plan.ok());
    Detector detector;
    for (uint32_t number = 0; number < 2 * kRoleWindows; ++number) {
      add_window(*plan, number, detector, number == lost_in ? std::optional<uint32_t>(7) : std::nullopt);
      (void)detector.advance(number * kPeriod_ns + kWaitForWindow_ns);
    }
    std::map<uint64_t, std::set<uint32_t>> nodes;  // by communicator
    for (const Standing& one : detector.standings()) nodes[one.communicator].insert(one.node);
    EXPECT_THAT(nodes, SizeIs(32));
    for (const auto& [communicator, some] : nodes) EXPECT_THAT(some, SizeIs(8)) << "lost in " << lost_in;
  }
}

TEST(Straggler, ARankOverTheBoundOfSamplesIsNotNoted) {
  Detector detector;
  const auto add = [&](uint64_t window, uint32_t rank, uint64_t communicator) {
    return detector.add({window, rank, 0, communicator, 2, 1, 1.0, 64, 0, 0}, 0);
  };
  for (uint32_t rank = 0; rank < kMaxRanks; ++rank) {
    for (uint64_t communicator = 0; communicator < kMaxCommunicatorsOfRank; ++communicator) {
      ASSERT_TRUE(add(1, rank, communicator));
    }
  }
  EXPECT_FALSE(add(2, 0, 0));
  EXPECT_THAT(detector.advance(kMaxWaitForWindow_ns), IsEmpty());
  EXPECT_EQ(detector.last_window(), 1U);
}

TEST(SlowNode, IsOneIncidentOfAllItsRanks) {
  Simulation simulation({8, 256});
  simulation.run(60);
  // Ranks of one node are in one communicator, and are 32 of its 256; one of another node is slow, too.
  const auto slow = [](uint32_t rank) { return rank < 32 || rank == 301 ? 0.1 : 0.0; };
  const Named named = simulation.run(20, slow);
  EXPECT_EQ(named.after.size(), 33U);
  for (const auto& [rank, after] : named.after) EXPECT_TRUE(slow(rank) > 0) << rank;
  std::vector<Incident> open = simulation.detector.named();
  ASSERT_THAT(open, SizeIs(5));
  EXPECT_FALSE(open[0].is_of_node());
  EXPECT_EQ(open[0].rank, 301U);
  for (uint32_t i = 1; i < 5; ++i) {
    EXPECT_EQ(open[i].node, i);
    EXPECT_EQ(open[i].ranks.size(), 8U);
    EXPECT_EQ(open[i].rank, 8 * (i - 1));
    EXPECT_NEAR(open[i].effect, 0.1, 0.03);
  }
  // A rank that was named before most of its node were suspects is part of its node's incident since.
  std::set<uint32_t> own;
  for (const Incident& change : named.changes) {
    if (change.is_of_node()) continue;
    if (change.state == State::kOpen) own.insert(change.rank);
    if (change.state == State::kMerged) own.erase(change.rank);
  }
  EXPECT_THAT(own, ElementsAre(301U));
  // All recover: five incidents are over, and nothing else comes of it.
  std::vector<Incident> ended = simulation.run(40).changes;
  std::erase_if(ended, [](const Incident& one) { return one.state == State::kOpen; });
  ASSERT_THAT(ended, SizeIs(5));
  for (const Incident& one : ended) EXPECT_EQ(one.state, State::kOver);
  EXPECT_THAT(simulation.detector.named(), IsEmpty());
}

TEST(SlowNode, OfWhichOneRankStaysSlowBecomesThatRanks) {
  Simulation simulation({8, 256});
  simulation.run(60);
  simulation.run(20, [](uint32_t rank) { return rank < 8 ? 0.3 : 0.0; });
  const auto changes = simulation.run(40, [](uint32_t rank) { return rank == 3 ? 0.3 : 0.0; }).changes;
  const auto over = std::ranges::find(changes, State::kOver, &Incident::state);
  ASSERT_NE(over, changes.end());
  EXPECT_TRUE(over->is_of_node());
  ASSERT_THAT(simulation.detector.named(), SizeIs(1));
  EXPECT_EQ(simulation.detector.named()[0].rank, 3U);
  EXPECT_FALSE(simulation.detector.named()[0].is_of_node());
}

// It takes longer to recover than the others, since it was slower than they before, too.
TEST(SlowNode, OfWhichOneRankIsALittleSlowerForEverRecovers) {
  Noise noise = kNoisyNoise;
  noise.spread = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Simulation simulation({8, 256, noise, seed});
    const auto run = [&](size_t windows, double slow) {
      return simulation.run(windows, [&](uint32_t rank) { return (rank == 3 ? 0.045 : 0) + (rank < 8 ? slow : 0); });
    };
    run(60, 0);
    run(40, 0.3);
    for (const Incident& one : run(40, 0).changes) EXPECT_TRUE(one.is_of_node() || one.rank != 3) << "seed " << seed;
  }
}

TEST(SlowNode, ThatIsNotHeardOfAnyMoreIsSilentAndNotOver) {
  Simulation simulation({8, 256});
  simulation.run(60);
  simulation.run(20, [](uint32_t rank) { return rank < 8 ? 0.3 : 0.0; });
  const auto changes = simulation.run(6, [](uint32_t) { return 0.0; }, {0, 1, 2, 3, 4, 5, 6, 7}).changes;
  ASSERT_FALSE(changes.empty());
  EXPECT_TRUE(changes.back().is_of_node());
  EXPECT_EQ(changes.back().state, State::kSilent);
  EXPECT_THAT(simulation.detector.named(), IsEmpty());
}

TEST(SlowNode, HasMostOfItsRanksSlow) {
  for (const uint32_t slow : {5U, 6U}) {
    Simulation simulation({8, 256});
    simulation.run(60);
    simulation.run(20, [&](uint32_t rank) { return rank < slow ? 0.3 : 0.0; });
    const auto open = simulation.detector.named();
    ASSERT_EQ(open.size(), slow == 5 ? 5U : 1U);
    EXPECT_EQ(open.front().ranks.size(), slow == 5 ? 0U : 6U);
  }
}

TEST(SlowNode, HasTheClassOfWhatExplainsItsRanksTogether) {
  Simulation simulation({8, 256});
  simulation.run(60);
  simulation.reasons.host_s = 5 * 0.25;
  simulation.run(20, [](uint32_t rank) { return rank < 8 ? 0.3 : 0.0; });
  ASSERT_THAT(simulation.detector.named(), SizeIs(1));
  EXPECT_EQ(simulation.detector.named()[0].what, Class::kHost);
}

// Two nodes, one of them slow: no rank of the other is what is in the middle of both.
TEST(Straggler, HalfOfAllRanksAreNamedAndByHowMuchTheyAreSlow) {
  for (const double slow : {0.1, 0.3}) {
    Simulation simulation({1, 16, kUsualNoise, 3});
    EXPECT_THAT(simulation.run(60).changes, IsEmpty());
    const Named named = simulation.run(60, [&](uint32_t rank) { return rank < 8 ? slow : 0.0; });
    // 10 % is 7.5 % above the slowest of the others, which is near the floor.
    EXPECT_GE(named.after.size(), slow > 0.2 ? 8U : 6U) << slow;
    for (const auto& [rank, after] : named.after) EXPECT_LT(rank, 8U) << slow;
    const auto open = simulation.detector.named();
    ASSERT_THAT(open, SizeIs(1)) << slow;
    EXPECT_EQ(open[0].node, 1U);
    EXPECT_NEAR(open[0].effect, slow, 0.06);  // the slowest of the others is what is usual
  }
}

TEST(Straggler, IsOverWhenItIsAsFastAsTheOthers) {
  Simulation simulation({1, 64});
  simulation.run(30);
  const auto begun = simulation.run(20, [](uint32_t rank) { return rank == 5 ? 0.4 : 0.0; });
  ASSERT_FALSE(begun.changes.empty());
  const Incident& incident = begun.changes.front();
  EXPECT_EQ(incident.rank, 5U);
  EXPECT_EQ(incident.node, 1U);
  EXPECT_EQ(incident.from_window, 1030U);
  EXPECT_NEAR(incident.effect, 0.4, 0.1);
  EXPECT_NEAR(incident.lateness_s, 0.4, 0.1);
  EXPECT_NEAR(incident.confidence, 0.95, 0.01);
  EXPECT_EQ(incident.what, Class::kUnknown);
  EXPECT_EQ(simulation.detector.members_of(incident.communicator).size(), 64U);
  ASSERT_FALSE(simulation.detector.standings().empty());
  EXPECT_TRUE(simulation.detector.standings().front().is_named);
  const auto ended = simulation.run(20).changes;
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front().state, State::kOver);
  EXPECT_EQ(ended.front().last_window, 1049U);  // the last in which it was slow, not in which that was certain
}

// 5.5 % for three hours in a noisy job: its windows look harmless for minutes, and it is not slow anew after each.
TEST(Straggler, IsOneIncidentAsLongAsItIsALittleSlow) {
  Simulation simulation({2, 64, kNoisyNoise, 5});
  simulation.run(30);
  size_t begun = 0, over = 0;
  const auto changes = simulation.run(3 * 720, [](uint32_t rank) { return rank == 5 ? 0.055 : 0.0; }).changes;
  for (const Incident& change : changes) {
    if (change.rank != 5) continue;
    begun += change.state == State::kOpen && change.last_window <= change.named_window;
    over += change.state == State::kOver;
  }
  EXPECT_EQ(begun, 1U);
  EXPECT_EQ(over, 0U);
  for (const Incident& change : simulation.run(30).changes) over += change.rank == 5 && change.state == State::kOver;
  EXPECT_EQ(over, 1U);
}

TEST(CourseOfARank, HasTheMedianOfTheWindowsInWhichItWasCompared) {
  Course course;
  EXPECT_EQ(course.median_of(3), Course::kUnknown);
  course.add(10, 0.5);
  EXPECT_EQ(course.median_of(3), 50);
  course.add(11, 0.01);
  course.add(20, 0.02);  // and in none between
  EXPECT_EQ(course.median_of(3), 2);
  EXPECT_EQ(course.median_of(2), 2);
  course.add(21, 0.03);
  EXPECT_EQ(course.median_of(3), 2);
  course.add(21 + kCourseWindows, 0.9);
  EXPECT_EQ(course.median_of(3), 90);
}

TEST(CourseOfARank, SaysWhatWasUsualBeforeMoreExactlyThanInPercent) {
  Course course;
  for (uint64_t window = 1; window <= 40; ++window) course.add(window, window % 4 == 0 ? 0.05 : 0.04);
  for (uint64_t window = 41; window <= 52; ++window) course.add(window, 0.3);
  EXPECT_FALSE(course.usual_of(60, 12, 41));
  EXPECT_NEAR(course.usual_of(60, 12, 12).value(), 0.0417, 0.0001);  // two thirds of those of 4 %, from 3.5 on
  EXPECT_NEAR(course.usual_of(10, 0, 10).value(), 0.3, 0.0001);
}

TEST(Straggler, WhatIsNotHeardOfAnyMoreIsSilentAndNotOver) {
  Simulation simulation({1, 16});
  simulation.run(30);
  EXPECT_EQ(simulation.run(20, [](uint32_t rank) { return rank == 3 ? 0.5 : 0.0; }).after.size(), 1U);
  const auto changes = simulation.run(5, [](uint32_t) { return 0.0; }, {3}).changes;
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes.front().rank, 3U);
  EXPECT_EQ(changes.front().state, State::kSilent);
}

TEST(Straggler, OfTwoIsNamedWithHalfTheConfidence) {
  Simulation simulation({1, 2});
  simulation.run(60);
  const auto named = simulation.run(30, [](uint32_t rank) { return rank == 1 ? 0.5 : 0.0; }).changes;
  ASSERT_FALSE(named.empty());
  EXPECT_EQ(named.front().rank, 1U);
  EXPECT_LE(named.front().confidence, 0.5);
}

TEST(Straggler, WaitsForTheCpuThatExplainItAreItsClass) {
  Simulation simulation({1, 32});
  simulation.run(30);
  simulation.reasons.host_s = 5 * 0.25;  // of five steps, each 0.3 s late
  const auto named = simulation.run(20, [](uint32_t rank) { return rank == 9 ? 0.3 : 0.0; }).changes;
  ASSERT_FALSE(named.empty());
  EXPECT_EQ(named.front().what, Class::kHost);
  EXPECT_NEAR(named.front().reasons.host_s, 0.25, 0.01);
}

TEST(Straggler, SleepThatExplainsItIsInputOfStorageOrNot) {
  for (double Reasons::*const part : {&Reasons::storage_s, &Reasons::asleep_s}) {
    Simulation simulation({1, 32});
    simulation.run(30);
    simulation.reasons.*part = 5 * 0.25;
    const auto named = simulation.run(20, [](uint32_t rank) { return rank == 9 ? 0.3 : 0.0; }).changes;
    ASSERT_FALSE(named.empty());
    EXPECT_EQ(named.front().what, Class::kInput);
    EXPECT_NEAR(named.front().reasons.*part, 0.25, 0.01);
    EXPECT_NEAR(named.front().reasons.input_s(), 0.25, 0.01);
  }
}

TEST(Straggler, TwoThatExplainItOnlyTogetherAreTheGreatersClass) {
  for (const bool is_host : {true, false}) {
    Simulation simulation({1, 32});
    simulation.run(30);
    simulation.reasons = {5 * (is_host ? 0.14 : 0.12), 5 * (is_host ? 0.12 : 0.14), 0};
    const auto named = simulation.run(20, [](uint32_t rank) { return rank == 9 ? 0.3 : 0.0; }).changes;
    ASSERT_FALSE(named.empty());
    EXPECT_EQ(named.front().what, is_host ? Class::kHost : Class::kInput);
  }
}

TEST(Straggler, WhatExplainsLessThanHalfIsNoClass) {
  Simulation simulation({1, 32});
  simulation.run(30);
  simulation.reasons = {5 * 0.1, 5 * 0.05, 5 * 0.05};
  const auto named = simulation.run(20, [](uint32_t rank) { return rank == 9 ? 0.3 : 0.0; }).changes;
  ASSERT_FALSE(named.empty());
  EXPECT_EQ(named.front().what, Class::kUnknown);
}

// 64 ranks in two pipeline stages, of which the second does `more` and has twice the collectives in a step; what
// changed.
std::vector<Incident> run_stages(Detector& detector, double more, double bytes_of_second = 3e6) {
  Workload workload(64, kUsualNoise, 5);
  std::vector<Incident> changes;
  for (uint64_t window = 1; window <= 100; ++window) {
    for (uint32_t rank = 0; rank < 64; ++rank) {
      const uint32_t stage = rank % 2, parts = 1 + stage;
      Sample sample;
      sample.window = window;
      sample.rank = rank;
      sample.node = rank / 8;
      sample.count = uint64_t{5} * parts;
      sample.work_s = workload.window(rank, stage == 1 ? more : 0) / parts;
      sample.communicator = 10 + rank / 2;  // the pipeline: one of each stage
      sample.nranks = 2;
      sample.bytes = 4096;
      detector.add(sample, window * kPeriod_ns);
      sample.communicator = 100 + stage;  // data parallel: all of a stage
      sample.nranks = 32;
      sample.bytes = stage == 1 ? bytes_of_second : 1e6;
      detector.add(sample, window * kPeriod_ns);
    }
    for (auto& change : detector.advance(window * kPeriod_ns)) changes.push_back(change);
    for (auto& change : detector.advance(window * kPeriod_ns + kWaitForWindow_ns)) changes.push_back(change);
  }
  return changes;
}

// That a stage does more is its role: each rank is compared with those of its own, and the stage as a whole is named.
TEST(Roles, ThatDifferAreNotComparedButAnImbalance) {
  Detector detector;
  EXPECT_THAT(run_stages(detector, 0.2), IsEmpty());
  const auto standings = detector.standings();
  ASSERT_EQ(standings.size(), 64U);
  for (const auto& one : standings) EXPECT_EQ(one.communicator, 100U + one.rank % 2);
  const auto heavy = detector.imbalance();
  ASSERT_EQ(heavy.size(), 1U);
  EXPECT_EQ(heavy.front().ranks.size(), 32U);
  for (const uint32_t rank : heavy.front().ranks) EXPECT_EQ(rank % 2, 1U);
  EXPECT_NEAR(heavy.front().effect, 0.2, 0.02);
}

// Stages whose collectives carry nearly the same are one role: the one that does more is named all the same.
TEST(Roles, ThatCarryTheSameAreSeparateCohorts) {
  Detector detector;
  EXPECT_THAT(run_stages(detector, 0.2, 1.1e6), IsEmpty());
  const auto heavy = detector.imbalance();
  ASSERT_EQ(heavy.size(), 1U);
  EXPECT_EQ(heavy.front().ranks.size(), 32U);
  for (const uint32_t rank : heavy.front().ranks) EXPECT_EQ(rank % 2, 1U);
  EXPECT_NEAR(heavy.front().effect, 0.2, 0.02);
}

TEST(Roles, ThatDoTheSameAmountAreNoImbalance) {
  Detector detector;
  EXPECT_THAT(run_stages(detector, 0.02), IsEmpty());
  EXPECT_THAT(detector.imbalance(), IsEmpty());
}

// 64 ranks on 8 nodes; the communicator of those of the last node is older than their trace.
TEST(Roles, AreThoseOfTheFirstWindowsAndNotOfTheVeryFirst) {
  Detector detector;
  Workload workload(64, kUsualNoise, 5);
  std::set<uint32_t> named;
  for (uint64_t window = 1; window <= 90; ++window) {
    for (uint32_t rank = 0; rank < 64; ++rank) {
      Sample sample;
      sample.window = window;
      sample.rank = rank;
      sample.node = rank / 8;
      sample.communicator = 1;
      sample.nranks = 64;
      sample.count = 10;
      sample.bytes = window == 1 && rank >= 56 ? 1.5e6 : 1e6;
      sample.work_s = workload.window(rank, window > 30 && rank >= 56 ? 0.3 : 0);
      detector.add(sample, window * kPeriod_ns);
    }
    for (const auto& change : detector.advance(window * kPeriod_ns + kWaitForWindow_ns)) {
      named.insert(change.rank);
      named.insert(change.ranks.begin(), change.ranks.end());
    }
  }
  EXPECT_EQ(named, (std::set<uint32_t>{56, 57, 58, 59, 60, 61, 62, 63}));
  EXPECT_THAT(detector.imbalance(), IsEmpty());
}

// A slow rank comes to the first of a step's two collectives later than the others, so that a window's border often
// lies between them: what its collectives carry in one window is another mean than that of its peers.
TEST(Roles, OfARankThatComesLaterThanTheOthersAreTheSame) {
  constexpr double kWork = 4, kSlow = 1.2, kSteps = 56;
  constexpr size_t kRanks = 16, kSlowRank = 5;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Workload noise(kRanks, kUsualNoise, seed);
    std::map<uint64_t, std::map<uint32_t, std::vector<double>>> windows;  // bytes of collectives, by rank
    double begin = 5 + 0.6 * static_cast<double>(seed);
    for (int step = 0; step < static_cast<int>(kSteps); ++step, begin += kWork + kSlow + 0.15) {
      for (uint32_t rank = 0; rank < kRanks; ++rank) {
        const double own = kWork + (rank == kSlowRank ? kSlow : 0), all = kWork + kSlow + 0.06;
        windows[static_cast<uint64_t>((begin + own) / 5)][rank].push_back(4e8);
        windows[static_cast<uint64_t>((begin + all) / 5)][rank].push_back(4);
      }
    }
    Detector detector;
    std::set<uint32_t> named;
    for (const auto& [window, ranks] : windows) {
      for (const auto& [rank, carried] : ranks) {
        Sample sample;
        sample.window = window;
        sample.rank = rank;
        sample.communicator = 77;
        sample.nranks = kRanks;
        sample.count = carried.size();
        for (const double bytes : carried) sample.bytes += bytes / static_cast<double>(carried.size());
        sample.work_s = noise.window(rank, 0) * (rank == kSlowRank ? kWork + kSlow : kWork) / 2;
        EXPECT_TRUE(detector.add(sample, window * kPeriod_ns));
      }
      for (const Incident& one : detector.advance(window * kPeriod_ns + kWaitForWindow_ns)) named.insert(one.rank);
    }
    EXPECT_THAT(named, ElementsAre(kSlowRank)) << "seed " << seed;
  }
}

// Steps of 25 s: what the slow rank does is seen a window or two after that of its peers.
TEST(Straggler, IsNamedWhereStepsAreLongerThanWindows) {
  constexpr double kWork = 25, kMore = 6.5;
  constexpr uint32_t kRanks = 16, kSlowRank = 5;
  Workload noise(kRanks, kUsualNoise, 5);
  std::map<uint64_t, std::map<uint32_t, double>> windows;  // work, by rank
  for (int step = 0; step < 40; ++step) {
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      const double work = kWork * noise.window(rank, 0) + (rank == kSlowRank && step >= 13 ? kMore : 0);
      windows[static_cast<uint64_t>((1000 + step * (kWork + kMore + 1.5) + work) / 5)][rank] = work;
    }
  }
  Detector detector;
  std::vector<Incident> changes;
  for (const auto& [window, ranks] : windows) {
    for (const auto& [rank, work] : ranks) {
      Sample sample;
      sample.window = window;
      sample.rank = rank;
      sample.communicator = 77;
      sample.nranks = kRanks;
      sample.count = 20;
      sample.bytes = 25e6;
      sample.work_s = work / 20;
      EXPECT_TRUE(detector.add(sample, window * kPeriod_ns));
    }
    for (const Incident& one : detector.advance(window * kPeriod_ns + kMaxWaitForWindow_ns)) changes.push_back(one);
  }
  ASSERT_FALSE(changes.empty());
  for (const Incident& one : changes) {
    EXPECT_EQ(one.rank, kSlowRank);
    EXPECT_EQ(one.state, State::kOpen);
  }
  EXPECT_NEAR(changes.back().effect, kMore / kWork, 0.05);
}

// One window in 24, the third among them, has a collective of all ranks.
TEST(Roles, AreComparedWhereRanksAreInMostWindows) {
  Detector detector;
  std::set<uint32_t> named;
  for (uint64_t window = 0; window < 60; ++window) {
    for (uint32_t rank = 0; rank < 16; ++rank) {
      const double work_s = 0.5 + (rank == 5 && window > 20 ? 0.2 : 0.001 * static_cast<double>((rank + window) % 3));
      Sample sample;
      sample.window = 1000 + window;
      sample.rank = rank;
      sample.communicator = 100 + rank / 8;
      sample.nranks = 8;
      sample.count = 10;
      sample.work_s = work_s;
      sample.bytes = 4e8;
      detector.add(sample, window * kPeriod_ns);
      if (window % 24 != 2) continue;
      sample.communicator = 1;
      sample.nranks = 16;
      sample.count = 1;
      sample.work_s = 80 * work_s;
      sample.bytes = 4;
      detector.add(sample, window * kPeriod_ns);
    }
    for (const Incident& one : detector.advance(window * kPeriod_ns + kWaitForWindow_ns)) named.insert(one.rank);
  }
  EXPECT_THAT(named, ElementsAre(5));
}

// 16 ranks on two nodes, in one communicator; rank 5 is slow from the 41st window on.
class ComingBack {
 public:
  void node(uint32_t node, uint64_t window) {
    for (uint32_t rank = 8 * node; rank < 8 * node + 8; ++rank) {
      Sample sample;
      sample.window = 1000 + window;
      sample.rank = rank;
      sample.node = node;
      sample.communicator = 1;
      sample.nranks = nodes * 8;
      sample.count = 5;
      sample.bytes = 1e6;
      sample.work_s = workload_.window(rank, rank == 5 && window > 40 ? 0.5 : 0);
      detector.add(sample, now_ns);
    }
    advance();
  }
  void pass(uint64_t seconds) {
    for (; seconds > 0; --seconds) {
      now_ns += kPeriod_ns / 5;
      advance();
    }
  }
  // Of all, in time.
  void windows(uint64_t from, uint64_t to) {
    for (uint64_t window = from; window < to; ++window) {
      for (uint32_t number = 0; number < nodes; ++number) node(number, window);
      pass(5);
    }
  }
  static constexpr uint32_t nodes = 4;
  Detector detector;
  std::vector<Incident> changes;
  uint64_t now_ns = 0;

 private:
  void advance() {
    for (const Incident& change : detector.advance(now_ns)) changes.push_back(change);
  }
  Workload workload_{8 * nodes, kUsualNoise, 1};
};

// The node that comes back first is windows ahead: no other is silent for that.
TEST(Windows, OfANodeThatComesBackFirstMakeNoOtherSilent) {
  ComingBack run;
  run.windows(0, 60);
  ASSERT_FALSE(run.changes.empty());
  const size_t before = run.changes.size();
  run.pass(35);
  run.detector.resume(run.now_ns);
  for (uint64_t window = 60; window < 67; ++window) run.node(3, window);
  run.pass(40);
  for (uint32_t node = 0; node < 3; ++node) {
    for (uint64_t window = 60; window < 75; ++window) run.node(node, window);
  }
  for (uint64_t window = 67; window < 75; ++window) run.node(3, window);
  EXPECT_EQ(run.detector.late(), 0U);
  run.windows(75, 90);
  for (size_t i = before; i < run.changes.size(); ++i) {
    EXPECT_EQ(run.changes[i].state, State::kOpen);
    EXPECT_EQ(run.changes[i].rank, 5U);
  }
  EXPECT_THAT(run.detector.named(), SizeIs(1));
}

// As above, where only one sends at once what it could not send, and the others have been heard of meanwhile.
TEST(Windows, ThatAreFarAheadMakeNoOtherSilent) {
  ComingBack run;
  run.windows(0, 60);
  const size_t before = run.changes.size();
  for (uint64_t window = 60; window < 70; ++window) run.node(3, window);
  run.pass(6);
  run.windows(70, 80);
  EXPECT_EQ(run.changes.size(), before);
}

TEST(Windows, OfMostRanksThatComeNoMoreAreSilentAllTheSame) {
  ComingBack run;
  run.windows(0, 60);
  const size_t before = run.changes.size();
  for (uint64_t window = 60; window < 67; ++window) {
    run.node(3, window);
    run.pass(5);
  }
  ASSERT_EQ(run.changes.size(), before + 1);
  EXPECT_EQ(run.changes.back().state, State::kSilent);
}

TEST(Windows, ForWhichThereIsNoRoomAreCounted) {
  Detector detector;
  for (uint64_t window = 1; window <= kMaxPending + 5; ++window) {
    Sample sample;
    sample.window = window;
    sample.communicator = 1;
    sample.count = 5;
    sample.work_s = 1;
    EXPECT_EQ(detector.add(sample, 0), window <= kMaxPending);
  }
  EXPECT_EQ(detector.dropped(), 5U);
}

TEST(Windows, AreEvaluatedWhenAllAreInOrAfterTwoSeconds) {
  Detector detector;
  const auto add = [&](uint64_t window, uint32_t rank, uint64_t now_ns) {
    Sample sample;
    sample.window = window;
    sample.rank = rank;
    sample.communicator = 1;
    sample.nranks = 2;
    sample.count = 5;
    sample.work_s = 1;
    return detector.add(sample, now_ns);
  };
  EXPECT_TRUE(add(7, 0, 0));
  EXPECT_FALSE(add(7, 0, 0)) << "the same again";
  EXPECT_TRUE(add(7, 1, 0));
  detector.advance(1);
  EXPECT_EQ(detector.last_window(), 0U) << "it is not known yet how many there are";
  detector.advance(kWaitForWindow_ns);
  EXPECT_EQ(detector.last_window(), 7U);
  EXPECT_TRUE(add(8, 0, kPeriod_ns));
  EXPECT_TRUE(add(8, 1, kPeriod_ns));
  detector.advance(kPeriod_ns);
  EXPECT_EQ(detector.last_window(), 8U);
  EXPECT_FALSE(add(8, 1, kPeriod_ns));
  EXPECT_EQ(detector.late(), 1U);
}

TEST(Windows, AreWaitedForWhilePartsOfThemCome) {
  constexpr uint64_t kSecond_ns = 1'000'000'000;
  Detector detector;
  for (uint32_t rank = 0; rank < 20; ++rank) {
    Sample sample;
    sample.window = 7;
    sample.rank = rank;
    sample.communicator = 1;
    sample.nranks = 20;
    sample.count = 5;
    sample.work_s = 1;
    EXPECT_EQ(detector.add(sample, rank * kSecond_ns), rank <= 10) << rank;
    detector.advance(rank * kSecond_ns);
    EXPECT_EQ(detector.last_window(), rank < 10 ? 0U : 7U) << "never longer than ten seconds";
  }
  EXPECT_EQ(detector.late(), 9U);
}

// 16 ranks on 8 nodes, whose windows come when their clocks say that they are over; for five minutes, and one rank is
// slow in the second half.
class ClocksApart {
 public:
  // `ahead_s`: by node, in seconds; negative: behind.
  ClocksApart(const std::vector<double>& ahead_s, uint32_t slow_rank) {
    std::vector<std::tuple<double, uint64_t, size_t>> comings;  // when, window, node
    for (size_t node = 0; node < ahead_s.size(); ++node) {
      for (uint64_t window = 990; window < 1070; ++window) {
        const double end_s = 5.0 * static_cast<double>(window + 1) - ahead_s[node];
        if (end_s < kBegin_s || end_s > kBegin_s + 300) continue;
        comings.emplace_back(end_s + 0.4 + 0.01 * static_cast<double>(node), window, node);
      }
    }
    std::sort(comings.begin(), comings.end());
    double now_s = kBegin_s;
    for (const auto& [when_s, window, node] : comings) {
      for (; now_s < when_s; now_s += 0.25) advance(now_s);  // as the server's ticks
      if (when_s < kBegin_s + 30) late_at_begin = detector.late();
      const bool is_slow = when_s > kBegin_s + 150;
      for (const size_t rank : {2 * node, 2 * node + 1}) {
        add(window, static_cast<uint32_t>(rank), is_slow && rank == slow_rank ? 0.3 : 0, when_s);
      }
      advance(when_s);
    }
  }
  Detector detector;
  std::set<uint32_t> named;
  uint64_t late_at_begin = 0;  // in the first half minute

 private:
  static constexpr double kBegin_s = 5000;
  static uint64_t ns(double s) { return static_cast<uint64_t>(s * 1e9); }
  void advance(double now_s) {
    for (const Incident& change : detector.advance(ns(now_s))) named.insert(change.rank);
  }
  void add(uint64_t window, uint32_t rank, double slow, double now_s) {
    Sample sample;
    sample.window = window;
    sample.rank = rank;
    sample.node = rank / 2;
    sample.communicator = 1;
    sample.nranks = 16;
    sample.count = 5;
    sample.work_s = workload_.window(rank, slow);
    detector.add(sample, ns(now_s));
  }
  Workload workload_{16, kUsualNoise, 4};
};

TEST(Clocks, OneThatIsAheadMakesNoOthersLate) {
  const ClocksApart run({6, 0, 0, 0, 0, 0, 0, 0}, 9);
  EXPECT_EQ(run.detector.late(), 0U);
  EXPECT_EQ(run.detector.limits().ranks, 16U);
  EXPECT_EQ(run.named, std::set<uint32_t>{9});
}

// Whichever are apart, after their first windows none is late, and a rank is named on either side.
TEST(Clocks, ThatAreApartAreWaitedFor) {
  const std::vector<std::vector<double>> kAhead = {
      {3, 0, 0, 0, 0, 0, 0, 0}, {7.5, 0, 0, 0, 0, 0, 0, 0}, {8, 8, 8, 8, 8, 0, 0, 0},   {8, 8, 8, 8, 8, 8, 8, 0},
      {4, 4, 4, 4, 0, 0, 0, 0}, {-6, 0, 0, 0, 0, 0, 0, 0},  {-8, -5, 0, 0, 0, 0, 0, 0}, {2, -2, 4, -4, 1, -3, 0, 0}};
  for (const auto& ahead_s : kAhead) {
    for (const uint32_t slow_rank : {0, 15}) {
      SCOPED_TRACE(fmt::format("{} {}", fmt::join(ahead_s, " "), slow_rank));
      const ClocksApart run(ahead_s, slow_rank);
      EXPECT_EQ(run.detector.late(), run.late_at_begin);
      EXPECT_EQ(run.detector.limits().ranks, 16U);
      EXPECT_EQ(run.named, std::set<uint32_t>{slow_rank});
    }
  }
}

// Scores that nodes give themselves: more is better.
TEST(Scores, ThatAreLowAreNamed) {
  Detector detector(Better::kMore);
  std::vector<uint32_t> named;
  for (uint64_t window = 1; window <= 60; ++window) {
    for (uint32_t node = 0; node < 8; ++node) {
      Sample sample;
      sample.window = window;
      sample.rank = sample.node = node;
      sample.communicator = 1;
      sample.count = 2;
      sample.work_s = node == 6 && window > 20 ? 0.6 : 0.9 + 0.01 * static_cast<double>((node + window) % 3);
      detector.add(sample, window * kPeriod_ns);
    }
    for (const auto& change : detector.advance(window * kPeriod_ns + kWaitForWindow_ns)) {
      if (change.last_window == change.named_window) named.push_back(change.rank);
    }
  }
  EXPECT_THAT(named, ElementsAre(6U));
  EXPECT_NEAR(detector.limits().usual, 0.91, 0.02);
  EXPECT_TRUE(detector.limits().has_quorum);
}

TEST(Detector, CountsTheRanksOfACommunicatorThatSentNothing) {
  Simulation simulation({4, 8, kUsualNoise, 3});
  simulation.run(5);
  EXPECT_EQ(simulation.detector.limits().unobserved, 0U);
  simulation.run(2, [](uint32_t) { return 0.0; }, {3, 9, 10});
  EXPECT_EQ(simulation.detector.limits().unobserved, 3U);
  simulation.run(2);
  EXPECT_EQ(simulation.detector.limits().unobserved, 0U);
}

TEST(Detector, GivesTheSameAgain) {
  const auto names = [] {
    Simulation simulation({4, 64, kNoisyNoise, 9});
    std::vector<std::pair<uint32_t, uint64_t>> all;
    for (const auto& change : simulation.run(200, [](uint32_t rank) { return rank % 50 == 7 ? 0.15 : 0.0; }).changes) {
      all.emplace_back(change.rank, change.last_window);
    }
    return all;
  };
  const auto first = names();
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, names());
}

}  // namespace
}  // namespace ingero::fleet::detect
