// Each rule: the planted cause is found with the right figures, and what merely looks like it is not.
#include <array>
#include <functional>

#include "engine_stream.h"

namespace ingero::correlate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Rules, RunQueueWaitIsNotPreemption) {
  Stream stream;
  stream.train(0, 15);
  for (uint64_t i = 0; i < 100; ++i) {
    Event& away = stream.add(kSwitch, hal::Kind::kHost, (6000 + i * 20) * kMilli, 8 * kMilli);
    away.off.runqueue_ns = 8 * kMilli;
    away.set(Has::kOffCpu);
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::run_queue_wait);
  EXPECT_EQ(chains[0].lost_ns, 800 * kMilli);
}

TEST(Rules, AThreadOfManyThatLosesLittleIsNoIncident) {
  Stream stream;
  for (uint32_t thread = 0; thread < 32; ++thread) {
    for (uint64_t i = 0; i < 600; ++i) {
      stream.launch(i * 20 * kMilli).tid = 200 + thread;
      if (i % 5 == 0) {
        Event& away = stream.preempt(i * 20 * kMilli + kMilli, 2 * kMilli, 7, "kworker/1:1");
        away.tid = 200 + thread;
      }
    }
  }
  EXPECT_THAT(run(stream), IsEmpty()) << text_of(run(stream));
}

TEST(Rules, TheCpuLimitIsNamedRatherThanWhoRanMeanwhile) {
  Stream stream;
  stream.train(0, 15);
  for (uint64_t i = 0; i < 30; ++i) stream.preempt((5000 + i * 100) * kMilli, 60 * kMilli, 0, "swapper/0");
  for (uint64_t second = 5; second < 8; ++second) {
    hal::Throttling one;
    one.mono_ns = kStart + second * kSecond + 900 * kMilli;
    one.pid = kPid;
    one.path = "/job";
    one.periods = 10;
    one.throttled_ns = 600 * kMilli;
    stream.throttling.push_back(one);
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::cgroup_throttling);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("cgroup /job"));
  EXPECT_EQ(chains[0].severity, "HIGH");
}

TEST(Rules, ALimitOfAnotherCgroupIsNotBlamed) {
  Stream stream;
  stream.train(0, 10);
  hal::Throttling one;
  one.mono_ns = kStart + 5 * kSecond;
  one.pid = 77;
  one.path = "/other";
  one.periods = 10;
  one.throttled_ns = 900 * kMilli;
  stream.throttling.push_back(one);
  EXPECT_THAT(run(stream), IsEmpty());
}

// A hundred sleeps of 7 ms on I/O, each with a read that takes so long.
Stream with_reads(uint64_t request_ns, uint64_t bytes) {
  Stream stream;
  stream.train(0, 15);
  for (uint64_t i = 0; i < 100; ++i) {
    Event& away = stream.add(kSwitch, hal::Kind::kHost, (8000 + i * 20) * kMilli, 7 * kMilli);
    away.off.io_ns = 7 * kMilli;
    away.set(Has::kOffCpu);
    Event& read = stream.add(kRead, hal::Kind::kHost, (8000 + i * 20) * kMilli, request_ns);
    read.bytes = bytes;
    read.set(Has::kBytes);
  }
  return stream;
}

TEST(Rules, BlockIoIsFoundWithItsRequests) {
  const auto chains = run(with_reads(7 * kMilli, 1 << 20));
  EXPECT_ONLY(chains, RuleId::block_io);
  EXPECT_EQ(chains[0].lost_ns, 700 * kMilli);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("100 reads (105 MB)"));
}

// Of a limit of its cgroup, and of what the kernel writes later, its own requests know nothing.
TEST(Rules, WhereItsOwnRequestsWereQuickTheDisksPrecedenceIsNoRemedy) {
  for (const uint64_t request_ns : {7 * kMilli, 170 * kMicro}) {
    const auto chains = run(with_reads(request_ns, 4096));
    EXPECT_ONLY(chains, RuleId::block_io);
    std::string fixes;
    for (const std::string& fix : chains[0].recommendations) fixes += fix;
    const bool is_quick = request_ns < kMilli;
    EXPECT_EQ(fixes.find("ionice") == std::string::npos, is_quick) << fixes;
    EXPECT_EQ(fixes.find("io.max") != std::string::npos, is_quick) << fixes;
    EXPECT_EQ(chains[0].summary.find("its own reads") == std::string::npos, is_quick) << chains[0].summary;
    EXPECT_EQ(chains[0].root_cause.find("which took 17ms of that") != std::string::npos, is_quick)
        << chains[0].root_cause;
  }
}

TEST(Rules, AnotherProcessesDiskIsNotBlamed) {
  Stream stream;
  stream.train(0, 10);
  for (uint64_t i = 0; i < 500; ++i) stream.add(kRead, hal::Kind::kHost, i * 20 * kMilli, 15 * kMilli, 77);
  EXPECT_THAT(run(stream), IsEmpty());
}

TEST(Rules, LaunchesThatSleepWaitForALock) {
  Stream stream;
  stream.train(0, 15);
  for (uint64_t i = 0; i < 60; ++i) {
    Event& slow = stream.launch((7000 + i * 50) * kMilli + 7 * kMilli, 20 * kMilli);
    slow.off.blocked_ns = 19 * kMilli;
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::lock_wait);
  EXPECT_EQ(chains[0].lost_ns, 60 * 19 * kMilli);
  EXPECT_EQ(chains[0].op, "xLaunch");
}

