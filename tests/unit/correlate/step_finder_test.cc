// The period of what a program submits: found in spite of loops of any length, kept, and given up for a better one
// only.
#include "correlate/step_finder.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "numbers.h"

namespace ingero::correlate::testing {
namespace {

class Submitting {
 public:
  void launch(uint64_t function, uint64_t takes_ns, uint32_t tid = kPid) { add(function, takes_ns, tid, facts_); }
  void sync(uint64_t takes_ns, uint32_t tid = kPid) { add(0, takes_ns, tid, waits_); }
  // What ended since it was asked last, the anchor chosen anew.
  std::vector<StepBoundary> next() {
    finder.choose();
    return finder.take();
  }
  StepFinder finder;
  uint64_t now_ns = 1000 * kMs;

 private:
  void add(uint64_t function, uint64_t takes_ns, uint32_t tid, const CallFacts& facts) {
    BudgetCall call;
    call.start_ns = now_ns;
    call.end_ns = now_ns += takes_ns;
    call.function = function;
    call.tid = tid;
    finder.add(call, facts);
  }
  CallFacts facts_ = make_facts("acmeLaunch", "acmeLaunch", "RUNTIME", "acme", hal::Kind::kLaunch, false);
  CallFacts waits_ = make_facts("acmeWait", "acmeWait", "RUNTIME", "acme", hal::Kind::kSync, true);
};

// A second thread launches more, and more regularly, as PyTorch's of the backward pass, and asks for its markers; the
// first one waits, or does not.
TEST(StepFinder, TheStepsAreThoseOfTheFirstThreadThatLaunches) {
  for (const bool waits : {false, true}) {
    Submitting program;
    std::map<uint32_t, size_t> ends;
    program.launch(1, kMs);
    for (uint64_t trial = 0; waits && trial < 5; ++trial) {  // of kernels, before the first step
      program.launch(100 + trial, kMs, kPid + 1);
      program.sync(kMs, kPid + 1);
    }
    for (uint64_t step = 0; step < 200; ++step) {
      program.launch(1, kMs / 10 + step % 5 * kMs);
      for (uint64_t kernel = 10; kernel < 15; ++kernel) program.launch(kernel, kMs, kPid + 1);
      if (!waits) program.sync(kMs / 100, kPid + 1);
      if (!waits) program.launch(2, kMs / 10);
      if (waits) program.sync(8 * kMs - step % 5 * kMs);
      if (!waits) program.now_ns += 8 * kMs - step % 5 * kMs;
      for (const StepBoundary& one : program.next()) ++ends[one.tid];
    }
    EXPECT_GT(ends[kPid], 150U) << waits;
    EXPECT_EQ(ends[kPid + 1], 0U) << waits;
  }
}

TEST(StepFinder, OfAThreadThatLaunchesLittleAndNeverWaitsTheyAreNot) {
  Submitting program;
  std::map<uint32_t, size_t> ends;
  program.launch(1, kMs);
  for (uint64_t step = 0; step < 200; ++step) {
    program.launch(1, kMs / 10 + step % 5 * kMs);
    program.launch(2, kMs / 10);
    for (uint64_t kernel = 10; kernel < 60; ++kernel) program.launch(kernel, kMs / 2, kPid + 1);
    for (const StepBoundary& one : program.next()) ++ends[one.tid];
  }
  EXPECT_GT(ends[kPid + 1], 150U);
  EXPECT_LT(ends[kPid], 20U);
}

// PyTorch without a wait: the backward pass launches more, from a thread of its own; the program's lines are the
// first's.
TEST(StepFinder, WithoutWaitsTheFirstThreadThatLaunchesMuchHasTheSteps) {
  Submitting program;
  std::map<uint32_t, size_t> ends;
  for (uint64_t step = 0; step < 100; ++step) {
    for (uint64_t kernel = 10; kernel < 15; ++kernel) program.launch(kernel, kMs / 2 + step % 3 * kMs / 10);
    for (uint64_t kernel = 10; kernel < 22; ++kernel) program.launch(kernel, kMs / 2, kPid + 1);
    for (const StepBoundary& one : program.next()) ++ends[one.tid];
  }
  EXPECT_GT(ends[kPid], 80U);
  EXPECT_EQ(ends[kPid + 1], 0U);
}

// Text generation: the kernel of attention depends on the length of the cache, so that no two steps have the same ones.
TEST(StepFinder, StepsOfOtherKernelsEachAreFoundByTheirNumber) {
  Submitting program;
  std::vector<StepBoundary> ends;
  for (uint64_t token = 0; token < 300; ++token) {
    for (uint64_t layer = 0; layer < 12; ++layer) {
      for (uint64_t kernel = 10; kernel < 13; ++kernel) program.launch(kernel, kMs / 10);
      program.launch(1000 + (token * 7 + layer) % 90, kMs / 10);
    }
    program.launch(20, kMs / 10);
    program.sync(2 * kMs);
    for (const StepBoundary& one : program.next()) ends.push_back(one);
  }
  EXPECT_GT(ends.size(), 250U);
  EXPECT_LT(ends.size(), 300U);
  for (const StepBoundary& one : ends) EXPECT_EQ(one.content, ends.front().content);
  EXPECT_EQ(program.finder.usual_ns(), 48 * kMs / 10 + kMs / 10 + 2 * kMs);
}

// (N4) A period by content is one, whatever longer one there is by number.
TEST(StepFinder, EqualContentsComeBeforeAnEqualNumber) {
  Submitting program;
  std::vector<StepBoundary> ends;
  for (uint64_t step = 0; step < 400; ++step) {
    for (uint64_t kernel = 10; kernel < 15; ++kernel) program.launch(kernel, kMs / 10);
    program.sync(2 * kMs);
    if (step % 10 == 9) {  // something else each time
      for (uint64_t kernel = 0; kernel < 3; ++kernel) program.launch(1000 + (step * 7 + kernel) % 90, kMs / 10);
      program.launch(30, kMs / 10);
    }
    for (const StepBoundary& one : program.next()) ends.push_back(one);
  }
  EXPECT_GT(ends.size(), 350U);
  std::set<uint64_t> contents;
  for (const StepBoundary& one : ends) contents.insert(one.content);
  EXPECT_GE(contents.size(), 10U);
}

// As many as the others is what most of them have: one of another number is another step.
TEST(StepFinder, AStepOfAnotherNumberIsNotLikeTheOthers) {
  Submitting program;
  std::vector<StepBoundary> ends;
  for (uint64_t token = 0; token < 200; ++token) {
    const uint64_t layers = token > 100 && token % 20 == 0 ? 30 : 20;
    for (uint64_t layer = 0; layer < layers; ++layer) program.launch(1000 + (token * 7 + layer) % 90, kMs / 10);
    program.launch(20, kMs / 10);
    program.sync(2 * kMs);
    for (const StepBoundary& one : program.next()) ends.push_back(one);
  }
  const auto is_other = [&](const StepBoundary& one) { return one.content != ends.front().content; };
  EXPECT_EQ(std::count_if(ends.begin(), ends.end(), is_other), 4);
}

// The first choice falls into an evaluation. Which of the tokens of a step is the most regular changes all the time.
TEST(StepFinder, AnAnchorThatIsNoPeriodAnyMoreGivesWayToTheStepsOfTheProgram) {
  Submitting program;
  size_t ends = 0;
  uint64_t before = 0;  // by how much the step before ended late
  for (uint64_t step = 0; step < 300; ++step) {
    const uint64_t jitter = step * step % 17 * kMs / 100;
    const uint64_t first = step / 60 % 2 == 0 ? 0 : jitter, second = jitter - first;
    program.launch(10, 2 * kMs + first - before);
    program.launch(11, kMs + second - first);
    program.sync(9 * kMs - second + jitter);
    before = jitter;
    for (uint64_t chunk = 0; step % 30 == 29 && chunk < 10; ++chunk) {
      program.launch(20, kMs / 10);
      program.sync(18 * kMs);
      if (step == 29 && chunk == 9) (void)program.next();
    }
    if (step % 60 != 50) continue;
    const size_t now = program.next().size();
    if (step > 200) ends += now;
  }
  EXPECT_GT(ends, 50U);
  EXPECT_LT(program.finder.usual_ns(), 15 * kMs);
}

// (N1)
TEST(StepFinder, ALoopOfEqualLaunchesMayHaveAnyNumberOfTurns) {
  Submitting program;
  std::vector<StepBoundary> ends;
  for (uint64_t step = 0; step < 100; ++step) {
    program.launch(1, 10 * kMs);
    for (uint64_t turn = 0; turn <= step % 7; ++turn) program.launch(2, kMs / 10);
    program.launch(3, kMs);
    for (const StepBoundary& one : program.next()) ends.push_back(one);
  }
  ASSERT_TRUE(program.finder.has_anchor());
  ASSERT_GT(ends.size(), 80U);
  for (const StepBoundary& one : ends) EXPECT_EQ(one.content, ends.front().content);
}

// (N2) Where one ends the next begins: each end is that of a call, and none is left out.
TEST(StepFinder, StepsEndOncePerPeriodAtTheEndOfACall) {
  Submitting program;
  std::vector<uint64_t> ends;
  uint64_t chosen_at = 0;
  for (uint64_t step = 0; step < 100; ++step) {
    if (program.finder.has_anchor() && chosen_at == 0) chosen_at = step;
    program.launch(1, 4 * kMs);
    program.launch(2, (step % 3 + 1) * kMs);
    for (const StepBoundary& one : program.next()) ends.push_back(one.mono_ns);
  }
  ASSERT_GT(chosen_at, 0U);
  ASSERT_EQ(ends.size(), 100 - chosen_at);
  uint64_t first_ns = 1000 * kMs;  // the end of one of the two calls, which one is the finder's choice
  for (uint64_t step = 0; step < chosen_at; ++step) first_ns += 4 * kMs + (step % 3 + 1) * kMs;
  const bool is_second = ends.front() != first_ns + 4 * kMs;
  uint64_t begin_ns = first_ns;
  for (uint64_t step = chosen_at; step < 100; ++step) {
    const uint64_t whole_ns = 4 * kMs + (step % 3 + 1) * kMs;
    EXPECT_EQ(ends[step - chosen_at], begin_ns + (is_second ? whole_ns : 4 * kMs)) << step;
    begin_ns += whole_ns;
  }
}

// (N3)
TEST(StepFinder, AnotherAnchorNeedsManyLongerPeriods) {
  Submitting program;
  for (uint64_t step = 0; step < 40; ++step) {
    program.launch(1, 6 * kMs);
    program.launch(2, 4 * kMs);
    for (const StepBoundary& one : program.next()) ASSERT_FALSE(one.is_break);
  }
  ASSERT_TRUE(program.finder.has_anchor());
  size_t periods = 0;
  for (bool is_over = false; !is_over && periods < 100;) {
    program.launch(3, 20 * kMs);
    program.launch(4, 10 * kMs);
    ++periods;
    for (const StepBoundary& one : program.next()) is_over |= one.is_break;
  }
  EXPECT_GE(periods, StepFinder::kBetter);
  EXPECT_LT(periods, 100U);
  EXPECT_EQ(program.finder.usual_ns(), 30 * kMs);
  // Those that are hardly longer change nothing, as long as the others may come back.
  const uint64_t seen_ns = periods * 30 * kMs;
  for (uint64_t ns = 0; ns + 35 * kMs < seen_ns; ns += 35 * kMs) {
    program.launch(5, 20 * kMs);
    program.launch(6, 15 * kMs);
    for (const StepBoundary& one : program.next()) ASSERT_FALSE(one.is_break);
  }
}

// (N5) A compiler that tries kernels has long and regular periods, and then never again; an evaluation between two
// epochs is shorter than what it interrupts.
TEST(StepFinder, APeriodIsOverThatWasNotSeenForLongerThanItEverWas) {
  Submitting program;
  for (uint64_t round = 0; round < 20; ++round) {
    program.launch(1, 20 * kMs);
    program.launch(2, 20 * kMs);
    (void)program.next();
  }
  ASSERT_EQ(program.finder.usual_ns(), 40 * kMs);
  size_t steps = 0;
  const auto train = [&](uint64_t times, bool is_first) {
    for (uint64_t step = 0; step < times; ++step) {
      program.launch(3, 6 * kMs);
      program.launch(4, 4 * kMs);
      for (const StepBoundary& one : program.next()) {
        ASSERT_TRUE(is_first || !one.is_break);
        ++steps;
      }
    }
  };
  train(300, true);
  EXPECT_EQ(program.finder.usual_ns(), 10 * kMs);
  EXPECT_GT(steps, 180U);
  for (uint64_t batch = 0; batch < 100; ++batch) {
    program.launch(5, 5 * kMs);
    program.launch(6, 7 * kMs);
    for (const StepBoundary& one : program.next()) ASSERT_FALSE(one.is_break);
  }
  train(100, false);
  EXPECT_EQ(program.finder.usual_ns(), 10 * kMs);
}

// (N3) As many tokens as are kept make a period, more do not: the oldest was forgotten before it came again.
TEST(StepFinder, OfMoreTokensThanAreKeptNoneMarksAPeriod) {
  const auto finds = [](uint64_t tokens) {
    Submitting program;
    for (size_t step = 0; step < 40; ++step) {
      for (uint64_t function = 0; function < tokens; ++function) program.launch(function, kMs / 10);
      (void)program.next();
    }
    return program.finder.has_anchor();
  };
  EXPECT_TRUE(finds(StepFinder::kMaxTokens - 1));
  EXPECT_FALSE(finds(StepFinder::kMaxTokens + 1));
}

}  // namespace
}  // namespace ingero::correlate::testing
