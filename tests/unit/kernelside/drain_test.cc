// The rings, drained: which record becomes what, in which order, how much at a time, and what a record that is not one
// costs. The rings are plain memory, their writer is the test.
#include "kernelside/drain.h"

#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "capture_records.h"

namespace ingero::kernelside {
namespace {

using namespace testing;

class DrainTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto rings = std::make_unique<EventRings>();
    ASSERT_TRUE(rings->critical.open(critical.memory(), critical.ready(), critical.bytes(), "critical").ok());
    ASSERT_TRUE(rings->events.open(events.memory(), events.ready(), events.bytes(), "events").ok());
    ASSERT_TRUE(rings->stacks.open(stacks.memory(), stacks.ready(), stacks.bytes(), "stacks").ok());
    auto opened = Drain::open(std::move(rings), probes.calls, normaliser, ledger);
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    drain = std::move(*opened);
  }
  // Whether records may be left.
  bool poll(size_t max_events = 1000) {
    const auto left = drain->poll(0, max_events, batch);
    EXPECT_TRUE(left.ok());
    return left.ok() && *left;
  }
  uint64_t malformed() const { return ledger.count(hal::Loss::record_malformed); }

  Probes probes;
  hal::LossLedger ledger;
  Normaliser normaliser{probes.calls, probes.table, ledger};
  FakeRing critical, events, stacks{1 << 21};
  std::unique_ptr<Drain> drain;
  RingRecords batch;
};

Bytes call_record(uint32_t probe = kCopyProbe) { return record_of(call_at(probe), {1, 2}); }

template <typename Record>
Record record_of_type(uint16_t type) {
  Record record{};
  record.type = type;
  return record;
}

wire_tcp tcp_record() {
  wire_tcp tcp = record_of_type<wire_tcp>(WIRE_TCP);
  tcp.family = AF_INET;
  tcp.dport = 443;
  tcp.socket_inode = 99;
  return tcp;
}

wire_process_end process_record() {
  wire_process_end end = record_of_type<wire_process_end>(WIRE_PROCESS);
  end.ns = 5;
  end.process.pid = 100;
  end.process.net_sends = 3;
  return end;
}

wire_stack stack_record(uint32_t bytes) {
  wire_stack stack = record_of_type<wire_stack>(WIRE_STACK);
  stack.tid = 101;
  stack.bytes = bytes;
  return stack;
}

Bytes with_tail(Bytes record, size_t bytes) {
  record.resize(record.size() + bytes, std::byte{0x5a});
  return record;
}

TEST_F(DrainTest, EachTypeOfRecordGoesWhereItBelongs) {
  for (const uint16_t type : {WIRE_EXEC, WIRE_EXIT, WIRE_FORK, WIRE_OOM, WIRE_TRACED}) {
    critical.write(bytes_of(record_of_type<wire_task>(type)));
  }
  critical.write(bytes_of(process_record()));
  events.write(call_record());
  events.write(call_record(kCollectProbe));
  events.write(bytes_of(sched_of(WIRE_OFF_PREEMPTED, 1100, 0, 1300, 55)));
  events.write(bytes_of(record_of_type<wire_block>(WIRE_BLOCK)));
  events.write(bytes_of(tcp_record()));
  events.write(bytes_of(record_of_type<wire_name>(WIRE_NAME)));
  stacks.write(with_tail(bytes_of(stack_record(16)), 16));
  stacks.write(bytes_of(record_of_type<wire_code>(WIRE_CODE)));
  EXPECT_FALSE(poll());
  EXPECT_EQ(batch.tasks.size(), 5U);
  EXPECT_EQ(batch.events.size(), 9U) << "four tasks (a first call is no event), two calls, a switch, a disk, a socket";
  ASSERT_EQ(batch.exchanges.size(), 1U);
  EXPECT_EQ(batch.events[batch.exchanges[0].first].kind, hal::Kind::kCollective);
  EXPECT_EQ(batch.exchanges[0].second.communicator, 1U);
  ASSERT_EQ(batch.waits.size(), 1U);
  EXPECT_EQ(probes.calls.host_op(batch.events[batch.waits[0].first].call), hal::HostOp::kSchedSwitch);
  ASSERT_EQ(batch.tcp.size(), 1U);
  EXPECT_EQ(probes.calls.host_op(batch.events[batch.tcp[0].first].call), hal::HostOp::kTcpRetransmit);
  EXPECT_EQ(batch.tcp[0].second.socket_inode, 99U);
  EXPECT_EQ(batch.tcp[0].second.detail.destination_port, 443U);
  ASSERT_EQ(batch.ended.size(), 1U);
  EXPECT_EQ(batch.ended[0].counters.net_sends, 3U);
  EXPECT_EQ(batch.ended[0].mono_ns, 5U);
  EXPECT_EQ(batch.names.size(), 1U);
  ASSERT_EQ(batch.stacks.size(), 1U);
  EXPECT_EQ(batch.stacks[0].head.tid, 101U);
  EXPECT_EQ(batch.stacks[0].bytes, Bytes(16, std::byte{0x5a}));
  EXPECT_EQ(batch.codes.size(), 1U);
  EXPECT_EQ(malformed(), 0U);
  batch.clear();
  EXPECT_TRUE(batch.events.empty() && batch.exchanges.empty() && batch.tasks.empty() && batch.codes.empty() &&
              batch.waits.empty());
}