// Copies of a thread whose memory is pinned may hide them from the rule of slow copies.
TEST(Rules, AsynchronousCopiesThatSleepAreOfPageableMemory) {
  Stream stream;
  stream.train(0, 15);
  for (uint64_t i = 0; i < 60; ++i) {
    Event& slow = stream.copy(kCopyAsyncCall, (7000 + i * 50) * kMilli + 7 * kMilli, 20 * kMilli,
                              hal::Direction::kHostToDevice, uint64_t{1} << 30);
    slow.off.blocked_ns = 19 * kMilli;
  }
  const auto chains = run(stream);
  const hal::CausalChain* chain = find(chains, RuleId::lock_wait);
  ASSERT_NE(chain, nullptr);
  EXPECT_THAT(chain->root_cause, HasSubstr("most likely from or to pageable memory"));
}

TEST(Rules, ASynchronisationThatSleepsWaitsForTheDevice) {
  Stream stream;
  for (uint64_t i = 0; i < 100; ++i) {
    stream.launch(i * 200 * kMilli);
    stream.sync(i * 200 * kMilli + kMilli, 190 * kMilli);
  }
  EXPECT_THAT(run(stream), IsEmpty());
}

TEST(Rules, ManySmallResultsAreASyncStorm) {
  Stream stream;
  for (uint64_t i = 0; i < 3000; ++i) {
    stream.launch(i * 3 * kMilli);
    stream.copy(kCopyAsyncCall, i * 3 * kMilli + 50 * kMicro, 200 * kMicro, hal::Direction::kDeviceToHost, 4096);
    stream.sync(i * 3 * kMilli + 300 * kMicro, kMilli);
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::sync_storm);
}

TEST(Rules, AResultAStepIsNoStorm) {
  Stream stream;
  for (uint64_t i = 0; i < 900; ++i) {
    for (uint64_t k = 0; k < 20; ++k) stream.launch(i * 10 * kMilli + k * 100 * kMicro);
    stream.copy(kCopyAsyncCall, i * 10 * kMilli + 3 * kMilli, 50 * kMicro, hal::Direction::kDeviceToHost, 4);
    stream.sync(i * 10 * kMilli + 4 * kMilli, 5 * kMilli);
  }
  EXPECT_THAT(run(stream), IsEmpty());
}

TEST(Rules, AResultThatIsWaitedForLongIsNoStorm) {
  Stream stream;
  for (uint64_t i = 0; i < 500; ++i) {
    stream.launch(i * 20 * kMilli);
    stream.copy(kCopyCall, i * 20 * kMilli + kMilli, 18 * kMilli, hal::Direction::kDeviceToHost, 1600);
    stream.sync(i * 20 * kMilli + 19 * kMilli + 100 * kMicro, 3 * kMicro);
  }
  EXPECT_THAT(run(stream), IsEmpty());
}

TEST(Rules, LargeCopiesThatHoldTheThreadAreSlow) {
  Stream stream;
  for (uint64_t i = 0; i < 200; ++i) {
    stream.launch(i * 50 * kMilli);
    stream.copy(kCopyAsyncCall, i * 50 * kMilli + kMilli, 20 * kMilli, hal::Direction::kHostToDevice, 100 << 20);
    stream.sync(i * 50 * kMilli + 22 * kMilli, 10 * kMilli);
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::slow_copies);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("5.2 GB/s"));
}

// A kernel of 50 ms, and a blocking copy of its result, which takes 3 ms itself: with the wait it takes 53.
TEST(Rules, CopiesToTheHostAreNotSlowForTheWorkThatTheyWaitFor) {
  const auto chains_of = [](bool synchronises, uint64_t copy_ms) {
    Stream stream;
    for (uint64_t i = 0; i < 200; ++i) {
      stream.launch(i * 60 * kMilli);
      if (synchronises) stream.sync(i * 60 * kMilli + kMilli, 30 * kMilli);
      const uint64_t at = i * 60 * kMilli + (synchronises ? 32 : 1) * kMilli;
      stream.copy(kCopyCall, at, copy_ms * kMilli, hal::Direction::kDeviceToHost, 16 << 20);
    }
    return run(stream);
  };
  EXPECT_THAT(chains_of(false, 53), IsEmpty());
  const auto chains = chains_of(true, 25);
  EXPECT_ONLY(chains, RuleId::slow_copies);
}

// Where copies without work before them show how fast they are, that part of the others is theirs.
TEST(Rules, CopiesToTheHostBehindWorkTakeWhatOthersTook) {
  Stream stream;
  for (uint64_t i = 0; i < 200; ++i) {
    stream.copy(kCopyCall, i * 60 * kMilli, 10 * kMilli, hal::Direction::kDeviceToHost, 16 << 20);
    stream.launch(i * 60 * kMilli + 11 * kMilli);
    stream.copy(kCopyCall, i * 60 * kMilli + 12 * kMilli, 40 * kMilli, hal::Direction::kDeviceToHost, 16 << 20);
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::slow_copies);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("1.7 GB/s"));
}

TEST(Rules, CopiesThatWereOnlyQueuedAreInNoRate) {
  Stream stream;
  for (uint64_t i = 0; i < 200; ++i) {
    stream.launch(i * 50 * kMilli);
    stream.copy(kCopyCall, i * 50 * kMilli + kMilli, 20 * kMilli, hal::Direction::kHostToDevice, 100 << 20);
    stream.copy(kCopyAsyncCall, i * 50 * kMilli + 22 * kMilli, 2 * kMicro, hal::Direction::kHostToDevice, 100 << 20);
    stream.sync(i * 50 * kMilli + 23 * kMilli, 10 * kMilli);
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::slow_copies);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("5.2 GB/s"));
}

TEST(Rules, LargeAndSmallCopiesAreNoTail) {
  Stream stream;
  stream.train(0, 10);
  for (uint64_t i = 0; i < 10; ++i) {
    stream.copy(kCopyAsyncCall, i * kSecond + 8 * kMilli, 15 * kMilli, hal::Direction::kHostToDevice, 100 << 20);
    for (uint64_t k = 0; k < 50; ++k) {
      stream.copy(kCopyAsyncCall, i * kSecond + k * 20 * kMilli, 10 * kMicro, hal::Direction::kHostToDevice, 256);
    }
  }
  EXPECT_THAT(run(stream), IsEmpty());
}

