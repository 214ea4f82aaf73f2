// Converts the kernel side's host records to events, one function per kind of record.
#include "kernelside/host_events.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include <arpa/inet.h>

namespace ingero::kernelside {
namespace {

constexpr uint64_t kSectorBytes = 512;  // the kernel's unit, whatever the disk's is

template <typename Record>
std::optional<Record> record_of(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, bytes.data(), sizeof(Record));
  return record;
}

hal::Event host_event(const hal::CallTable& calls, hal::HostOp op, uint32_t pid, uint32_t tid, uint64_t start_ns) {
  hal::Event event;
  event.call = calls.id_of(op);
  event.kind = hal::Kind::kHost;
  event.pid = pid;
  event.tid = tid;
  event.start_mono_ns = start_ns;
  return event;
}

void set_arg0(hal::Event& event, uint64_t value) {
  event.arg0 = value;
  event.set(hal::Has::kArg0);
}

void set_arg1(hal::Event& event, uint64_t value) {
  event.arg1 = value;
  event.set(hal::Has::kArg1);
}

void set_bytes(hal::Event& event, uint64_t bytes) {
  event.bytes = bytes;
  event.set(hal::Has::kBytes);
}

void set_comm(hal::Event& event, const char (&comm)[WIRE_COMM_LEN]) {
  static_assert(sizeof(comm) == sizeof(event.comm));
  std::memcpy(event.comm.data(), comm, sizeof(comm));
  event.comm.back() = '\0';
}

void set_sender(hal::Event& event, const wire_task& record) {
  event.sender_pid = record.sender_pid;
  std::memcpy(event.sender_comm.data(), record.sender_comm, sizeof(record.sender_comm));
  event.sender_comm.back() = '\0';
  event.set(hal::Has::kSender);
}

std::optional<hal::HostOp> block_op(uint8_t op) {
  static constexpr hal::HostOp kOps[] = {hal::HostOp::kBlockRead, hal::HostOp::kBlockWrite, hal::HostOp::kBlockDiscard,
                                         hal::HostOp::kBlockFlush, hal::HostOp::kBlockOther};
  if (op >= std::size(kOps)) return std::nullopt;
  return kOps[op];
}

}  // namespace

bool task_event(std::span<const std::byte> bytes, const hal::CallTable& calls, hal::Event& event) {
  const auto record = record_of<wire_task>(bytes);
  if (!record) return false;
  switch (record->type) {
    case WIRE_EXEC:
      event = host_event(calls, hal::HostOp::kExec, record->pid, record->tid, record->ns);
      break;
    case WIRE_EXIT:
      event = host_event(calls, hal::HostOp::kExit, record->pid, record->tid, record->ns);
      event.return_code = record->code;
      event.failed = record->code != 0;
      event.set(hal::Has::kReturnCode);
      if (record->sender_pid != 0) set_sender(event, *record);
      break;
    case WIRE_FORK:
      // Which of the parent's threads forked is not on the wire: its leader stands for it.
      event = host_event(calls, hal::HostOp::kFork, record->other_pid, record->other_pid, record->ns);
      set_arg1(event, record->pid);
      break;
    case WIRE_OOM:
      event = host_event(calls, hal::HostOp::kOomKill, record->pid, record->tid, record->ns);
      set_arg0(event, 0);
      set_arg1(event, record->pid);
      break;
    default:
      return false;
  }
  event.cgroup_id = record->cgroup_id;
  set_comm(event, record->comm);
  return true;
}

bool block_event(std::span<const std::byte> bytes, const hal::CallTable& calls, hal::Event& event) {
  const auto record = record_of<wire_block>(bytes);
  if (!record || record->type != WIRE_BLOCK || record->complete_ns < record->issue_ns) return false;
  const auto op = block_op(record->op);
  if (!op) return false;
  event = host_event(calls, *op, record->pid, record->tid, record->issue_ns);
  event.duration_ns = record->complete_ns - record->issue_ns;
  event.set(hal::Has::kDuration);
  event.failed = record->failed != 0;
  event.cgroup_id = record->cgroup_id;
  // The event's `device` is an accelerator's number; a disk goes by its dev_t.
  event.handle = record->dev;
  event.set(hal::Has::kHandle);
  set_bytes(event, record->bytes);
  set_arg0(event, record->bytes / kSectorBytes);
  set_arg1(event, record->sector);
  set_comm(event, record->comm);
  return true;
}

bool tcp_event(std::span<const std::byte> bytes, const hal::CallTable& calls, hal::Event& event, hal::TcpDetail& detail,
               uint64_t& socket_inode) {
  const auto record = record_of<wire_tcp>(bytes);
  if (!record || record->type != WIRE_TCP) return false;
  if (record->family != AF_INET && record->family != AF_INET6) return false;
  event = host_event(calls, hal::HostOp::kTcpRetransmit, record->pid, record->tid, record->ns);
  event.cgroup_id = record->cgroup_id;
  if (record->family == AF_INET) {
    uint32_t source = 0;
    uint32_t destination = 0;
    std::memcpy(&source, record->saddr, sizeof(source));
    std::memcpy(&destination, record->daddr, sizeof(destination));
    set_arg0(event, static_cast<uint64_t>(ntohl(source)) << 32 | ntohl(destination));
  }
  set_arg1(event, static_cast<uint64_t>(record->sport) << 16 | record->dport);
  detail = hal::TcpDetail{};
  detail.family = record->family;
  detail.source_port = record->sport;
  detail.destination_port = record->dport;
  detail.state = record->state;
  detail.sequence = record->seq;
  const size_t size = record->family == AF_INET ? 4 : 16;
  std::copy_n(record->saddr, size, detail.source.begin());
  std::copy_n(record->daddr, size, detail.destination.begin());
  socket_inode = record->socket_inode;
  return true;
}

bool process_end(std::span<const std::byte> bytes, wire_process& counters, uint64_t& mono_ns) {
  const auto record = record_of<wire_process_end>(bytes);
  if (!record || record->type != WIRE_PROCESS) return false;
  counters = record->process;
  mono_ns = record->ns;
  return true;
}

std::vector<hal::Event> counter_events(const wire_process& before, const wire_process& now, uint64_t now_mono_ns,
                                       const hal::CallTable& calls) {
  const bool same = before.pid == now.pid && before.start_ns == now.start_ns;
  const auto gained = [&](uint64_t was, uint64_t is) { return same && was <= is ? is - was : is; };
  std::vector<hal::Event> events;
  const auto add = [&](hal::HostOp op, uint64_t count, uint64_t bytes) {
    if (count == 0) return;
    hal::Event event = host_event(calls, op, now.pid, now.pid, now_mono_ns);
    set_bytes(event, bytes);
    set_arg0(event, count);
    set_arg1(event, bytes);
    events.push_back(event);
  };
  add(hal::HostOp::kPageAlloc, gained(before.page_allocs, now.page_allocs),
      gained(before.page_alloc_bytes, now.page_alloc_bytes));
  add(hal::HostOp::kNetSend, gained(before.net_sends, now.net_sends),
      gained(before.net_sent_bytes, now.net_sent_bytes));
  add(hal::HostOp::kNetReceive, gained(before.net_receives, now.net_receives),
      gained(before.net_received_bytes, now.net_received_bytes));
  return events;
}

}  // namespace ingero::kernelside
