// Host records to events: every field in its place, and nothing made of a record that is not one.
#include "kernelside/host_events.h"

#include <sys/socket.h>

#include <cstring>
#include <string_view>

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

template <typename Record>
std::span<const std::byte> span_of(const Record& record) {
  return std::as_bytes(std::span(&record, 1));
}

class HostEvents : public ::testing::Test {
 protected:
  hal::CallTable calls{{}};
  hal::Event event;
};

wire_task task_of(uint16_t type) {
  wire_task task{};
  task.type = type;
  task.code = 9;
  task.pid = 100;
  task.tid = 100;
  task.other_pid = 50;
  task.ns = 12345;
  task.cgroup_id = 8;
  std::memcpy(task.comm, "trainer", 8);
  return task;
}

TEST_F(HostEvents, AnExitCarriesItsStatus) {
  const auto task = task_of(WIRE_EXIT);
  ASSERT_TRUE(task_event(span_of(task), calls, event));
  EXPECT_EQ(calls.host_op(event.call), hal::HostOp::kExit);
  EXPECT_EQ(event.pid, 100U);
  EXPECT_EQ(event.start_mono_ns, 12345U);
  EXPECT_EQ(event.cgroup_id, 8U);
  EXPECT_TRUE(event.has(hal::Has::kReturnCode));
  EXPECT_EQ(event.return_code, 9);
  EXPECT_TRUE(event.failed);
  EXPECT_FALSE(event.has(hal::Has::kDuration));
  EXPECT_EQ(std::string_view(event.comm.data()), "trainer");
  EXPECT_FALSE(event.has(hal::Has::kSender)) << "who sent the signal is not known";
}

TEST_F(HostEvents, AnExitByASignalNamesWhoSentIt) {
  auto task = task_of(WIRE_EXIT);
  task.sender_pid = 70;
  std::memset(task.sender_comm, 'k', sizeof(task.sender_comm));
  ASSERT_TRUE(task_event(span_of(task), calls, event));
  ASSERT_TRUE(event.has(hal::Has::kSender));
  EXPECT_EQ(event.sender_pid, 70U);
  EXPECT_EQ(std::string(event.sender_comm.data()), std::string(15, 'k'));
}

TEST_F(HostEvents, AForkIsTheParentsAndNamesTheChild) {
  const auto task = task_of(WIRE_FORK);
  ASSERT_TRUE(task_event(span_of(task), calls, event));
  EXPECT_EQ(calls.host_op(event.call), hal::HostOp::kFork);
  EXPECT_EQ(event.pid, 50U);
  EXPECT_EQ(event.arg1, 100U);
  EXPECT_TRUE(event.has(hal::Has::kArg1));
  EXPECT_FALSE(event.has(hal::Has::kArg0));
  EXPECT_FALSE(event.has(hal::Has::kReturnCode));
}

TEST_F(HostEvents, AnOomKillNamesItsVictim) {
  const auto task = task_of(WIRE_OOM);
  ASSERT_TRUE(task_event(span_of(task), calls, event));
  EXPECT_EQ(calls.host_op(event.call), hal::HostOp::kOomKill);
  EXPECT_EQ(event.arg1, 100U);
}

TEST_F(HostEvents, TheFirstCallOfAProcessIsNoEvent) {
  const auto task = task_of(WIRE_TRACED);
  EXPECT_FALSE(task_event(span_of(task), calls, event));
}

TEST_F(HostEvents, ABlockRequestIsItsOwnersFromIssueToCompletion) {
  wire_block block{};
  block.type = WIRE_BLOCK;
  block.op = 1;
  block.failed = 1;
  block.dev = 7 << 20 | 3;
  block.pid = 100;
  block.tid = 101;
  block.issue_ns = 1000;
  block.complete_ns = 4000;
  block.sector = 2048;
  block.bytes = 8192;
  std::memset(block.comm, 'x', sizeof(block.comm));  // not terminated
  ASSERT_TRUE(block_event(span_of(block), calls, event));
  EXPECT_EQ(calls.host_op(event.call), hal::HostOp::kBlockWrite);
  EXPECT_EQ(event.start_mono_ns, 1000U);
  EXPECT_EQ(event.duration_ns, 3000U);
  EXPECT_EQ(event.tid, 101U);
  EXPECT_TRUE(event.failed);
  EXPECT_EQ(event.bytes, 8192U);
  EXPECT_EQ(event.arg0, 16U);
  EXPECT_EQ(event.arg1, 2048U);
  EXPECT_EQ(event.handle, block.dev);
  EXPECT_FALSE(event.has(hal::Has::kDevice));
  EXPECT_EQ(std::strlen(event.comm.data()), 15U);
}