TEST(Rules, MemoryThatOnlyGrowsWhileWorkingLeaks) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 120; ++i) stream.alloc(i * 100 * kMilli + 7 * kMilli, 0x1000 + i * 0x10000000, 4 << 20);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::memory_growth);
  EXPECT_THAT(chains[0].summary, HasSubstr("grew by"));
}

// It loads a model while it works, and has what it needs from then on.
TEST(Rules, MemoryThatHasStoppedGrowingDoesNotKeepGrowing) {
  const auto growing_for = [](uint64_t grows_s) {
    Stream stream;
    stream.train(0, 20);
    for (uint64_t i = 0; i < grows_s * 10; ++i) {
      stream.alloc(i * 100 * kMilli + 7 * kMilli, 0x1000 + i * 0x10000000, 4 << 20);
    }
    return run(stream);
  };
  for (const uint64_t ended_s : {10, 17}) {  // an incident that was over at the end, and one that was not
    const auto chains = growing_for(ended_s);
    EXPECT_ONLY(chains, RuleId::memory_growth);
    EXPECT_THAT(chains[0].summary, ::testing::AllOf(HasSubstr("grew by"), HasSubstr("s, and not after that")));
    EXPECT_THAT(chains[0].root_cause, HasSubstr("worked on without more"));
    EXPECT_EQ(chains[0].severity, "LOW");
  }
  const auto chains = growing_for(20);
  EXPECT_ONLY(chains, RuleId::memory_growth);
  EXPECT_THAT(chains[0].summary, HasSubstr("and keeps growing"));
}

// What it does after it has stopped working says nothing of what it did while it worked.
TEST(Rules, MemoryThatGrewUntilTheWorkEndedKeepsGrowing) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 120; ++i) stream.alloc(i * 100 * kMilli + 7 * kMilli, 0x1000 + i * 0x10000000, 4 << 20);
  for (uint64_t i = 120; i < 200; ++i) stream.sync(i * 100 * kMilli, 10 * kMicro);
  const auto chains = run(stream);
  const hal::CausalChain* chain = find(chains, RuleId::memory_growth);
  ASSERT_NE(chain, nullptr) << text_of(chains);
  EXPECT_THAT(chain->summary, HasSubstr("and keeps growing"));
}

TEST(Rules, MemoryThatIsGivenBackAndAModelBeingLoadedAreNoLeak) {
  Stream stream;
  for (uint64_t i = 0; i < 100; ++i) stream.alloc(i * 100 * kMilli, 0x1000 + i * 0x10000000, 100 << 20);  // no launches
  stream.train(11 * kSecond, 10);
  for (uint64_t i = 0; i < 100; ++i) {
    stream.alloc(11 * kSecond + i * 100 * kMilli + 7 * kMilli, 0x900000000000 + i, 64 << 20);
    stream.release(11 * kSecond + i * 100 * kMilli + 8 * kMilli, 0x900000000000 + i);
  }
  EXPECT_THAT(run(stream), IsEmpty()) << text_of(run(stream));
}

TEST(Rules, ACacheThatFillsEverMoreSlowlyIsNoLeak) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 8; ++i) {
    stream.alloc(i * kSecond + 7 * kMilli, 0x1000 + i * 0x10000000000, uint64_t{8} << (30 - 2 * i));
  }
  EXPECT_THAT(run(stream), IsEmpty()) << text_of(run(stream));
}

// What a process passes as a size is its own business: it neither leaks nor overflows.
TEST(Rules, SizesThatNoMemoryHasAreNone) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 120; ++i) {
    const uint64_t bytes = i % 3 == 0 ? UINT64_MAX - i : (uint64_t{1} << 63) - i;
    stream.alloc(i * 100 * kMilli + 7 * kMilli, 0x1000 + i * 0x10000000, bytes);
    if (i % 5 == 0) stream.release(i * 100 * kMilli + 9 * kMilli, 0x1000 + i * 0x10000000);
  }
  EXPECT_THAT(run(stream), IsEmpty()) << text_of(run(stream));
}

TEST(Rules, ARuntimeAllocationAndItsDriverCallAreOne) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 120; ++i) {
    Event& inner = stream.add(kDriverAllocCall, hal::Kind::kAlloc, i * 100 * kMilli + 7 * kMilli + kMicro, 8 * kMicro);
    inner.depth = 1;
    inner.set(Has::kParent);
    inner.address = 0x1000 + i * 0x10000000;
    inner.bytes = 4 << 20;
    inner.set(Has::kAddress);
    inner.set(Has::kBytes);
    stream.alloc(i * 100 * kMilli + 7 * kMilli, 0x1000 + i * 0x10000000, 4 << 20);
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::memory_growth);
  // 120 allocations of 4 MiB, not 240.
  EXPECT_THAT(chains[0].root_cause, HasSubstr("503 MB at most")) << chains[0].root_cause;
}

