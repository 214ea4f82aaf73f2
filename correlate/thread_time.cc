// Lays calls over off-CPU intervals, which come in another order than they: only when both are known is time tiled.
#include "correlate/thread_time.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/varint.h"

namespace ingero::correlate {
namespace {

using hal::WaitKind;

// Of the part in which it slept.
TimeClass class_of(WaitKind kind) {
  switch (kind) {
    case WaitKind::kPreempted:
      return TimeClass::kCpuWait;
    case WaitKind::kThrottled:
      return TimeClass::kThrottled;
    case WaitKind::kStopped:
    case WaitKind::kTraced:
    case WaitKind::kFrozen:
      return TimeClass::kStopped;
    case WaitKind::kDisk:
      return TimeClass::kDisk;
    case WaitKind::kReclaim:
      return TimeClass::kReclaim;
    case WaitKind::kPageFault:
      return TimeClass::kPageFault;
    case WaitKind::kPipe:
    case WaitKind::kTerminal:
      return TimeClass::kPipe;
    case WaitKind::kSocket:
      return TimeClass::kSocket;
    case WaitKind::kFutex:
      return TimeClass::kFutex;
    case WaitKind::kPoll:
    case WaitKind::kEventFd:
      return TimeClass::kPoll;
    case WaitKind::kChild:
      return TimeClass::kChild;
    case WaitKind::kSleep:
      return TimeClass::kSleep;
    case WaitKind::kDriver:
      return TimeClass::kDriver;
    case WaitKind::kFile:
    case WaitKind::kIoUring:
    case WaitKind::kOther:
      return TimeClass::kOtherWait;
    case WaitKind::kUnknown:
      break;
  }
  return TimeClass::kBlocked;
}

// What happens to a thread wherever it is, also inside calls.
bool is_everywhere(TimeClass one) {
  return one == TimeClass::kStopped || one == TimeClass::kDisk || one == TimeClass::kReclaim ||
         one == TimeClass::kPageFault;
}

TimeClass running(const CallSpan* call, uint64_t at_ns) {
  if (call == nullptr) return TimeClass::kHost;
  switch (call->use) {
    case CallUse::kSync:
    case CallUse::kQueueFull:
      return TimeClass::kDeviceWait;
    case CallUse::kCollectiveSync:
      return TimeClass::kCommunication;
    case CallUse::kBlockingCopy:
      if (at_ns < call->device_until_ns) return TimeClass::kDeviceWait;
      return at_ns < call->copies_from_ns ? TimeClass::kUnknown : TimeClass::kCopy;
    case CallUse::kSubmit:
    case CallUse::kBlockingSubmit:
      return TimeClass::kSubmit;
    case CallUse::kAllocate:
      return TimeClass::kAllocate;
    case CallUse::kOther:
      break;
  }
  return TimeClass::kOtherCall;
}

TimeClass asleep(const CallSpan* call, const OffSpan& off, uint64_t at_ns) {
  if (call == nullptr || is_everywhere(off.why)) return off.why;
  const bool awaits_device = call->use == CallUse::kSync || call->use == CallUse::kCollectiveSync ||
                             call->use == CallUse::kBlockingCopy || call->use == CallUse::kBlockingSubmit ||
                             call->use == CallUse::kQueueFull;
  // A lock inside a launch, where its queue has room, or an allocation is a lock; whatever a driver does there is the
  // call's own.
  const bool is_own = off.why == TimeClass::kFutex || off.why == TimeClass::kPipe || off.why == TimeClass::kSocket ||
                      off.why == TimeClass::kChild;
  return !awaits_device && is_own ? off.why : running(call, at_ns);
}

// Of bytes that pack() wrote: they are whole.
uint64_t take(std::string_view& from) {
  uint64_t value = 0;
  (void)get_varint(from, value);
  return value;
}

}  // namespace

OffSpan off_span(const hal::Event& event, const hal::Wait* wait) {
  OffSpan span;
  span.out_ns = event.start_mono_ns;
  span.in_ns = event.end_mono_ns();
  const uint64_t length = span.in_ns - span.out_ns;
  if (!event.has(hal::Has::kOffCpu)) {
    span.woken_ns = span.in_ns;  // off the CPU, and why is not known
  } else if (event.off.preempted_ns > 0) {
    span.woken_ns = span.out_ns;
    span.why = TimeClass::kCpuWait;
  } else {
    span.woken_ns = span.in_ns - std::min(length, event.off.runqueue_ns);
    if (event.off.io_ns > 0) span.why = TimeClass::kDisk;
  }
  if (event.has(hal::Has::kStack)) span.stack_id = event.stack_id;
  if (wait == nullptr || wait->kind == WaitKind::kUnknown) return span;
  span.has_wait = true;
  span.kind = static_cast<uint8_t>(wait->kind);
  span.why = class_of(wait->kind);
  span.is_lock = wait->is_lock;
  if (span.is_lock) span.why = TimeClass::kFutex;
  span.object = wait->object.value_or(0);
  span.file_system = wait->file_system.value_or(0);
  span.is_timed_out = wait->is_timed_out;
  span.is_write = wait->is_write;
  if (wait->peer) {
    span.peer = *wait->peer;
    span.is_client = wait->peer->is_accepted && !wait->is_write;
  }
  if (wait->waker) {
    span.waker_pid = wait->waker->pid;
    span.waker_tid = wait->waker->tid;
    span.is_kernel_waker = wait->waker->is_kernel_thread;
    span.is_by_exit = wait->waker->syscall && hal::is_exit(*wait->waker->syscall);
  }
  return span;
}

bool ThreadTime::add(const OffSpan& span) {
  first_ns_ = std::min(first_ns_, span.out_ns);
  last_ns_ = std::max(last_ns_, span.in_ns);
  const bool fits = off_.size() < kMaxSpans;  // (T3)
  if (!fits) drop(off_.front().in_ns);
  if (!off_.empty() && span.out_ns < off_.back().in_ns) is_sorted_ = false;
  off_.push_back(span);
  return fits;
}

bool ThreadTime::add(const CallSpan& span, uint64_t probes_ns) {
  first_ns_ = std::min(first_ns_, span.start_ns);
  last_ns_ = std::max(last_ns_, span.end_ns);
  certain_ns_ = std::max(certain_ns_, span.end_ns);
  unpack();
  const bool fits = calls_.size() < kMaxSpans;  // (T3)
  if (!fits) drop(calls_.front().end_ns);
  if (!calls_.empty() && span.start_ns < calls_.back().end_ns) is_sorted_ = false;
  calls_.push_back(span);
  calls_.back().end_ns -= std::min(probes_ns, span.end_ns - span.start_ns);
  return fits;
}

void ThreadTime::add_sample(uint64_t mono_ns, uint64_t stack_id) {
  if (samples_.size() >= kMaxSamples) samples_.pop_front();
  const auto at = std::upper_bound(samples_.begin(), samples_.end(), std::pair(mono_ns, stack_id));
  samples_.insert(at, {mono_ns, stack_id});
}

uint64_t ThreadTime::sampled_stack(uint64_t from_ns, uint64_t to_ns) const {
  const auto at = std::lower_bound(samples_.begin(), samples_.end(), std::pair(from_ns, uint64_t{0}));
  return at != samples_.end() && at->first < to_ns ? at->second : 0;
}

// (T2)
void ThreadTime::sort() {
  if (is_sorted_) return;
  std::sort(off_.begin(), off_.end(), [](const OffSpan& a, const OffSpan& b) {
    return std::tie(a.out_ns, a.in_ns) < std::tie(b.out_ns, b.in_ns);
  });
  std::sort(calls_.begin(), calls_.end(), [](const CallSpan& a, const CallSpan& b) {
    return std::tie(a.start_ns, a.end_ns) < std::tie(b.start_ns, b.end_ns);
  });
  is_sorted_ = true;
}

// (T4) Each relative to the one before, whatever their order: differences wrap around, there and back.
void ThreadTime::pack() {
  sort();
  if (calls_.empty()) return;
  packed_from_ns_ = calls_.front().end_ns;
  uint64_t before = 0;
  for (const CallSpan& call : calls_) {
    const bool has_until = call.device_until_ns != 0, has_from = call.copies_from_ns != 0;
    put_varint(packed_, static_cast<uint64_t>(call.use) << 2 | (has_from ? 2 : 0) | (has_until ? 1 : 0));
    put_varint(packed_, call.start_ns - before);
    put_varint(packed_, call.end_ns - call.start_ns);
    if (has_until) put_varint(packed_, call.device_until_ns - call.start_ns);
    if (has_from) put_varint(packed_, call.copies_from_ns - call.start_ns);
    before = call.start_ns;
  }
  packed_.shrink_to_fit();
  calls_.clear();
}

void ThreadTime::unpack() const {
  if (packed_.empty()) return;
  const std::string packed = std::exchange(packed_, {});
  std::string_view rest = packed;
  uint64_t before = 0;
  while (!rest.empty()) {
    CallSpan call;
    const uint64_t kind = take(rest);
    call.use = static_cast<CallUse>(kind >> 2);
    call.start_ns = before + take(rest);
    call.end_ns = call.start_ns + take(rest);
    if ((kind & 1) != 0) call.device_until_ns = call.start_ns + take(rest);
    if ((kind & 2) != 0) call.copies_from_ns = call.start_ns + take(rest);
    before = call.start_ns;
    calls_.push_back(call);
  }
}

// Unknown is what lies before the end of a span that is gone; behind it nothing is missing.
void ThreadTime::drop(uint64_t before_ns) {
  if (packed_from_ns_ <= before_ns) unpack();
  while (!samples_.empty() && samples_.front().first < before_ns) samples_.pop_front();
  while (!off_.empty() && off_.front().in_ns <= before_ns) {
    dropped_ns_ = std::max(dropped_ns_, off_.front().in_ns);
    off_.pop_front();
  }
  while (!calls_.empty() && calls_.front().end_ns <= before_ns) {
    dropped_ns_ = std::max(dropped_ns_, calls_.front().end_ns);
    calls_.pop_front();
  }
}

std::vector<Piece> ThreadTime::pieces(uint64_t from_ns, uint64_t to_ns) const {
  unpack();
  std::vector<Piece> out;
  if (from_ns < dropped_ns_ && from_ns < to_ns) {
    const uint64_t known_ns = std::min(to_ns, dropped_ns_);
    out.push_back({from_ns, known_ns, TimeClass::kUnknown, nullptr});
    from_ns = known_ns;
  }
  auto off = std::partition_point(off_.begin(), off_.end(), [&](const OffSpan& one) { return one.in_ns <= from_ns; });
  auto call =
      std::partition_point(calls_.begin(), calls_.end(), [&](const CallSpan& one) { return one.end_ns <= from_ns; });
  // (T1) Each turn of the loop takes [at, next): the first boundary of any kind behind `at`.
  for (uint64_t at = from_ns; at < to_ns;) {
    while (off != off_.end() && off->in_ns <= at) ++off;
    while (call != calls_.end() && call->end_ns <= at) ++call;
    const CallSpan* in_call = call != calls_.end() && call->start_ns <= at ? &*call : nullptr;
    const OffSpan* is_off = off != off_.end() && off->out_ns <= at ? &*off : nullptr;
    uint64_t next = to_ns;
    const auto until = [&](uint64_t ns) {
      if (ns > at) next = std::min(next, ns);
    };
    if (call != calls_.end()) {
      until(call->start_ns);
      until(call->end_ns);
      until(call->device_until_ns);
      until(call->copies_from_ns);
    }
    if (off != off_.end()) {
      until(off->out_ns);
      until(off->woken_ns);
      until(off->in_ns);
    }
    TimeClass is = TimeClass::kHost;
    if (is_off == nullptr) {
      is = running(in_call, at);
    } else if (at < is_off->woken_ns) {
      is = asleep(in_call, *is_off, at);
      if (is == TimeClass::kPoll && is_off->is_timed_out && is_sleep(*is_off)) is = TimeClass::kSleep;
    } else {
      is = is_off->woken_ns == is_off->out_ns ? is_off->why : TimeClass::kCpuWait;
      if (is != TimeClass::kThrottled && is != TimeClass::kStopped) is = TimeClass::kCpuWait;
    }
    if (!out.empty() && out.back().is == is && out.back().off == is_off) {
      out.back().to_ns = next;
    } else {
      out.push_back({at, next, is, is_off, is == TimeClass::kUnknown});
    }
    at = next;
  }
  return out;
}

bool ThreadTime::is_sleep(const OffSpan& poll) const {
  const auto call = std::partition_point(calls_.begin(), calls_.end(),
                                         [&](const CallSpan& one) { return one.start_ns < poll.in_ns; });
  if (call == calls_.end()) return false;
  auto last =
      std::partition_point(off_.begin(), off_.end(), [&](const OffSpan& one) { return one.in_ns <= call->start_ns; });
  while (last != off_.begin()) {
    --last;
    if (last->why == TimeClass::kPoll) return last->is_timed_out;
  }
  return false;
}

WaitEvidence ThreadTime::evidence(uint64_t start_ns, uint64_t end_ns) const {
  WaitEvidence found;
  found.complete_ns = end_ns;
  auto off = std::partition_point(off_.begin(), off_.end(), [&](const OffSpan& one) { return one.in_ns <= start_ns; });
  const OffSpan *last = nullptr, *last_sleep = nullptr;
  size_t sleeps = 0;
  for (; off != off_.end() && off->out_ns < end_ns; ++off) {
    last = &*off;
    if (off->woken_ns > off->out_ns) {
      last_sleep = last;
      ++sleeps;
    }
  }
  found.has_left_cpu = last != nullptr;
  found.has_slept = last_sleep != nullptr && last_sleep->woken_ns - last_sleep->out_ns >= kSpinsOnNs;
  uint64_t busy_until = 0;
  const uint64_t ran_on = last == nullptr ? end_ns - start_ns : end_ns - std::min(end_ns, last->in_ns);
  if (last == nullptr || ran_on >= kSpinsOnNs) {
    busy_until = end_ns - std::min(end_ns, kReturnNs);
  } else if (last == last_sleep) {
    // Woken when it was done; one that looks again and again in turns of sleep may have slept on a little, and one that
    // was stopped was woken by who let it go on.
    const bool polls = sleeps > 1 || last->kind == static_cast<uint8_t>(hal::WaitKind::kSleep);
    found.complete_ns = std::min(end_ns, last->woken_ns);
    busy_until = polls || last->why == TimeClass::kStopped ? last->out_ns : last->woken_ns;
  } else {
    busy_until = last->out_ns;  // preempted, and back to find it done: when is not known
  }
  if (busy_until < start_ns + kShortestWaitNs - kReturnNs || end_ns - start_ns < kShortestWaitNs) return found;
  found.has_waited = true;
  found.busy_until_ns = std::min(busy_until, end_ns);
  return found;
}

void ThreadTime::note_holder(const OffSpan& holders_wait, uint32_t holder_tid, uint32_t holder_pid) {
  const uint64_t mono_ns = holders_wait.out_ns;
  const auto behind =
      std::partition_point(off_.begin(), off_.end(), [&](const OffSpan& one) { return one.out_ns <= mono_ns; });
  if (behind == off_.begin()) return;
  OffSpan& last = *std::prev(behind);
  if (last.why != TimeClass::kFutex || last.waker_tid != 0) return;
  if ((last.object >> 6) != (holders_wait.object >> 6)) return;
  if (last.in_ns + kSameWaitNs < mono_ns || last.in_ns > holders_wait.woken_ns) return;
  last.waker_tid = holder_tid;
  last.waker_pid = holder_pid;
}

const OffSpan* ThreadTime::last_of_wait(const OffSpan& first) const {
  auto at =
      std::partition_point(off_.begin(), off_.end(), [&](const OffSpan& one) { return one.out_ns < first.out_ns; });
  const OffSpan* last = &first;
  if (first.why != TimeClass::kFutex || !first.is_timed_out) return last;
  for (; at != off_.end(); ++at) {
    if (at->out_ns <= last->out_ns) continue;
    if (at->out_ns > last->in_ns + kSameWaitNs) break;
    if (at->why != TimeClass::kFutex) continue;  // preempted between two turns
    if ((at->object >> 6) != (first.object >> 6)) break;
    last = &*at;
    if (!last->is_timed_out) break;
  }
  return last;
}

}  // namespace ingero::correlate
