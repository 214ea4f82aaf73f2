// What the cluster's server is sent of each rank, in windows of time.
#include "correlate/rank_windows.h"

#include "collective_calls.h"
#include "numbers.h"

namespace ingero::correlate::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kNsOfSecond = 1'000'000'000, kWallBegin = 1'700'000'000 * kNsOfSecond;  // a multiple of the period
constexpr uint64_t kMonoBegin = 100 * kNsOfSecond;  // the same on the monotonic clock
constexpr int64_t kOffsetOfWall = static_cast<int64_t>(kWallBegin - kMonoBegin);
constexpr uint64_t kSomeId = 7, kSomeHash = 0xfedcba9876543210;
constexpr uint64_t kSomeBytes = 4000;
constexpr int32_t kRankOfJob = 37;

class RankWindowsTest : public ::testing::Test {
 protected:
  RankWindowsTest() {
    EXPECT_EQ(kWallBegin % RankWindows::kPeriodNs, 0U);
    windows.advance(kWallBegin);
  }

  void know_rank(uint32_t pid = kPid, int32_t rank = kRankOfJob) {
    hal::Process process;
    process.pid = pid;
    process.rank = rank;
    process.slurm_job = "4711";
    process.start_mono_ns = kMonoBegin - kNsOfSecond;
    windows.know(process);
  }
  hal::Communicator communicator(uint64_t id = kSomeId, uint64_t hash = kSomeHash, uint32_t pid = kPid) {
    hal::Communicator made;
    made.id = id;
    made.pid = pid;
    made.made_mono_ns = kMonoBegin;
    made.comm_id_hash = hash;
    made.rank = 5;
    made.nranks = 8;
    return made;
  }
  void off(uint64_t from_ms, uint64_t to_ms, hal::OffCpu parts, uint32_t tid = kPid) {
    Event one;
    one.call = calls().id_of(hal::HostOp::kSchedSwitch);
    one.pid = kPid;
    one.tid = tid;
    one.start_mono_ns = kMonoBegin + from_ms * kMs;
    one.wall_offset_ns = kOffsetOfWall;
    one.duration_ns = (to_ms - from_ms) * kMs;
    one.set(Has::kDuration);
    one.set(Has::kOffCpu);
    one.off = parts;
    feed(one);
  }
  Event event(std::string_view name, uint64_t at_ms, uint64_t length_ns = 1000, uint32_t pid = kPid) {
    Event one = event_of(name, pid, kMonoBegin + at_ms * kMs);
    one.wall_offset_ns = kOffsetOfWall;
    one.duration_ns = length_ns;
    return one;
  }
  void collect(uint64_t at_ms, uint64_t id = kSomeId, uint64_t length_ns = 1000, uint32_t pid = kPid,
               uint64_t bytes = kSomeBytes) {
    Event one = event("collect", at_ms, length_ns, pid);
    one.bytes = bytes;
    one.set(Has::kBytes);
    Exchange exchange;
    exchange.communicator_id = id;
    exchange.number = ++numbers[id];
    feed(one, exchange);
  }
  void feed(const Event& one, std::optional<Exchange> exchange = {}) {
    const std::vector<Event> events{one};
    std::vector<std::pair<size_t, Exchange>> exchanges;
    if (exchange) exchanges.emplace_back(0, *exchange);
    windows.take(events, exchanges, {}, kOffsetOfWall);
  }
  void end_at(uint64_t ms, std::optional<int64_t> status = std::nullopt) {
    Event one = event("collect", ms, 0);
    one.call = calls().id_of(hal::HostOp::kExit);
    one.clear(Has::kReturnCode);
    if (status) {
      one.return_code = *status;
      one.set(Has::kReturnCode);
    }
    feed(one);
  }
  void wait(uint64_t from_ms, uint64_t to_ms, uint64_t id = kSomeId) {
    const std::vector<CoveredSync> syncs{
        {kPid, kMonoBegin + from_ms * kMs, kMonoBegin + to_ms * kMs, {{id, numbers[id]}}}};
    windows.take({}, {}, syncs, kOffsetOfWall);
  }
  std::vector<RankWindow> advance_to(uint64_t ms) { return windows.advance(kWallBegin + ms * kMs); }
  RankWindow only(const std::vector<RankWindow>& some) {
    EXPECT_THAT(some, SizeIs(1));
    return some.empty() ? RankWindow{} : some.front();
  }
  // Of a process that ended with this status while it had left the first of two collectives.
  RankWindow window_of_end(int64_t status) {
    know_rank();
    windows.know(communicator());
    collect(100);
    wait(200, 300);
    collect(400);
    end_at(4900, status);
    return only(advance_to(5000));
  }
  uint64_t count(hal::Loss loss) const { return ledger.count(loss); }

  hal::LossLedger ledger;
  RankWindows windows{calls(), ledger};
  std::map<uint64_t, uint64_t> numbers;
};