// A recording without parents: that the inner call is part of the outer one is assumed from what its library is.
TEST(Rules, ADriverCallCountsAsItsRuntimesWhereParentsWereNotRecorded) {
  const auto root_cause = [](Call inner_call) {
    Stream stream;
    stream.windowed = true;
    stream.train(0, 12);
    for (uint64_t i = 0; i < 120; ++i) {
      const uint64_t at_ns = i * 100 * kMilli + 7 * kMilli;
      Event& inner = stream.add(inner_call, hal::Kind::kAlloc, at_ns + kMicro, 8 * kMicro);
      inner.address = 0x700000000000 + i * 0x10000000;
      inner.bytes = 4 << 20;
      inner.set(Has::kAddress);
      inner.set(Has::kBytes);
      stream.alloc(at_ns, 0x1000 + i * 0x10000000, 4 << 20);
    }
    const auto chains = run(stream);
    EXPECT_EQ(chains.size(), 1U) << text_of(chains);
    return chains.empty() ? std::string() : chains[0].root_cause;
  };
  EXPECT_THAT(root_cause(kDriverAllocCall), HasSubstr("503 MB at most"));
  EXPECT_THAT(root_cause(kAllocCall), HasSubstr("1.01 GB at most"));
}

TEST(Rules, ChurnIsFoundAndPoolsAreNot) {
  Stream stream;
  for (uint64_t i = 0; i < 3000; ++i) {
    stream.alloc(i * 3 * kMilli, 0x1000, 1 << 20, 600 * kMicro);
    stream.launch(i * 3 * kMilli + 700 * kMicro);
    stream.release(i * 3 * kMilli + 800 * kMicro, 0x1000, 400 * kMicro);
  }
  EXPECT_ONLY(run(stream), RuleId::allocation_churn);
}

TEST(Rules, OutOfMemoryIsItsOwnAndNotJustAFailure) {
  Stream stream;
  stream.train(0, 6);
  Event& refused = stream.alloc(3 * kSecond + 7 * kMilli, 0, uint64_t{8} << 30);
  refused.clear(Has::kAddress);
  refused.return_code = 2;
  refused.failed = true;
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::device_out_of_memory);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("8.59 GB"));
  EXPECT_EQ(chains[0].onset_wall_ns, kWallOffset + kStart + 3 * kSecond + 7 * kMilli);
}

// A program may find out before its work how much it can get.
TEST(Rules, AllocationsThatAreRefusedBeforeTheWorkHinderNothingIfItGoesOn) {
  const auto probed = [](bool works, bool is_granted, int64_t status) {
    Stream stream;
    for (uint64_t i = 0; i < 3; ++i) {
      Event& refused = stream.alloc((100 + 10 * i) * kMilli, 0, uint64_t{64} << (30 - i));
      refused.clear(Has::kAddress);
      refused.return_code = 2;
      refused.failed = true;
    }
    if (is_granted) stream.alloc(200 * kMilli, 0x1000, uint64_t{8} << 30);
    if (works) stream.train(kSecond, 7);
    Event& exit = stream.add(kExit, hal::Kind::kHost, 9 * kSecond, 0, kPid, kPid);
    exit.return_code = status;
    exit.failed = status != 0;
    exit.set(Has::kReturnCode);
    return run(stream);
  };
  EXPECT_THAT(probed(true, true, 0), IsEmpty());
  EXPECT_ONLY(probed(true, false, 0), RuleId::device_out_of_memory);
  const auto failed = probed(false, true, 256);
  EXPECT_ONLY(failed, RuleId::device_out_of_memory);
  EXPECT_THAT(failed[0].symptoms, SizeIs(1)) << "that it failed";
}

// The same status as of the device's memory, of which enough is free.
TEST(Rules, MemoryOfTheHostThatCannotBePinnedIsNotTheDevices) {
  Stream stream;
  stream.train(0, 6);
  Event& refused = stream.alloc(3 * kSecond + 7 * kMilli, 0, uint64_t{8} << 30);
  refused.call = kPinCall;
  refused.clear(Has::kAddress);
  refused.return_code = 2;
  refused.failed = true;
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  hal::DeviceSample sample;
  sample.devices.resize(1);
  sample.devices[0].add(hal::ReadingId::memory_free_bytes, static_cast<double>(uint64_t{64} << 30));
  engine->add_device_sample(sample, kStart + 2 * kSecond);
  for (const Event& event : sorted(stream.events)) engine->add(event);
  engine->finish();
  const auto chains = latest(engine->take_changes());
  EXPECT_ONLY(chains, RuleId::host_memory_refused);
  EXPECT_THAT(chains[0].summary, HasSubstr("xHostAlloc could not pin memory of the host"));
  EXPECT_THAT(chains[0].root_cause, HasSubstr("8.59 GB of the host's memory"));
}

TEST(Rules, WhatIsPinnedOrOnlyReservedIsNotHeldOnTheDevice) {
  for (const Call call : {kPinCall, kReserveCall}) {
    Stream stream;
    stream.train(0, 12);
    for (uint64_t i = 0; i < 120; ++i) {
      stream.alloc(i * 100 * kMilli + 7 * kMilli, 0x1000 + i * 0x10000000, 4 << 20).call = call;
    }
    EXPECT_THAT(run(stream), IsEmpty()) << text_of(run(stream));
  }
}

// What was held when it was refused is what was too much, whatever the process has freed since.
TEST(Rules, OutOfMemorySaysWhatWasHeldAtTheFirstAndHowOften) {
  Stream stream;
  stream.train(0, 8);
  for (uint64_t round = 0; round < 2; ++round) {
    const uint64_t at = (3 + round) * kSecond;
    for (uint64_t i = 1; i <= 4; ++i) stream.alloc(at + i * kMilli, i << 32, uint64_t{1} << 30);
    for (uint64_t i = 0; i < 2; ++i) {
      Event& refused = stream.alloc(at + (7 + i) * kMilli, 0, uint64_t{1} << (29 + round));
      refused.clear(Has::kAddress);
      refused.return_code = 2;
      refused.failed = true;
    }
    for (uint64_t i = 1; i <= 4; ++i) stream.release(at + (10 + i) * kMilli, i << 32);
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::device_out_of_memory);
  EXPECT_THAT(chains[0].summary, HasSubstr("4 times"));
  EXPECT_THAT(chains[0].root_cause, HasSubstr("an allocation of 537 MB failed; the process held 4.29 GB then"));
}