TEST_F(DrainTest, HostEventsHaveTheClockAsItWasMeasuredLast) {
  normaliser.set_wall_offset_ns(77);
  critical.write(bytes_of(record_of_type<wire_task>(WIRE_EXIT)));
  poll();
  ASSERT_EQ(batch.events.size(), 1U);
  EXPECT_EQ(batch.events[0].wall_offset_ns, 77);
}

// Cut short by one byte, each is lost once, and nothing of it is kept.
TEST_F(DrainTest, AShortRecordOfAnyTypeIsCountedOnce) {
  std::vector<Bytes> records = {call_record(),
                                bytes_of(sched_of(WIRE_OFF_PREEMPTED, 1100, 0, 1300, 55)),
                                bytes_of(record_of_type<wire_block>(WIRE_BLOCK)),
                                bytes_of(tcp_record()),
                                bytes_of(record_of_type<wire_name>(WIRE_NAME)),
                                bytes_of(process_record())};
  for (const uint16_t type : {WIRE_EXEC, WIRE_EXIT, WIRE_FORK, WIRE_OOM, WIRE_TRACED}) {
    records.push_back(bytes_of(record_of_type<wire_task>(type)));
  }
  uint64_t expected = 0;
  for (Bytes& record : records) {
    record.pop_back();
    uint16_t type = 0;
    std::memcpy(&type, record.data(), sizeof(type));
    events.write(record);
    poll();
    EXPECT_EQ(malformed(), ++expected) << "type " << type;
  }
  for (const Bytes& record : {with_tail(bytes_of(stack_record(16)), 15), Bytes(4)}) {
    stacks.write(record);
    poll();
    EXPECT_EQ(malformed(), ++expected);
  }
  EXPECT_TRUE(batch.events.empty() && batch.tasks.empty() && batch.names.empty() && batch.ended.empty() &&
              batch.tcp.empty() && batch.exchanges.empty() && batch.stacks.empty());
}

TEST_F(DrainTest, AnUnknownTypeIsCountedAndTheNextRecordIsRead) {
  for (const uint16_t type : {uint16_t{0}, uint16_t{WIRE_STACK}, uint16_t{999}}) {
    events.write(bytes_of(record_of_type<wire_task>(type)));
  }
  events.write(Bytes(1));
  events.write(call_record());
  poll();
  EXPECT_EQ(malformed(), 4U);
  EXPECT_EQ(batch.events.size(), 1U);
}

TEST_F(DrainTest, AStackThatSaysMoreThanItHoldsIsCounted) {
  wire_stack returns = stack_record(0), python = stack_record(0), bytes = stack_record(UINT32_MAX);
  returns.n_returns = WIRE_STACK_RETURNS + 1;
  python.n_python = WIRE_STACK_PYTHON + 1;
  for (const wire_stack& stack : {returns, python, bytes}) stacks.write(bytes_of(stack));
  poll();
  EXPECT_TRUE(batch.stacks.empty());
  EXPECT_EQ(malformed(), 3U);
}

TEST_F(DrainTest, ARecordThatIsBeingWrittenHoldsBackThoseBehindIt) {
  for (FakeRing* ring : {&events, &critical}) {
    batch.clear();
    const uint64_t open = ring->begin(call_record());
    ring->write(call_record());
    EXPECT_FALSE(poll()) << "to ask again at once would find no more";
    EXPECT_EQ(batch.events.size(), 0U);
    EXPECT_FALSE(drain->is_complete());
    ring->finish(open);
    poll();
    EXPECT_EQ(batch.events.size(), 2U);
    EXPECT_TRUE(drain->is_complete());
  }
}