TEST_F(HostEvents, EveryBlockOperationHasItsCall) {
  wire_block block{};
  block.type = WIRE_BLOCK;
  const hal::HostOp ops[] = {hal::HostOp::kBlockRead, hal::HostOp::kBlockWrite, hal::HostOp::kBlockDiscard,
                             hal::HostOp::kBlockFlush, hal::HostOp::kBlockOther};
  for (uint8_t op = 0; op < 5; ++op) {
    block.op = op;
    ASSERT_TRUE(block_event(span_of(block), calls, event));
    EXPECT_EQ(calls.host_op(event.call), ops[op]);
  }
  block.op = 5;
  EXPECT_FALSE(block_event(span_of(block), calls, event));
  block.op = 0;
  block.issue_ns = 1;  // ends before it starts
  EXPECT_FALSE(block_event(span_of(block), calls, event));
}

TEST_F(HostEvents, ARetransmissionCarriesItsSocket) {
  wire_tcp tcp{};
  tcp.type = WIRE_TCP;
  tcp.family = AF_INET;
  tcp.state = 1;
  tcp.pid = 100;
  tcp.sport = 40000;
  tcp.dport = 443;
  tcp.seq = 0xdeadbeef;
  tcp.ns = 77;
  tcp.socket_inode = 555;
  const uint8_t source[] = {10, 0, 0, 1};
  const uint8_t destination[] = {192, 168, 1, 2};
  std::memcpy(tcp.saddr, source, 4);
  std::memcpy(tcp.daddr, destination, 4);
  tcp.saddr[7] = 0xff;  // beyond an IPv4 address: not copied
  hal::TcpDetail detail;
  uint64_t inode = 0;
  ASSERT_TRUE(tcp_event(span_of(tcp), calls, event, detail, inode));
  EXPECT_EQ(event.arg0, 0x0a000001ULL << 32 | 0xc0a80102U);
  EXPECT_EQ(event.arg1, 40000ULL << 16 | 443);
  EXPECT_EQ(detail.sequence, 0xdeadbeefU);
  EXPECT_EQ(detail.source_port, 40000);
  EXPECT_EQ(detail.destination_port, 443);
  EXPECT_EQ(detail.state, 1U);
  EXPECT_EQ(detail.source[3], 1);
  EXPECT_EQ(detail.source[7], 0);
  EXPECT_EQ(inode, 555U);

  tcp.family = AF_INET6;
  ASSERT_TRUE(tcp_event(span_of(tcp), calls, event, detail, inode));
  EXPECT_FALSE(event.has(hal::Has::kArg0));
  EXPECT_EQ(detail.source[7], 0xff);
  tcp.family = AF_UNIX;
  EXPECT_FALSE(tcp_event(span_of(tcp), calls, event, detail, inode));
}

TEST_F(HostEvents, ShortAndForeignRecordsAreRefusedAndChangeNothing) {
  wire_block block{};
  block.type = WIRE_BLOCK;
  event.pid = 4711;
  hal::TcpDetail detail;
  uint64_t number = 0;
  wire_process counters{};
  const auto all = span_of(block);
  for (size_t size = 0; size < sizeof(block); ++size) EXPECT_FALSE(block_event(all.first(size), calls, event));
  EXPECT_FALSE(task_event(all, calls, event));
  EXPECT_FALSE(tcp_event(all, calls, event, detail, number));
  EXPECT_FALSE(process_end(all, counters, number));
  EXPECT_EQ(event.pid, 4711U);
}

TEST_F(HostEvents, CountersBecomeOneEventPerKindThatMoved) {
  wire_process before{};
  before.pid = 100;
  before.start_ns = 5;
  before.page_allocs = 10;
  before.page_alloc_bytes = 40960;
  before.net_sends = 3;
  before.net_sent_bytes = 300;
  wire_process now = before;
  now.page_allocs = 12;
  now.page_alloc_bytes = 49152;
  now.net_receives = 1;
  now.net_received_bytes = 0;  // end of stream
  const auto events = counter_events(before, now, 3000, calls);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(calls.host_op(events[0].call), hal::HostOp::kPageAlloc);
  EXPECT_EQ(events[0].arg0, 2U);
  EXPECT_EQ(events[0].arg1, 8192U);
  EXPECT_EQ(events[0].bytes, 8192U);
  EXPECT_EQ(events[0].start_mono_ns, 3000U);
  EXPECT_FALSE(events[0].has(hal::Has::kDuration)) << "an interval is not a latency";
  EXPECT_EQ(calls.host_op(events[1].call), hal::HostOp::kNetReceive);
  EXPECT_EQ(events[1].arg0, 1U);
  EXPECT_EQ(events[1].bytes, 0U);
}

TEST_F(HostEvents, AReusedPidStartsFromZero) {
  wire_process before{};
  before.pid = 100;
  before.start_ns = 5;
  before.page_allocs = 10;
  wire_process now{};
  now.pid = 100;
  now.start_ns = 2000;
  now.page_allocs = 12;
  now.page_alloc_bytes = 49152;
  const auto events = counter_events(before, now, 3000, calls);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].arg0, 12U);
  EXPECT_EQ(events[0].start_mono_ns, 3000U);
}

}  // namespace
}  // namespace ingero::kernelside
