// Where the time went: classes, the device's idle time, what is lost, and who was waited for, one plain case each; and
// properties of random programs against a device whose busy intervals are known (budget.h, device_time.h).
#include <utility>

#include "correlate/rules.h"
#include "unit/correlate/budget_answer.h"

namespace ingero::correlate {
namespace {

using testing::Answer;
using testing::ask;
using testing::How;
using testing::kMs;
using testing::kSec;
using testing::kUs;
using testing::loop;
using testing::near;
using testing::ns_of;
using testing::World;

// What the probes of a call take is the thread's time, not the call's; no step and no nanosecond goes missing by it.
TEST(Budget, ProbesAreHostCode) {
  const World world = loop(200, 30 * kMs, How::kSpin, [](World& w, size_t) { w.run(1, 300 * kUs); });
  const Answer without = ask(world), with = ask(world, 0, 2 * kUs);
  EXPECT_EQ(with.steps.size(), without.steps.size());
  EXPECT_EQ(with.whole.total_ns(), without.whole.total_ns());
  const uint64_t calls = 3 * 200;
  EXPECT_ABOUT(with.whole.probes_ns, calls * 2 * kUs, 10 * kUs);
  EXPECT_EQ(without.whole.probes_ns, 0U);
  EXPECT_ABOUT(ns_of(with.whole, TimeClass::kHost), ns_of(without.whole, TimeClass::kHost) + with.whole.probes_ns,
               10 * kUs);
  for (const TimeClass is : {TimeClass::kSubmit, TimeClass::kDeviceWait}) {
    EXPECT_LT(ns_of(with.whole, is), ns_of(without.whole, is));
  }
}

TEST(Budget, ADeviceBoundProgramIsHealthy) {
  for (const How how : {How::kSpin, How::kSleep}) {
    const Answer answer = ask(loop(200, 30 * kMs, how, [](World& world, size_t) { world.run(1, 300 * kUs); }));
    const ProcessBudget& process = answer.only();
    EXPECT_EQ(process.result.limit, Limit::kDeviceBound);
    EXPECT_ABOUT(process.usual_ns, 30'330 * kUs, 100 * kUs);
    EXPECT_GT(ns_of(process.evaluated.sums, TimeClass::kDeviceWait) * 100, process.evaluated.sums.total_ns() * 97);
    EXPECT_EQ(process.slow_steps, 0U);
  }
}

TEST(Budget, HostCodeBetweenStepsIsLost) {
  const Answer answer = ask(loop(200, 10 * kMs, How::kSleep, [](World& world, size_t) { world.run(1, 20 * kMs); }));
  const ProcessBudget& process = answer.only();
  EXPECT_EQ(process.result.limit, Limit::kHostBound);
  EXPECT_TRUE(process.result.is_high);
  const ClassTime& host = process.evaluated.sums.of(TimeClass::kHost);
  EXPECT_ABOUT(host.low / process.evaluated.steps, 20 * kMs, 100 * kUs);
  EXPECT_LE(host.high, host.ns);
}

// Each has the lock for its host code and its launch: the gaps of the device are theirs in turn.
TEST(Budget, WhatThreadsUnderOneLockLoseIsOfAllOfThem) {
  constexpr uint32_t kThreads = 4;
  World world;
  std::map<uint32_t, uint64_t> released;
  uint64_t free_at = world.now(1);
  for (int round = 0; round < 400; ++round) {
    for (uint32_t tid = 1; tid <= kThreads; ++tid) {
      const uint32_t before = tid == 1 ? kThreads : tid - 1;
      if (world.now(tid) < free_at) world.sleep(tid, hal::WaitKind::kFutex, free_at - world.now(tid), before);
      world.run(tid, kMs);
      world.launch(tid, tid, 400 * kUs);
      world.stream_sync(tid, tid);
      free_at = world.now(tid);
    }
  }
  const Answer answer = ask(world);
  const ProcessBudget& process = answer.only();
  EXPECT_EQ(process.together.threads, kThreads);
  const TimeSums& sums = process.evaluated.sums;
  const double own = static_cast<double>(sums.lost_low()) / static_cast<double>(sums.total_ns());
  EXPECT_NEAR(own, 0.25 * 1.0 / 1.41, 0.02) << "a quarter of what the device had nothing to do";
  EXPECT_NEAR(process.together.low, 1.0 / 1.41, 0.05);
  EXPECT_GE(process.together.high, process.together.low);
  const Answer alone = ask(loop(200, 10 * kMs, How::kSleep, [](World& one, size_t) { one.run(1, 20 * kMs); }));
  const TimeSums& its = alone.only().evaluated.sums;
  EXPECT_EQ(alone.only().together.threads, 1U);
  EXPECT_DOUBLE_EQ(alone.only().together.low,
                   static_cast<double>(its.lost_low()) / static_cast<double>(its.total_ns()));
}

// (G5) A thousand a second come and go: those that have ended make room.
TEST(Budget, WorkersThatHaveEndedMakeRoom) {
  const auto forgotten = [](bool with_exits) {
    World world;
    for (uint32_t i = 0; i < 25'000; ++i) {
      world.add_worker(100'000 + i, "worker");
      world.run(100'000 + i, i * kMs);
      world.sleep(100'000 + i, hal::WaitKind::kDisk, kMs);
      if (with_exits) world.exit(100'000 + i);
    }
    hal::LossLedger ledger;
    Budget budget(ledger);
    world.feed(budget);
    return ledger.count(hal::Loss::budget_forgotten);
  };
  EXPECT_EQ(forgotten(true), 0U);
  EXPECT_GT(forgotten(false), 0U);
}

// (G4, G5) A process whose end is known before its calls ends all the same, and so does one that others displace: then
// neither their threads nor what they had pending take the place of later ones.
TEST(Budget, ProcessesThatHaveEndedMakeRoom) {
  for (const bool is_seen : {true, false}) {
    hal::LossLedger ledger;
    Budget budget(ledger);
    testing::describe(budget);
    constexpr uint32_t kCount = 20'000;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < kCount; ++i) {
      hal::Event call;
      call.call = testing::kDoLaunch;
      call.kind = hal::Kind::kLaunch;
      call.pid = call.tid = 100'000 + i;
      call.start_mono_ns = 5000 * kSec + i * 5 * kMs;
      call.duration_ns = 10 * kUs;
      call.set(hal::Has::kDuration);
      hal::Event exit;
      exit.call = testing::kDoExit;
      exit.kind = hal::Kind::kHost;
      exit.pid = exit.tid = call.pid;
      exit.start_mono_ns = call.start_mono_ns + kMs;
      if (is_seen) budget.add(exit);
      for (int n = 0; n < 100; ++n) {
        budget.add(call);
        call.start_mono_ns += call.duration_ns;
      }
      rows += budget.take_seconds().size();
    }
    budget.finish();
    rows += budget.take_seconds().size();
    EXPECT_GE(rows, kCount) << "each has its row";
    // Counted are roles, and those displaced.
    const uint64_t roles = kCount - Blame::kMaxRoles, displaced = is_seen ? 0 : kCount - Budget::kMaxProcesses;
    EXPECT_EQ(ledger.count(hal::Loss::budget_forgotten), roles + displaced);
  }
}

// (D5)
TEST(Budget, AGapBehindACopyThatFoundTheDeviceIdleIsKnown) {
  World world;
  for (size_t i = 0; i < 200; ++i) {
    world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
    world.run(1, 20 * kMs);
    world.launch(1, 7, 5 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const ProcessBudget process = ask(world).only();
  EXPECT_EQ(process.result.limit, Limit::kHostBound);
  const ClassTime& host = process.evaluated.sums.of(TimeClass::kHost);
  EXPECT_ABOUT(host.low / process.evaluated.steps, 20 * kMs - 4'400 * kUs, 300 * kUs);  // 1 MiB at 250 MB/s
}

// Nothing waits for the device: when it worked is not known, but how long in all is, by its own count. What the other
// classes cannot have lost of its rest, host code has.
TEST(Budget, WhatTheDeviceCountsRaisesWhatWasLostAtTheLeast) {
  World world;
  for (size_t i = 0; i < 1000; ++i) {
    for (size_t k = 0; k < 100; ++k) {
      world.launch(1, 7, 10 * kUs, 40 * kUs);
      world.run(1, 60 * kUs);
    }
    if (i % 100 == 99) world.stream_sync(1, 7, How::kSleep);
  }
  const auto result = [&](const std::vector<double>& busy) { return ask(world, 0, 0, {}, busy).only(); };
  const auto low = [](const ProcessBudget& one, TimeClass is) {
    return static_cast<double>(one.evaluated.sums.of(is).low) / static_cast<double>(one.evaluated.sums.total_ns());
  };
  EXPECT_EQ(result({}).result.limit, Limit::kNotKnown);
  const ProcessBudget known = result({0.1});
  EXPECT_EQ(known.result.limit, Limit::kHostBound);
  EXPECT_NEAR(low(known, TimeClass::kHost), 0.85 - 0.4, 0.02);
  EXPECT_NEAR(low(known, TimeClass::kSubmit), 0.85 - 0.6, 0.02);
  EXPECT_NEAR(static_cast<double>(known.evaluated.sums.idle_low),
              0.85 * static_cast<double>(known.evaluated.sums.total_ns()),
              0.02 * static_cast<double>(known.evaluated.sums.total_ns()));
  EXPECT_EQ(result({0.1, 0.97}).result.limit, Limit::kNotKnown) << "it may be the one that works";
  EXPECT_EQ(result({0.97}).result.limit, Limit::kNotKnown);
}

// The device rests while the program evaluates for a second now and then: its steps have not lost that.
TEST(Budget, WhatTheDeviceCountsBetweenTheStepsIsNotTheirs) {
  World world;
  for (size_t i = 0; i < 1000; ++i) {
    for (size_t k = 0; k < 100; ++k) {
      world.launch(1, 7, 10 * kUs, 10 * kUs, 1 + k);
      world.run(1, 90 * kUs);
    }
    if (i % 100 == 99) world.run(1, 2 * kSecond);
    if (i % 100 == 99) world.stream_sync(1, 7, How::kSleep);
  }
  const auto low_of = [&](const std::vector<double>& busy) {
    const ProcessBudget process = ask(world, 0, 0, {}, busy).only();
    return static_cast<double>(process.evaluated.sums.lost_low()) /
           static_cast<double>(process.evaluated.sums.total_ns());
  };
  EXPECT_LT(low_of({}), 0.02);
  EXPECT_LT(low_of({0.3}), 0.02);
  EXPECT_GT(low_of({0.05}), 0.3);
}

hal::DeviceSample links(std::initializer_list<std::pair<double, double>> generations_and_widths) {
  hal::DeviceSample sample;
  for (const auto& [generation, width] : generations_and_widths) {
    hal::Device& device = sample.devices.emplace_back();
    device.uuid = "GPU-" + std::to_string(sample.devices.size());
    device.add(hal::ReadingId::pcie_link_generation, generation);
    device.add(hal::ReadingId::pcie_link_width, width);
  }
  return sample;
}

// (D5) The best that each link was counts, of these the slowest; a device whose link is not known leaves all unknown.
TEST(Budget, AGapBehindALargeCopyIsKnownWhereTheLinkIs) {
  World world;
  for (size_t i = 0; i < 200; ++i) {
    world.copy_async(1, 7, hal::Direction::kHostToDevice, 64 << 20, 2 * kMs);
    world.run(1, 25 * kMs);
    world.launch(1, 7, 5 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const auto host_ms = [&](const std::vector<hal::DeviceSample>& samples) {
    const ProcessBudget process = ask(world, 0, 0, samples).only();
    const uint64_t low = process.evaluated.sums.of(TimeClass::kHost).low / process.evaluated.steps;
    EXPECT_EQ(process.result.limit, low > kMs ? Limit::kHostBound : Limit::kNotKnown);
    return static_cast<double>(low) / 1e6;
  };
  EXPECT_EQ(host_ms({}), 0);
  EXPECT_NEAR(host_ms({links({{5, 16}})}), 25 - 8.72, 0.1);  // 64 MiB at an eighth of 63 GB/s, and 0.2 ms
  EXPECT_NEAR(host_ms({links({{1, 16}}), links({{5, 16}}), links({{1, 16}})}), 25 - 8.72, 0.1);
  EXPECT_NEAR(host_ms({links({{5, 16}, {4, 16}})}), 25 - 17.24, 0.1);
  EXPECT_EQ(host_ms({links({{5, 16}, {0, 16}})}), 0);
}

// (D5) A copy that took longer than the machine's link allows: from then on it is the slowest link there is.
TEST(Budget, ALinkThatIsSlowerThanItShouldBeIsNotBelieved) {
  World world;
  world.copy_async(1, 7, hal::Direction::kHostToDevice, 64 << 20, 100 * kMs);
  world.stream_sync(1, 7, How::kSleep);
  for (size_t i = 0; i < 200; ++i) {
    world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
    world.run(1, 20 * kMs);
    world.launch(1, 7, 5 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const ProcessBudget process = ask(world, 0, 0, {links({{5, 16}})}).only();
  const ClassTime& host = process.evaluated.sums.of(TimeClass::kHost);
  EXPECT_ABOUT(host.low / process.evaluated.steps, 20 * kMs - 4'400 * kUs, 300 * kUs);  // 1 MiB at 250 MB/s
}

// As PyTorch copies a batch that is not pinned: "asynchronously", and the library takes it through a buffer meanwhile.
TEST(Budget, ACopyThatTheCallingThreadMakesIsCopyingWhereTheDeviceHasNothingElse) {
  for (const bool after_work : {false, true}) {
    World world;
    for (size_t i = 0; i < 200; ++i) {
      if (after_work) world.launch(1, 7, 20 * kMs);
      world.copy_async(1, 7, hal::Direction::kHostToDevice, 256 << 20, 40 * kMs, 40 * kMs);
      world.launch(1, 7, 2 * kMs);
      world.stream_sync(1, 7, How::kSleep);
    }
    const ProcessBudget process = ask(world).only();
    const ClassTime& copy = process.evaluated.sums.of(TimeClass::kCopy);
    EXPECT_ABOUT(copy.ns / process.evaluated.steps, 40 * kMs, 200 * kUs);
    EXPECT_ABOUT(copy.low / process.evaluated.steps, after_work ? 0 : 40 * kMs, 200 * kUs);
    EXPECT_EQ(process.result.limit == Limit::kCopyBound, !after_work);
  }
}

// (D6) CUDA_LAUNCH_BLOCKING and its like: what the device does is known from the launches alone.
TEST(DeviceTime, ALaunchThatBlocksCoversItsWork) {
  for (const bool blocks : {false, true}) {
    hal::LossLedger ledger;
    DeviceTime device(ledger);
    device.set_launches_block(blocks);
    ThreadTime thread;
    const CallFacts facts = make_facts("acmeLaunch", "acmeLaunch", "RUNTIME", "acme", hal::Kind::kLaunch, false);
    uint64_t idle = 0, busy = 0;
    for (uint64_t i = 0; i < 100; ++i) {
      BudgetCall call;
      call.start_ns = 1000 * kMs + i * kMs;
      call.end_ns = call.start_ns + 700 * kUs;
      call.stream = 7;
      call.tid = 1;
      const CallSpan span = device.add(call, facts, thread);
      EXPECT_EQ(span.use == CallUse::kBlockingSubmit, blocks);
    }
    for (const DeviceSegment& one : device.take(device.settle(1100 * kMs))) {
      if (one.state == DeviceState::kIdle) idle += one.to_ns - one.from_ns;
      if (one.state == DeviceState::kBusy) busy += one.to_ns - one.from_ns;
    }
    EXPECT_ABOUT(idle, blocks ? 100 * 300 * kUs : 0, kMs);
    EXPECT_ABOUT(busy, blocks ? 100 * 700 * kUs : 0, kMs);
  }
}

// A kernel was submitted before the copy: how long it runs is not known.
TEST(Budget, AGapBehindACopyBehindAKernelIsNotKnown) {
  World world;
  for (size_t i = 0; i < 200; ++i) {
    world.launch(1, 7, 2 * kMs);
    world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
    world.run(1, 20 * kMs);
    world.launch(1, 7, 5 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const ProcessBudget process = ask(world).only();
  EXPECT_LT(process.evaluated.sums.of(TimeClass::kHost).low / process.evaluated.steps, kMs);
}

TEST(Budget, AFewBytesForTheHostAreASynchronisation) {
  World world;
  for (size_t i = 0; i < 20000; ++i) {
    world.launch(1, 7, 100 * kUs);
    world.copy(1, 7, hal::Direction::kDeviceToHost, 4, 2 * kUs);
    world.run(1, 60 * kUs);
  }
  const ProcessBudget process = ask(world).only();
  EXPECT_EQ(process.result.limit, Limit::kSyncBound);
  EXPECT_EQ(process.evaluated.sums.of(TimeClass::kCopy).ns, 0U);
}

TEST(Budget, BlockedAndNotRecordedOnWhatIsNotAnAccusation) {
  World world = [] {
    World one;
    one.with_waits = false;
    return one;
  }();
  for (size_t i = 0; i < 200; ++i) {
    world.sleep(1, hal::WaitKind::kPipe, 20 * kMs, 900);
    world.launch(1, 7, 5 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const Answer answer = ask(world);
  EXPECT_EQ(answer.only().result.limit, Limit::kNotKnown);
  EXPECT_EQ(answer.only().result.why, NotKnown::kBlocked);
  EXPECT_ABOUT(answer.whole.of(TimeClass::kBlocked).low, 199 * 20 * kMs, 25 * kMs);
}

TEST(Budget, PreemptedWhileItSpinsForABusyDeviceLosesNothing) {
  World world;
  for (size_t i = 0; i < 200; ++i) {
    world.run(1, 200 * kUs);
    world.launch(1, 7, 20 * kMs);
    const uint64_t begin = world.now(1);
    world.stream_sync(1, 7);
    const uint64_t end = world.now(1);
    world.now(1) = begin + 5 * kMs;
    world.preempt(1, 4 * kMs);
    world.now(1) = end;
  }
  const Answer answer = ask(world);
  EXPECT_EQ(answer.only().result.limit, Limit::kDeviceBound);
  EXPECT_ABOUT(answer.whole.of(TimeClass::kCpuWait).ns, 200 * 4 * kMs, 8 * kMs);
  EXPECT_EQ(answer.whole.of(TimeClass::kCpuWait).low, 0U);
  EXPECT_EQ(answer.whole.of(TimeClass::kCpuWait).high, 0U);
  EXPECT_EQ(answer.whole.spun_preempted_ns, answer.whole.of(TimeClass::kCpuWait).ns);
}

// Whose time it was decides nothing; of a limit also those that are waited for may have been stopped.
TEST(Budget, WhatIsHarmlessIsHarmlessForEachThread) {
  TimeSums spins, loses, waits;
  spins.of(TimeClass::kCpuWait) = {40 * kSec, 0, kSec};
  spins.of(TimeClass::kDeviceWait) = {60 * kSec, 0, 0};
  loses.of(TimeClass::kCpuWait) = {kSec, kSec, kSec};
  loses.of(TimeClass::kHost) = {9 * kSec, 0, 0};
  waits.of(TimeClass::kPipe) = {10 * kSec, 5 * kSec, 5 * kSec};
  CpuCost cost;
  cost.add(spins);
  for (const Rule& one : kRules) EXPECT_EQ(cost.is_harmless(one.name), is_of_cpu_alone(one.name)) << one.name;
  EXPECT_TRUE(cost.is_harmless("oversubscription"));
  CpuCost limited = cost;
  limited.add(waits);
  EXPECT_TRUE(limited.is_harmless("cpu_preemption"));
  EXPECT_FALSE(limited.is_harmless("cgroup_throttling"));
  cost.add(loses);
  for (const Rule& one : kRules) EXPECT_FALSE(cost.is_harmless(one.name)) << one.name;
}

// A kernel of 50 ms and a blocking copy of its result, of 3 ms: that all of it is copying at 0.3 GB/s is not known.
// `alone`: copies of the same direction that found nothing outstanding come first.
World fetches(bool is_async, size_t alone, uint64_t kernel_ns, uint64_t copy_ns) {
  World world;
  const auto fetch = [&](uint64_t waits_ns) {
    if (is_async) {
      world.copy_async(1, 7, hal::Direction::kDeviceToHost, 16 << 20, copy_ns, waits_ns + copy_ns);
      world.stream_sync(1, 7);
    } else {
      world.copy(1, 7, hal::Direction::kDeviceToHost, 16 << 20, copy_ns);
    }
  };
  for (size_t i = 0; i < alone; ++i) {
    fetch(0);
    world.run(1, 100 * kUs);
  }
  for (size_t i = 0; i < 100; ++i) {
    for (int k = 0; k < 3; ++k) world.launch(1, 7, kernel_ns / 3);
    fetch(kernel_ns);
    world.run(1, 500 * kUs);
  }
  return world;
}

TEST(Budget, ACopyBehindWorkMayHaveWaitedForIt) {
  for (const bool is_async : {false, true}) {
    const Answer answer = ask(fetches(is_async, 0, 50 * kMs, 3 * kMs));
    const ProcessBudget& process = answer.only();
    const TimeSums& sums = process.evaluated.sums;
    EXPECT_EQ(process.result.limit, Limit::kNotKnown) << is_async;
    EXPECT_EQ(process.result.why, NotKnown::kCopyOrWait) << is_async;
    EXPECT_LT(sums.of(TimeClass::kCopy).low, process.evaluated.steps * 3 * kMs) << is_async;
    EXPECT_GT(sums.copy_or_wait_ns, process.evaluated.steps * 50 * kMs) << is_async;
    EXPECT_GE(sums.lost_high(), process.evaluated.steps * 3 * kMs) << is_async;
  }
}

TEST(Budget, ACopyBehindWorkTakesWhatOthersOfItsDirectionTook) {
  for (const bool is_async : {false, true}) {
    const Answer answer = ask(fetches(is_async, 4, 60 * kMs, 2 * kMs));
    const ProcessBudget& process = answer.only();
    EXPECT_EQ(process.result.limit, Limit::kDeviceBound) << is_async;
    EXPECT_ABOUT(process.evaluated.sums.of(TimeClass::kCopy).ns / process.evaluated.steps, 2 * kMs, 200 * kUs);
  }
  // Slow copies with nothing before them are copies.
  World slow;
  for (size_t i = 0; i < 100; ++i) {
    slow.launch(1, 7, 10 * kMs);
    slow.stream_sync(1, 7);
    slow.copy(1, 7, hal::Direction::kDeviceToHost, 64 << 20, 40 * kMs);
  }
  EXPECT_EQ(ask(slow).only().result.limit, Limit::kCopyBound);
}

TEST(Budget, ItemInALoopIsSyncBoundAndSynchronousCopiesAreCopyBound) {
  World items;
  for (size_t i = 0; i < 100; ++i) {
    for (size_t k = 0; k < 40; ++k) {
      items.run(1, 150 * kUs);
      items.launch(1, 7, 60 * kUs);
      items.copy(1, 7, hal::Direction::kDeviceToHost, 4, 8 * kUs);
    }
    items.launch(1, 7, 2 * kMs, 5 * kUs, 2);
    items.stream_sync(1, 7);
  }
  EXPECT_EQ(ask(items).only().result.limit, Limit::kSyncBound);
  World copies;
  for (size_t i = 0; i < 200; ++i) {
    copies.copy(1, 7, hal::Direction::kHostToDevice, 64 << 20, 20 * kMs);
    copies.launch(1, 7, 3 * kMs);
    copies.stream_sync(1, 7);
  }
  EXPECT_EQ(ask(copies).only().result.limit, Limit::kCopyBound);
}

TEST(Budget, TinyLaunchesAreLaunchBoundAndAllocationsAllocationBound) {
  World tiny;
  for (size_t i = 0; i < 300; ++i) {
    for (size_t k = 0; k < 200; ++k) tiny.launch(1, 7, 2 * kUs, 20 * kUs, k);
    tiny.stream_sync(1, 7);
  }
  EXPECT_EQ(ask(tiny).only().result.limit, Limit::kLaunchBound);
  const Answer answer = ask(loop(200, 5 * kMs, How::kSleep, [](World& world, size_t) { world.allocate(1, 10 * kMs); }));
  EXPECT_EQ(answer.only().result.limit, Limit::kAllocationBound);
}

TEST(Budget, MoreCallsThanAThreadsSpansAreAllKnownAtTheEnd) {
  World world;
  constexpr size_t kSteps = 290, kLaunches = 1000;
  static_assert(kSteps * kLaunches > ThreadTime::kMaxSpans);
  for (size_t i = 0; i < kSteps; ++i) {
    for (size_t k = 0; k < kLaunches; ++k) {
      world.run(1, 3 * kUs);
      world.launch(1, 7, kUs, 4 * kUs);
    }
    world.stream_sync(1, 7, How::kSpin);
  }
  const Answer answer = ask(world);
  EXPECT_LT(answer.whole.total_ns(), Budget::kLatenessNs + 2 * Budget::kWindowNs);  // or it proves nothing
  EXPECT_EQ(ns_of(answer.whole, TimeClass::kUnknown), 0U);
  EXPECT_ABOUT(ns_of(answer.whole, TimeClass::kSubmit), kSteps * kLaunches * 4 * kUs, 2 * kMs);
}

// A server over a weekend, and a call that lasts as long.
TEST(Budget, DaysOfTheSameAreSomeHundredRows) {
  constexpr uint64_t kDays = 60 * 3600 * kSec;
  const Answer rest = ask(loop(60, 30 * kMs, How::kSleep, [](World& world, size_t i) {
    world.run(1, 200 * kUs);
    if (i == 40) world.sleep(1, hal::WaitKind::kSocket, kDays);
  }));
  EXPECT_LT(rest.seconds.size(), 400U);
  EXPECT_ABOUT(ns_of(rest.whole, TimeClass::kSocket), kDays, kSec);
  const Answer call = ask(loop(60, 30 * kMs, How::kSleep, [](World& world, size_t i) {
    world.run(1, 200 * kUs);
    if (i != 40) return;
    world.launch(1, 7, kDays);
    world.stream_sync(1, 7, How::kSleep);
  }));
  EXPECT_LT(call.seconds.size(), 400U);
  EXPECT_ABOUT(ns_of(call.whole, TimeClass::kDeviceWait), kDays, 3 * kSec);
}

TEST(Budget, ThrottledStarvedAndStoppedAreKeptApart) {
  const auto with = [](const auto& deed) {
    return ask(loop(200, 5 * kMs, How::kSleep, [&](World& world, size_t i) { deed(world, i); })).only().result;
  };
  EXPECT_EQ(with([](World& world, size_t) { world.preempt(1, 10 * kMs, true); }).limit, Limit::kThrottled);
  EXPECT_EQ(with([](World& world, size_t) { world.preempt(1, 10 * kMs); }).limit, Limit::kStarvedOfCpu);
  EXPECT_EQ(with([](World& world, size_t i) {
              if (i == 100) world.sleep(1, hal::WaitKind::kStopped, 2 * kSec);
            }).limit,
            Limit::kStopped);
}

// What is evaluated has the slow steps in which it was stopped.
TEST(Budget, StopsAreInWhatIsEvaluated) {
  const Answer answer = ask(loop(1000, 5 * kMs, How::kSleep, [](World& world, size_t i) {
    if (i % 10 == 9) world.sleep(1, hal::WaitKind::kStopped, 20 * kMs);
  }));
  const ProcessBudget& process = answer.only();
  ASSERT_EQ(process.result.limit, Limit::kStopped);
  const TimeSums& sums = process.evaluated.sums;
  EXPECT_GT(sums.of(TimeClass::kStopped).low, 80 * 20 * kMs);
  EXPECT_LE(sums.of(TimeClass::kStopped).low, sums.idle_high);
  EXPECT_FALSE(sums.causes.empty());
}

TEST(Budget, APauseBetweenBurstsAndTheTimeAfterTheEndAreNoLoss) {
  const Answer burst = ask(loop(300, 30 * kMs, How::kSleep, [](World& world, size_t i) {
    world.run(1, 200 * kUs);
    if (i % 40 == 39) world.sleep(1, hal::WaitKind::kSleep, 900 * kMs);
  }));
  EXPECT_EQ(burst.only().result.limit, Limit::kDeviceBound);
  World ended = loop(200, 30 * kMs, How::kSleep, [](World& world, size_t) { world.run(1, 200 * kUs); });
  ended.sleep(1, hal::WaitKind::kSocket, 6 * kSec);
  ended.allocate(1, 10 * kUs);
  const Answer after = ask(ended);
  EXPECT_EQ(after.only().result.limit, Limit::kDeviceBound);
  EXPECT_LT(after.whole.lost_high(), 200 * kMs);
  EXPECT_ABOUT(after.only().after_steps.of(TimeClass::kSocket).ns, 6 * kSec, kSec);
  EXPECT_LT(burst.only().after_steps.total_ns(), 2 * kSec);
}

TEST(Budget, ASlowStepIsExplainedByWhatItHasMoreOf) {
  const Answer answer = ask(loop(300, 20 * kMs, How::kSleep, [](World& world, size_t i) {
    world.run(1, 300 * kUs);
    if (i % 40 == 39) world.sleep(1, hal::WaitKind::kDisk, 180 * kMs);
  }));
  const ProcessBudget& process = answer.only();
  EXPECT_EQ(process.slow_steps, 6U) << "the first of seven came before steps were found";
  ASSERT_FALSE(process.slow.empty());
  EXPECT_EQ(process.slow.front().is, TimeClass::kDisk);
  EXPECT_ABOUT(process.slow.front().more_ns, 180 * kMs, kMs);
  EXPECT_EQ(process.every, 40U);
}

// Each step as long as `of` says, with as much of it waiting for work as it says; those from `others` on are of another
// series.
ProcessBudget of_steps(const std::function<std::pair<uint64_t, uint64_t>(uint64_t)>& of, uint64_t others = 200) {
  hal::LossLedger ledger;
  Blame blame(ledger, nullptr);
  BudgetSummary summary(ledger);
  BudgetSecond second;
  second.pid = second.tid = 1;
  second.sums.submissions = 1;
  summary.add(second);
  uint64_t at_ns = kSec;
  for (uint64_t i = 0; i < 200; ++i) {
    const auto [ns, clients_ns] = of(i);
    BudgetStep step;
    step.pid = step.tid = 1;
    step.number = i + 1;
    step.content = 1;
    step.series = i < others ? 1 : 2;
    step.start_ns = at_ns;
    step.end_ns = at_ns += ns;
    step.sums.of(TimeClass::kSocket).ns = clients_ns;
    step.sums.clients_ns = clients_ns;
    step.sums.of(TimeClass::kHost).ns = ns - clients_ns;
    (void)summary.add(step, blame);
  }
  return summary.results(blame).at(0);
}

// Training, and then an evaluation that takes longer: the first steps are those of the training.
TEST(Budget, StepsBeforeTheLongestSeriesAreStepsToo) {
  const auto usual = [](uint64_t) { return std::pair{10 * kMs, uint64_t{0}}; };
  const ProcessBudget longer = of_steps(usual, 60);
  EXPECT_EQ(longer.start_ns, kSec + 60 * 10 * kMs);
  EXPECT_EQ(longer.first_step_ns, kSec);
  EXPECT_EQ(of_steps(usual, 140).start_ns, kSec);
  const ProcessBudget few = of_steps(usual, 3);  // not enough to be any
  EXPECT_EQ(few.first_step_ns, few.start_ns);
}

TEST(Budget, AStepThatWaitedForWorkIsNotSlow) {
  const auto idle = of_steps([](uint64_t i) {
    return i % 10 == 9 ? std::pair{400 * kMs, 390 * kMs} : std::pair{10 * kMs, uint64_t{0}};
  });
  EXPECT_EQ(idle.slow_steps, 0U);
  const auto both = of_steps([](uint64_t i) {
    return i % 10 == 9 ? std::pair{400 * kMs, 300 * kMs} : std::pair{10 * kMs, uint64_t{0}};
  });
  ASSERT_FALSE(both.slow.empty());
  EXPECT_EQ(both.slow.front().length_ns, 100 * kMs);
  EXPECT_EQ(both.slow.front().is, TimeClass::kHost);
  EXPECT_LE(both.slow.front().more_ns, both.slow.front().length_ns - both.slow.front().usual_ns);
}

TEST(Budget, APeriodFitsTheCountOfSlowSteps) {
  const auto slow_at = [](const std::function<bool(uint64_t)>& is_slow) {
    return of_steps([&](uint64_t i) { return std::pair{is_slow(i) ? 100 * kMs : 10 * kMs, uint64_t{0}}; }).every;
  };
  EXPECT_EQ(slow_at([](uint64_t i) { return i % 20 == 19; }), 20U);
  EXPECT_EQ(slow_at([](uint64_t i) { return i > 100 && i <= 116 && i % 2 == 0; }), std::nullopt);
  EXPECT_EQ(slow_at([](uint64_t i) { return i > 100 && i <= 108; }), std::nullopt);
}

// 8 of 300 steps wait for 400 ms each; what each step loses to host code is less than that.
TEST(Budget, SlowStepsDecideWhereTheyCostMoreThanTheUsualOnesLose) {
  const auto with = [](uint64_t pause_ns) {
    return ask(loop(320, 10 * kMs, How::kSleep, [&](World& world, size_t i) {
      world.run(1, 2 * kMs);
      if (i % 40 == 39) world.sleep(1, hal::WaitKind::kPipe, pause_ns, 900);
    }));
  };
  const Answer rare = with(400 * kMs);
  EXPECT_EQ(rare.only().result.limit, Limit::kInputBound);
  EXPECT_TRUE(rare.only().is_of_slow);
  const Answer usual = with(20 * kMs);
  EXPECT_EQ(usual.only().result.limit, Limit::kHostBound);
  EXPECT_FALSE(usual.only().is_of_slow);
}

// It looks for work now and then, or waits until a file is gone: whether it had any meanwhile is not known.
TEST(Budget, ToSleepNowAndThenAccusesNobodyAndIsNotHidden) {
  const auto with = [](hal::WaitKind kind) {
    return ask(loop(320, 10 * kMs, How::kSleep, [&](World& world, size_t i) {
      if (i % 40 == 39) world.sleep(1, kind, 400 * kMs, kind == hal::WaitKind::kSleep ? 0 : 900);
    }));
  };
  const Answer slept = with(hal::WaitKind::kSleep);
  EXPECT_EQ(slept.only().result.limit, Limit::kDeviceBound);
  EXPECT_ABOUT(slept.only().slept_percent, 50, 2);
  const Answer waited = with(hal::WaitKind::kPipe);
  EXPECT_EQ(waited.only().result.limit, Limit::kInputBound);
  EXPECT_EQ(waited.only().slept_percent, 0U);
}

// It had work meanwhile, as it lost time otherwise in the same steps: the largest loss is what limits it.
TEST(Budget, ToSleepCountsWhereSlowStepsLoseTimeOtherwiseToo) {
  const Answer answer = ask(loop(320, 10 * kMs, How::kSleep, [](World& world, size_t i) {
    if (i % 40 != 39) return;
    world.sleep(1, hal::WaitKind::kSleep, 400 * kMs);
    world.sleep(1, hal::WaitKind::kPipe, 100 * kMs, 900);
  }));
  EXPECT_EQ(answer.only().result.limit, Limit::kHostBound);
  EXPECT_TRUE(answer.only().is_of_slow);
}

// A step that loads something first is another one, and lost all the same.
TEST(Budget, SlowStepsOfOtherContentAreLostToo) {
  const Answer answer = ask(loop(320, 10 * kMs, How::kSleep, [](World& world, size_t i) {
    if (i % 16 != 15) return;
    world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
    world.stream_sync(1, 7, How::kSleep);
    world.run(1, 150 * kMs);
    world.launch(1, 7, kMs);
  }));
  EXPECT_EQ(answer.only().result.limit, Limit::kHostBound);
  EXPECT_TRUE(answer.only().is_of_slow);
}

TEST(Budget, WhatIsUsualIsSoOfAllSteps) {
  const auto growing = of_steps([](uint64_t i) { return std::pair{10 * kMs + i * kMs / 10, uint64_t{0}}; });
  EXPECT_ABOUT(growing.usual_ns, 20 * kMs, kMs);
}

TEST(Budget, ADeviceThatBecomesSlowerIsSeen) {
  const auto with = [](uint64_t later_ns, uint64_t first_run_ns) {
    World world;
    for (size_t i = 0; i < 300; ++i) {
      world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
      world.launch(1, 7, i < 150 ? 10 * kMs : later_ns);
      world.run(1, i < 150 ? first_run_ns : 100 * kUs);
      world.stream_sync(1, 7, How::kSleep);
    }
    return ask(world).only().longer_waits;
  };
  const auto slower = with(18 * kMs, 100 * kUs);
  ASSERT_TRUE(slower.has_value());
  EXPECT_ABOUT(slower->before_ns, 10 * kMs, kMs / 2);
  EXPECT_ABOUT(slower->after_ns, 18 * kMs, kMs / 2);
  EXPECT_FALSE(with(10 * kMs, 100 * kUs).has_value());
  EXPECT_FALSE(with(10 * kMs, 8 * kMs).has_value()) << "it waits longer, for what takes as long as before";
}

TEST(Budget, AnAsynchronousCopyThatTakesTimeByTheByteIsCopying) {
  const auto with = [](uint64_t call_ns) {
    World world;
    for (size_t i = 0; i < 200; ++i) {
      world.copy_async(1, 7, hal::Direction::kHostToDevice, 48 << 20, 9 * kMs, call_ns);
      world.launch(1, 7, 8 * kMs);
      world.stream_sync(1, 7, How::kSleep);
    }
    return ask(world).only().evaluated.sums;
  };
  const TimeSums staged = with(9 * kMs), pinned = with(6 * kUs);
  EXPECT_GT(staged.of(TimeClass::kCopy).ns * 100, staged.total_ns() * 45);
  EXPECT_EQ(pinned.of(TimeClass::kCopy).ns, 0U);
}

TEST(Budget, AProgramAttachedToLateIsUnknownUntilItsDeviceWasWaitedFor) {
  hal::LossLedger ledger;
  Budget budget(ledger);
  World world;
  for (size_t i = 0; i < 100; ++i) {
    world.run(1, 10 * kMs);
    world.launch(1, 7, 5 * kMs);
    if (i == 50) {
      world.device_sync(1, How::kSleep);
    } else {
      world.stream_sync(1, 7, How::kSleep);
    }
  }
  hal::Process process;
  process.pid = World::kPid;
  process.start_mono_ns = 5000 * kSec - 20 * kSec;
  process.comm = "train";
  testing::describe(budget);
  world.feed(budget);
  uint64_t first = ~uint64_t{0}, low_before = 0, low_after = 0;
  hal::LossLedger other_ledger;
  Budget late(other_ledger);
  testing::describe(late);
  late.add_process(process);
  std::vector<testing::Given> sorted = world.given;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.event.end_mono_ns() < b.event.end_mono_ns(); });
  for (const testing::Given& one : sorted) late.add(one.event);
  late.finish();
  ASSERT_TRUE(late.processes().at(0).is_attached_late);
  for (const BudgetSecond& one : late.take_seconds()) {
    first = std::min(first, one.second);
    (one.second == first ? low_before : low_after) += one.sums.lost_low();
  }
  EXPECT_LT(low_before, 250 * kMs) << "the device-wide wait came after 0.76 s";
  EXPECT_GT(low_after, 250 * kMs);
}

// One program at random: any way to submit and to wait, one or two threads and streams.
World random_world(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](uint64_t from, uint64_t to) { return from + random() % (to - from + 1); };
  World world;
  const uint32_t threads = pick(0, 3) == 0 ? 2 : 1;
  const uint64_t streams = pick(1, 3);
  const size_t deeds = pick(200, 1200);
  for (size_t i = 0; i < deeds; ++i) {
    // The one whose clock is behind goes on: the device takes submissions in the order of time.
    uint32_t tid = 1;
    if (threads == 2 && world.now(2) < world.now(1)) tid = 2;
    const uint64_t stream = 10 + (threads == 2 ? tid : pick(0, streams - 1));
    switch (pick(0, 13)) {
      case 0:
      case 1:
      case 2:
      case 3:
        world.launch(tid, stream, pick(1, 3000) * kUs, pick(2, 60) * kUs, pick(1, 5));
        break;
      case 4:
        world.copy_async(tid, stream, hal::Direction::kHostToDevice, pick(1, 1 << 20), pick(1, 500) * kUs);
        break;
      case 5:
        world.copy(tid, stream, hal::Direction::kDeviceToHost, pick(1, 1 << 20), pick(1, 500) * kUs);
        break;
      case 6:
      case 7:
        world.stream_sync(tid, stream, pick(0, 1) != 0 ? How::kSpin : How::kSleep);
        break;
      case 8:
        if (threads == 1) world.device_sync(tid, pick(0, 1) != 0 ? How::kSpin : How::kSleep);
        break;
      case 9:
        world.record(tid, stream, 100 + tid);
        world.launch(tid, stream, pick(1, 800) * kUs);
        if (pick(0, 1) != 0) world.event_sync(tid, 100 + tid, How::kSleep);
        break;
      case 10:
        world.query(tid, stream);
        break;
      case 11:
        world.run(tid, pick(1, 2000) * kUs);
        break;
      case 12:
        world.sleep(tid, static_cast<hal::WaitKind>(pick(6, 20)), pick(1, 3000) * kUs, 0, pick(0, 50) * kUs);
        break;
      default:
        world.preempt(tid, pick(1, 2000) * kUs);
        break;
    }
    world.run(tid, pick(1, 30) * kUs);
  }
  world.device_sync(1);
  return world;
}

// (D1)
TEST(BudgetProperties, BoundsHoldAgainstTheDevicesOwnTime) {
  uint64_t wide = 0, whole = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const World world = random_world(seed);
    const Answer answer = ask(world);
    // Per thread: the device's idle time as one thread's rows have it, between its first and last instant.
    std::map<uint32_t, TimeSums> sums;
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> span;
    for (const testing::Given& one : world.given) {
      if (one.event.kind == hal::Kind::kHost) continue;
      auto& [from, to] = span.try_emplace(one.event.tid, ~uint64_t{0}, 0).first->second;
      from = std::min(from, one.event.start_mono_ns);
      to = std::max(to, one.event.end_mono_ns());
    }
    for (const BudgetSecond& one : answer.seconds) sums[one.tid].add(one.sums);
    uint64_t first = ~uint64_t{0};  // of any submission: the device counts from there on
    for (const testing::Given& one : world.given) {
      const auto kind = one.event.kind;
      if (kind == hal::Kind::kLaunch || kind == hal::Kind::kMemcpy) first = std::min(first, one.event.start_mono_ns);
    }
    for (const auto& [tid, its] : sums) {
      const uint64_t idle = world.idle_ns(std::max(first, span[tid].first), span[tid].second);
      EXPECT_LE(its.idle_low, idle) << "seed " << seed << " thread " << tid;
      EXPECT_GE(its.idle_high, idle) << "seed " << seed << " thread " << tid;
      EXPECT_EQ(its.total_ns(), span[tid].second - span[tid].first) << "seed " << seed;  // (G1)
      wide += its.idle_high - its.idle_low;
      whole += its.total_ns();
    }
  }
  RecordProperty("width_permille", static_cast<int>(1000 * wide / whole));
  EXPECT_LT(wide * 100, whole * 60) << "bounds that say nothing";
}

TEST(BudgetProperties, WhatIsLostIsWithinItsClassAndHasOneRoot) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Answer answer = ask(random_world(seed));
    const auto check = [&](const TimeSums& sums) {
      uint64_t low = 0, high = 0;
      for (const CauseShare& one : sums.causes) {
        low += one.low;
        high += one.high;
      }
      EXPECT_EQ(low, sums.lost_low()) << seed;  // (G3)
      EXPECT_EQ(high, sums.lost_high()) << seed;
      for (const ClassTime& one : sums.classes) {
        EXPECT_LE(one.low, one.high) << seed;  // (G2)
        EXPECT_LE(one.high, one.ns) << seed;
      }
      EXPECT_LE(sums.lost_low(), sums.idle_low + sums.of(TimeClass::kCopy).low) << seed;
    };
    for (const BudgetSecond& one : answer.seconds) check(one.sums);
    for (const BudgetStep& one : answer.steps) {
      check(one.sums);
      EXPECT_EQ(one.sums.total_ns(), one.length_ns()) << seed;  // (G1)
    }
    for (const ProcessBudget& one : answer.processes) check(one.whole);
  }
}

// (M1) Sums of sums, however the rows are cut.
TEST(BudgetProperties, RowsAddedInAnySplitGiveTheSameSums) {
  const Answer answer = ask(loop(400, 20 * kMs, How::kSleep, [](World& world, size_t i) {
    world.run(1, (1 + i % 5) * kMs);
    world.sleep(1, hal::WaitKind::kPipe, (1 + i % 3) * kMs, 2);
    if (i % 40 == 39) world.sleep(1, hal::WaitKind::kDisk, 80 * kMs);
  }));
  ASSERT_GT(answer.seconds.size(), 8U);
  ASSERT_GT(answer.whole.causes.size(), 2U);
  for (const size_t part : {2, 3, 5}) {
    TimeSums sums, some;
    for (size_t i = 0; i < answer.seconds.size(); ++i) {
      some.add(answer.seconds[i].sums);
      if (i % part == 0) sums.add(std::exchange(some, {}));
    }
    sums.add(some);
    EXPECT_EQ(sums, answer.whole) << part;
  }
  EXPECT_EQ(answer.only().whole, answer.whole);
}

TEST(BudgetProperties, OrderOfArrivalDecidesNothing) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const World world = random_world(seed);
    const Answer one = ask(world), other = ask(world, seed + 1000);
    EXPECT_EQ(one.whole, other.whole) << seed;  // (G4)
    EXPECT_EQ(one.steps.size(), other.steps.size()) << seed;
    ASSERT_EQ(one.seconds.size(), other.seconds.size()) << seed;
  }
}

// (G5)
TEST(BudgetBounds, WhatDoesNotFitIsCounted) {
  const auto off_cpu = [](uint64_t number) {
    hal::Event event;
    event.call = testing::kDoSwitch;
    event.kind = hal::Kind::kHost;
    event.pid = World::kPid;
    event.tid = static_cast<uint32_t>(number);
    event.start_mono_ns = kSec;
    event.duration_ns = kUs;
    event.set(hal::Has::kDuration);
    return event;
  };
  hal::LossLedger ledger;
  Budget threads(ledger);
  testing::describe(threads);
  for (uint64_t tid = 1; tid <= Budget::kMaxThreads + 9; ++tid) threads.add(off_cpu(tid));
  EXPECT_EQ(ledger.count(hal::Loss::budget_forgotten), 9U);

  hal::LossLedger other_ledger;
  Budget events(other_ledger);
  testing::describe(events);
  for (uint64_t i = 0; i < Budget::kMaxEvents + 9; ++i) events.add(off_cpu(1));
  EXPECT_EQ(other_ledger.count(hal::Loss::budget_forgotten), 9U);
}

// (M2)
// item() into pageable memory, for a kernel of a few microseconds each: the way to the device and back is in the copy.
TEST(Budget, ManyShortWaitsAreSyncBoundThoughTheDeviceIsNeverKnownIdle) {
  World world;
  for (size_t step = 0; step < 1200; ++step) {
    for (size_t item = 0; item < 50; ++item) {
      world.launch(1, 7, 5 * kUs);
      world.copy_async(1, 7, hal::Direction::kDeviceToHost, 4, kUs, 22 * kUs);
      world.stream_sync(1, 7);
    }
    world.allocate(1, 10 * kUs);
  }
  const Answer answer = ask(world);
  EXPECT_EQ(answer.only().result.limit, Limit::kSyncBound);
  EXPECT_FALSE(answer.only().result.is_high);
}

TEST(BudgetBounds, ASummaryKeepsSoManyProcessesAndSlowSteps) {
  hal::LossLedger ledger;
  const Blame blame(ledger, nullptr);
  BudgetSummary summary(ledger);
  BudgetSecond second;
  second.sums.of(TimeClass::kHost).ns = kSec;
  second.sums.submissions = 1;
  for (uint32_t pid = 1; pid <= BudgetSummary::kMaxProcesses + 9; ++pid) {
    second.pid = second.tid = pid;
    summary.add(second);
  }
  EXPECT_EQ(summary.results(blame).size(), BudgetSummary::kMaxProcesses);
  EXPECT_EQ(ledger.count(hal::Loss::budget_forgotten), 9U);
  second.pid = 1;
  for (uint32_t tid = 2; tid <= BudgetSummary::kMaxProcesses + 4; ++tid) {
    second.tid = tid;
    summary.add(second);
  }
  EXPECT_EQ(ledger.count(hal::Loss::budget_forgotten), 9U + 4U);

  BudgetSummary steps(ledger);
  uint64_t at_ns = kSec;
  second.pid = second.tid = 1;
  steps.add(second);
  for (uint64_t i = 0; i < 20 * BudgetSummary::kMaxSlow; ++i) {
    BudgetStep step;
    step.pid = step.tid = 1;
    step.number = i + 1;
    step.content = 1;
    step.start_ns = at_ns;
    step.end_ns = at_ns += i % 10 == 9 ? 100 * kMs : 10 * kMs;
    step.sums.of(TimeClass::kHost).ns = step.length_ns();
    (void)steps.add(step, blame);
  }
  const auto results = steps.results(blame);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results.front().slow_steps, 2 * BudgetSummary::kMaxSlow);
  EXPECT_EQ(results.front().slow.size(), BudgetSummary::kMaxSlow);
}

}  // namespace
}  // namespace ingero::correlate