TEST_F(DrainTest, IsCompleteWhenAllThatWasBegunBeforeIsTaken) {
  EXPECT_FALSE(poll());
  EXPECT_TRUE(drain->is_complete()) << "nothing was begun";
  for (int i = 0; i < 5; ++i) events.write(call_record());
  EXPECT_TRUE(poll(4));
  EXPECT_FALSE(drain->is_complete());
  batch.clear();
  EXPECT_FALSE(poll(4));
  EXPECT_TRUE(drain->is_complete());
  events.begin(call_record());
  EXPECT_TRUE(drain->is_complete()) << "what was begun since is the next poll's";
}

TEST_F(DrainTest, ARecordThatWasGivenUpIsPassedOver) {
  events.finish(events.begin(call_record()), true);
  events.write(call_record());
  poll();
  EXPECT_EQ(batch.events.size(), 1U);
  EXPECT_EQ(malformed(), 0U);
  EXPECT_EQ(events.consumed(), events.produced());
}

TEST_F(DrainTest, RecordsAcrossTheRingsEndAreWhole) {
  wire_name name = record_of_type<wire_name>(WIRE_NAME);
  std::memset(name.name, 'n', sizeof(name.name));
  for (uint32_t i = 0; i < 1000; ++i) {  // many times around
    name.tid = i;
    events.write(bytes_of(name));
    batch.clear();
    poll();
    ASSERT_EQ(batch.names.size(), 1U);
    ASSERT_EQ(std::memcmp(batch.names.data(), &name, sizeof(name)), 0) << i;
  }
}

TEST_F(DrainTest, ABatchEndsWhereItIsFullAndTheRestComesNext) {
  for (int i = 0; i < 10; ++i) events.write(call_record());
  EXPECT_TRUE(poll(4));
  EXPECT_EQ(batch.events.size(), 4U);
  batch.clear();
  EXPECT_TRUE(poll(4));
  batch.clear();
  EXPECT_FALSE(poll(4));
  EXPECT_EQ(batch.events.size(), 2U);
}

TEST_F(DrainTest, StacksAreTakenInPartsAndCodeObjectsCountAmongThem) {
  for (size_t i = 0; i < Drain::kStacksAtOnce; ++i) stacks.write(bytes_of(stack_record(0)));
  stacks.write(bytes_of(record_of_type<wire_code>(WIRE_CODE)));
  stacks.write(bytes_of(stack_record(0)));
  poll();
  EXPECT_EQ(batch.stacks.size(), Drain::kStacksAtOnce);
  EXPECT_TRUE(batch.codes.empty());
  EXPECT_TRUE(drain->take_stacks(batch)) << "no more are there";
  EXPECT_EQ(batch.stacks.size(), Drain::kStacksAtOnce + 1);
  EXPECT_EQ(batch.codes.size(), 1U);
}

// What says whose calls these are: the critical ring is read again after the calls, even of a full batch.
TEST_F(DrainTest, AFullBatchStillHasTheProcessesOfItsCalls) {
  for (int i = 0; i < 4; ++i) events.write(call_record());
  critical.write(bytes_of(record_of_type<wire_task>(WIRE_TRACED)));
  EXPECT_TRUE(poll(4));
  EXPECT_EQ(batch.events.size(), 4U);
  EXPECT_EQ(batch.tasks.size(), 1U);
}

TEST_F(DrainTest, TheCriticalRingIsReadOnceMoreForAsManyAsABatchHolds) {
  for (int i = 0; i < 5; ++i) critical.write(bytes_of(record_of_type<wire_task>(WIRE_EXEC)));
  EXPECT_TRUE(poll(1));
  EXPECT_EQ(batch.tasks.size(), 2U) << "one that fills the batch, and one when its calls are looked at";
  EXPECT_TRUE(poll(4));
  EXPECT_EQ(batch.tasks.size(), 5U);
}

TEST_F(DrainTest, AnExchangeHoldsNothingOfTheOneBefore) {
  events.write(record_of(call_at(kCollectProbe), {0xcafe, 12}));
  wire_call unreadable = call_at(kCollectProbe);
  unreadable.valid = 0;
  events.write(record_of(unreadable, {0, 0}));
  poll();
  ASSERT_EQ(batch.exchanges.size(), 2U);
  EXPECT_EQ(batch.exchanges[0].second.communicator, 0xcafeU);
  EXPECT_FALSE(batch.exchanges[1].second.communicator.has_value());
  EXPECT_FALSE(batch.exchanges[1].second.count.has_value());
}