TEST(Rules, TheSlowestCallIsSaidOnlyWhereItWasSlowerThanUsual) {
  const auto contended = [](uint64_t lost_ns) {
    Stream stream;
    stream.train(0, 5);
    for (uint64_t i = 0; i < 500; ++i) {
      stream.launch(5 * kSecond + i * 10 * kMilli);
      Event& waits = stream.sync(5 * kSecond + i * 10 * kMilli + 100 * kMicro, 5 * kMilli + lost_ns);
      waits.off.preempted_ns = 4 * kMilli;
      Stream::blame(waits, 900, 4 * kMilli, "stress");
    }
    return run(stream);
  };
  const auto as_usual = contended(0), slower = contended(4 * kMilli);
  EXPECT_ONLY(as_usual, RuleId::cpu_preemption);
  EXPECT_THAT(text_of(as_usual), Not(HasSubstr("usually")));
  EXPECT_THAT(as_usual[0].root_cause, Not(HasSubstr("slowest")));
  EXPECT_ONLY(slower, RuleId::cpu_preemption);
  EXPECT_THAT(slower[0].root_cause, HasSubstr("its slowest xStreamSync took 9"));
}

// A status whose name has the word, as cudaErrorHostMemoryAlreadyRegistered of cudaHostRegister, which allocates too.
TEST(Rules, AnotherStatusOfAnAllocationIsNotOutOfMemory) {
  Stream stream;
  stream.train(0, 6);
  Event& refused = stream.alloc(3 * kSecond + 7 * kMilli, 0, uint64_t{8} << 30);
  refused.clear(Has::kAddress);
  refused.return_code = 712;
  refused.failed = true;
  for (const auto& chain : run(stream)) EXPECT_NE(chain.rule, rule(RuleId::device_out_of_memory).name) << chain.summary;
}

TEST(Rules, OutOfMemoryBesideFreeMemoryIsFragmentation) {
  const auto refused = [](double free_bytes, size_t devices, uint64_t sampled_at_ns, uint64_t taken = 0) {
    Stream stream;
    stream.train(0, 8);
    if (taken > 0) stream.alloc(3500 * kMilli, 0x4000, taken);
    Event& alloc = stream.alloc(4 * kSecond, 0, 2 << 20);
    alloc.failed = true;
    alloc.return_code = 2;
    hal::LossLedger ledger;
    const auto engine = engine_for(stream, ledger);
    hal::DeviceSample sample;
    sample.devices.resize(devices);
    for (hal::Device& device : sample.devices) device.add(hal::ReadingId::memory_free_bytes, free_bytes);
    engine->add_device_sample(sample, kStart + sampled_at_ns);
    for (const Event& event : sorted(stream.events)) engine->add(event);
    engine->finish();
    const auto chains = latest(engine->take_changes());
    return chains.size() == 1 ? chains[0].root_cause : std::string();
  };
  EXPECT_THAT(refused(64 << 20, 1, 3 * kSecond), HasSubstr("although 67.1 MB were free"));
  EXPECT_THAT(refused(1 << 20, 1, 3 * kSecond), HasSubstr("failed; the process held"));
  EXPECT_THAT(refused(64 << 20, 2, 3 * kSecond), HasSubstr("failed; the process held"))
      << "which of two devices is not known";
  EXPECT_THAT(refused(64 << 20, 1, 5 * kSecond), HasSubstr("failed; the process held")) << "read after it";
  EXPECT_THAT(refused(64 << 20, 1, 3 * kSecond, 63 << 20), HasSubstr("failed; the process held"))
      << "gone since it was read";
}

TEST(Rules, MemoryThatWasKeptInPiecesIsFragmentation) {
  // `pieces` are given back between an allocation's refusal and its success.
  const auto retried = [](std::vector<uint64_t> pieces, uint64_t later_ns = 20 * kMilli, uint32_t other_tid = 0) {
    Stream stream;
    stream.train(0, 8);
    for (size_t i = 0; i < pieces.size(); ++i) stream.alloc(2 * kSecond + i * kMilli, 0x1000 + i, pieces[i]);
    Event& refused = stream.alloc(4 * kSecond, 0, 256 << 20);
    refused.clear(Has::kAddress);
    refused.failed = true;
    refused.return_code = 2;
    for (size_t i = 0; i < pieces.size(); ++i) {
      Event& free = stream.release(4 * kSecond + (i + 1) * kMilli, 0x1000 + i);
      if (other_tid != 0) free.tid = other_tid;
    }
    stream.alloc(4 * kSecond + later_ns, 0x9000, 256 << 20);
    return run(stream);
  };
  const uint64_t large = 100 << 20;
  const auto chains = retried({large, large, large});
  EXPECT_ONLY(chains, RuleId::memory_fragmentation);
  EXPECT_EQ(chains[0].onset_wall_ns, kWallOffset + kStart + 4 * kSecond);
  EXPECT_THAT(
      chains[0].root_cause,
      HasSubstr(
          "failed at first and succeeded 20ms later, after the process had freed 315 MB in 3 blocks (largest 105 MB)"));
  EXPECT_ONLY(retried({large, large, large}, 1500 * kMilli), RuleId::memory_fragmentation);
  EXPECT_ONLY(retried({large}), RuleId::device_out_of_memory);      // somebody else gave the rest back
  EXPECT_ONLY(retried({3 * large}), RuleId::device_out_of_memory);  // one piece was large enough
  EXPECT_ONLY(retried({large, large, large}, 3900 * kMilli), RuleId::device_out_of_memory);    // long after
  EXPECT_ONLY(retried({large, large, large}, 20 * kMilli, 77), RuleId::device_out_of_memory);  // another thread's
}

