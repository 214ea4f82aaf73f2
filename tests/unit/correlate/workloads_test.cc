// Phases, baselines, and which steps are slow.
#include "correlate/workloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "numbers.h"

namespace ingero::correlate::testing {
namespace {

using ::testing::SizeIs;

InferenceStep step_of(uint64_t ms, uint32_t pid = 100, uint64_t launches = 10) {
  InferenceStep step;
  step.pid = pid;
  step.stream = 7;
  step.start_mono_ns = 1'000 * kMs;
  step.end_mono_ns = step.start_mono_ns + ms * kMs;
  step.launches = launches;
  return step;
}

TEST(PhaseTest, EachRuleNamesItsPhase) {
  const PhaseLimits limits;
  const auto phase = [&](uint64_t launches, uint64_t graphs, uint64_t bytes, uint64_t ns) {
    return phase_of({launches, graphs, bytes, ns}, limits);
  };
  EXPECT_EQ(phase(0, 0, 1 << 30, kMs), Phase::kUnknown) << "weights are loaded";
  EXPECT_EQ(phase(0, 1, 0, 8 * kMs), Phase::kDecode) << "a replayed graph";
  EXPECT_EQ(phase(49, 0, 0, 40 * kMs), Phase::kDecode);
  EXPECT_EQ(phase(10, 1, 2 << 20, kMs), Phase::kUnknown);
  EXPECT_EQ(phase(10, 0, 2 << 20, 50 * kMs), Phase::kPrefill) << "long kernels";
  EXPECT_EQ(phase(50, 0, 0, kMs), Phase::kMixed);
  EXPECT_EQ(phase(200, 0, 0, kMs), Phase::kMixed);
  EXPECT_EQ(phase(201, 0, 0, kMs), Phase::kPrefill);
  EXPECT_EQ(phase(2000, 3, 0, 200 * kMs), Phase::kPrefill);
  EXPECT_EQ(phase(0, 300, 0, kMs), Phase::kUnknown) << "graphs hold their kernels: their number says nothing";
  EXPECT_EQ(phase(10, 0, 11 << 20, kMs), Phase::kMixed);
}

class WorkloadsTest : public ::testing::Test {
 protected:
  void warm(Workloads& workloads, uint64_t ms = 10) {
    for (int i = 0; i < 30; ++i) EXPECT_EQ(workloads.evaluate(step_of(ms)).slow, Slow::kNo);
  }
  hal::LossLedger ledger;
};

TEST_F(WorkloadsTest, NothingIsSlowBeforeItsBaselineIsWarm) {
  Workloads workloads({}, ledger);
  for (int i = 0; i < 29; ++i) workloads.evaluate(step_of(10));
  const ClassifiedStep early = workloads.evaluate(step_of(500));
  EXPECT_EQ(early.slow, Slow::kNo);
  EXPECT_EQ(early.p95_ns, std::nullopt);
  const ClassifiedStep warm = workloads.evaluate(step_of(10));
  EXPECT_NE(warm.p95_ns, std::nullopt);
}

TEST_F(WorkloadsTest, ClassesAreExclusiveAndCompareWithThePercentile) {
  Workloads workloads({}, ledger);
  warm(workloads);
  const ClassifiedStep usual = workloads.evaluate(step_of(10));
  ASSERT_TRUE(usual.p95_ns);
  EXPECT_NEAR(static_cast<double>(*usual.p95_ns), 10e6, 10e6 / 8);
  EXPECT_NEAR(static_cast<double>(*usual.mean_ns), 10e6, 1);
  const auto at = [&](double ratio) {
    InferenceStep step = step_of(10);
    step.end_mono_ns = step.start_mono_ns + static_cast<uint64_t>(ratio * static_cast<double>(*usual.p95_ns)) + 1;
    return workloads.evaluate(step).slow;
  };
  EXPECT_EQ(at(1.4), Slow::kNo);
  EXPECT_EQ(at(1.5), Slow::kHalfMore);
  EXPECT_EQ(at(1.99), Slow::kHalfMore);
  EXPECT_EQ(at(2.0), Slow::kTwice);
  EXPECT_EQ(at(3.0), Slow::kThrice);
  const auto changes = workloads.take_changes();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_THAT(changes[0].by_slowness, ::testing::ElementsAre(32, 2, 1, 1));
  EXPECT_EQ(changes[0].steps, 36U);
  EXPECT_EQ(changes[0].healthy, 32U);
}

// (B1)
TEST_F(WorkloadsTest, SlowStepsDoNotChangeWhatIsUsualUntilTheyAreUsual) {
  Workloads workloads({}, ledger);
  warm(workloads);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 10; ++i) EXPECT_EQ(workloads.evaluate(step_of(50)).slow, Slow::kThrice);
    EXPECT_EQ(workloads.evaluate(step_of(10)).slow, Slow::kNo);
  }
  // For good: as many in a row as a baseline takes.
  for (int i = 0; i < 30; ++i) EXPECT_EQ(workloads.evaluate(step_of(50)).slow, Slow::kThrice);
  for (int i = 0; i < 31; ++i) EXPECT_EQ(workloads.evaluate(step_of(50)).slow, Slow::kNo);
  const auto changes = workloads.take_changes();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].relearned, 1U);
  EXPECT_EQ(workloads.evaluate(step_of(200)).slow, Slow::kThrice);
}

