// Tracks which collectives a synchronisation covers, through streams and the markers between them.
#include "correlate/barriers.h"

#include <algorithm>
#include <utility>

namespace ingero::correlate {
namespace {

using hal::Has;
using hal::Kind;

constexpr uint64_t kNotYet = ~uint64_t{0};

void merge(std::map<uint64_t, uint64_t>& into, const std::map<uint64_t, uint64_t>& from) {
  for (const auto& [stream, index] : from) {
    uint64_t& known = into[stream];
    known = std::max(known, index);
  }
}

bool chooses_device(const hal::Call& call, const hal::Event& event) {
  return (call.flags & hal::kChoosesDevice) != 0 && event.has(Has::kDevice);
}

// A handle that is reused names a new stream.
bool makes_stream(const hal::Call& call, const hal::Event& event) {
  if (event.kind != Kind::kStream || !event.has(Has::kStream) || call.row == nullptr) return false;
  return std::any_of(call.row->shape.begin(), call.row->shape.end(), [](const hal::Param& param) {
    return std::any_of(param.peeks.begin(), param.peeks.end(), [](const hal::Peek& peek) {
      return peek.into == hal::Field::kStream && peek.when == hal::When::kReturn;
    });
  });
}

}  // namespace

Barriers::Stream* Barriers::stream_of(Process& process, uint64_t handle) {
  if (process.streams.size() < kMaxStreams || process.streams.contains(handle)) return &process.streams[handle];
  ledger_.add(hal::Loss::wait_forgotten);
  return nullptr;
}

void Barriers::take(const hal::Event& event, const hal::Exchange* exchange) {
  if (exchange != nullptr && exchange->role == hal::Role::kGroupEnd) {
    const auto process = processes_.find(event.pid);
    if (process != processes_.end() && exchange->group && event.outcome == hal::Outcome::kReturned) {
      group_ended(process->second, event, *exchange->group);
    }
    return;
  }
  const bool is_collective = event.kind == Kind::kCollective || event.kind == Kind::kP2p;
  if (!is_collective && event.kind != Kind::kSync && event.kind != Kind::kEvent && event.kind != Kind::kGraph &&
      event.kind != Kind::kDevice && event.kind != Kind::kStream) {
    return;
  }
  if (event.outcome != hal::Outcome::kReturned || event.failed) return;
  const hal::Call& call = calls_[event.call];
  Process& process = processes_[event.pid];
  if (is_collective) {
    if (exchange == nullptr || exchange->is_part || !event.has(Has::kStream)) return;
    Stream* stream = stream_of(process, event.stream);
    if (stream == nullptr || stream->captured_for) return;
    std::optional<int32_t> device;
    if (const auto chosen = process.device_of_thread.find(event.tid); chosen != process.device_of_thread.end()) {
      device = chosen->second;
    }
    const uint64_t on_stream_ns = exchange->group ? kNotYet : event.end_mono_ns();
    stream->pending.push_back({exchange->exchange_id, event.call, process.next_index++, on_stream_ns, exchange->group,
                               event.tid, device, exchange->communicator_id, exchange->number});
    if (stream->pending.size() <= kMaxPending) return;
    stream->pending.pop_front();
    ledger_.add(hal::Loss::wait_forgotten);
    return;
  }
  if (makes_stream(call, event)) {
    process.streams.erase(event.stream);
  } else if (chooses_device(call, event)) {
    if (process.device_of_thread.size() >= kMaxThreads) {
      ledger_.add(hal::Loss::device_forgotten, process.device_of_thread.size());
      process.device_of_thread.clear();
    }
    process.device_of_thread[event.tid] = event.device;
  } else if ((call.flags & hal::kMarksStream) != 0 && event.has(Has::kHandle) && event.has(Has::kStream)) {
    if (process.marks.size() >= kMaxMarks) {
      ledger_.add(hal::Loss::wait_forgotten, process.marks.size());
      process.marks.clear();
    }
    const auto stream = process.streams.find(event.stream);
    if (stream == process.streams.end()) {
      process.marks.erase(event.handle);  // nothing to wait for came before it
    } else {
      process.marks[event.handle] = {reach_of(process, event.stream, event.start_mono_ns), stream->second.captured_for};
    }
  } else if ((call.flags & hal::kAwaitsMark) != 0 && event.has(Has::kHandle) && event.has(Has::kStream)) {
    const auto mark = process.marks.find(event.handle);
    if (mark == process.marks.end()) return;
    if (Stream* stream = stream_of(process, event.stream)) {
      merge(stream->waits_for, mark->second.reach);
      if (mark->second.captured_for) stream->captured_for = mark->second.captured_for;
    }
  } else if ((call.flags & hal::kBeginsCapture) != 0 && event.has(Has::kStream)) {
    if (Stream* stream = stream_of(process, event.stream)) stream->captured_for = event.stream;
  } else if ((call.flags & hal::kEndsCapture) != 0 && event.has(Has::kStream)) {
    for (auto& [handle, stream] : process.streams) {
      if (stream.captured_for == event.stream) stream.captured_for.reset();
    }
  } else if (event.kind == Kind::kSync && event.return_code == 0) {
    // One that is made of another is over when the outer one is.
    const bool inner =
        event.has(Has::kParent) && event.parent_call < calls_.size() && calls_[event.parent_call].kind == Kind::kSync;
    if (!inner) synchronised(process, event);
  }
}

// Of groups inside others the outermost ends last, and its word stays. One that failed has put nothing on any stream.
void Barriers::group_ended(Process& process, const hal::Event& end, uint64_t group) {
  for (auto& [handle, stream] : process.streams) {
    if (end.failed) {
      std::erase_if(stream.pending, [&](const Pending& work) { return work.group == group && work.tid == end.tid; });
      continue;
    }
    for (Pending& work : stream.pending) {
      if (work.group == group && work.tid == end.tid) work.end_mono_ns = end.end_mono_ns();
    }
  }
}

Barriers::Reach Barriers::reach_of(const Process& process, uint64_t stream, uint64_t before_mono_ns) const {
  const auto found = process.streams.find(stream);
  if (found == process.streams.end()) return {};
  Reach reach = found->second.waits_for;
  const auto& pending = found->second.pending;
  const auto last = std::find_if(pending.rbegin(), pending.rend(),
                                 [&](const Pending& work) { return work.end_mono_ns <= before_mono_ns; });
  if (last != pending.rend()) merge(reach, {{stream, last->index}});
  return reach;
}

void Barriers::synchronised(Process& process, const hal::Event& sync) {
  if (sync.has(Has::kStream)) {
    cover(process, reach_of(process, sync.stream, sync.start_mono_ns), sync);
  } else if (sync.has(Has::kHandle)) {
    const auto mark = process.marks.find(sync.handle);
    if (mark != process.marks.end()) cover(process, mark->second.reach, sync);
  } else {
    cover_device(process, sync);
  }
}

void Barriers::covered(const Pending& work, const hal::Event& sync) {
  waits_.push_back({work.exchange_id, sync.end_mono_ns() - work.end_mono_ns, work.call});
  const bool is_same = !syncs_.empty() && syncs_.back().pid == sync.pid &&
                       syncs_.back().start_mono_ns == sync.start_mono_ns &&
                       syncs_.back().end_mono_ns == sync.end_mono_ns();
  if (!is_same) syncs_.push_back({sync.pid, sync.start_mono_ns, sync.end_mono_ns()});
  if (!work.communicator_id) return;
  auto& last = syncs_.back().numbers[*work.communicator_id];
  if (work.number) last = std::max(last.value_or(0), *work.number);
  auto& submitted = syncs_.back().submitted_mono_ns[*work.communicator_id];
  submitted = std::max(submitted, work.end_mono_ns);
}

void Barriers::cover(Process& process, const Reach& reach, const hal::Event& sync) {
  for (const auto& [handle, index] : reach) {
    const auto found = process.streams.find(handle);
    if (found == process.streams.end()) continue;
    auto& pending = found->second.pending;
    while (!pending.empty() && pending.front().index <= index && pending.front().end_mono_ns <= sync.start_mono_ns) {
      const Pending& work = pending.front();
      covered(work, sync);
      pending.pop_front();
    }
  }
}

void Barriers::cover_device(Process& process, const hal::Event& sync) {
  const auto chosen = process.device_of_thread.find(sync.tid);
  for (auto& [handle, stream] : process.streams) {
    std::erase_if(stream.pending, [&](const Pending& work) {
      const bool same_device = work.device && chosen != process.device_of_thread.end()
                                   ? *work.device == chosen->second
                                   : !work.device && work.tid == sync.tid && chosen == process.device_of_thread.end();
      if (!same_device || work.end_mono_ns > sync.start_mono_ns) return false;
      covered(work, sync);
      return true;
    });
  }
}

}  // namespace ingero::correlate
