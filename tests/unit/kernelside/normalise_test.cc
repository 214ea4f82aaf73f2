// Wire records to events: every field in its place, off-CPU time with who ran meanwhile, and nothing made of a record
// that is not one.
#include "kernelside/normalise.h"

#include <cstring>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "capture_records.h"

namespace ingero::kernelside {
namespace {

using namespace testing;

class NormaliseTest : public ::testing::Test {
 protected:
  bool call(const Bytes& record) { return normaliser.call(record, event, exchange); }
  bool sched(const wire_sched& record) { return normaliser.sched(bytes_of(record), event, wait); }
  uint64_t malformed() const { return ledger.count(hal::Loss::record_malformed); }

  Probes probes;
  hal::LossLedger ledger;
  Normaliser normaliser{probes.calls, probes.table, ledger};
  hal::Event event;
  hal::Exchange exchange;
  hal::Wait wait;
};

TEST_F(NormaliseTest, ACallHasItsFieldsTimesAndWords) {
  normaliser.set_wall_offset_ns(5000);
  wire_call wire = call_at(kCopyProbe);
  wire.ret = 2;
  ASSERT_TRUE(call(record_of(wire, {0xabc0, 4096})));
  EXPECT_EQ(event.call, probes.calls.id_of(kRows[kCopyProbe]));
  EXPECT_EQ(event.kind, hal::Kind::kMemcpy);
  EXPECT_EQ(event.probe, static_cast<uint32_t>(kCopyProbe));
  EXPECT_EQ(event.pid, 100U);
  EXPECT_EQ(event.tid, 101U);
  EXPECT_EQ(event.cgroup_id, 7U);
  EXPECT_EQ(event.start_mono_ns, 1000U);
  EXPECT_EQ(event.duration_ns, 900U);
  EXPECT_EQ(event.start_wall_ns(), 6000U);
  EXPECT_EQ(event.outcome, hal::Outcome::kReturned);
  EXPECT_EQ(event.address, 0xabc0U);
  EXPECT_EQ(event.bytes, 4096U);
  EXPECT_TRUE(event.failed);
  EXPECT_EQ(event.return_code, 2);
  EXPECT_FALSE(event.has(hal::Has::kParent));
  EXPECT_FALSE(event.has(hal::Has::kStack));
  EXPECT_FALSE(event.has(hal::Has::kPreemptedBy));
  ASSERT_TRUE(event.has(hal::Has::kOffCpu)) << "no off-CPU times follow: it was none, which is known";
  EXPECT_EQ(event.off.total_ns(), 0U);
  EXPECT_EQ(malformed(), 0U);
}

TEST_F(NormaliseTest, OffCpuTimesFollowTheWords) {
  wire_call wire = call_at(kCopyProbe);
  wire.flags = WIRE_CALL_HAS_OFF | WIRE_CALL_HAS_STACK;
  ASSERT_TRUE(call(record_of(wire, {1, 2, 10, 20, 30, 40})));
  EXPECT_EQ(event.off.preempted_ns, 10U);
  EXPECT_EQ(event.off.runqueue_ns, 20U);
  EXPECT_EQ(event.off.blocked_ns, 30U);
  EXPECT_EQ(event.off.io_ns, 40U);
  EXPECT_TRUE(event.has(hal::Has::kStack));
}

TEST_F(NormaliseTest, ACallInsideAnotherHasItsParent) {
  wire_call wire = call_at(kCopyProbe);
  wire.depth = 1;
  wire.parent_probe = kCollectProbe;
  wire.parent_start_ns = 900;
  ASSERT_TRUE(call(record_of(wire, {1, 2})));
  ASSERT_TRUE(event.has(hal::Has::kParent));
  EXPECT_EQ(event.parent_call, probes.calls.id_of(kRows[kCollectProbe]));
  EXPECT_EQ(event.parent_start_mono_ns, 900U);
  EXPECT_EQ(event.depth, 1U);
}

TEST_F(NormaliseTest, AParentAtAProbeThatIsNotKnownIsNone) {
  wire_call wire = call_at(kCopyProbe);
  wire.depth = 1;
  wire.parent_probe = kProbes;
  ASSERT_TRUE(call(record_of(wire, {1, 2})));
  EXPECT_FALSE(event.has(hal::Has::kParent));
  EXPECT_EQ(malformed(), 0U);
}

TEST_F(NormaliseTest, AWordThatCouldNotBeReadIsAbsentAndCountedOnceACall) {
  wire_call wire = call_at(kCopyProbe);
  wire.valid = 0;
  ASSERT_TRUE(call(record_of(wire, {0xabc0, 4096})));
  EXPECT_FALSE(event.has(hal::Has::kBytes));
  EXPECT_FALSE(event.has(hal::Has::kAddress));
  EXPECT_EQ(ledger.count(hal::Loss::word_unreadable), 1U);
  EXPECT_EQ(malformed(), 0U);
}

TEST_F(NormaliseTest, AnUnwoundCallIsCountedAndOneThatEndedWithItsThreadIsNot) {
  for (const auto& [outcome, expected] :
       {std::pair(WIRE_UNWOUND, hal::Outcome::kUnwound), std::pair(WIRE_EXITED, hal::Outcome::kExited),
        std::pair(WIRE_EXECED, hal::Outcome::kExeced)}) {
    wire_call wire = call_at(kCopyProbe);
    wire.outcome = static_cast<uint8_t>(outcome);
    wire.ret = 2;
    ASSERT_TRUE(call(record_of(wire, {1, 2})));
    EXPECT_EQ(event.outcome, expected);
    EXPECT_EQ(event.duration_ns, 900U);
    EXPECT_FALSE(event.has(hal::Has::kReturnCode)) << "what it left in the register is no return value";
  }
  EXPECT_EQ(ledger.count(hal::Loss::unwound_call), 1U);
}

TEST_F(NormaliseTest, OnlyCallsOfCollectiveLibrariesFillAnExchange) {
  exchange.root = 3;
  ASSERT_TRUE(call(record_of(call_at(kCopyProbe), {1, 2})));
  EXPECT_EQ(exchange.root, 3) << "left alone";
  exchange = {};
  ASSERT_TRUE(call(record_of(call_at(kCollectProbe), {0xcafe, 12})));
  EXPECT_EQ(exchange.communicator, 0xcafeU);
  EXPECT_EQ(exchange.count, 12U);
}

TEST_F(NormaliseTest, ACallInFlightHasNoDurationAndCountsNothingYet) {
  wire_call_record record{};
  record.call = call_at(kCopyProbe);
  record.call.outcome = WIRE_IN_FLIGHT;
  record.call.valid = 0;
  ASSERT_TRUE(normaliser.in_flight(record, event, exchange));
  EXPECT_EQ(event.outcome, hal::Outcome::kInFlight);
  EXPECT_FALSE(event.has(hal::Has::kDuration));
  EXPECT_EQ(ledger.count(hal::Loss::word_unreadable), 0U) << "the call's own record will say so";
  record.call.outcome = WIRE_RETURNED;
  EXPECT_FALSE(normaliser.in_flight(record, event, exchange));
}

TEST_F(NormaliseTest, ACallThatBeganWhileItsThreadWasReadIsLeftToTheNextDump) {
  wire_call_record record{};
  record.call = call_at(kCopyProbe);
  record.call.outcome = WIRE_IN_FLIGHT;
  record.call.end_ns = record.call.start_ns - 1;
  EXPECT_FALSE(normaliser.in_flight(record, event, exchange));
  EXPECT_EQ(malformed(), 0U) << "nothing is wrong with it";
  record.call.end_ns = record.call.start_ns;
  EXPECT_TRUE(normaliser.in_flight(record, event, exchange));
}

TEST_F(NormaliseTest, ARecordCutAnywhereIsCountedOnceAndMakesNothing) {
  wire_call wire = call_at(kCopyProbe);
  wire.flags = WIRE_CALL_HAS_OFF;
  const Bytes whole = record_of(wire, {1, 2, 10, 20, 30, 40});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(call({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
    EXPECT_EQ(malformed(), size + 1);
  }
  EXPECT_TRUE(call(whole));
  EXPECT_EQ(malformed(), whole.size());
}

TEST_F(NormaliseTest, ARecordThatContradictsItselfIsMalformed) {
  wire_call words = call_at(kCopyProbe), probe = call_at(kProbes), times = call_at(kCopyProbe);
  words.n_words = WIRE_MAX_WORDS + 1;
  times.end_ns = times.start_ns - 1;
  EXPECT_FALSE(call(record_of(words, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})));
  EXPECT_FALSE(call(record_of(probe, {1, 2})));
  EXPECT_FALSE(call(record_of(times, {1, 2})));
  EXPECT_EQ(malformed(), 3U);
}

TEST_F(NormaliseTest, APreemptionIsOfWhoRanAndIsAllPreempted) {
  ASSERT_TRUE(sched(sched_of(WIRE_OFF_PREEMPTED, 1100, 0, 1300, 55)));
  EXPECT_EQ(probes.calls.host_op(event.call), hal::HostOp::kSchedSwitch);
  EXPECT_EQ(event.start_mono_ns, 1100U);
  EXPECT_EQ(event.duration_ns, 200U);
  EXPECT_EQ(event.off.preempted_ns, 200U);
  EXPECT_EQ(event.off.total_ns(), 200U);
  EXPECT_EQ(event.arg0, 3U);
  EXPECT_EQ(event.arg1, 55U);
  ASSERT_TRUE(event.has(hal::Has::kPreemptedBy));
  EXPECT_EQ(event.preempted_by_pid, 55U);
  EXPECT_EQ(event.preempted_by_ns, 200U);
  EXPECT_EQ(std::string_view(event.preempted_by_comm.data()), "greedy");
  EXPECT_EQ(std::string_view(event.comm.data()), "trainer");
}

TEST_F(NormaliseTest, ASleepIsSplitWhereItWasWokenAndNamesNoOtherProcess) {
  ASSERT_TRUE(sched(sched_of(WIRE_OFF_BLOCKED, 1000, 1700, 2000, 55)));
  EXPECT_EQ(event.off.blocked_ns, 700U);
  EXPECT_EQ(event.off.runqueue_ns, 300U);
  EXPECT_FALSE(event.has(hal::Has::kPreemptedBy));
  ASSERT_TRUE(sched(sched_of(WIRE_OFF_IO, 1000, 1700, 2000, 55)));
  EXPECT_EQ(event.off.io_ns, 700U);
  EXPECT_EQ(event.off.blocked_ns, 0U);
  EXPECT_EQ(event.off.runqueue_ns, 300U);
}

TEST_F(NormaliseTest, WhoHadTheCpuLastWhileAWokenThreadWaitedIsNamedForThatTimeAlone) {
  wire_sched wire = sched_of(WIRE_OFF_BLOCKED, 1000, 1700, 2000, 55);
  wire.preempted_by_ns = 120;
  ASSERT_TRUE(sched(wire));
  ASSERT_TRUE(event.has(hal::Has::kPreemptedBy));
  EXPECT_EQ(event.preempted_by_pid, 55U);
  EXPECT_EQ(event.preempted_by_ns, 120U);
  EXPECT_EQ(event.off.preempted_ns, 0U) << "it slept";
  wire.preempted_by_ns = 5000;
  ASSERT_TRUE(sched(wire));
  EXPECT_EQ(event.preempted_by_ns, 300U) << "not while it slept";
}

TEST_F(NormaliseTest, AWakingOutsideTheSleepIsNotBelieved) {
  for (const uint64_t woken : {uint64_t{0}, uint64_t{900}, uint64_t{1000}, uint64_t{2001}}) {
    ASSERT_TRUE(sched(sched_of(WIRE_OFF_BLOCKED, 1000, woken, 2000, 55)));
    EXPECT_EQ(event.off.blocked_ns, 1000U) << woken;
    EXPECT_EQ(event.off.runqueue_ns, 0U) << woken;
  }
}

TEST_F(NormaliseTest, ANameWithoutAnEndIsCutNotReadPast) {
  wire_sched wire = sched_of(WIRE_OFF_PREEMPTED, 1100, 0, 1300, 55);
  std::memset(wire.comm, 'x', sizeof(wire.comm));
  std::memset(wire.preempted_by_comm, 'y', sizeof(wire.preempted_by_comm));
  ASSERT_TRUE(sched(wire));
  EXPECT_EQ(event.comm.back(), '\0');
  EXPECT_EQ(event.preempted_by_comm.back(), '\0');
  EXPECT_EQ(std::string(event.preempted_by_comm.data()), std::string(15, 'y'));
}

TEST_F(NormaliseTest, AnIntervalThatIsShortOrEndsBeforeItBeganIsMalformed) {
  Bytes cut = bytes_of(sched_of(WIRE_OFF_PREEMPTED, 1100, 0, 1300, 55));
  cut.pop_back();
  EXPECT_FALSE(normaliser.sched(cut, event, wait));
  EXPECT_FALSE(sched(sched_of(WIRE_OFF_PREEMPTED, 1300, 0, 1100, 55)));
  EXPECT_EQ(malformed(), 2U);
}

wire_sched socket_wait() {
  wire_sched wire = sched_of(WIRE_OFF_BLOCKED, 1000, 1700, 2000, 55);
  wire.wait.kind = WIRE_WAIT_SOCKET;
  wire.wait.flags = WIRE_WAIT_HAS_OBJECT | WIRE_WAIT_HAS_PEER | WIRE_WAIT_HAS_DESCRIPTOR | WIRE_WAIT_WRITES |
                    WIRE_WAIT_ACCEPTED | WIRE_WAIT_TIMED_OUT | WIRE_WAIT_HAS_WAKER | WIRE_WAIT_WAKER_IS_KERNEL |
                    WIRE_WAIT_HAS_FAULTS;
  wire.wait.object = 77;
  wire.wait.file_system = 9;
  wire.wait.peer_object = 88;
  wire.wait.minor_faults = 3;
  wire.wait.descriptor = 5;
  wire.wait.syscall = 44;
  wire.wait.waker_syscall = 45;
  wire.wait.waker_pid = 200;
  wire.wait.waker_tid = 201;
  std::memset(wire.wait.waker_comm, 'w', sizeof(wire.wait.waker_comm));
  wire.wait.family = 2;
  wire.wait.local_port = 40000;
  wire.wait.peer_port = 9000;
  wire.wait.peer[0] = 10;
  wire.wait.peer[3] = 9;
  wire.wait.peer[4] = 0xee;
  return wire;
}

TEST_F(NormaliseTest, AWaitHasWhatItsFlagsAnnounce) {
  ASSERT_TRUE(sched(socket_wait()));
  EXPECT_EQ(wait.kind, hal::WaitKind::kSocket);
  EXPECT_EQ(wait.syscall, 44U);
  EXPECT_EQ(wait.object, 77U);
  EXPECT_EQ(wait.file_system, 9U);
  EXPECT_EQ(wait.descriptor, 5);
  EXPECT_EQ(wait.minor_faults, 3U);
  EXPECT_TRUE(wait.is_write);
  EXPECT_TRUE(wait.is_timed_out);
  ASSERT_TRUE(wait.peer.has_value());
  EXPECT_EQ(wait.peer->family, 2);
  EXPECT_EQ(wait.peer->local_port, 40000);
  EXPECT_EQ(wait.peer->peer_port, 9000);
  EXPECT_EQ(wait.peer->peer[3], 9);
  EXPECT_EQ(wait.peer->peer[4], 0) << "behind an address of four bytes";
  EXPECT_TRUE(wait.peer->is_accepted);
  EXPECT_EQ(wait.peer->inode, 0U) << "of no socket of this machine alone";
  ASSERT_TRUE(wait.waker.has_value());
  EXPECT_EQ(wait.waker->pid, 200U);
  EXPECT_EQ(wait.waker->tid, 201U);
  EXPECT_EQ(wait.waker->syscall, 45U);
  EXPECT_TRUE(wait.waker->is_kernel_thread);
  EXPECT_EQ(std::string(wait.waker->comm.data()), std::string(15, 'w'));
  EXPECT_FALSE(wait.is_lock);
}

TEST_F(NormaliseTest, OnlyWaitsForFilesAndFutexesCanBeForLocks) {
  wire_sched wire = socket_wait();
  wire.wait.flags |= WIRE_WAIT_LOCKS;
  ASSERT_TRUE(sched(wire));
  EXPECT_FALSE(wait.is_lock);
  wire.wait.kind = WIRE_WAIT_FILE;
  ASSERT_TRUE(sched(wire));
  EXPECT_TRUE(wait.is_lock);
  wire.wait.kind = WIRE_WAIT_FUTEX;
  ASSERT_TRUE(sched(wire));
  EXPECT_TRUE(wait.is_lock);
  wire.wait.flags &= static_cast<uint16_t>(~WIRE_WAIT_LOCKS);
  ASSERT_TRUE(sched(wire));
  EXPECT_FALSE(wait.is_lock) << "for a condition";
}

TEST_F(NormaliseTest, OfAWaitThatSaysNothingNothingIsKnown) {
  wire_sched wire = socket_wait();
  wire.wait.flags = 0;
  wire.wait.syscall = -1;
  ASSERT_TRUE(sched(wire));
  EXPECT_EQ(wait.kind, hal::WaitKind::kSocket);
  EXPECT_FALSE(wait.syscall || wait.object || wait.descriptor || wait.minor_faults || wait.peer || wait.waker ||
               wait.is_write || wait.is_timed_out || wait.file_system);
  wire = socket_wait();
  wire.wait.file_system = 0;  // of a lock
  ASSERT_TRUE(sched(wire));
  EXPECT_TRUE(wait.object.has_value());
  EXPECT_FALSE(wait.file_system.has_value());
  wire.wait.waker_syscall = -1;
  ASSERT_TRUE(sched(wire));
  EXPECT_FALSE(wait.waker->syscall.has_value());
}

TEST_F(NormaliseTest, APreemptedThreadWaitedForNothing) {
  wire_sched wire = socket_wait();
  wire.off = WIRE_OFF_PREEMPTED;
  wire.wait.kind = WIRE_WAIT_THROTTLED;
  ASSERT_TRUE(sched(wire));
  EXPECT_EQ(wait.kind, hal::WaitKind::kThrottled);
  EXPECT_EQ(wait.minor_faults, 3U);
  EXPECT_FALSE(wait.syscall || wait.object || wait.descriptor || wait.peer || wait.waker) << "left over from before";
}

TEST_F(NormaliseTest, TheOtherEndOfAUnixSocketIsAnInode) {
  wire_sched wire = socket_wait();
  wire.wait.family = 1;
  ASSERT_TRUE(sched(wire));
  EXPECT_EQ(wait.peer->inode, 88U);
  EXPECT_EQ(wait.peer->local_port, 0);
  EXPECT_EQ(wait.peer->peer[0], 0);
}

TEST_F(NormaliseTest, IPv4ThroughASocketOfBothFamiliesIsIPv4) {
  wire_sched wire = socket_wait();
  wire.wait.family = 10;
  std::memset(wire.wait.peer, 0, sizeof(wire.wait.peer));
  wire.wait.peer[15] = 1;
  ASSERT_TRUE(sched(wire));
  EXPECT_EQ(wait.peer->family, 10);
  EXPECT_EQ(wait.peer->peer[15], 1);
  wire.wait.peer[10] = wire.wait.peer[11] = 0xff;
  wire.wait.peer[12] = 10;
  ASSERT_TRUE(sched(wire));
  EXPECT_EQ(wait.peer->family, 2);
  EXPECT_EQ(wait.peer->peer[0], 10);
  EXPECT_EQ(wait.peer->peer[3], 1);
  EXPECT_EQ(wait.peer->peer[15], 0);
}

TEST_F(NormaliseTest, AWaitOfAKindThatIsNotKnownIsMalformed) {
  wire_sched wire = socket_wait();
  wire.wait.kind = WIRE_WAIT_KINDS;
  EXPECT_FALSE(sched(wire));
  EXPECT_EQ(malformed(), 1U);
}

TEST_F(NormaliseTest, TotalsKeepTheirKinds) {
  wire_totals wire{};
  wire.pid = 100;
  wire.tid = 101;
  wire.ns = 5000;
  wire.queued_ns = 6;
  wire.waited[WIRE_WAIT_OTHER] = 7;
  const hal::WaitTotals totals = totals_of(wire);
  EXPECT_EQ(totals.pid, 100U);
  EXPECT_EQ(totals.tid, 101U);
  EXPECT_EQ(totals.mono_ns, 5000U);
  EXPECT_EQ(totals.queued_ns, 6U);
  EXPECT_EQ(totals.ns[static_cast<size_t>(hal::WaitKind::kOther)], 7U);
  EXPECT_EQ(totals.ns[static_cast<size_t>(hal::WaitKind::kPipe)], 0U);
}

// A call of the thread from `start` to `end` with off-CPU times.
wire_call preempted_call(uint64_t start, uint64_t end, uint8_t depth = 0) {
  wire_call wire = call_at(kCopyProbe);
  wire.flags = WIRE_CALL_HAS_OFF;
  wire.start_ns = start;
  wire.end_ns = end;
  wire.depth = depth;
  return wire;
}

TEST_F(NormaliseTest, ACallNamesWhoRanLongestInsideIt) {
  ASSERT_TRUE(sched(sched_of(WIRE_OFF_PREEMPTED, 900, 0, 1100, 55)));   // 100 of it before the call
  ASSERT_TRUE(sched(sched_of(WIRE_OFF_PREEMPTED, 1200, 0, 1350, 66)));  // the longest one
  ASSERT_TRUE(sched(sched_of(WIRE_OFF_PREEMPTED, 1400, 0, 1490, 55)));  // but 55 had 190 in all
  ASSERT_TRUE(sched(sched_of(WIRE_OFF_BLOCKED, 1500, 1500, 1900, 77)));
  ASSERT_TRUE(call(record_of(preempted_call(1000, 1900), {1, 2, 340, 400, 0, 0})));
  ASSERT_TRUE(event.has(hal::Has::kPreemptedBy));
  EXPECT_EQ(event.preempted_by_pid, 55U);
  EXPECT_EQ(event.preempted_by_ns, 190U);
}

TEST_F(NormaliseTest, AnInnerCallLeavesItsIntervalsToTheOuterOne) {
  ASSERT_TRUE(sched(sched_of(WIRE_OFF_PREEMPTED, 1100, 0, 1300, 55)));
  ASSERT_TRUE(call(record_of(preempted_call(1050, 1400, 1), {1, 2, 200, 0, 0, 0})));
  EXPECT_EQ(event.preempted_by_pid, 55U);
  ASSERT_TRUE(call(record_of(preempted_call(1000, 1900), {1, 2, 200, 0, 0, 0})));
  EXPECT_EQ(event.preempted_by_pid, 55U);
  ASSERT_TRUE(call(record_of(preempted_call(1000, 1900), {1, 2, 200, 0, 0, 0})));
  EXPECT_FALSE(event.has(hal::Has::kPreemptedBy)) << "the outermost call takes them with it";
}

TEST_F(NormaliseTest, IntervalsOfAnotherThreadOrOfAnEndedOneDoNotCount) {
  wire_sched other = sched_of(WIRE_OFF_PREEMPTED, 1100, 0, 1300, 55);
  other.tid = 102;
  ASSERT_TRUE(sched(other));
  ASSERT_TRUE(call(record_of(preempted_call(1000, 1900), {1, 2, 200, 0, 0, 0})));
  EXPECT_FALSE(event.has(hal::Has::kPreemptedBy));
  ASSERT_TRUE(sched(sched_of(WIRE_OFF_PREEMPTED, 1100, 0, 1300, 55)));
  normaliser.forget(101);
  ASSERT_TRUE(call(record_of(preempted_call(1000, 1900), {1, 2, 200, 0, 0, 0})));
  EXPECT_FALSE(event.has(hal::Has::kPreemptedBy));
}

TEST_F(NormaliseTest, AnIntervalOutsideOfEveryCallIsOfNoCall) {
  wire_sched not_in_call = sched_of(WIRE_OFF_PREEMPTED, 1100, 0, 1300, 55);
  not_in_call.in_call = 0;
  ASSERT_TRUE(sched(not_in_call));
  EXPECT_TRUE(event.has(hal::Has::kPreemptedBy)) << "of its own";
  ASSERT_TRUE(call(record_of(preempted_call(1000, 1900), {1, 2, 200, 0, 0, 0})));
  EXPECT_FALSE(event.has(hal::Has::kPreemptedBy));
}

TEST_F(NormaliseTest, IntervalsOfTooManyThreadsAreForgottenAndNotKeptForEver) {
  constexpr uint32_t kThreads = 16384;
  for (uint32_t tid = 1000; tid <= 1000 + kThreads; ++tid) {
    wire_sched one = sched_of(WIRE_OFF_PREEMPTED, 1100, 0, 1300, 55);
    one.tid = tid;
    ASSERT_TRUE(sched(one));
  }
  wire_call first = preempted_call(1000, 1900), last = first;
  first.tid = 1000;
  last.tid = 1000 + kThreads;
  ASSERT_TRUE(call(record_of(first, {1, 2, 200, 0, 0, 0})));
  EXPECT_FALSE(event.has(hal::Has::kPreemptedBy));
  ASSERT_TRUE(call(record_of(last, {1, 2, 200, 0, 0, 0})));
  EXPECT_TRUE(event.has(hal::Has::kPreemptedBy)) << "who comes after is known again";
}

TEST_F(NormaliseTest, OfManyIntervalsInOneCallTheShortestGo) {
  ASSERT_TRUE(sched(sched_of(WIRE_OFF_PREEMPTED, 2000, 0, 3000, 55)));
  for (uint64_t i = 0; i < 5000; ++i) {
    ASSERT_TRUE(sched(sched_of(WIRE_OFF_PREEMPTED, 10'000 + 10 * i, 0, 10'000 + 10 * i + 1, 66)));
  }
  ASSERT_TRUE(call(record_of(preempted_call(1000, 9000), {1, 2, 1000, 0, 0, 0})));
  EXPECT_EQ(event.preempted_by_pid, 55U) << "the one that counts was kept";
  EXPECT_EQ(event.preempted_by_ns, 1000U);
}

TEST_F(NormaliseTest, OfManyIntervalsInOneCallNoMoreAreKeptThanThereIsRoomFor) {
  for (uint64_t i = 0; i < 5000; ++i) {
    ASSERT_TRUE(sched(sched_of(WIRE_OFF_PREEMPTED, 10'000 + 10 * i, 0, 10'000 + 10 * i + 1, 66)));
  }
  ASSERT_TRUE(call(record_of(preempted_call(1000, 1'000'000), {1, 2, 5000, 0, 0, 0})));
  EXPECT_EQ(event.preempted_by_ns, 4096U);
  EXPECT_EQ(ledger.count(hal::Loss::engine_forgotten), 904U);
}

// A copy that a parameter makes blocking or not is one of two calls; where the parameter could not be read it bears the
// function's name.
TEST(Normalise, ABlockingParameterSaysWhichCallItIs) {
  static constexpr hal::Param kShape[] = {{hal::Abi::kPtr, hal::Field::kAddress},
                                          {hal::Abi::kI32, hal::Field::kBlocking}};
  static constexpr hal::Row kWrite[] = {{.name = "write", .kind = hal::Kind::kMemcpy, .shape = kShape}};
  static constexpr hal::Library kLibrary[] = {{.name = "lib", .sonames = {}, .rows = kWrite, .layer = "LIB"}};
  static constexpr hal::Backend kWriter = {.name = "w", .vendor = "v", .libraries = kLibrary};
  static constexpr const hal::Backend* kWriters[] = {&kWriter};
  const hal::CallTable calls(kWriters);
  const hal::CallId blocking = calls.id_of(kWrite[0]);
  const hal::CallId non_blocking = calls.non_blocking(blocking);
  ASSERT_NE(non_blocking, hal::kNoCall);
  EXPECT_EQ(calls[non_blocking].name, "write (non-blocking)");
  EXPECT_EQ(calls[non_blocking].flags & hal::kAsync, hal::kAsync);
  EXPECT_EQ(calls[blocking].flags & hal::kAsync, 0U);
  const hal::Lowered lowered = std::move(hal::lower(kWrite[0], hal::kHostArch)).value();
  ProbeTable table;
  table.append({blocking, &lowered, non_blocking});
  hal::LossLedger ledger;
  Normaliser normaliser(calls, table, ledger);
  const auto call_with = [&](uint64_t parameter, uint16_t valid) {
    wire_call call = call_at(0);
    call.valid = valid;
    Bytes record = bytes_of(call);
    const std::array<uint64_t, 2> words = {0x1000, parameter};
    for (const std::byte byte : std::as_bytes(std::span(words))) record.push_back(byte);
    hal::Event event;
    hal::Exchange exchange;
    EXPECT_TRUE(normaliser.call(record, event, exchange));
    return event.call;
  };
  EXPECT_EQ(call_with(1, 3), blocking);
  EXPECT_EQ(call_with(0, 3), non_blocking);
  EXPECT_EQ(call_with(0xffffffff00000000, 3), non_blocking);  // an int's upper half is garbage
  EXPECT_EQ(call_with(0, 1), blocking);
}

TEST_F(NormaliseTest, ACallFromBeforeItsProbesNumberWasGivenAgainIsNoneOfTheNewFunctions) {
  const ProbeMeaning former = probes.table[kCopyProbe];
  ProbeMeaning present = former;
  present.since_mono_ns = 1001;
  probes.table.put(kCopyProbe, present);
  wire_call wire = call_at(kCopyProbe);  // from 1000 on
  EXPECT_FALSE(call(record_of(wire, {1, 2})));
  EXPECT_EQ(ledger.count(hal::Loss::probe_reused), 1U);
  EXPECT_EQ(malformed(), 0U);
  wire.outcome = WIRE_IN_FLIGHT;
  EXPECT_FALSE(call(record_of(wire, {1, 2})));
  EXPECT_EQ(ledger.count(hal::Loss::probe_reused), 1U) << "its end is still to come";
  wire = call_at(kCollectProbe);
  wire.depth = 1;
  wire.parent_probe = kCopyProbe;
  wire.parent_start_ns = 900;
  ASSERT_TRUE(call(record_of(wire, {1, 2})));
  EXPECT_FALSE(event.has(hal::Has::kParent)) << "it is not known which";
  present.since_mono_ns = 1000;
  probes.table.put(kCopyProbe, present);
  EXPECT_TRUE(call(record_of(call_at(kCopyProbe), {1, 2})));
}

TEST(ProbeTable, IsFullAtItsBound) {
  ProbeTable table;
  for (uint32_t i = 0; i < WIRE_MAX_PROBES; ++i) ASSERT_TRUE(table.append({}));
  EXPECT_FALSE(table.append({}));
  EXPECT_EQ(table.size(), static_cast<uint32_t>(WIRE_MAX_PROBES));
}

}  // namespace
}  // namespace ingero::kernelside
