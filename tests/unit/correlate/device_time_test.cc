// What is said of a device is said of every instant, whatever the order in which threads' calls are given; and what
// nothing waits for is kept for a while only.
#include "correlate/device_time.h"

#include <tuple>

#include <gtest/gtest.h>

#include "unit/correlate/budget_device.h"

namespace ingero::correlate::testing {
namespace {

constexpr uint64_t kBeginNs = 1000 * kMs;

const CallFacts& launches() {
  static const CallFacts kFacts = make_facts("acmeLaunch", "acmeLaunch", "RUNTIME", "acme", hal::Kind::kLaunch, false);
  return kFacts;
}
const CallFacts& syncs() {
  static const CallFacts kFacts =
      make_facts("acmeStreamSynchronize", "acmeStreamSynchronize", "RUNTIME", "acme", hal::Kind::kSync, true);
  return kFacts;
}
const CallFacts& fills() {
  static const CallFacts kFacts =
      make_facts("acmeMemsetAsync", "acmeMemsetAsync", "RUNTIME", "acme", hal::Kind::kMemset, false);
  return kFacts;
}
const CallFacts& fetches() {
  static const CallFacts kFacts = [] {
    CallFacts facts = make_facts("acmeMemcpyAsync", "acmeMemcpyAsync", "RUNTIME", "acme", hal::Kind::kMemcpy, false);
    facts.async = true;
    return facts;
  }();
  return kFacts;
}

const CallFacts& frees() {
  static const CallFacts kFacts = make_facts("acmeFree", "acmeFree", "RUNTIME", "acme", hal::Kind::kFree, false);
  return kFacts;
}

// A call of a thread on the stream of its number.
BudgetCall call_of(uint32_t tid, uint64_t from_us, uint64_t to_us) {
  BudgetCall call;
  call.start_ns = kBeginNs + from_us * kUs;
  call.end_ns = kBeginNs + to_us * kUs;
  call.stream = tid;
  call.tid = tid;
  return call;
}

class OneDevice {
 public:
  void launch(uint32_t tid, uint64_t from_us, uint64_t to_us) { (void)add(call_of(tid, from_us, to_us), launches()); }
  void sleeps(uint32_t tid, uint64_t from_us, uint64_t to_us) {
    OffSpan off;
    off.out_ns = kBeginNs + from_us * kUs;
    off.woken_ns = off.in_ns = kBeginNs + to_us * kUs;
    threads_[tid].add(off);
  }
  void sync(uint32_t tid, uint64_t from_us, uint64_t to_us) { (void)add(call_of(tid, from_us, to_us), syncs()); }
  void fill(uint32_t stream, uint64_t from_us, uint64_t bytes) {
    BudgetCall call = call_of(1, from_us, from_us + 5);
    call.stream = stream;
    call.bytes = bytes;
    (void)add(call, fills());
  }
  CallUse fetch(uint32_t tid, uint64_t from_us, uint64_t to_us) {
    BudgetCall call = call_of(tid, from_us, to_us);
    call.bytes = 4;
    call.direction = hal::Direction::kDeviceToHost;
    return add(call, fetches()).use;
  }
  CallUse free(uint32_t tid, uint64_t from_us, uint64_t to_us) {
    BudgetCall call = call_of(tid, from_us, to_us);
    call.stream.reset();
    return add(call, frees()).use;
  }
  std::vector<DeviceSegment> until(uint64_t us) { return device.take(device.settle(kBeginNs + us * kUs)); }

  CallSpan add(const BudgetCall& call, const CallFacts& facts) {
    ThreadTime& thread = threads_[call.tid];
    const CallSpan span = device.add(call, facts, thread);
    thread.add(span);
    thread.sort();
    return span;
  }

  hal::LossLedger ledger;
  DeviceTime device{ledger};