TEST_F(RankWindowsTest, OwnWorkIsTheTimeBetweenEntriesLessTheWaits) {
  know_rank();
  windows.know(communicator());
  collect(100);
  wait(110, 400);  // 290 ms of 400 are a wait
  collect(500);
  wait(510, 600);
  collect(900);
  const RankWindow window = only(advance_to(5000));
  EXPECT_EQ(window.start_ns, kWallBegin);
  EXPECT_EQ(window.end_ns, kWallBegin + 5 * kNsOfSecond);
  EXPECT_EQ(window.job, "4711");
  EXPECT_EQ(window.rank, 37U);
  EXPECT_EQ(window.comm_id_hash, kSomeHash);
  EXPECT_EQ(window.comm_rank, 5U);
  EXPECT_EQ(window.nranks, 8U);
  EXPECT_EQ(window.collectives, 3U);
  EXPECT_EQ(window.measured, 3U);
  EXPECT_EQ(window.work_ns, (100 + 110 + 310) * kMs);  // the first since the communicator was made
  EXPECT_EQ(window.median_ns, 110 * kMs);
  EXPECT_EQ(window.blocked, 2U);
  EXPECT_EQ(window.wait_ns, (290 + 90) * kMs);
  EXPECT_EQ(window.bytes, 3 * kSomeBytes);
  EXPECT_EQ(window.entered, 3U);
  EXPECT_EQ(window.left, 2U);
  EXPECT_EQ(window.call, call_named("collect"));
}

TEST_F(RankWindowsTest, WorkBeforeTheFirstCollectiveOfAnOlderCommunicatorIsNotKnown) {
  know_rank();
  hal::Communicator older = communicator();
  older.made_mono_ns = 0;
  windows.know(older);
  collect(100);
  collect(300);
  const RankWindow window = only(advance_to(5000));
  EXPECT_EQ(window.collectives, 2U);
  EXPECT_EQ(window.measured, 1U);
  EXPECT_EQ(window.measured_bytes, kSomeBytes) << "of as many as are measured";
  EXPECT_EQ(window.bytes, 2 * kSomeBytes);
  EXPECT_EQ(window.work_ns, 200 * kMs);
}

