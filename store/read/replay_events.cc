// Decodes a row's columns into the fields of an event.
#include "store/read/replay_events.h"

#include "base/wrapping.h"

namespace ingero::store {

using hal::Has;

bool ReplayedEvents::place(const ReplayedRow& row, hal::Event& event) {
  clock_ = find_at(dictionary_.clocks, row.integer(Column::clock));
  thread_ = find_at(dictionary_.threads, row.integer(Column::thread));
  const int64_t probe = row.integer(Column::site);
  const hal::CallId* call = find_at(dictionary_.call_of_probe, probe);
  if (clock_ == nullptr || thread_ == nullptr || call == nullptr || *call == hal::kNoCall) return false;
  const int64_t start = row.integer(Column::start);
  event.present = 0;
  event.start_mono_ns = static_cast<uint64_t>(wrapping_sum(clock_->mono_ns, start));
  event.wall_offset_ns = wrapping_difference(clock_->wall_ns, clock_->mono_ns);
  event.duration_ns = 0;
  if (row.has(Column::duration)) {
    event.duration_ns = row.uint64(Column::duration);
    event.set(Has::kDuration);
  }
  event.call = *call;
  event.probe = static_cast<uint32_t>(probe);
  event.kind = dictionary_.kinds[*call];
  event.pid = thread_->pid;
  event.tid = thread_->tid;
  event.cgroup_id = thread_->cgroup_id;
  return true;
}

void ReplayedEvents::fill(const ReplayedRow& row, hal::Event& event) const {
  const auto take = [&](ReplayedRow::At column, Has has, auto& into) {
    if (!row.has(column)) return;
    into = static_cast<std::decay_t<decltype(into)>>(row.integer(column));
    event.set(has);
  };
  const EventState state = row.state();
  event.outcome = state.outcome();
  event.failed = state.failed();
  event.depth = state.depth();
  if (const auto direction = state.direction()) {
    event.direction = *direction;
    event.set(Has::kDirection);
  }
  take(Column::return_code, Has::kReturnCode, event.return_code);
  event.off = {};
  if (row.has(Column::preempted)) {
    event.off = row.off_cpu();
    event.set(Has::kOffCpu);
  }
  take(Column::bytes, Has::kBytes, event.bytes);
  take(Column::address, Has::kAddress, event.address);
  take(Column::handle, Has::kHandle, event.handle);
  fill_targets(row, event);
  if (row.has(Column::stack)) {
    if (const uint64_t* stack = find_at(dictionary_.stacks, row.integer(Column::stack))) {
      event.stack_id = *stack;
      event.set(Has::kStack);
    }
  }
  if (row.has(Column::culprit)) {
    if (const ReplayedOther* other = find_at(dictionary_.preemptors, row.integer(Column::culprit))) {
      if (row.has(Column::culprit_ns)) {
        event.preempted_by_pid = other->pid;
        event.preempted_by_comm = other->comm;
        event.preempted_by_ns = row.uint64(Column::culprit_ns);
        event.set(Has::kPreemptedBy);
      } else {
        event.sender_pid = other->pid;
        event.sender_comm = other->comm;
        event.set(Has::kSender);
      }
    }
  }
  if (event.kind == hal::Kind::kHost) {
    event.comm = thread_->comm;
    take(Column::arg0, Has::kArg0, event.arg0);
    take(Column::arg1, Has::kArg1, event.arg1);
  }
}

void ReplayedEvents::fill_targets(const ReplayedRow& row, hal::Event& event) const {
  if (row.has(Column::stream)) {
    event.stream = row.uint64(Column::stream);
    event.set(Has::kStream);
  }
  const ReplayedDevice* device =
      row.has(Column::device) ? find_at(dictionary_.devices, row.integer(Column::device)) : nullptr;
  event.device_ref = device == nullptr ? 0 : device->ref;
  if (device != nullptr && device->ordinal) {
    event.device = *device->ordinal;
    event.set(Has::kDevice);
  }
  if (!row.has(Column::function)) return;
  if (const uint64_t* function = find_at(dictionary_.functions, row.integer(Column::function))) {
    event.function = *function;
    event.set(Has::kFunction);
  }
}

hal::CallId ReplayedEvents::parent_of(const ReplayedRow& row) const {
  const auto id = row.integer_if(Column::parent_call);
  return id && *id >= 0 && *id < hal::kNoCall ? static_cast<hal::CallId>(*id) : hal::kNoCall;
}

}  // namespace ingero::store
