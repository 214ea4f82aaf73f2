// Asks a budget and its summary about a made-up program.
#pragma once

#include <utility>
#include <vector>

#include "unit/correlate/budget_device.h"

namespace ingero::correlate::testing {

using How = World::How;

struct Answer {
  std::vector<BudgetStep> steps;
  std::vector<BudgetSecond> seconds;
  std::vector<Cause> causes;
  std::vector<BlameRole> roles;
  std::vector<ProcessBudget> processes;
  TimeSums whole;

  const ProcessBudget& only() const { return processes.at(0); }
  // The classes of a path, root last.
  std::vector<TimeClass> path(uint32_t cause) const {
    std::vector<TimeClass> out;
    for (uint32_t id = cause; id != 0; id = causes[id - 1].parent) out.insert(out.begin(), causes[id - 1].is);
    return out;
  }
  uint64_t low_at(const std::vector<TimeClass>& is) const {
    uint64_t sum = 0;
    for (const CauseShare& share : whole.causes) {
      if (path(share.cause) == is) sum += share.low;
    }
    return sum;
  }
};

// `busy`: what its devices count in each second.
inline Answer ask(const World& world, uint64_t shuffle_seed = 0, uint64_t probe_ns = 0,
                  const std::vector<hal::DeviceSample>& samples = {}, const std::vector<double>& busy = {}) {
  hal::LossLedger ledger;
  Budget budget(ledger);
  budget.set_probe_cost(probe_ns);
  for (const hal::DeviceSample& sample : samples) budget.add_device_sample(sample);
  world.feed(budget, shuffle_seed);
  Answer answer;
  BudgetSummary summary(ledger);
  answer.steps = budget.take_steps();
  for (const BudgetStep& one : answer.steps) summary.add(one, budget.blame());
  answer.seconds = budget.take_seconds();
  for (const BudgetSecond& one : answer.seconds) {
    summary.add(one);
    answer.whole.add(one.sums);
  }
  answer.causes = budget.blame().causes();
  answer.roles = budget.blame().roles();
  const uint64_t first_ns = answer.seconds.empty() ? 0 : answer.seconds.front().second * Budget::kWindowNs;
  for (uint64_t second = 0; second < 60 && !busy.empty(); ++second) {
    hal::DeviceSample sample;
    for (const double one : busy) sample.devices.emplace_back().add(hal::ReadingId::busy_ratio, one);
    summary.add_device_sample(sample, first_ns + second * Budget::kWindowNs);
  }
  answer.processes = summary.results(budget.blame());
  EXPECT_EQ(ledger.count(hal::Loss::budget_forgotten), 0U);
  return answer;
}

inline uint64_t ns_of(const TimeSums& sums, TimeClass one) { return sums.of(one).ns; }
inline bool near(uint64_t is, uint64_t should, uint64_t by) { return is + by >= should && is <= should + by; }
#define EXPECT_ABOUT(is, should, by) EXPECT_TRUE(near(is, should, by)) << (is) << " and not " << (should)

// `before`: what the thread does first in each step.
template <typename Before>
World loop(size_t steps, uint64_t device_ns, How how, const Before& before) {
  World world;
  for (size_t i = 0; i < steps; ++i) {
    before(world, i);
    world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
    world.launch(1, 7, device_ns);
    world.stream_sync(1, 7, how);
  }
  return world;
}

}  // namespace ingero::correlate::testing