TEST_F(RankWindowsTest, AWaitThatSpansTwoWindowsIsInNeitherWork) {
  know_rank();
  windows.know(communicator());
  collect(4000);
  const RankWindow first = only(advance_to(5000));  // the wait has begun, and nothing is known of it
  EXPECT_EQ(first.work_ns, 4000 * kMs);
  EXPECT_EQ(first.blocked, 0U);
  EXPECT_EQ(first.entered, 1U);
  EXPECT_EQ(first.left, std::nullopt);
  wait(4010, 7010);
  collect(7100);
  const RankWindow second = only(advance_to(10'000));
  EXPECT_EQ(second.collectives, 1U);
  EXPECT_EQ(second.work_ns, 100 * kMs);  // 10 before the wait, 90 after it
  EXPECT_EQ(second.median_ns, 100 * kMs);
  EXPECT_EQ(second.wait_ns, 3000 * kMs);
  EXPECT_EQ(second.left, 1U);
}

TEST_F(RankWindowsTest, WaitsOfAllCommunicatorsAreTakenOffTheWorkOfEach) {
  know_rank();
  windows.know(communicator(1, 11));
  windows.know(communicator(2, 22));
  collect(100, 1);
  collect(150, 2);
  wait(200, 700, 2);
  collect(800, 1);
  const auto given = advance_to(5000);
  ASSERT_THAT(given, SizeIs(2));
  EXPECT_EQ(given[0].comm_id_hash, 11U);
  EXPECT_EQ(given[0].work_ns, (100 + 200) * kMs);
  EXPECT_EQ(given[0].blocked, 0U);
  EXPECT_EQ(given[1].work_ns, 150 * kMs);
  EXPECT_EQ(given[1].wait_ns, 500 * kMs);
}

TEST_F(RankWindowsTest, CallsOfTheLibraryThatBlockAreWaits) {
  know_rank();
  windows.know(communicator());
  collect(100, kSomeId, 300 * kMs);
  collect(500, kSomeId, RankWindows::kShortestWaitNs - 1);
  collect(600);
  const RankWindow window = only(advance_to(5000));
  EXPECT_EQ(window.blocked, 1U);
  EXPECT_EQ(window.wait_ns, 300 * kMs);
  EXPECT_EQ(window.work_ns, (100 + 100 + 100) * kMs);
}

TEST_F(RankWindowsTest, WaitsThatOverlapCountOnce) {
  WaitSpans spans;
  spans.add(100, 200);
  spans.add(300, 400);
  spans.add(150, 350);
  spans.add(350, 360);
  EXPECT_EQ(spans.before(100), 0U);
  EXPECT_EQ(spans.before(250), 150U);
  EXPECT_EQ(spans.before(1000), 300U);
  for (uint64_t i = 0; i < 2 * WaitSpans::kMaxSpans; ++i) spans.add(1000 + 10 * i, 1001 + 10 * i);
  EXPECT_EQ(spans.before(1'000'000), 300 + 2 * WaitSpans::kMaxSpans);
  EXPECT_FALSE(spans.knows(1000));
  EXPECT_TRUE(spans.knows(900'000));
}

TEST_F(RankWindowsTest, TheMedianIsOverStepsWhereCollectivesHaveAPeriod) {
  know_rank();
  windows.know(communicator());
  // Steps of 100 ms: three collectives close behind each other, of different sizes, and then the work.
  for (uint64_t step = 0; step < 99; ++step) {
    const uint64_t at = 10 + 100 * step;
    collect(at, kSomeId, 1000, kPid, 1 << 20);
    collect(at + 2, kSomeId, 1000, kPid, 1 << 10);
    collect(at + 4, kSomeId, 1000, kPid, 1 << 12);
    wait(at + 10, at + 40);
  }
  advance_to(5000);
  const RankWindow second = only(advance_to(10'000));
  EXPECT_EQ(second.median_ns, 70 * kMs / 3);  // not 2 ms, which most of the collectives have before them
}

TEST_F(RankWindowsTest, ARankThatLeavesIsGivenOutOnceMoreAndHasNoWorkThen) {
  know_rank();
  windows.know(communicator());
  collect(100);
  collect(300);
  const RankWindow first = only(advance_to(5000));
  EXPECT_EQ(first.measured, 2U);
  EXPECT_FALSE(first.is_gone);
  collect(5100);
  windows.process_ended(kPid, kMonoBegin - kNsOfSecond);
  const RankWindow last = only(advance_to(10'000));
  EXPECT_TRUE(last.is_gone);
  EXPECT_EQ(last.collectives, 1U);
  EXPECT_EQ(last.entered, 3U);
  EXPECT_EQ(last.bytes, kSomeBytes);
  EXPECT_EQ(last.measured, 0U);
  EXPECT_EQ(last.median_ns, std::nullopt);
  EXPECT_THAT(advance_to(15'000), IsEmpty());
}

// What is sent from a recording afterwards must be what its trace sent.
TEST_F(RankWindowsTest, AnEndIsOfTheWindowInWhichItWasHoweverEarlyItIsKnown) {
  know_rank();
  windows.know(communicator());
  collect(100);
  end_at(5100);
  windows.process_ended(kPid, kMonoBegin - kNsOfSecond);
  EXPECT_FALSE(only(advance_to(5000)).is_gone);
  EXPECT_TRUE(only(advance_to(10'000)).is_gone);
  EXPECT_THAT(advance_to(15'000), IsEmpty());
}

// The last collective of a job is often not waited for.
TEST_F(RankWindowsTest, AProcessThatEndedWellHasLeftWhatItEntered) {
  const RankWindow last = window_of_end(0);
  EXPECT_TRUE(last.is_gone);
  EXPECT_EQ(last.entered, 2U);
  EXPECT_EQ(last.left, 2U);
}

TEST_F(RankWindowsTest, AProcessThatFailedHasNotLeftIt) {
  const RankWindow last = window_of_end(1);
  EXPECT_TRUE(last.is_gone);
  EXPECT_EQ(last.entered, 2U);
  EXPECT_EQ(last.left, 1U);
}

TEST_F(RankWindowsTest, AnEndIsOfTheWindowInWhichItWasHoweverLateItIsKnown) {
  know_rank();
  windows.know(communicator());
  collect(100);
  end_at(4900);
  EXPECT_TRUE(only(advance_to(5000)).is_gone);
  EXPECT_THAT(advance_to(10'000), IsEmpty());
  windows.process_ended(kPid, kMonoBegin - kNsOfSecond);
  EXPECT_THAT(advance_to(15'000), IsEmpty());
}

TEST_F(RankWindowsTest, TheEndOfAnotherProcessOfThatNumberIsNotThisOnes) {
  know_rank();
  windows.process_ended(kPid, kMonoBegin - 5 * kNsOfSecond);
  windows.know(communicator());
  collect(100);
  windows.process_ended(kPid, kMonoBegin - 5 * kNsOfSecond);
  EXPECT_EQ(only(advance_to(5000)).measured, 1U);
}

// (R3)
TEST_F(RankWindowsTest, AWindowInWhichACommunicatorEndsHasNoWork) {
  know_rank();
  windows.know(communicator(1, 11));
  windows.know(communicator(2, 22));
  collect(100, 1);
  collect(100, 2);
  auto ended = communicator(2, 22);
  ended.ended_mono_ns = kMonoBegin + 4000 * kMs;
  windows.know(ended);
  const auto given = advance_to(5000);
  ASSERT_THAT(given, SizeIs(2));
  for (const RankWindow& window : given) EXPECT_EQ(window.measured, 0U);
  collect(5100, 1);
  EXPECT_EQ(only(advance_to(10'000)).measured, 1U);
}

// (R2)
TEST_F(RankWindowsTest, ARankOrACommunicatorThatIsNotKnownIsLeftOutAndCounted) {
  windows.know(communicator());  // of a process without a rank
  collect(100);
  collect(200);
  EXPECT_THAT(advance_to(5000), IsEmpty());
  EXPECT_EQ(count(hal::Loss::fleet_unknown), 2U);

  know_rank();
  auto nameless = communicator(8, 1);
  nameless.comm_id_hash.reset();
  windows.know(nameless);
  auto impossible = communicator(9, 2);
  impossible.rank = 8;
  windows.know(impossible);
  collect(5100, 8);
  collect(5200, 9);
  collect(5300, 10);  // never heard of
  const RankWindow known = only(advance_to(10'000));
  EXPECT_EQ(known.comm_id_hash, kSomeHash);
  EXPECT_EQ(known.collectives, 0U);
  EXPECT_EQ(count(hal::Loss::fleet_unknown), 5U);
  collect(10'100, 11, 1000, 999);  // of a process that is not known
  EXPECT_EQ(count(hal::Loss::fleet_unknown), 6U);
}

TEST_F(RankWindowsTest, TwoRanksOfOneCommunicatorInOneProcessAreLeftOut) {
  know_rank();
  windows.know(communicator(1));
  windows.know(communicator(2));
  collect(100, 1);
  collect(200, 2);
  EXPECT_THAT(advance_to(5000), IsEmpty());
  EXPECT_EQ(count(hal::Loss::fleet_unknown), 2U);
}

// (R1)
TEST_F(RankWindowsTest, WhatIsSeenTooLateCountsInTheNextWindow) {
  know_rank();
  windows.know(communicator());
  collect(100);
  EXPECT_EQ(only(advance_to(5000)).collectives, 1U);
  collect(4990);
  collect(5100);
  EXPECT_EQ(only(advance_to(10'000)).collectives, 2U);
}

// (R3)
TEST_F(RankWindowsTest, ALossOfCallsTakesTheWorkOfItsWindowOnly) {
  know_rank();
  know_rank(200, 38);
  windows.know(communicator());
  windows.know(communicator(8, kSomeHash, 200));
  collect(100);
  collect(100, 8, 1000, 200);
  windows.lost(kPid, kWallBegin + 3 * kNsOfSecond);
  collect(4000);  // what lies before it is not known
  const auto given = advance_to(5000);
  ASSERT_THAT(given, SizeIs(2));
  EXPECT_EQ(given[0].collectives, 2U);
  EXPECT_EQ(given[0].measured, 0U);
  EXPECT_EQ(given[1].measured, 1U);
  collect(5100);
  EXPECT_EQ(advance_to(10'000)[0].work_ns, 1100 * kMs);
}

// (R3) When the calls were lost is not known: it was reported a little later.
TEST_F(RankWindowsTest, ALossNearABoundaryTakesTheWorkOfBothWindows) {
  know_rank();
  windows.know(communicator());
  collect(100);
  windows.lost(kPid, kWallBegin + 5 * kNsOfSecond + kMs);
  collect(5100);
  collect(5200);
  EXPECT_EQ(only(advance_to(5000)).measured, 0U);
  EXPECT_EQ(only(advance_to(10'000)).measured, 0U);
  collect(10'100);
  EXPECT_EQ(only(advance_to(15'000)).measured, 1U);
}

TEST_F(RankWindowsTest, ACollectiveInFlightHasBeenEntered) {
  know_rank();
  windows.know(communicator());
  collect(100);
  Event open = event("collect", 300);
  open.outcome = Outcome::kInFlight;
  Exchange exchange;
  exchange.communicator_id = kSomeId;
  exchange.number = 2;
  feed(open, exchange);
  const RankWindow window = only(advance_to(5000));
  EXPECT_EQ(window.collectives, 1U);
  EXPECT_EQ(window.entered, 2U);
  const RankWindow next = only(advance_to(10'000));  // it hangs
  EXPECT_EQ(next.collectives, 0U);
  EXPECT_EQ(next.entered, 2U);
  EXPECT_EQ(next.median_ns, std::nullopt);
}

TEST_F(RankWindowsTest, SayWhatTheThreadDoesThatEntersNothing) {
  know_rank();
  windows.know(communicator());
  collect(100);
  EXPECT_FALSE(only(advance_to(5000)).activity) << "it has entered one";
  Event launch = event("synchronise", 5200, 300 * kMs);
  launch.stack_id = 77;
  launch.set(Has::kStack);
  feed(launch);
  Event nested = event("synchronise", 5600);
  nested.set(Has::kParent);
  feed(nested);
  Event others = event("synchronise", 5900);
  others.tid = kPid + 1;  // a thread that polls
  feed(others);
  const RankWindow second = only(advance_to(10'000));
  ASSERT_TRUE(second.activity);
  EXPECT_EQ(second.activity->activity, Activity::kAfterCall);
  EXPECT_EQ(second.activity->call, launch.call);
  EXPECT_EQ(second.activity->tid, kPid);
  EXPECT_EQ(second.activity->since_ns, kWallBegin + 5500 * kMs);
  EXPECT_EQ(second.activity->stack_id, 77U);
  Event open = event("synchronise", 11'000);
  open.outcome = Outcome::kInFlight;
  open.clear(Has::kDuration);
  feed(open);
  const RankWindow third = only(advance_to(15'000));
  ASSERT_TRUE(third.activity);
  EXPECT_EQ(third.activity->activity, Activity::kInCall);
  EXPECT_EQ(third.activity->since_ns, kWallBegin + 11'000 * kMs);
  collect(16'000);
  EXPECT_FALSE(only(advance_to(20'000)).activity);
}

// (R5)
TEST_F(RankWindowsTest, HaveTheBytesOfTheCollectiveThatWasEnteredLast) {
  know_rank();
  windows.know(communicator());
  collect(100, kSomeId, 1000, kPid, 4000);
  collect(200, kSomeId, 1000, kPid, 5000);
  EXPECT_EQ(only(advance_to(5000)).entered_bytes, 5000U);
  EXPECT_EQ(only(advance_to(10000)).entered_bytes, 5000U);
  Event open = event("collect", 10100);
  open.outcome = Outcome::kInFlight;
  open.clear(Has::kDuration);
  open.bytes = 8000;
  open.set(Has::kBytes);
  Exchange exchange;
  exchange.communicator_id = kSomeId;
  exchange.number = ++numbers[kSomeId];
  feed(open, exchange);
  EXPECT_EQ(only(advance_to(15000)).entered_bytes, 8000U);
}

// (R6)
TEST_F(RankWindowsTest, SayThatTheRankAbortedForAsLongAsTheOthersMayWait) {
  know_rank();
  windows.know(communicator());
  collect(100);
  EXPECT_FALSE(only(advance_to(5000)).has_failed);
  Exchange abort;
  abort.communicator_id = kSomeId;
  abort.role = hal::Role::kAbort;
  Event call = event("collect", 5100);
  call.kind = hal::Kind::kCommunicator;
  feed(call, abort);
  hal::Communicator ended = communicator();
  ended.ended_mono_ns = kMonoBegin + 5100 * kMs;
  windows.know(ended);
  for (uint64_t i = 0; i < RankWindows::kFailedWindows; ++i) {
    const RankWindow window = only(advance_to(10000 + i * 5000));
    EXPECT_TRUE(window.has_failed) << i;
    EXPECT_EQ(window.entered, 1U) << i;
    EXPECT_FALSE(window.is_gone) << i;
  }
  EXPECT_THAT(advance_to(15000 + RankWindows::kFailedWindows * 5000), IsEmpty());
}

TEST_F(RankWindowsTest, SayThatACollectiveFailedUntilOneDoesNot) {
  know_rank();
  windows.know(communicator());
  collect(100);
  Event failing = event("collect", 200);
  failing.failed = true;
  Exchange exchange;
  exchange.communicator_id = kSomeId;
  feed(failing, exchange);
  EXPECT_TRUE(only(advance_to(5000)).has_failed);
  collect(5100);
  EXPECT_FALSE(only(advance_to(10000)).has_failed);
}

TEST_F(RankWindowsTest, NumbersThatEndedAreNotGivenOutAnyMore) {
  const auto without_number = [&](uint64_t at_ms, Outcome outcome) {
    Event one = event("collect", at_ms);
    one.outcome = outcome;
    Exchange exchange;
    exchange.communicator_id = kSomeId;
    feed(one, exchange);
  };
  know_rank();
  windows.know(communicator());
  uint64_t begin_ms = 0;
  for (const Outcome outcome : {Outcome::kReturned, Outcome::kInFlight, Outcome::kUnwound}) {
    collect(begin_ms + 100);
    wait(begin_ms + 110, begin_ms + 200);
    EXPECT_EQ(only(advance_to(begin_ms + 5000)).left, numbers[kSomeId]);
    collect(begin_ms + 5100);
    without_number(begin_ms + 5200, outcome);
    wait(begin_ms + 5300, begin_ms + 5400);  // also for the one before
    for (const uint64_t end_ms : {10'000, 15'000}) {
      const RankWindow window = only(advance_to(begin_ms + end_ms));
      EXPECT_EQ(window.entered, std::nullopt);
      EXPECT_EQ(window.left, std::nullopt);
    }
    begin_ms += 15'000;
  }
  collect(begin_ms + 100);  // they are known again
  EXPECT_EQ(only(advance_to(begin_ms + 5000)).entered, numbers[kSomeId]);
}

// (R5)
TEST_F(RankWindowsTest, NumbersEndWithTheRecordsThatWereLost) {
  know_rank();
  windows.know(communicator());
  collect(100);
  EXPECT_EQ(only(advance_to(5000)).entered, 1U);
  auto lost = communicator();
  lost.numbers_lost = true;
  windows.know(lost);
  EXPECT_EQ(only(advance_to(10'000)).entered, std::nullopt);
}

// A call that failed was not counted by the library: the numbers go on.
TEST_F(RankWindowsTest, WithoutNumbersCollectivesAreCounted) {
  know_rank();
  windows.know(communicator());
  const auto collect_at = [&](uint64_t ms, uint64_t bytes, hal::Outcome outcome = hal::Outcome::kReturned) {
    Event one = event("collect", ms);
    one.bytes = bytes;
    one.set(Has::kBytes);
    one.outcome = outcome;
    Exchange exchange;
    exchange.communicator_id = kSomeId;
    feed(one, exchange);
  };
  // A wait that covers what was submitted until then.
  const auto wait_for = [&](uint64_t submitted_ms, uint64_t from_ms, uint64_t to_ms) {
    CoveredSync sync{kPid, kMonoBegin + from_ms * kMs, kMonoBegin + to_ms * kMs, {{kSomeId, std::nullopt}}};
    sync.submitted_mono_ns = {{kSomeId, kMonoBegin + submitted_ms * kMs + 1000}};
    windows.take({}, {}, {&sync, 1}, kOffsetOfWall);
  };
  for (uint64_t i = 0; i < 20; ++i) collect_at(100 + 10 * i, 100 + i);
  wait_for(280, 300, 400);
  collect_at(5100, 200);  // of the next window, before this one is given out
  RankWindow window = only(advance_to(5000));
  EXPECT_FALSE(window.entered || window.left);
  ASSERT_TRUE(window.progress);
  EXPECT_EQ((std::tuple(window.progress->base, window.progress->entered, window.progress->left)),
            std::tuple(1U, 20U, 19U));
  EXPECT_EQ(window.progress->left_ns, kWallBegin + 400 * kMs);
  ASSERT_THAT(window.progress->recent, SizeIs(Progress::kMaxRecent));
  EXPECT_EQ(window.progress->recent.back(), std::pair(call_named("collect"), uint64_t{119}));
  collect_at(6000, 201, hal::Outcome::kInFlight);
  window = only(advance_to(10'000));
  EXPECT_EQ((std::pair(window.progress->entered, window.progress->left)), std::pair(22UL, 19UL))
      << "it has not returned";
  EXPECT_EQ(window.progress->recent.back().second, 201U);
  window = only(advance_to(15'000));
  EXPECT_EQ(window.progress->entered, 22U) << "as it was";
  collect_at(16'000, 201);
  wait_for(16'000, 16'100, 17'000);
  window = only(advance_to(20'000));
  EXPECT_EQ((std::pair(window.progress->entered, window.progress->left)), std::pair(22UL, 22UL));
  // How many were lost is not known: another count begins.
  windows.lost(kPid, kWallBegin + 21'000 * kMs);
  collect_at(22'000, 300);
  window = only(advance_to(25'000));
  EXPECT_EQ((std::tuple(window.progress->base, window.progress->entered, window.progress->left)),
            std::tuple(2U, 1U, 0U));
  collect(26'000);
  EXPECT_EQ(only(advance_to(30'000)).progress->base, 0U) << "the numbers are known";
}

TEST_F(RankWindowsTest, ACollectiveThatFailedEndsNoNumbers) {
  know_rank();
  windows.know(communicator());
  collect(100);
  Event failed = event("collect", 200);
  failed.failed = true;
  Exchange exchange;
  exchange.communicator_id = kSomeId;
  feed(failed, exchange);
  EXPECT_EQ(only(advance_to(5000)).entered, 1U);
}

TEST_F(RankWindowsTest, WhatKeptTheRankOffTheCpuIsThatOfItsWork) {
  know_rank();
  windows.know(communicator());
  off(10, 20, {.preempted_ns = 10 * kMs});  // before its first call
  collect(100);
  off(110, 400, {.blocked_ns = 290 * kMs});  // in the wait
  wait(110, 400);
  off(410, 430, {.preempted_ns = 20 * kMs});
  off(430, 460, {.io_ns = 30 * kMs});
  off(440, 460, {.preempted_ns = 20 * kMs}, kPid + 1);  // a thread that makes no calls
  collect(500);
  const RankWindow window = only(advance_to(5000));
  EXPECT_EQ(window.off.preempted_ns, 20 * kMs);
  EXPECT_EQ(window.off.io_ns, 30 * kMs);
  EXPECT_EQ(window.off.blocked_ns, 0U);
}

// As in PyTorch: one thread waits for the loader and submits, another computes gradients and enters the collectives;
// each sleeps while the other one works.
TEST_F(RankWindowsTest, ARankSleepsWhileAllOfItsThreadsDo) {
  constexpr uint32_t kMain = kPid, kGradients = kPid + 1, kWatchdog = kPid + 2;
  know_rank();
  windows.know(communicator());
  const auto call = [&](std::string_view name, uint64_t at_ms, uint32_t tid) {
    Event one = event(name, at_ms);
    one.tid = tid;
    feed(one);
  };
  call("mark", 50, kGradients);
  call("mark", 60, kWatchdog);
  collect(100);
  off(100, 110, {.io_ns = 10 * kMs}, kWatchdog);   // makes no calls in this step: it may sleep for ever
  off(110, 160, {.blocked_ns = 50 * kMs}, kMain);  // for the loader
  off(100, 300, {.blocked_ns = 200 * kMs}, kGradients);
  call("mark", 200, kMain);
  call("mark", 310, kGradients);
  off(300, 390, {.blocked_ns = 90 * kMs}, kMain);  // until the gradients are there
  off(320, 330, {.runqueue_ns = 6 * kMs, .blocked_ns = 4 * kMs}, kGradients);
  collect(400);
  const RankWindow window = only(advance_to(5000));
  EXPECT_EQ(window.off.blocked_ns, 54 * kMs);
  EXPECT_EQ(window.off.io_ns, 0U);
  EXPECT_EQ(window.off.runqueue_ns, 6 * kMs);
}

TEST_F(RankWindowsTest, AClockThatJumpsDoesNotMakeWindowsOfItsOwn) {
  know_rank();
  windows.know(communicator());
  collect(100);
  EXPECT_THAT(advance_to(3'600'000), SizeIs(1));  // an hour later
  EXPECT_THAT(advance_to(1000), IsEmpty());       // set back
  numbers[kSomeId] = 9;
  collect(1100);
  EXPECT_EQ(only(advance_to(5000)).entered, 10U);
}

TEST_F(RankWindowsTest, TheEndGivesOutWhatIsLeftWithoutWork) {
  know_rank();
  windows.know(communicator());
  collect(100);
  const RankWindow rest = only(windows.finish());
  EXPECT_EQ(rest.collectives, 1U);
  EXPECT_EQ(rest.bytes, kSomeBytes);
  EXPECT_EQ(rest.measured, 0U);
}

// (R4)
TEST_F(RankWindowsTest, MemoryIsBounded) {
  for (uint32_t pid = 1; pid <= RankWindows::kMaxRanks + 3; ++pid) windows.know(communicator(pid, pid, pid));
  EXPECT_EQ(count(hal::Loss::fleet_forgotten), 3U);
  for (uint64_t id = 0; id < RankWindows::kMaxCommunicators + 3; ++id) windows.know(communicator(1000 + id, id, 1));
  EXPECT_EQ(count(hal::Loss::fleet_forgotten), 3U + 4U);
}

// (R4)
TEST_F(RankWindowsTest, CallsOfThreadsThatDoNotFitAreCounted) {
  windows.know(communicator());
  for (uint32_t tid = 1; tid <= RankWindows::kMaxThreads + 2; ++tid) {
    Event one = event("collect", tid);
    one.tid = tid;
    feed(one);
    feed(one);
  }
  EXPECT_EQ(count(hal::Loss::fleet_forgotten), 2U * 2);
}

// (R4)
TEST_F(RankWindowsTest, CollectivesThatTheMedianLeavesOutAreCounted) {
  know_rank();
  windows.know(communicator());
  constexpr uint64_t kMore = 3, kAll = RankWindows::kMaxWorks + kMore;
  for (uint64_t i = 0; i < kAll; ++i) collect(100 + i / 2, kSomeId, 1000, kPid, 1000 + i);  // without a period
  EXPECT_EQ(only(advance_to(5000)).measured, kAll);
  EXPECT_EQ(count(hal::Loss::fleet_forgotten), kMore);
}

// (R4)
TEST_F(RankWindowsTest, StepsThatTheMedianLeavesOutAreCounted) {
  know_rank();
  windows.know(communicator());
  const auto step = [&](uint64_t at_ns) {
    for (uint64_t i = 0; i < 2; ++i) {
      Event one = event("collect", 0);
      one.start_mono_ns += at_ns + i * 10'000;
      one.bytes = kSomeBytes << i;
      one.set(Has::kBytes);
      Exchange exchange;
      exchange.communicator_id = kSomeId;
      exchange.number = ++numbers[kSomeId];
      feed(one, exchange);
    }
  };
  for (uint64_t i = 0; i < 100; ++i) step(i * 50 * kMs);
  advance_to(5000);
  EXPECT_EQ(count(hal::Loss::fleet_forgotten), 0U);
  // More waits within one step than are kept: how long its own work was is not known.
  std::vector<CoveredSync> waits;
  for (uint64_t i = 0; i < WaitSpans::kMaxSpans + 10; ++i) {
    const uint64_t at = kMonoBegin + 5050 * kMs + i * 40'000;
    waits.push_back({kPid, at, at + 30'000, {}});
  }
  step(5000 * kMs);
  windows.take({}, {}, waits, kOffsetOfWall);
  step(5300 * kMs);
  step(5350 * kMs);
  EXPECT_EQ(count(hal::Loss::fleet_forgotten), 1U);
  advance_to(10'000);
  constexpr uint64_t kMore = 50;
  for (uint64_t i = 0; i < RankWindows::kMaxWorks + kMore; ++i) step(10'000 * kMs + i * 500'000);
  // Nearly all of these steps, and two collectives of each.
  const uint64_t works = RankWindows::kMaxWorks + 2 * kMore;
  EXPECT_GE(count(hal::Loss::fleet_forgotten), 1 + works + kMore - 5);
  EXPECT_LE(count(hal::Loss::fleet_forgotten), 1 + works + kMore);
}

TEST_F(RankWindowsTest, HaveASampleOfArrivalsThatEndsWhereTheRankHasLeft) {
  know_rank();
  windows.know(communicator());
  for (uint64_t at_ms = 100; at_ms < 900; at_ms += 100) collect(at_ms);
  wait(850, 860);
  collect(4900);
  const auto first = only(advance_to(5000)).arrivals;
  ASSERT_THAT(first, SizeIs(8));
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].number, i + 1);
    EXPECT_EQ(first[i].entered_ns, kWallBegin + (i + 1) * 100 * kMs);
    EXPECT_EQ(first[i].left_ns, kWallBegin + 860 * kMs);
    EXPECT_EQ(first[i].bytes, kSomeBytes);
  }
  wait(5100, 5200);
  const auto second = only(advance_to(10'000)).arrivals;
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].number, 9U);
  EXPECT_EQ(second[0].left_ns, kWallBegin + 5200 * kMs);
}

TEST_F(RankWindowsTest, ArrivalsAndTheirEndsMayComeInOneBatch) {
  know_rank();
  windows.know(communicator());
  std::vector<Event> events;
  std::vector<std::pair<size_t, Exchange>> exchanges;
  std::vector<CoveredSync> syncs;
  for (uint64_t number = 1; number <= 3; ++number) {
    const uint64_t at_ms = 1000 * number;
    Exchange exchange;
    exchange.communicator_id = kSomeId;
    exchange.number = number;
    exchanges.emplace_back(events.size(), exchange);
    events.push_back(event("collect", at_ms));
    syncs.push_back({kPid, kMonoBegin + (at_ms + 1) * kMs, kMonoBegin + (at_ms + 9) * kMs, {{kSomeId, number}}});
  }
  windows.take(events, exchanges, syncs, kOffsetOfWall);
  const auto sample = only(advance_to(5000)).arrivals;
  ASSERT_THAT(sample, SizeIs(3));
  for (const SampledArrival& one : sample) EXPECT_EQ(one.left_ns, one.entered_ns + 9 * kMs);
}

TEST_F(RankWindowsTest, HaveAtMostTenArrivals) {
  know_rank();
  windows.know(communicator());
  for (uint64_t at_ms = 0; at_ms < 4000; ++at_ms) collect(at_ms);
  wait(4100, 4200);
  const auto sample = only(advance_to(5000)).arrivals;
  EXPECT_LE(sample.size(), ArrivalSample::kMaxArrivals);
  EXPECT_GE(sample.size(), 2U);
}

TEST_F(RankWindowsTest, HaveTheDeviceOfTheirRanksCalls) {
  know_rank();
  windows.know(communicator());
  Event one = event("collect", 100);
  one.device_ref = 3;
  Exchange exchange;
  exchange.communicator_id = kSomeId;
  exchange.number = 1;
  feed(one, exchange);
  const RankWindow window = only(advance_to(5000));
  EXPECT_EQ(window.device_ref, 3U);
  EXPECT_EQ(window.pid, kPid);
}

// Processes whose environments name no rank, in communicators of `sizes`, all of whose ranks are here.
class NoRankTest : public RankWindowsTest {
 protected:
  static constexpr uint32_t kFirst = 900;

  void know_processes(uint32_t count, const std::string& job = "") {
    for (uint32_t i = 0; i < count; ++i) {
      hal::Process process;
      process.pid = kFirst + i;
      process.launcher_job = job;
      process.start_mono_ns = kMonoBegin - kNsOfSecond;
      windows.know(process);
    }
  }
  void join(uint32_t process, uint64_t hash, int32_t rank, int32_t nranks) {
    auto made = communicator(100 * hash + process, hash, kFirst + process);
    made.rank = rank;
    made.nranks = nranks;
    windows.know(made);
    collect(1000, made.id, 1000, kFirst + process);
    collect(2000, made.id, 1000, kFirst + process);
  }
  std::map<uint32_t, std::set<uint32_t>> ranks(uint64_t until_ms) {  // by process
    std::map<uint32_t, std::set<uint32_t>> found;
    for (const RankWindow& one : advance_to(until_ms)) {
      found[one.pid - kFirst].insert(one.rank);
      jobs.insert(one.job);
    }
    return found;
  }
  std::set<std::string> jobs;
};

TEST_F(NoRankTest, WhereTwoProcessesAreOneRankIsNotKnown) {
  know_processes(4);
  for (uint32_t i = 0; i < 4; ++i) join(i, 7, static_cast<int32_t>(i % 2), 2);
  EXPECT_THAT(ranks(5000), IsEmpty());
  for (uint32_t i = 0; i < 4; ++i) join(i, 9, static_cast<int32_t>(3 - i), 4);
  EXPECT_THAT(ranks(10000), IsEmpty());
}

TEST_F(NoRankTest, OfCommunicatorsWithinTheWholeIsThatOfTheWhole) {
  know_processes(4);
  for (uint32_t i = 0; i < 4; ++i) join(i, 7 + i / 2, static_cast<int32_t>(i % 2), 2);
  for (uint32_t i = 0; i < 4; ++i) join(i, 5, static_cast<int32_t>(3 - i), 4);
  const auto found = ranks(5000);
  EXPECT_EQ(found, (std::map<uint32_t, std::set<uint32_t>>{{0, {3}}, {1, {2}}, {2, {1}}, {3, {0}}}));
  EXPECT_EQ(jobs, std::set<std::string>{"localhost:0000000000000005"});
  EXPECT_EQ(count(hal::Loss::fleet_unknown), 0U);
  // One ends: it was what it was, and so are the others.
  windows.process_ended(kFirst + 2, kMonoBegin - kNsOfSecond);
  for (const uint32_t i : {0U, 1U, 3U}) collect(7000, 500 + i, 1000, kFirst + i);
  EXPECT_EQ(ranks(10000), found);
}

TEST_F(NoRankTest, TwoJobsOfOneMachineAreTwo) {
  know_processes(4);
  for (uint32_t i = 0; i < 4; ++i) join(i, 7 + i / 2, static_cast<int32_t>(i % 2), 2);
  EXPECT_THAT(ranks(5000), SizeIs(4));
  EXPECT_THAT(jobs, SizeIs(2));
}

TEST_F(NoRankTest, WhereOthersAreElsewhereIsNotKnown) {
  know_processes(2, "10.0.0.1:29500");
  for (uint32_t i = 0; i < 2; ++i) join(i, 7, static_cast<int32_t>(i), 2);
  join(1, 8, 0, 2);  // with a process of another machine
  EXPECT_THAT(ranks(5000), IsEmpty());
  EXPECT_GT(count(hal::Loss::fleet_unknown), 0U);
}

TEST_F(NoRankTest, OfAProcessThatIsNotKnownIsNotKnown) {
  know_processes(1);
  for (uint32_t i = 0; i < 2; ++i) join(i, 7, static_cast<int32_t>(i), 2);
  EXPECT_THAT(ranks(5000), IsEmpty());
  know_processes(2, "10.0.0.1:29500");
  for (uint32_t i = 0; i < 2; ++i) collect(7000, 700 + i, 1000, kFirst + i);
  EXPECT_THAT(ranks(10000), SizeIs(2));
  EXPECT_EQ(jobs, std::set<std::string>{"10.0.0.1:29500"});
}

}  // namespace
}  // namespace ingero::correlate::testing