// (B2)
TEST_F(WorkloadsTest, AStepIsComparedWithTheBaselineBeforeIt) {
  Workloads workloads({}, ledger);
  warm(workloads);
  EXPECT_EQ(workloads.evaluate(step_of(14)).mean_ns, 10'000'000U);
  EXPECT_EQ(workloads.evaluate(step_of(10)).mean_ns, 10'200'000U) << "and it is in the one of the next";
}

TEST_F(WorkloadsTest, ProcessesStreamsPhasesAndWhereAskedFunctionsAreApart) {
  WorkloadOptions options;
  options.by_functions = true;
  Workloads workloads(options, ledger);
  InferenceStep step = step_of(10);
  workloads.evaluate(step);
  step.stream = 8;
  workloads.evaluate(step);
  step.stream.reset();
  workloads.evaluate(step);
  step.launches = 500;
  workloads.evaluate(step);
  step.functions = 77;
  workloads.evaluate(step);
  step.pid = 101;
  workloads.evaluate(step);
  step.cgroup_id = 5;
  workloads.evaluate(step);
  workloads.evaluate(step);
  EXPECT_EQ(workloads.size(), 7U);
  EXPECT_THAT(workloads.take_changes(), SizeIs(7));
  workloads.evaluate(step);
  EXPECT_THAT(workloads.take_changes(), SizeIs(1));
}

TEST_F(WorkloadsTest, WhatIsKeptOfHealthyStepsStandsForAllAndSlowOnesAreAllKept) {
  WorkloadOptions options;
  options.keep_every = 100;
  Workloads workloads(options, ledger);
  uint64_t kept = 0, weight = 0;
  for (int i = 0; i < 1000; ++i) {
    const ClassifiedStep evaluated = workloads.evaluate(step_of(10));
    kept += evaluated.weight > 0;
    weight += evaluated.weight;
  }
  EXPECT_EQ(kept, 10U);
  EXPECT_EQ(weight, 1000U);
  EXPECT_EQ(workloads.evaluate(step_of(50)).weight, 1U);
}

// (B3)
TEST_F(WorkloadsTest, TheOneNotSeenForLongestIsForgotten) {
  Workloads workloads({}, ledger);
  for (uint32_t pid = 1; pid <= Workloads::kMaxWorkloads; ++pid) workloads.evaluate(step_of(10, pid));
  workloads.evaluate(step_of(10, 1));
  workloads.evaluate(step_of(10, 5000));
  EXPECT_EQ(workloads.size(), Workloads::kMaxWorkloads);
  EXPECT_EQ(ledger.count(hal::Loss::step_forgotten), 1U);
  const auto changes = workloads.take_changes();
  EXPECT_THAT(changes, SizeIs(Workloads::kMaxWorkloads + 1)) << "it is told a last time";
  workloads.evaluate(step_of(10, 1));
  EXPECT_EQ(workloads.take_changes()[0].id, 1U);
  workloads.evaluate(step_of(10, 2));
  EXPECT_EQ(workloads.take_changes()[0].id, Workloads::kMaxWorkloads + 2) << "2 was forgotten";
}

}  // namespace
}  // namespace ingero::correlate::testing