TEST(Rules, GrowthIsOfThePlaceThatKeepsMostNotOfTheOneThatAllocatesMost) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 120; ++i) {
    Event& kept = stream.alloc(i * 100 * kMilli, 0x1000000 + i * (2 << 20), 2 << 20);
    kept.stack_id = 77;
    kept.set(Has::kStack);
    Event& given_back = stream.alloc(i * 100 * kMilli + kMilli, 0x9000000000, 64 << 20);
    given_back.stack_id = 88;
    given_back.set(Has::kStack);
    stream.release(i * 100 * kMilli + 2 * kMilli, 0x9000000000);
  }
  const auto chains = run(stream);
  const hal::CausalChain* chain = find(chains, RuleId::memory_growth);
  ASSERT_NE(chain, nullptr) << text_of(chains);
  EXPECT_EQ(chain->stack_hash, 77U);
  EXPECT_EQ(chain->op, "xMalloc");
}

TEST(Rules, FailingCallsAreNamedByCode) {
  Stream stream;
  for (uint64_t i = 0; i < 500; ++i) {
    Event& launch = stream.launch(i * 10 * kMilli);
    launch.return_code = 1;
    launch.failed = true;
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::failing_calls);
  EXPECT_THAT(chains[0].summary, HasSubstr("xLaunch 1"));
  EXPECT_THAT(chains[0].root_cause, HasSubstr("A parameter is wrong."));
  EXPECT_THAT(chains[0].recommendations[0], HasSubstr("Check it."));
}

TEST(Rules, AFullStopIsFoundAndAnEndIsNot) {
  Stream stopped;
  stopped.train(0, 12);
  for (uint64_t second = 12; second < 30; ++second) stopped.add(kPages, hal::Kind::kHost, second * kSecond, 0);
  EXPECT_NE(find(run(stopped), RuleId::full_stop), nullptr) << text_of(run(stopped));
  Stream ended = stopped;
  ended.add(kExit, hal::Kind::kHost, 12 * kSecond, 0, kPid, kPid);
  EXPECT_EQ(find(run(ended), RuleId::full_stop), nullptr);
}

// With something of the process now and then, and with nothing at all but of another.
TEST(Rules, AFullStopLastsUntilItWorksAgain) {
  for (const bool has_events : {true, false}) {
    Stream stopped;
    stopped.train(0, 12);
    stopped.launch(11'999 * kMilli);  // nothing waits for it
    for (uint64_t second = 12; second < 200; ++second) {
      stopped.add(kPages, hal::Kind::kHost, second * kSecond, 0, has_events ? kPid : 900);
    }
    hal::LossLedger ledger;
    const auto engine = engine_for(stopped, ledger);
    for (const Event& event : sorted(stopped.events)) engine->add(event);
    engine->advance(kStart + 202 * kSecond);
    const auto chains = latest(engine->take_changes());
    const hal::CausalChain* stop = find(chains, RuleId::full_stop);
    ASSERT_NE(stop, nullptr) << has_events << text_of(chains);
    EXPECT_FALSE(stop->resolved) << has_events;
    EXPECT_NEAR(static_cast<double>(*stop->lost_ns) / kSecond, 188, 4) << has_events;
    stopped.events.clear();
    stopped.train(202 * kSecond, 12);
    for (const Event& event : sorted(stopped.events)) engine->add(event);
    engine->advance(kStart + 220 * kSecond);
    const auto later = latest(engine->take_changes());
    ASSERT_NE(find(later, RuleId::full_stop), nullptr) << has_events;
    EXPECT_TRUE(find(later, RuleId::full_stop)->resolved) << has_events;
  }
}

// Whenever in a second it begins: the window in which it does holds a part of the usual.
TEST(Rules, ARateDropIsFoundWhereverInAWindowItBegins) {
  for (uint64_t part_ms = 0; part_ms < 1000; part_ms += 100) {
    Stream stream;
    const uint64_t begins = 12 * kSecond + part_ms * kMilli;
    for (uint64_t at = 0; at < begins; at += 10 * kMilli) stream.launch(at);
    for (uint64_t at = begins; at < 20 * kSecond; at += 200 * kMilli) stream.launch(at);
    SCOPED_TRACE(part_ms);
    EXPECT_ONLY(run(stream), RuleId::rate_drop);
  }
}

TEST(Rules, ARateDropUnderACauseIsItsSymptom) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 80; ++i) {
    stream.launch(12 * kSecond + i * 100 * kMilli);
    stream.preempt(12 * kSecond + i * 100 * kMilli + kMilli, 80 * kMilli, 999, "stress-ng");
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::cpu_preemption);
  ASSERT_FALSE(chains[0].symptoms.empty());
  EXPECT_THAT(chains[0].symptoms[0], HasSubstr("rate_drop"));
}

// Waits for a CPU were there when the rate was what it usually is, and end with the work.
TEST(Rules, WhatIsOverDoesNotExplainThatWorkDriesUp) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 240; ++i) {
    Event& away = stream.add(kSwitch, hal::Kind::kHost, i * 50 * kMilli, 12 * kMilli);
    away.off.runqueue_ns = 12 * kMilli;
    away.set(Has::kOffCpu);
  }
  for (uint64_t i = 0; i < 80; ++i) stream.launch(12 * kSecond + i * 200 * kMilli);
  const auto chains = run(stream);
  const hal::CausalChain* drop = find(chains, RuleId::rate_drop);
  const hal::CausalChain* waits = find(chains, RuleId::run_queue_wait);
  ASSERT_NE(drop, nullptr) << text_of(chains);
  ASSERT_NE(waits, nullptr) << text_of(chains);
  EXPECT_LT(*drop->onset_wall_ns, kStart + 14 * kSecond);
  EXPECT_THAT(waits->symptoms, IsEmpty());
}