TEST_F(DrainTest, TheCriticalRingComesFirst) {
  events.write(call_record());
  critical.write(bytes_of(record_of_type<wire_task>(WIRE_EXEC)));
  poll();
  ASSERT_EQ(batch.events.size(), 2U);
  EXPECT_EQ(probes.calls.host_op(batch.events[0].call), hal::HostOp::kExec);
}

TEST_F(DrainTest, AnEndThatWasNotedIsReachedWhateverComesAfterIt) {
  events.write(call_record());
  events.write(call_record());
  stacks.write(with_tail(bytes_of(stack_record(8)), 8));
  drain->end_here();
  EXPECT_FALSE(drain->is_past_end());
  EXPECT_EQ(drain->unread(), 3U);
  critical.write(bytes_of(record_of_type<wire_task>(WIRE_EXIT)));
  poll(1);
  EXPECT_EQ(drain->unread(), 2U) << "the exit came after the end, and filled the batch";
  while (poll(1000)) {
  }
  EXPECT_TRUE(drain->is_past_end());
  EXPECT_EQ(drain->unread(), 0U);
}

TEST_F(DrainTest, ARecordThatIsNeverFinishedStaysUnreadWithThoseBehindIt) {
  events.begin(call_record());
  events.write(call_record());
  drain->end_here();
  poll();
  EXPECT_FALSE(drain->is_past_end());
  EXPECT_EQ(drain->unread(), 2U);
}

// A ring that is not mapped whole: its next window cannot be mapped for a while.
TEST_F(DrainTest, ARingThatCannotBeMappedIsReportedOnceAndReadLater) {
  FakeRing large(4 * Ring::kWindowBytes);
  const int memory = dup(large.memory());
  auto rings = std::make_unique<EventRings>();
  ASSERT_TRUE(rings->critical.open(critical.memory(), critical.ready(), critical.bytes(), "critical").ok());
  ASSERT_TRUE(rings->events.open(memory, large.ready(), large.bytes(), "events").ok());
  ASSERT_TRUE(rings->stacks.open(stacks.memory(), stacks.ready(), stacks.bytes(), "stacks").ok());
  drain = std::move(Drain::open(std::move(rings), probes.calls, normaliser, ledger)).value();
  ::close(memory);
  size_t written = 0;
  for (; large.produced() < Ring::kWindowBytes + 1000; ++written) large.write(call_record());
  const auto first = drain->poll(0, 100'000, batch);
  ASSERT_FALSE(first.ok());
  EXPECT_NE(first.error().text().find("events"), std::string::npos) << first.error().text();
  EXPECT_LT(batch.events.size(), written);
  EXPECT_FALSE(drain->is_complete());
  critical.write(bytes_of(record_of_type<wire_task>(WIRE_TRACED)));
  EXPECT_FALSE(poll(100'000)) << "to ask again at once would find no more";
  EXPECT_EQ(batch.tasks.size(), 1U) << "the others are read";
  ASSERT_EQ(dup2(large.memory(), memory), memory);
  poll(100'000);
  EXPECT_EQ(batch.events.size(), written);
  EXPECT_TRUE(drain->is_complete());
  EXPECT_EQ(malformed(), 0U);
  drain.reset();
  ::close(memory);
}

TEST_F(DrainTest, AWaitEndsWhenARingsWriterOrAnotherThreadWakesIt) {
  using std::chrono::steady_clock;
  constexpr int kLongMs = 30'000;
  const auto begin = steady_clock::now();
  critical.wake();
  ASSERT_TRUE(drain->poll(kLongMs, 10, batch).ok());
  uint64_t count = 0;
  ASSERT_EQ(::read(critical.ready(), &count, sizeof(count)), 8);
  std::thread other([&] { drain->wake(); });
  ASSERT_TRUE(drain->poll(kLongMs, 10, batch).ok());
  other.join();
  ASSERT_TRUE(drain->poll(kLongMs, 10, batch).ok()) << "and from now on";
  EXPECT_LT(steady_clock::now() - begin, std::chrono::milliseconds(kLongMs));
}

}  // namespace
}  // namespace ingero::kernelside