 private:
  std::map<uint32_t, ThreadTime> threads_;
};

// Where the states of segments from `from_us` on have `state`, in nanoseconds.
uint64_t ns_of(const std::vector<DeviceSegment>& segments, DeviceState state, uint64_t from_us) {
  uint64_t sum = 0;
  for (const DeviceSegment& one : segments) {
    if (one.state == state && one.from_ns >= kBeginNs + from_us * kUs) sum += one.to_ns - one.from_ns;
  }
  return sum;
}

// (D8) cuDNN builds kernels for 800 ms between a launch and the next synchronisation, which takes 40 us to return.
TEST(DeviceTime, AShortWaitLongAfterTheLastSubmissionShowsNoWork) {
  const auto busy_of = [](uint64_t gap_us, uint64_t length_us) {
    OneDevice one;
    one.launch(1, 0, 10);
    one.sync(1, gap_us, gap_us + length_us);
    one.launch(1, gap_us + 1000, gap_us + 1010);
    return ns_of(one.until(gap_us + 1000), DeviceState::kBusy, 0);
  };
  EXPECT_EQ(busy_of(800'000, 40), 0U);
  EXPECT_GT(busy_of(800'000, 400), 700'000 * kUs) << "a wait";
  EXPECT_GT(busy_of(8'000, 40), 7'000 * kUs) << "not long after";
}

// The default stream is one of each device: a wait on that of one device says nothing of another's. While only one
// device is known, what names none is about that one.
TEST(DeviceTime, DefaultStreamsOfTwoDevicesAreTwo) {
  const auto idle_us = [](uint32_t launched_on, uint32_t waited_on, bool has_other) {
    OneDevice one;
    if (has_other) {
      BudgetCall other = call_of(9, 0, 5);
      other.device_ref = 2;
      (void)one.add(other, launches());
      BudgetCall wait = call_of(9, 6, 60);
      wait.device_ref = 2;
      (void)one.add(wait, syncs());
    }
    BudgetCall launch = call_of(1, 100, 110), wait = call_of(1, 120, 500);
    launch.stream = wait.stream = 0;
    launch.device_ref = launched_on;
    wait.device_ref = waited_on;
    (void)one.add(launch, launches());
    (void)one.add(wait, syncs());
    one.launch(9, 1000, 1010);
    return ns_of(one.until(1000), DeviceState::kIdle, 100) / kUs;
  };
  EXPECT_EQ(idle_us(1, 1, true), 500U);
  EXPECT_EQ(idle_us(1, 2, true), 0U) << "the wait is for another device";
  EXPECT_EQ(idle_us(1, 0, true), 0U) << "the wait may be for another device";
  EXPECT_EQ(idle_us(0, 1, true), 0U) << "the work may be another device's";
  EXPECT_EQ(idle_us(1, 0, false), 500U);
  EXPECT_EQ(idle_us(0, 1, false), 500U);
}

// (D9)
TEST(DeviceTime, ToGiveMemoryBackWaitsForTheDeviceWhereItHasWork) {
  const auto states_of = [](bool sleeps) {
    OneDevice one;
    one.launch(1, 0, 10);
    one.launch(2, 0, 10);
    if (sleeps) one.sleeps(1, 25, 7990);
    EXPECT_EQ(one.free(1, 20, 8000), CallUse::kSync);
    EXPECT_EQ(one.free(1, 8100, 9900), CallUse::kAllocate) << "nothing is outstanding";
    one.launch(1, 10'000, 10'010);
    EXPECT_EQ(one.free(1, 10'020, 10'900), CallUse::kAllocate) << "too short to tell";
    const auto segments = one.until(10'000);
    return std::pair(ns_of(segments, DeviceState::kBusy, 0), ns_of(segments, DeviceState::kIdle, 0));
  };
  EXPECT_EQ(states_of(false), std::pair(uint64_t{0}, 2000 * kUs)) << "it may have cleared away pages";
  EXPECT_EQ(states_of(true), std::pair(7980 * kUs, 2010 * kUs));
}

// (D3) A library clears a buffer on a stream of its own once, and nothing ever waits for that. What may still be under
// way is not taken for over: a large one, or a kernel.
TEST(DeviceTime, AFillThatNothingWaitsForIsOverWhenEverythingElseIs) {
  const auto idle_of = [](uint64_t bytes, bool launches_there) {
    OneDevice one;
    one.fill(7, 0, bytes);
    if (launches_there) one.launch(7, 10, 15);
    for (uint64_t step = 1; step < 20; ++step) {
      one.launch(1, 1000 * step, 1000 * step + 10);
      one.sync(1, 1000 * step + 20, 1000 * step + 400);
    }
    one.launch(1, 20'000, 20'010);
    return ns_of(one.until(20'000), DeviceState::kIdle, 2000);
  };
  EXPECT_EQ(idle_of(4096, false), 18 * 600 * kUs);
  EXPECT_EQ(idle_of(4096, true), 0U);
  EXPECT_EQ(idle_of(64 << 20, false), 0U);
}

// (D2) Asked for in pieces of any size.
TEST(DeviceTime, SegmentsTileTheTimeAndAGapBelongsToTheSubmissionBehindIt) {
  OneDevice one;
  std::vector<uint64_t> begins;
  std::vector<DeviceSegment> all;
  for (uint64_t step = 0; step < 200; ++step) {
    const uint64_t at = 1000 * step + step * step % 90;
    one.launch(1 + step % 2, at, at + 10);
    one.sync(1 + step % 2, at + 20, at + 400);
    begins.push_back(kBeginNs + at * kUs);
    if (step % 7 == 0) {
      for (const DeviceSegment& segment : one.until(at + 500)) all.push_back(segment);
    }
  }
  ASSERT_FALSE(all.empty());
  uint64_t at_ns = begins.front();
  size_t gaps = 0;
  for (const DeviceSegment& segment : all) {
    ASSERT_EQ(segment.from_ns, at_ns);
    ASSERT_GT(segment.to_ns, segment.from_ns);
    at_ns = segment.to_ns;
    if (segment.state != DeviceState::kIdle || segment.until_ns == 0) continue;  // 0: not yet submitted
    const auto behind = std::lower_bound(begins.begin(), begins.end(), segment.to_ns);
    ASSERT_NE(behind, begins.end());
    EXPECT_EQ(segment.until_ns, *behind);
    EXPECT_EQ(segment.tid, 1 + (behind - begins.begin()) % 2);
    ++gaps;
  }
  EXPECT_GT(gaps, 100U);
}

// A thread whose synchronisations sleep found everything done where it never left the CPU: the device may have been
// idle for long. Where they spin, the time that one takes is the device's.
TEST(DeviceTime, AShortSynchronisationIsNoEvidenceWhereOthersSleep) {
  for (const bool sleeps : {false, true}) {
    OneDevice one;
    for (uint64_t step = 0; step < 2; ++step) {
      const uint64_t at = 50'000 * step;
      one.launch(1, at, at + 10);
      if (sleeps && step == 0) one.sleeps(1, at + 30, at + 8000);
      one.sync(1, at + 20, at + 8020);
    }
    one.launch(1, 100'000, 100'010);
    one.sync(1, 120'000, 120'040);
    one.launch(1, 150'000, 150'010);
    uint64_t busy_ns = 0, unknown_ns = 0;
    for (const DeviceSegment& segment : one.until(150'000)) {
      if (segment.from_ns < kBeginNs + 100'000 * kUs) continue;
      if (segment.state == DeviceState::kBusy) busy_ns += segment.to_ns - segment.from_ns;
      if (segment.state == DeviceState::kUnknown) unknown_ns += segment.to_ns - segment.from_ns;
    }
    EXPECT_EQ(busy_ns > 0, !sleeps);
    EXPECT_EQ(unknown_ns > 19'000 * kUs, sleeps);
  }
}

// (D3)
TEST(DeviceTime, WorkThatNothingWaitsForIsUnknownForAWhileAndForgotten) {
  OneDevice one;
  one.launch(1, 0, 10);
  one.launch(2, 2 * DeviceTime::kDrainedNs / kUs, 2 * DeviceTime::kDrainedNs / kUs + 10);
  const auto all = one.until(2 * DeviceTime::kDrainedNs / kUs);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].state, DeviceState::kUnknown);
  EXPECT_EQ(all[0].to_ns, kBeginNs + 10 * kUs + DeviceTime::kDrainedNs);
  EXPECT_EQ(all[1].state, DeviceState::kIdle);

  OneDevice many;
  for (uint64_t i = 0; i < DeviceTimeline::kMaxPending + 7; ++i) many.launch(1, 10 * i, 10 * i + 5);
  EXPECT_EQ(many.ledger.count(hal::Loss::budget_forgotten), 7U);
}

// (D4)
TEST(DeviceTime, TheOrderOfTwoThreadsCallsDecidesNothing) {
  const auto segments = [](bool is_second_first) {
    OneDevice one;
    const auto thread = [&](uint32_t tid) {
      for (uint64_t step = 0; step < 50; ++step) {
        const uint64_t at = 1000 * step + 300 * tid;
        one.launch(tid, at, at + 10);
        one.sync(tid, at + 20, at + 20 + 60 * tid);
      }
    };
    thread(is_second_first ? 2 : 1);
    thread(is_second_first ? 1 : 2);
    std::vector<std::tuple<uint64_t, uint64_t, DeviceState, uint32_t, uint64_t>> found;
    for (const DeviceSegment& segment : one.until(50'000)) {
      found.emplace_back(segment.from_ns, segment.to_ns, segment.state, segment.tid, segment.until_ns);
    }
    return found;
  };
  const auto first = segments(false);
  EXPECT_GT(first.size(), 100U);
  EXPECT_EQ(segments(true), first);
}

// (D11) A list that was made once is executed each step; the queue is waited for. What is put on a list is not work.
TEST(DeviceTime, WhatIsPutOnAListIsWorkOnTheQueueThatExecutesIt) {
  const CallFacts closes = make_facts("acmeCommandListClose", "", "RUNTIME", "acme", hal::Kind::kStream, false);
  const CallFacts runs = make_facts("acmeQueueExecuteCommandLists", "", "RUNTIME", "acme", hal::Kind::kGraph, false);
  EXPECT_TRUE(is_work(runs));
  for (const bool is_made_anew : {false, true}) {
    OneDevice one;
    for (uint64_t step = 0; step < 10; ++step) {
      const uint64_t at = 10'000 * step;
      if (step == 0 || is_made_anew) {
        one.launch(50, at, at + 10);  // thread and stream 50
        BudgetCall close = call_of(50, at + 20, at + 25);
        (void)one.add(close, closes);
      }
      (void)one.add(call_of(7, at + 100, at + 110), runs);
      one.sync(7, at + 120, at + 4'000);
    }
    const auto segments = one.until(90'100);
    EXPECT_NEAR(static_cast<double>(ns_of(segments, DeviceState::kBusy, 10'000)), 8 * 3.9e6, 8 * 5e4) << is_made_anew;
    EXPECT_NEAR(static_cast<double>(ns_of(segments, DeviceState::kIdle, 10'000)), 8 * 6.1e6, 8 * 5e4) << is_made_anew;
    EXPECT_LT(ns_of(segments, DeviceState::kUnknown, 10'000), 1'000 * kUs) << is_made_anew;
  }
}

TEST(DeviceTime, AWaitThatNamesNothingIsSaidToBeOne) {
  const CallFacts waits = make_facts("acmeWaitForEvents", "", "RUNTIME", "acme", hal::Kind::kSync, true);
  OneDevice one;
  one.launch(7, 0, 10);
  BudgetCall wait = call_of(7, 20, 4'000);
  wait.stream.reset();
  (void)one.add(wait, waits);
  EXPECT_TRUE(one.device.names_nothing());
  one.sync(7, 4'010, 4'020);
  EXPECT_FALSE(one.device.names_nothing());
}

// (D7)
TEST(DeviceTime, AScalarsCopyAndTheSynchronisationBehindItAreOneWait) {
  OneDevice one;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 10'000 * step;
    one.launch(1, at, at + 5);
    EXPECT_EQ(one.fetch(1, at + 10, at + 4'010), CallUse::kSync);  // into pageable memory
    one.sync(1, at + 4'012, at + 4'013);
  }
  const auto segments = one.until(100'000);
  EXPECT_NEAR(static_cast<double>(ns_of(segments, DeviceState::kBusy, 0)), 10 * 4e6, 10 * 4e4);
  EXPECT_NEAR(static_cast<double>(ns_of(segments, DeviceState::kIdle, 0)), 10 * 6e6, 10 * 4e4);
}

// Into pinned memory, and held up by something else than the device for a moment.
TEST(DeviceTime, AScalarsCopyThatWasInterruptedSaysNothing) {
  OneDevice one;
  one.launch(1, 0, 5);
  (void)one.fetch(1, 10, 60);
  one.sync(1, 65, 9'000);
  EXPECT_EQ(ns_of(one.until(9'000), DeviceState::kIdle, 0), 0U);
}

// A loop that fetches a number after each launch, too shortly for any of them to be certain.
TEST(DeviceTime, ScalarsCopiesThatAreAllSlowWait) {
  const auto idle_of = [](uint64_t fetch_us, uint64_t every) {
    OneDevice one;
    for (uint64_t i = 0; i < 300; ++i) {
      const uint64_t at = 120 * i;
      one.launch(1, at, at + 7);
      (void)one.fetch(1, at + 20, at + 20 + (i % every == 0 ? fetch_us : 8));
    }
    return static_cast<double>(ns_of(one.until(36'000), DeviceState::kIdle, 12'000));
  };
  EXPECT_NEAR(idle_of(80, 1), 200 * 20e3, 200 * 6e3) << "from the end of one to the next launch";
  EXPECT_EQ(idle_of(8, 1), 0) << "into pinned memory";
  EXPECT_EQ(idle_of(25, 1), 0) << "not several times as long as a launch";
  EXPECT_EQ(idle_of(80, 2), 0) << "every other one: they may have been held up";
}

TEST(DeviceTime, AScalarsCopyIntoPinnedMemorySaysNothing) {
  OneDevice one;
  one.launch(1, 0, 5);
  EXPECT_EQ(one.fetch(1, 10, 15), CallUse::kSubmit);
  one.sync(1, 5'000, 5'001);  // long after it: the device was done at some time between
  const auto segments = one.until(20'000);
  EXPECT_EQ(ns_of(segments, DeviceState::kBusy, 0), 0U);
  EXPECT_NEAR(static_cast<double>(ns_of(segments, DeviceState::kUnknown, 0)), 5e6, 1e5);
}

// (D12) One device is always busy; another has 6 ms of work and then waits for 4 ms for a thread of its own. Before a
// second device is known, and of both together, there is one line.
TEST(DeviceTime, OneDeviceIsIdleWhileAnotherWorks) {
  for (const uint32_t second : {0U, 2U}) {
    OneDevice one;
    for (uint64_t at = 0; at < 100'000; at += 10'000) {
      BudgetCall launch = call_of(1, at, at + 10), wait = call_of(1, at + 20, at + 9990);
      launch.device_ref = wait.device_ref = 1;
      (void)one.add(launch, launches());
      BudgetCall other = call_of(2, at + 50, at + 60), its_wait = call_of(2, at + 100, at + 6000);
      other.device_ref = its_wait.device_ref = second;
      (void)one.add(other, launches());
      (void)one.add(its_wait, syncs());
      (void)one.add(wait, syncs());
    }
    const bool is_distinguished = second != 0;
    EXPECT_EQ(one.device.distinguishes(1), is_distinguished);
    EXPECT_EQ(one.device.distinguishes(2), is_distinguished);
    const uint64_t end = one.device.settle(kBeginNs + 90'000 * kUs);
    if (is_distinguished) {
      const auto busy = one.device.take(end, 1), idle = one.device.take(end, 2);
      EXPECT_LT(ns_of(busy, DeviceState::kIdle, 10'000), 90 * 10 * kUs * 10);
      EXPECT_NEAR(static_cast<double>(ns_of(idle, DeviceState::kBusy, 10'000)), 8 * 5.9e6, 8 * 1e5);
      EXPECT_NEAR(static_cast<double>(ns_of(idle, DeviceState::kIdle, 10'000)), 8 * 4e6, 8 * 1e5);
      for (const DeviceSegment& gap : idle) EXPECT_TRUE(gap.state != DeviceState::kIdle || gap.tid == 2);
    }
    EXPECT_LT(ns_of(one.device.take(end), DeviceState::kIdle, 10'000), 90 * 10 * kUs * 10) << second;
  }
}

// (D12) What was so far is the first one's, and so is what a late trace does not know: each device until it was waited
// for.
TEST(DeviceTime, ADeviceThatWasNotWaitedForYetIsNotKnown) {
  OneDevice one;
  one.device.begin_unknown(kBeginNs);
  const auto on = [](uint32_t device, BudgetCall call) {
    call.device_ref = device;
    return call;
  };
  (void)one.add(on(1, call_of(1, 100, 110)), launches());
  (void)one.add(on(2, call_of(2, 200, 210)), launches());
  BudgetCall wait = on(1, call_of(1, 300, 900));
  wait.stream.reset();
  CallFacts device_wide = syncs();
  device_wide.name = "acmeDeviceSynchronize";
  (void)one.add(wait, device_wide);
  (void)one.add(on(2, call_of(2, 400, 1900)), syncs());
  (void)one.add(on(1, call_of(1, 2900, 2910)), launches());
  (void)one.add(on(2, call_of(2, 2950, 2960)), launches());
  const uint64_t end = kBeginNs + 2900 * kUs;
  EXPECT_NEAR(static_cast<double>(ns_of(one.device.take(end, 1), DeviceState::kIdle, 0)), 2e6, 1e5);
  EXPECT_EQ(ns_of(one.device.take(end, 2), DeviceState::kIdle, 0), 0U);
  EXPECT_EQ(ns_of(one.device.take(end), DeviceState::kIdle, 0), 0U);
}

}  // namespace
}  // namespace ingero::correlate::testing