// Weights are copied for a while, and then results one by one for the rest of the run.
TEST(Rules, AnotherPatternIsReportedWhenTheFirstIsOver) {
  Stream stream;
  for (uint64_t i = 0; i < 160; ++i) {
    stream.copy(kCopyCall, i * 50 * kMilli, 40 * kMilli, hal::Direction::kHostToDevice, 64 << 20);
  }
  for (uint64_t i = 0; i < 30'000; ++i) {
    const uint64_t at = 8 * kSecond + i * kMilli;
    stream.launch(at);
    stream.copy(kCopyCall, at + 100 * kMicro, 300 * kMicro, hal::Direction::kDeviceToHost, 4);
    stream.sync(at + 450 * kMicro, 300 * kMicro);
  }
  const auto chains = run(stream);
  const hal::CausalChain* copies = find(chains, RuleId::slow_copies);
  const hal::CausalChain* storm = find(chains, RuleId::sync_storm);
  ASSERT_NE(copies, nullptr) << text_of(chains);
  EXPECT_TRUE(copies->resolved);
  ASSERT_NE(storm, nullptr) << text_of(chains);
  EXPECT_GT(*storm->lost_ns, 10 * kSecond);
}

TEST(Rules, AColdStartIsOneLowChain) {
  Stream stream;
  for (uint64_t i = 0; i < 4; ++i) stream.alloc(i * 800 * kMilli, 0x1000 * (i + 1), 1 << 20, (700 - i * 150) * kMilli);
  stream.launch(2800 * kMilli, 200 * kMilli);
  stream.train(3 * kSecond, 10);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::cold_start);
  EXPECT_EQ(chains[0].severity, "LOW");
}

TEST(Rules, SpikesEverySoManyCallsAreFound) {
  Stream stream;
  const auto length = [](uint64_t i) { return i % 200 == 199 ? 20 * kMilli / 8 * 7 : 10 * kMicro; };
  for (uint64_t i = 0; i < 5000; ++i) stream.sync(i * 3 * kMilli, length(i));
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::periodic_spike);
  EXPECT_THAT(chains[0].summary, HasSubstr("every 200 calls"));
  EXPECT_GE(*chains[0].end_wall_ns - *chains[0].onset_wall_ns, 13 * kSecond) << "its figure is of all this time";
  Stream launching;
  for (uint64_t i = 0; i < 5000; ++i) launching.launch(i * 3 * kMilli, length(i));
  EXPECT_THAT(run(launching), IsEmpty()) << "launches wait for room in their queue";
  Stream evaluating;
  for (uint64_t i = 0; i < 5000; ++i) {
    for (uint64_t launch = 0; launch < (i % 200 == 199 ? 9 : 1); ++launch) {
      evaluating.launch(i * 3 * kMilli + launch * 10 * kMicro, 5 * kMicro);
    }
    evaluating.sync(i * 3 * kMilli + 100 * kMicro, length(i) / 8);
  }
  EXPECT_THAT(run(evaluating), IsEmpty()) << "there is more to wait for";
}

TEST(Rules, AnOomKillIsReported) {
  Stream stream;
  stream.train(0, 6);
  Event& kill = stream.add(kOom, hal::Kind::kHost, 3 * kSecond, 0, 55, 55);
  kill.arg1 = kPid;
  kill.set(Has::kArg1);
  const auto chains = run(stream);
  const hal::CausalChain* chain = find(chains, RuleId::oom_kill);
  ASSERT_NE(chain, nullptr);
  EXPECT_EQ(chain->severity, "CRITICAL");
  EXPECT_EQ(chain->pid, kPid);
}

TEST(Rules, RetransmitsOfTheJobCountAndOthersDoNot) {
  Stream stream;
  stream.train(0, 10);
  for (uint64_t i = 0; i < 20; ++i) stream.add(kRetransmit, hal::Kind::kHost, (3000 + i * 10) * kMilli, 0, 77);
  EXPECT_THAT(run(stream), IsEmpty());
  for (uint64_t i = 0; i < 20; ++i) {  // to a slow reader on this machine: no network lost that
    Event& again = stream.add(kRetransmit, hal::Kind::kHost, (4000 + i * 10) * kMilli, 0);
    again.arg0 = i % 2 == 0 ? 0x7f0000017f000001 : 0x0a0000090a000009;
    again.set(Has::kArg0);
  }
  EXPECT_THAT(run(stream), IsEmpty());
  for (uint64_t i = 0; i < 20; ++i) stream.add(kRetransmit, hal::Kind::kHost, (5000 + i * 10) * kMilli, 0);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::tcp_retransmits);
  EXPECT_THAT(chains[0].summary, HasSubstr("20 TCP retransmits"));
}

TEST(Rules, MemoryPressureIsPressureAndNotSwapThatIsUsed) {
  Stream stream;
  stream.train(0, 8);
  hal::SystemSnapshot snapshot;
  snapshot.swap_used_mb = 4000;
  snapshot.mem_percent = 96;
  snapshot.load1 = 40;
  stream.snapshots.emplace_back(snapshot, kStart + 2 * kSecond);
  EXPECT_THAT(run(stream), IsEmpty());
  snapshot.psi_mem_some = 35;
  stream.snapshots.emplace_back(snapshot, kStart + 3 * kSecond);
  const auto full = run(stream);
  const auto* const chain = find(full, RuleId::memory_pressure);
  ASSERT_NE(chain, nullptr);
  EXPECT_THAT(chain->recommendations, ElementsAre(HasSubstr("Free host memory")));
  stream.snapshots.back().first.mem_percent = 8;
  const auto empty = run(stream);
  ASSERT_NE(find(empty, RuleId::memory_pressure), nullptr);
  EXPECT_THAT(find(empty, RuleId::memory_pressure)->recommendations, ElementsAre(HasSubstr("memory.max")));
}

