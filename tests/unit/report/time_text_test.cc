// What is said about where the time went, made of budgets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/time_spent.h"

namespace ingero::report {
namespace {

using correlate::Limit;
using correlate::TimeClass;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kMs = 1'000'000;

// 100 steps of 10 ms, and two slow ones that waited for a pipe: one for `first_ms` more than usual, one for
// `second_ms`.
ProcessTime of_slow(uint64_t first_ms, uint64_t second_ms) {
  ProcessTime time;
  time.name = "train";
  correlate::ProcessBudget& budget = time.budget;
  budget.pid = 7;
  budget.steps = budget.evaluated.steps = 102;
  budget.usual_ns = 10 * kMs;
  budget.is_of_slow = true;
  budget.end_ns = (1020 + first_ms + second_ms) * kMs;
  budget.result.limit = Limit::kInputBound;
  budget.result.low_ns = budget.result.high_ns = (first_ms + second_ms) * kMs;
  auto& sums = budget.evaluated.sums;
  sums.classes[static_cast<size_t>(TimeClass::kDeviceWait)].ns = 1020 * kMs;
  auto& lost = sums.classes[static_cast<size_t>(TimeClass::kPipe)];
  lost.ns = lost.low = lost.high = (first_ms + second_ms) * kMs;
  sums.idle_low = sums.idle_high = lost.ns;
  budget.whole = sums;
  budget.slow_steps = 2;
  budget.slow_more_ns = (first_ms + second_ms) * kMs;
  for (const uint64_t more_ms : {first_ms, second_ms}) {
    correlate::SlowStep slow;
    slow.number = 40 + budget.slow.size();
    slow.length_ns = (10 + more_ms) * kMs;
    slow.usual_ns = 10 * kMs;
    slow.is = TimeClass::kPipe;
    slow.more_ns = more_ms * kMs;
    budget.slow.push_back(slow);
    time.slow_blame.emplace_back();
  }
  BlameNode own, other;
  own.line = "next_batch() at train.py:61";
  own.is = TimeClass::kPipe;
  other.role = "loader";
  other.pids = {9};
  other.is = TimeClass::kHost;
  time.blame.push_back({{own, other}, lost.ns, lost.ns, lost.ns});
  return time;
}

TEST(TimeTextTest, WhatOneStepLostIsNoneOfTheOthers) {
  const std::string once = time_text({of_slow(3000, 20)}, false);
  EXPECT_THAT(once,
              HasSubstr("INPUT-BOUND, in one step, which took 3.01s, usually 10ms: the device had nothing to do for "
                        "3.02s of 4.04s (75%)."));
  EXPECT_THAT(once, HasSubstr("waited 3.02s in all for loader (pid 9), which ran on the CPU"));
  EXPECT_THAT(once, Not(HasSubstr("a step")));
  EXPECT_THAT(once, HasSubstr("102 steps, usually of 10ms"));
  const std::string several = time_text({of_slow(1500, 1520)}, false);
  EXPECT_THAT(several,
              HasSubstr("INPUT-BOUND, in its slow steps: the device had nothing to do for 29.6ms of each 39.6ms step"));
  EXPECT_THAT(several, HasSubstr("waited 29.6ms a step for loader (pid 9)"));
}

TEST(TimeTextTest, WhatNowAndThenWaitsForOneThatSleptMayBeIdle) {
  ProcessTime time = of_slow(1500, 1520);
  time.budget.result.is_high = true;
  EXPECT_THAT(time_text({time}, false), HasSubstr("INPUT-BOUND, in its slow steps"));
  time.blame.front().nodes.back().is = TimeClass::kSleep;
  EXPECT_THAT(time_text({time}, false), HasSubstr("INPUT-BOUND or IDLE, in its slow steps"));
  time.budget.is_of_slow = false;
  EXPECT_THAT(time_text({time}, false), HasSubstr("INPUT-BOUND: "));
}

TEST(TimeTextTest, WhoseDeviceIsBusyIsNotHealthyWhereItWaitedForALockToItsEndOrMostlyCopies) {
  ProcessTime time = of_slow(10, 10);
  time.budget.is_of_slow = false;
  time.budget.result = {};
  time.budget.result.limit = Limit::kDeviceBound;
  EXPECT_THAT(time_text({time}, false), HasSubstr("DEVICE-BOUND (healthy)"));
  ProcessTime hung = time;
  hung.locked_out_ns = 7000 * kMs;
  EXPECT_THAT(time_text({hung}, false), HasSubstr("DEVICE-BOUND, until it waited for a lock in its last 7s (it hung"));
  auto& classes = time.budget.evaluated.sums.classes;
  std::swap(classes[static_cast<size_t>(TimeClass::kCopy)], classes[static_cast<size_t>(TimeClass::kDeviceWait)]);
  EXPECT_THAT(time_text({time}, false), HasSubstr("DEVICE-BOUND, mostly by copies, which the thread waited for 10ms"));
}

TEST(TimeTextTest, ALibraryStandsBesideTheLineThatCalledIt) {
  ProcessTime time = of_slow(1500, 1520);
  BlameNode& own = time.blame.front().nodes.front();
  own.within = "get() at queue.py:171";
  time.blame.front().nodes.back().within = "inflate() of libz";
  EXPECT_THAT(
      time_text({time}, false),
      HasSubstr("next_batch() at train.py:61 waited 29.6ms a step, in get() at queue.py:171, for loader (pid 9), "
                "which ran on the CPU in inflate() of libz."));
  time.blame.front().nodes.pop_back();
  own.is = TimeClass::kSleep;
  own.within = "sqlite3_step() of libsqlite3";
  EXPECT_THAT(time_text({time}, false),
              HasSubstr("next_batch() at train.py:61 slept in sqlite3_step() of libsqlite3 for 29.6ms a step"));
}

// Whose lock it was, who reads what it wrote, and which program that is.
TEST(TimeTextTest, WhoHoldsALockOrDoesNotReadIsNamedWithItsProgram) {
  ProcessTime time = of_slow(300, 200);
  time.blame[0].nodes.reserve(3);
  BlameNode &own = time.blame[0].nodes[0], &other = time.blame[0].nodes[1];
  own.is = TimeClass::kFutex;
  own.takes_lock = true;
  other.role = "python3";
  other.script = "cleaner.py";
  other.is = TimeClass::kSleep;
  EXPECT_THAT(time_text({time}, false),
              HasSubstr("next_batch() at train.py:61 waited for a lock for 4.9ms a step, held by python3 (pid 9, "
                        "cleaner.py), which slept"));
  EXPECT_THAT(remedy_of(time), HasSubstr("have python3 (pid 9, cleaner.py) hold the lock for less time"));
  // Likewise of one that it waits for.
  BlameNode worker = own;
  worker.role = "worker";
  worker.pids = {8};
  own.is = TimeClass::kPipe;
  time.blame[0].nodes.insert(time.blame[0].nodes.begin() + 1, worker);
  EXPECT_THAT(
      time_text({time}, false),
      HasSubstr("for worker (pid 8), which waited for a lock, held by python3 (pid 9, cleaner.py), which slept"));
  EXPECT_THAT(remedy_of(time), HasSubstr("have python3 (pid 9, cleaner.py) hold the lock for less time"));
  time.blame[0].nodes.erase(time.blame[0].nodes.begin() + 1);
  own.is = TimeClass::kFutex;
  own.takes_lock = false;
  EXPECT_THAT(remedy_of(time), HasSubstr("see why python3 (pid 9, cleaner.py) sleeps")) << "it may be a queue";
  own.is = TimeClass::kPipe;
  own.is_write = true;
  time.budget.result.limit = Limit::kHostBound;
  EXPECT_THAT(time_text({time}, false),
              HasSubstr("waited 4.9ms a step for the reader of what it wrote, python3 (pid 9"));
  EXPECT_THAT(remedy_of(time), HasSubstr("see why python3 (pid 9, cleaner.py) does not read what is sent"));
}

TEST(TimeTextTest, ATerminalIsNoPipe) {
  ProcessTime time = of_slow(1500, 1520);
  time.blame.front().nodes.pop_back();
  BlameNode& own = time.blame.front().nodes.front();
  own.is_write = true;
  own.kind = static_cast<uint8_t>(hal::WaitKind::kTerminal);
  for (auto& paths : time.slow_blame) paths = {time.blame.front()};
  const std::string text = time_text({time}, false);
  EXPECT_THAT(text, HasSubstr("waited for the reader of its terminal for 29.6ms a step"));
  EXPECT_THAT(text, HasSubstr("  waiting for a terminal "));
  EXPECT_THAT(text, HasSubstr("1.5s more waiting for a terminal in next_batch()"));
  EXPECT_THAT(text, Not(HasSubstr("pipe")));
}

}  // namespace
}  // namespace ingero::report
