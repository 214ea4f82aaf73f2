// Waits of a program's threads: for whom, and what is lost to them.
#include <span>
#include <string_view>

#include <gtest/gtest.h>
#include <malloc.h>

#include "hal/wait.h"
#include "unit/correlate/budget_answer.h"

namespace ingero::correlate::testing {
namespace {

TEST(Budget, TurnsOfOneLockAreOneWaitAndTheHolderIsTheRoot) {
  World world;
  for (size_t i = 0; i < 200; ++i) {
    world.run(1, 100 * kUs);
    const uint64_t begin = world.now(1);
    for (int turn = 0; turn < 4; ++turn) {
      world.sleep(1, hal::WaitKind::kFutex, 5 * kMs, 0, 0, World::kPid, 0x7f00'0040 + 16 * turn, true);
      world.run(1, 20 * kUs);
    }
    world.sleep(1, hal::WaitKind::kFutex, 3 * kMs, 2, 0, World::kPid, 0x7f00'0048);
    // Thread 2 slept a little, then ran with the lock.
    world.now(2) = begin;
    world.sleep(2, hal::WaitKind::kSleep, kMs);
    world.now(2) = world.now(1);
    world.launch(1, 7, 5 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const Answer answer = ask(world);
  EXPECT_ABOUT(answer.low_at({TimeClass::kFutex, TimeClass::kHost}), 199 * 22 * kMs, 30 * kMs);
  EXPECT_EQ(answer.low_at({TimeClass::kFutex}), 0U) << "the time-outs of the lock are the holder's, too";
}

// CPython's lock: who asks for it in vain for 5 ms sets a flag, finds it free soon after, and is not woken. The thread
// that gave it up waits until it was taken.
TEST(Budget, ALockThatWasFreeAfterATimeOutWasHeldByTheThreadThatWaitsForItNext) {
  World world;
  for (size_t i = 0; i < 200; ++i) {
    world.now(2) = world.now(1);
    world.sleep(2, hal::WaitKind::kSleep, 100 * kUs);
    world.run(1, 150 * kUs);
    for (int turn = 0; turn < 3; ++turn) {
      world.sleep(1, hal::WaitKind::kFutex, 5 * kMs, 0, 0, World::kPid, 0x7f00'0048, true);
      world.run(1, 5 * kUs);
      if (turn == 1) world.sleep(1, hal::WaitKind::kFutex, 15 * kUs, 0, 0, World::kPid, 0x7f00'0040);
      world.now(2) = world.now(1) - 2 * kUs;
      world.sleep(2, hal::WaitKind::kFutex, 10 * kUs, 1, 0, World::kPid, 0x7f00'0050);
      world.run(1, 300 * kUs);
    }
    world.launch(1, 7, 5 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const Answer answer = ask(world);
  EXPECT_ABOUT(answer.low_at({TimeClass::kFutex, TimeClass::kHost}), 199 * 15 * kMs, 30 * kMs);
  EXPECT_LT(answer.low_at({TimeClass::kFutex}), 199 * 60 * kUs);
}

// Its device had work for most of the time in which it waited for a CPU.
TEST(Budget, AChainAboutTheCpuLosesWhatDelayedTheDevice) {
  TimeSums spins;
  spins.of(TimeClass::kCpuWait) = {40 * kSec, kSec, 6 * kSec};
  spins.of(TimeClass::kDeviceWait) = {60 * kSec, 0, 0};
  CpuCost cost;
  cost.add(spins);
  const auto held = [&](std::string_view rule, uint64_t lost_ns) {
    hal::CausalChain chain;
    chain.rule = rule;
    chain.severity = "HIGH";
    chain.lost_ns = lost_ns;
    chain.summary = "train waited";
    cost.hold(chain);
    return chain;
  };
  const hal::CausalChain chain = held("run_queue_wait", 40 * kSec);
  EXPECT_EQ(chain.summary, "train waited; 1s to 6s of that delayed its device");
  EXPECT_EQ(chain.lost_ns, kSec);
  EXPECT_EQ(chain.severity, "MEDIUM");
  EXPECT_EQ(held("run_queue_wait", 6 * kSec).severity, "HIGH") << "it may have been all of that";
  EXPECT_EQ(held("cgroup_throttling", 40 * kSec).lost_ns, 40 * kSec) << "it stops those that are waited for, too";
  EXPECT_EQ(held("block_io", 40 * kSec).lost_ns, 40 * kSec);
}

// XLA asks for nothing that a call would wait for: a thread of the vendor's library runs a function when the device has
// come to it, which wakes a thread, which wakes the one that submits.
TEST(Budget, AWaitForTheThreadThatHandsOverWhatTheDeviceDidIsOneForTheDevice) {
  const std::string_view names[] = {"acme-events"};
  const std::span<const std::string_view> tables[] = {names};
  hal::publish_completion_threads(tables);
  for (const bool is_known : {true, false}) {
    World world;
    world.names[4] = is_known ? "acme-events" : "someone";
    for (size_t i = 0; i < 300; ++i) {
      const uint64_t begin = world.now(1);
      world.run(1, 200 * kUs);
      world.launch(1, 7, 8 * kMs);
      world.now(2) = world.now(3) = world.now(4) = begin + 50 * kUs;
      world.sleep(4, hal::WaitKind::kPoll, begin + 8210 * kUs - world.now(4));
      world.sleep(3, hal::WaitKind::kFutex, begin + 8220 * kUs - world.now(3), 4);
      world.sleep(2, hal::WaitKind::kFutex, begin + 8230 * kUs - world.now(2), 3);
      world.sleep(1, hal::WaitKind::kFutex, begin + 8240 * kUs - world.now(1), 2);
    }
    const ProcessBudget process = ask(world).only();
    const ClassTime& waits = process.whole.of(is_known ? TimeClass::kDeviceWait : TimeClass::kFutex);
    EXPECT_ABOUT(waits.ns, 299 * 8 * kMs, 20 * kMs);
    EXPECT_EQ(process.result.limit == Limit::kDeviceBound, is_known);
    if (!is_known) continue;
    EXPECT_LT(process.evaluated.sums.idle_high * 10, process.evaluated.sums.total_ns());
  }
}

// How long the device had nothing to do is not known where work is submitted while the thread computes. That it was
// done whenever it was asked is: the step takes as long as the thread.
TEST(Budget, WhereTheDeviceIsDoneWheneverItIsAskedTheThreadLimits) {
  for (const bool asks : {true, false}) {
    for (const uint64_t device_ns : {100 * kUs, 11 * kMs}) {
      World world;
      for (size_t i = 0; i < 200; ++i) {
        world.launch(1, 7, device_ns, 5 * kUs, 1);
        world.run(1, 12 * kMs);
        world.launch(1, 7, 100 * kUs, 5 * kUs, 2);
        if (asks) world.stream_sync(1, 7);
      }
      const LimitResult result = ask(world).only().result;
      EXPECT_EQ(result.limit, asks ? Limit::kHostBound : Limit::kNotKnown);
      EXPECT_EQ(result.device_always_done, asks);
      EXPECT_EQ(result.low_ns, 0U);
    }
  }
}

// A pipeline looks at the results of the step before every fourth step: the device is behind whenever it does, and has
// the next step's work by then.
TEST(Budget, AProgramWhoseStepsWaitForTheOneBeforeIsLimitedByTheDevice) {
  for (const bool is_behind : {true, false}) {
    World world;
    for (size_t i = 0; i < 300; ++i) {
      for (size_t kernel = 0; kernel < 8; ++kernel) {
        world.run(1, 10 * kMs / 8);
        world.launch(1, 7, (is_behind ? 15 : 9) * kMs / 8, 5 * kUs, 1 + kernel);
      }
      world.record(1, 7, 100 + i % 5);
      if (i > 0 && i % 4 == 0) world.event_sync(1, 100 + (i - 1) % 5);
    }
    const ProcessBudget budget = ask(world).only();
    EXPECT_EQ(budget.result.limit, is_behind ? Limit::kDeviceBound : Limit::kHostBound);
    EXPECT_GT(budget.evaluated.sums.idle_high * 100, budget.evaluated.sums.total_ns() * 20) << "no bound shows it";
  }
}

// It asks an event until the device is done: more calls than are kept, and yet the device always has work.
TEST(Budget, WhereTheDeviceAlwaysHasWorkTheThreadsTimeNeedNotBeKnown) {
  Evaluated evaluated;
  evaluated.steps = evaluated.waiting_steps = 100;
  evaluated.sums.of(TimeClass::kUnknown) = {50 * kSec, 0, kSec / 2};
  evaluated.sums.of(TimeClass::kHost) = {50 * kSec, 0, 0};
  evaluated.sums.idle_high = kSec;
  hal::LossLedger ledger;
  const Blame blame(ledger, [](const OffSpan&, uint32_t) { return false; });
  EXPECT_EQ(evaluate(evaluated, blame).limit, Limit::kDeviceBound);
  evaluated.sums.idle_high = 30 * kSec;
  EXPECT_EQ(evaluate(evaluated, blame).why, NotKnown::kTimeUnknown);
}

// A server's engine asks for its results now and then, and waits for another server in between, or sleeps.
TEST(Budget, AThreadThatWaitsElsewhereNearlyAllTheTimeIsLimitedByThat) {
  for (const hal::WaitKind kind : {hal::WaitKind::kSocket, hal::WaitKind::kSleep, hal::WaitKind::kUnknown}) {
    const bool waits = kind != hal::WaitKind::kUnknown;
    World world;
    for (size_t i = 0; i < 200; ++i) {
      world.launch(1, 7, 4 * kMs, 5 * kUs, 1);
      if (waits) {
        world.sleep(1, kind, 12 * kMs);
      } else {
        world.run(1, 12 * kMs);
      }
      world.launch(1, 7, 4 * kMs, 5 * kUs, 2);
      world.query(1, 7);
    }
    const LimitResult result = ask(world).only().result;
    EXPECT_EQ(result.limit, waits ? Limit::kHostBound : Limit::kNotKnown);
    EXPECT_EQ(result.low_ns, 0U);
    EXPECT_GE(result.high_ns, waits ? 100 * 12 * kMs : 0);
  }
}

// A training loop that prints its loss every tenth step: the device has work all the time.
TEST(Budget, AProgramThatWaitsSeldomButForLongIsLimitedByTheDevice) {
  for (const bool is_behind : {true, false}) {
    World world;
    for (size_t i = 0; i < 400; ++i) {
      world.launch(1, 7, is_behind ? 12 * kMs : 3 * kMs, 5 * kUs, 1);
      world.run(1, 5 * kMs);
      world.launch(1, 7, 10 * kUs, 5 * kUs, 2);
      if (i % 10 == 9) {
        world.launch(1, 7, 10 * kUs, 5 * kUs, 3);
        world.stream_sync(1, 7);
      }
    }
    const ProcessBudget budget = ask(world).only();
    EXPECT_EQ(budget.result.limit, is_behind ? Limit::kDeviceBound : Limit::kHostBound);
  }
}

// A server whose requests come from a thread of its own, which sleeps in between.
TEST(Budget, WithoutStepsAThreadThatWaitsForOneThatSleepsIsIdle) {
  World world;
  for (size_t i = 0; i < 12; ++i) {
    const uint64_t begin = world.now(1);
    const uint64_t ns = (600 + i * 37 % 200) * kMs;
    world.sleep(1, hal::WaitKind::kFutex, ns, 2);
    world.now(2) = begin;
    world.sleep(2, hal::WaitKind::kSleep, ns - kMs);
    for (size_t kernel = 0; kernel < 3 + i; ++kernel) world.launch(1, 7, kMs, 5 * kUs, 10 + kernel);
    world.stream_sync(1, 7, How::kSleep);
  }
  const ProcessBudget budget = ask(world).only();
  EXPECT_EQ(budget.steps, 0U);
  EXPECT_EQ(budget.result.limit, Limit::kIdle);
}

// As a process that reads how much memory a device has, for days.
TEST(Budget, CallsOfAProcessThatNeverSubmitsAreNotKept) {
  hal::LossLedger ledger;
  Budget budget(ledger);
  World world;
  world.feed(budget);
  size_t before = 0;
  for (uint64_t i = 0; i < 400'000; ++i) {
    world.run(1, kMs);
    (void)world.query(1, 7);
    budget.add(world.given.back().event);
    world.given.clear();
    if (i % 1000 == 0) budget.advance(world.now(1));
    if (i == 100'000) before = mallinfo2().uordblks;
  }
  EXPECT_LT(mallinfo2().uordblks, before + (1 << 20));
  EXPECT_EQ(ledger.count(hal::Loss::budget_forgotten), 0U);
}

TEST(Budget, TwoThatWaitForEachOtherAreCut) {
  World world;
  world.add_worker(900, "worker");
  for (size_t i = 0; i < 100; ++i) {
    const uint64_t begin = world.now(1);
    world.sleep(1, hal::WaitKind::kPipe, 20 * kMs, 900);
    world.now(900) = begin;
    world.sleep(900, hal::WaitKind::kPipe, 19 * kMs, 1);
    world.launch(1, 7, 5 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const Answer answer = ask(world);
  EXPECT_ABOUT(answer.low_at({TimeClass::kPipe, TimeClass::kPipe}), 99 * 19 * kMs, 25 * kMs);
}

TEST(Budget, WaitingForAClientIsNoLoss) {
  World world;
  for (size_t i = 0; i < 200; ++i) {
    world.sleep(1, hal::WaitKind::kSocket, 20 * kMs);
    hal::WaitPeer peer;
    peer.family = 2;
    peer.is_accepted = true;
    world.given.back().wait->peer = peer;
    world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
    world.launch(1, 7, 5 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const Answer answer = ask(world);
  EXPECT_EQ(answer.only().result.limit, Limit::kIdle);
  EXPECT_EQ(answer.whole.of(TimeClass::kSocket).high, 0U);
  EXPECT_ABOUT(answer.whole.clients_ns, 199 * 20 * kMs, 25 * kMs);
}

// A child that connects to its parent is not a client.
TEST(Budget, AWaitForAChildThatConnectsIsALoss) {
  World world;
  world.add_worker(900, "scheduler");
  for (size_t i = 0; i < 200; ++i) {
    world.sleep(1, hal::WaitKind::kSocket, 20 * kMs, 900, 10 * kUs);
    hal::WaitPeer peer;
    peer.family = 2;
    peer.is_accepted = true;
    world.given.back().wait->peer = peer;
    world.now(900) = world.now(1);
    world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
    world.launch(1, 7, 5 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const Answer answer = ask(world);
  EXPECT_EQ(answer.only().result.limit, Limit::kInputBound);
  EXPECT_EQ(answer.whole.clients_ns, 0U);
}

// A timer ended the wait while a program that has nothing to do with it was ending; a child was started to end.
TEST(Budget, WhoHappensToEndIsNotWaitedFor) {
  constexpr uint32_t kExitGroup = 231, kSendTo = 44;
  const auto with = [&](uint32_t parent, uint32_t syscall) {
    World world;
    world.add_worker(900, "cc1plus");
    world.others.back().parent_pid = parent;
    for (size_t i = 0; i < 200; ++i) {
      world.sleep(1, hal::WaitKind::kSocket, 20 * kMs, 900, 10 * kUs);
      world.given.back().wait->waker->syscall = syscall;
      world.now(900) = world.now(1) - 15 * kMs;
      world.sleep(900, hal::WaitKind::kDisk, 4 * kMs);
      world.now(900) = world.now(1);
      world.launch(1, 7, 5 * kMs);
      world.stream_sync(1, 7, How::kSleep);
    }
    const Answer answer = ask(world);
    return answer.low_at({TimeClass::kSocket});
  };
  EXPECT_ABOUT(with(1, kExitGroup), 199 * 20 * kMs, 25 * kMs);
  EXPECT_EQ(with(1, kSendTo), 0U);
  EXPECT_EQ(with(World::kPid, kExitGroup), 0U);
}

TEST(Budget, WaitingForAThreadThatWaitsForAClientIsNoLoss) {
  World world;
  for (size_t i = 0; i < 200; ++i) {
    world.now(2) = world.now(1);
    world.sleep(2, hal::WaitKind::kSocket, 20 * kMs);  // the thread that takes requests
    hal::WaitPeer peer;
    peer.family = 2;
    peer.is_accepted = true;
    world.given.back().wait->peer = peer;
    world.sleep(1, hal::WaitKind::kFutex, 20 * kMs, 2);  // its queue
    world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
    world.launch(1, 7, 5 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const Answer answer = ask(world);
  EXPECT_EQ(answer.only().result.limit, Limit::kIdle);
  EXPECT_ABOUT(answer.whole.clients_ns, 199 * 20 * kMs, 25 * kMs);
  EXPECT_LT(answer.whole.of(TimeClass::kFutex).high, 199 * kMs);
}

// Each returns before it is done, so that the device may have had it meanwhile.
TEST(Budget, ManySmallCopiesAreCopyBoundAsFarAsIsKnown) {
  World copies;
  for (size_t i = 0; i < 60; ++i) {
    for (size_t k = 0; k < 500; ++k) copies.copy(1, 7, hal::Direction::kHostToDevice, 2048, 80 * kUs);
    copies.launch(1, 7, 3 * kMs);
    copies.stream_sync(1, 7);
  }
  const LimitResult result = ask(copies).only().result;
  EXPECT_EQ(result.limit, Limit::kCopyBound);
  EXPECT_EQ(result.low_ns, 0U);
}

TEST(Budget, AWaitBeforeACopyToTheDeviceIsInputAndItsWakerIsTheRoot) {
  World world;
  world.add_worker(900, "worker");
  for (size_t i = 0; i < 200; ++i) {
    world.sleep(1, hal::WaitKind::kPipe, 15 * kMs, 900, 10 * kUs);
    // The worker read for 4 ms, and computed for the rest.
    world.now(900) = world.now(1) - 15'010 * kUs;
    world.sleep(900, hal::WaitKind::kDisk, 4 * kMs);
    world.now(900) = world.now(1);
    world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
    world.launch(1, 7, 10 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const Answer answer = ask(world);
  const ProcessBudget& process = answer.only();
  EXPECT_EQ(process.result.limit, Limit::kInputBound);
  const uint64_t pipe = answer.whole.of(TimeClass::kPipe).low;
  EXPECT_ABOUT(pipe, 199 * 15 * kMs, 20 * kMs);
  EXPECT_ABOUT(answer.low_at({TimeClass::kPipe, TimeClass::kDisk}), 199 * 4 * kMs, 5 * kMs);
  EXPECT_ABOUT(answer.low_at({TimeClass::kPipe, TimeClass::kHost}), 199 * 11 * kMs, 15 * kMs);
  // Woken and then queued: lost to the queue for a CPU.
  EXPECT_ABOUT(answer.whole.of(TimeClass::kCpuWait).low, 199 * 13 * kUs, 300 * kUs);
}

// nvidia-smi, say, which is run in each step: it makes no input, whatever is submitted behind it.
TEST(Budget, AWaitForTheEndOfAChildIsNoInput) {
  World world;
  for (size_t i = 0; i < 200; ++i) {
    world.sleep(1, hal::WaitKind::kChild, 15 * kMs);
    world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
    world.launch(1, 7, 10 * kMs);
    world.stream_sync(1, 7, How::kSleep);
  }
  const Answer answer = ask(world);
  EXPECT_EQ(answer.only().result.limit, Limit::kHostBound);
  EXPECT_ABOUT(answer.whole.of(TimeClass::kChild).low, 199 * 15 * kMs, 20 * kMs);
}

// A lock that another thread holds for something else comes with no input, whatever is submitted next. A condition may
// be a queue's, which that thread fills.
TEST(Budget, AWaitForALockIsNoInput) {
  for (const bool is_lock : {true, false}) {
    World world;
    for (size_t i = 0; i < 200; ++i) {
      world.now(2) = world.now(1);
      world.sleep(2, hal::WaitKind::kSleep, kMs);
      world.sleep(1, hal::WaitKind::kFutex, 15 * kMs, 2, 0, World::kPid, 0x7f00'0040);
      world.given.back().wait->is_lock = is_lock;
      world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
      world.launch(1, 7, 10 * kMs);
      world.stream_sync(1, 7, How::kSleep);
    }
    const Answer answer = ask(world);
    EXPECT_EQ(answer.only().result.limit, is_lock ? Limit::kHostBound : Limit::kInputBound);
    EXPECT_ABOUT(answer.whole.of(TimeClass::kFutex).low, 199 * 15 * kMs, 20 * kMs);
  }
}

// A worker that has ended is forgotten long before one that may go on. Who was waited for is the same, also where a
// call or a wait began long ago.
TEST(Budget, ThatAWorkerHasEndedDecidesNothing) {
  const auto made = [](bool with_exits) {
    World world;
    for (size_t i = 0; i < 1500; ++i) {
      const auto worker = static_cast<uint32_t>(2000 + i);
      world.add_worker(worker, "worker");
      const bool is_long = i % 500 == 499;
      const uint64_t ns = is_long ? 25 * kSec : 15 * kMs;
      const uint64_t begin = world.now(1);
      if (is_long) {  // its waker waited for another, that ended twenty seconds ago
        const auto other = worker + 5000;
        world.add_worker(other, "other");
        world.now(other) = begin + kMs;
        world.sleep(other, hal::WaitKind::kDisk, 2 * kSec);
        world.run(other, kSec);
        if (with_exits) world.exit(other);
        world.now(worker) = begin + kMs;
        world.sleep(worker, hal::WaitKind::kPipe, 3 * kSec, other);
      }
      world.now(worker) = begin + ns - 10 * kMs;
      world.sleep(worker, hal::WaitKind::kDisk, 4 * kMs);
      world.now(worker) = begin + ns + kMs;
      if (with_exits) world.exit(worker);
      world.sleep(1, hal::WaitKind::kPipe, ns, worker, 10 * kUs);
      world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
      world.launch(1, 7, 10 * kMs);
      world.stream_sync(1, 7, How::kSleep);
    }
    return ask(world);
  };
  const Answer with = made(true), without = made(false);
  EXPECT_TRUE(with.whole == without.whole);
  ASSERT_EQ(with.steps.size(), without.steps.size());
  for (size_t i = 0; i < with.steps.size(); ++i) ASSERT_TRUE(with.steps[i].sums == without.steps[i].sums) << i;
  ASSERT_EQ(with.causes.size(), without.causes.size());
  for (uint32_t id = 1; id <= with.causes.size(); ++id) ASSERT_EQ(with.path(id), without.path(id));
  ASSERT_EQ(with.roles.size(), without.roles.size());
  EXPECT_GT(with.low_at({TimeClass::kPipe, TimeClass::kPipe, TimeClass::kDisk}), 5 * kSec);
}

// A worker that names itself after it has started is called so from the first, as its wake-ups are.
TEST(Budget, AProcessIsCalledWhatItCallsItself) {
  static constexpr uint32_t kWorker = 900;
  const auto of = [](std::string_view name) {
    World world;
    world.add_worker(kWorker, "python");
    if (!name.empty()) world.names[kWorker] = name;
    for (size_t i = 0; i < 100; ++i) {
      world.now(kWorker) = world.now(1);
      world.run(kWorker, 10 * kMs);
      world.sleep(kWorker, hal::WaitKind::kPipe, 10 * kMs);
      world.sleep(1, hal::WaitKind::kPipe, 10 * kMs, kWorker);
      world.launch(1, 7, 10 * kMs);
      world.stream_sync(1, 7);
    }
    std::set<std::string> names;
    for (const BlameRole& role : ask(world).roles) {
      if (role.pids.contains(kWorker)) names.insert(role.comm);
    }
    return names;
  };
  EXPECT_EQ(of("decoder"), std::set<std::string>{"decoder"});
  EXPECT_EQ(of(""), std::set<std::string>{"python"});
}

// What limits it is the larger of the two: the device that became slower, or the CPU that it waits for now and then.
TEST(Budget, ADeviceThatBecomesSlowerIsTheLimitWhereThatCostsMore) {
  const auto with = [](uint64_t waits_ns, size_t every) {
    World world;
    for (size_t i = 0; i < 300; ++i) {
      if (i % every == 0) world.preempt(1, waits_ns);
      world.copy_async(1, 7, hal::Direction::kHostToDevice, 1 << 20, 20 * kUs);
      world.launch(1, 7, i < 150 ? 10 * kMs : 18 * kMs);
      world.stream_sync(1, 7, How::kSleep);
    }
    return ask(world).only();
  };
  const ProcessBudget seldom = with(8 * kMs, 4);
  EXPECT_EQ(seldom.result.limit, Limit::kDeviceBound);
  EXPECT_FALSE(seldom.is_of_slow);
  ASSERT_TRUE(seldom.longer_waits.has_value());
  EXPECT_NEAR(seldom.longer_waits->share, 150.0 * 8 / (150 * 10 + 150 * 18), 0.15) << "of some of the steps";
  EXPECT_EQ(with(30 * kMs, 1).result.limit, Limit::kStarvedOfCpu);
}

// Each of two threads has a device: what the thread of one does is lost there, whatever the other does.
TEST(Budget, AThreadIsMeasuredByTheDeviceThatItGivesWork) {
  for (const uint32_t other : {1U, 2U}) {
    World world;
    world.devices = {{1, 1}, {2, other}};
    for (size_t i = 0; i < 200; ++i) {
      world.launch(1, 7, 20 * kMs);
      world.stream_sync(1, 7, How::kSleep);
      while (world.now(2) < world.now(1)) {
        world.run(2, 12 * kMs);
        world.launch(2, 8, 4 * kMs);
        world.stream_sync(2, 8, How::kSleep);
      }
    }
    uint64_t lost = 0, host = 0;
    for (const BudgetSecond& row : ask(world).seconds) {
      const ClassTime& one = row.sums.of(TimeClass::kHost);
      EXPECT_LT(row.tid == 1 ? one.low : 0, kMs);
      if (row.tid != 2) continue;
      lost += one.low;
      host += one.ns;
    }
    EXPECT_GT(host, 2'800 * kMs);
    EXPECT_ABOUT(lost, other == 2 ? host : 0, 100 * kMs);
  }
}

}  // namespace
}  // namespace ingero::correlate::testing