TEST(Rules, AFailedCaptureIsReported) {
  Stream stream;
  stream.train(0, 6);
  Event& end = stream.add(kEndCaptureCall, hal::Kind::kGraph, 3 * kSecond + 7 * kMilli, 20 * kMicro);
  end.failed = true;
  end.return_code = 901;
  EXPECT_ONLY(run(stream), RuleId::graph_capture_failed);
}

TEST(Rules, AHangNamesTheMissingAndTakesTheCallsThatWait) {
  Stream stream;
  stream.train(0, 3);
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : sorted(stream.events)) engine->add(event);
  Event waiting = stream.sync(3200 * kMilli, 1);
  waiting.outcome = hal::Outcome::kInFlight;
  engine->add(waiting);
  hal::CollectiveHang hang;
  hang.comm_id_hash = 0xabc;
  hang.number = 7;
  hang.entered_mono_ns = kStart + 3100 * kMilli;
  hang.waited_ns = 11 * kSecond;
  hang.present = {{0, kPid}};
  hang.missing = {{1, 200}};
  engine->add_hang(hang, "xAllReduce");
  engine->advance(kStart + 25 * kSecond);
  const auto chains = latest(engine->take_changes());
  EXPECT_ONLY(chains, RuleId::collective_hang);
  EXPECT_THAT(chains[0].summary, HasSubstr("waiting for rank 1 (pid 200)"));
  ASSERT_FALSE(chains[0].symptoms.empty());
  EXPECT_THAT(chains[0].symptoms[0], HasSubstr("xStreamSync"));
}

// Ten collectives a second of four ranks, of which `late(number)` comes 30 ms later.
std::vector<hal::CausalChain> chains_of_ranks(uint64_t seconds, const std::function<uint64_t(uint64_t)>& late) {
  Stream stream;
  stream.train(0, seconds);
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : sorted(stream.events)) {
    engine->add(event);
    if (event.start_mono_ns % (100 * kMilli) != 0 || event.call != kLaunchCall) continue;
    const uint64_t number = 10 + (event.start_mono_ns - kStart) / (100 * kMilli);
    for (uint32_t rank = 0; rank < 4; ++rank) {
      Event arrival = event;
      arrival.call = kCollectCall;
      arrival.pid = rank == 2 ? kPid : 300 + rank;
      arrival.start_mono_ns += rank == late(number) ? 30 * kMilli : rank * kMilli / 2;
      engine->add_arrival(arrival, 0xbeef, number, static_cast<int32_t>(rank));
    }
  }
  engine->finish();
  return latest(engine->take_changes());
}

TEST(Rules, ALateRankIsNamed) {
  const auto chains = chains_of_ranks(8, [](uint64_t) { return 2; });
  EXPECT_ONLY(chains, RuleId::late_rank);
  EXPECT_THAT(chains[0].summary, HasSubstr("rank 2 (pid 100) was the last to enter"));
  EXPECT_LE(*chains[0].lost_ns, *chains[0].end_wall_ns - *chains[0].onset_wall_ns) << "no more than there was time";
}

// Every six seconds a collective of four ranks, of which rank 1 comes 310 ms later and rank 3 `late_ns`.
std::vector<hal::CausalChain> chains_of_late_ranks(uint64_t late_ns) {
  Stream stream;
  stream.train(0, 150);
  const std::array<uint64_t, 4> lates = {0, 310 * kMilli, 10 * kMilli, late_ns};
  for (uint32_t rank = 0; rank < 4; ++rank) {
    hal::Process process;
    process.pid = 300 + rank;
    process.start_mono_ns = kStart - kSecond + rank;
    stream.processes.push_back(process);
  }
  for (uint64_t number = 1; number <= 24; ++number) {
    for (uint32_t rank = 0; rank < 4; ++rank) {
      stream.add(kCollectCall, hal::Kind::kCollective, number * 6 * kSecond + lates[rank], 50 * kMicro, 300 + rank);
    }
  }
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : sorted(stream.events)) {
    engine->add(event);
    if (event.call != kCollectCall) continue;
    const uint64_t number = (event.start_mono_ns - kStart) / (6 * kSecond);
    engine->add_arrival(event, 0xbeef, number, static_cast<int32_t>(event.pid - 300));
  }
  engine->finish();
  return latest(engine->take_changes());
}

TEST(Rules, WhoCameLastIsKnownWhenAllHaveCome) {
  for (const uint64_t late_ns : {700 * kMilli, 2 * kSecond, 5 * kSecond}) {
    const auto chains = chains_of_late_ranks(late_ns);
    SCOPED_TRACE(late_ns);
    EXPECT_ONLY(chains, RuleId::late_rank);
    EXPECT_THAT(chains[0].summary, HasSubstr("rank 3 (pid 303) was the last to enter"));
  }
}

TEST(Rules, RanksThatAreLateInTurnAreNoCause) {
  EXPECT_THAT(chains_of_ranks(20, [](uint64_t number) { return number % 4; }), IsEmpty());
}

TEST(Rules, WindowedEvidenceIsLessSure) {
  Stream stream;
  stream.windowed = true;
  stream.train(0, 10);
  for (uint64_t i = 0; i < 100; ++i) {
    stream.add(kSwitch, hal::Kind::kHost, (6000 + i * 20) * kMilli, 8 * kMilli);
    Event& read = stream.add(kRead, hal::Kind::kHost, (6000 + i * 20) * kMilli, 8 * kMilli);
    read.bytes = 65536;
    read.set(Has::kBytes);
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::block_io);
  EXPECT_EQ(chains[0].grade, "windowed");
  EXPECT_LE(chains[0].confidence, 0.7);
}

}  // namespace
}  // namespace ingero::correlate::testing
