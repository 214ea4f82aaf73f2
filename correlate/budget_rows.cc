// Cuts threads' pieces by the device's segments, by seconds and by steps, and adds them to rows.
#include <algorithm>

#include "correlate/budget_impl.h"

namespace ingero::correlate {
namespace {

// A thread's wait for the device is never lost: it is what a healthy program does.
bool is_device(TimeClass one) { return one == TimeClass::kDeviceWait || one == TimeClass::kCommunication; }

void add_share(TimeSums& sums, const Blame::Share& share, bool is_low) {
  const auto at = std::lower_bound(sums.causes.begin(), sums.causes.end(), share.cause,
                                   [](const CauseShare& one, uint32_t id) { return one.cause < id; });
  CauseShare& into = at != sums.causes.end() && at->cause == share.cause
                         ? *at
                         : *sums.causes.insert(at, CauseShare{share.cause, 0, 0, 0, 0});
  ++into.times;
  into.ns += share.ns;
  into.high += share.ns;
  if (is_low) into.low += share.ns;
}

// How long each row is of what goes on for `piece_ns`: a server that rests for days has some hundred rows of it.
uint64_t row_ns(uint64_t piece_ns) {
  constexpr uint64_t kLongRows = 256;
  if (piece_ns < 2 * Budget::kLongRowNs) return Budget::kWindowNs;
  return std::max(Budget::kLongRowNs, piece_ns / kLongRows / Budget::kWindowNs * Budget::kWindowNs);
}

}  // namespace

void Budget::Impl::flush_second(BudgetThread& thread) {
  if (thread.second->sums.total_ns() == 0) return;
  thread.second->pid = thread.pid;
  thread.second->tid = thread.tid;
  seconds.push_back(std::move(*thread.second));
  *thread.second = BudgetSecond();
}

// A boundary of steps on the thread that has them.
void Budget::Impl::cut(BudgetProcess& process, BudgetThread& thread, uint64_t at_ns) {
  while (!process.boundaries.empty() && process.boundaries.front().mono_ns <= at_ns) {
    const StepBoundary boundary = process.boundaries.front();
    process.boundaries.pop_front();
    if (process.step_start_ns != 0 && !boundary.is_break && boundary.mono_ns == at_ns &&
        boundary.mono_ns > process.step_start_ns) {
      BudgetStep step;
      step.pid = thread.pid;
      step.tid = thread.tid;
      step.number = ++process.steps;
      step.start_ns = process.step_start_ns;
      step.end_ns = boundary.mono_ns;
      step.content = boundary.content;
      step.anchor = process.finder.anchor_call();
      step.series = process.series;
      step.sums = std::move(*process.step);
      steps.push_back(std::move(step));
    }
    *process.step = TimeSums();
    if (boundary.is_break) {
      process.step_tid = 0;
      ++process.series;
    }
    process.step_start_ns = boundary.mono_ns == at_ns ? at_ns : 0;
  }
}

void Budget::Impl::count_calls(BudgetProcess& process, BudgetThread& thread, uint64_t until_ns) {
  while (!thread.ended.empty() && thread.ended.front().end_ns <= until_ns) {
    const BudgetThread::Ended& call = thread.ended.front();
    TimeSums* rows[] = {&thread.second->sums,
                        thread.tid == process.step_tid && process.step_start_ns != 0 ? process.step.get() : nullptr};
    for (TimeSums* row : rows) {
      if (row == nullptr) continue;
      row->syncs += call.is_sync ? 1 : 0;
      row->waits += call.has_waited ? 1 : 0;
      row->unnamed_syncs += call.names_nothing ? 1 : 0;
      row->submissions += call.is_submission ? 1 : 0;
      row->probes_ns += call.probes_ns;
      row->queued_behind += call.queued_behind;
    }
    thread.ended.pop_front();
  }
}

void Budget::Impl::add_part(BudgetProcess& process, BudgetThread& thread, const Piece& piece, uint64_t from_ns,
                            uint64_t to_ns, const DeviceSegment* segment) {
  const uint64_t ns = to_ns - from_ns;
  TimeSums* step = thread.tid == process.step_tid && process.step_start_ns != 0 ? process.step.get() : nullptr;
  TimeSums* rows[] = {&thread.second->sums, step};
  const bool is_idle = segment != nullptr && segment->state == DeviceState::kIdle;
  const bool is_open = segment != nullptr && segment->state != DeviceState::kBusy;
  const bool is_copy = piece.is == TimeClass::kCopy && is_open && segment->state == DeviceState::kCopying;
  const bool waits_for_client = piece.off != nullptr && is_wait(piece.is) && is_client(*piece.off, thread.pid);
  // (G2) Only the thread whose submission ends the gap is charged with it.
  const bool is_charged = is_open && segment->tid == thread.tid && !is_device(piece.is) && !waits_for_client;
  shares.clear();
  if (is_charged) {
    const Blame::Thread self{&thread.time, thread.tid, role_of(thread), thread.pid};
    blame.walk(
        self, piece, from_ns, to_ns, [this](uint32_t tid, uint32_t pid) { return find(tid, pid); }, shares);
  }
  // A thread that waits for another, which waits for a client, waits for work as well.
  uint64_t client_ns = waits_for_client ? ns : 0;
  std::erase_if(shares, [&](const Blame::Share& share) {
    if (share.cause != Blame::kClient) return false;
    client_ns += share.ns;
    return true;
  });
  const uint64_t lost_ns = ns - client_ns;
  for (TimeSums* row : rows) {
    if (row == nullptr) continue;
    ClassTime& is = row->of(piece.is);
    is.ns += ns;  // (G1)
    if (is_idle) row->idle_low += ns;
    if (is_open) row->idle_high += ns;
    row->clients_ns += client_ns;
    if (piece.is_in_copy) row->copy_or_wait_ns += ns;
    if (piece.is == TimeClass::kCpuWait && segment != nullptr && segment->state == DeviceState::kBusy) {
      row->spun_preempted_ns += ns;
    }
    if (piece.is == TimeClass::kStopped && piece.off != nullptr) {
      if (piece.off->kind == static_cast<uint8_t>(hal::WaitKind::kTraced)) row->by_debugger_ns += ns;
      if (piece.off->kind == static_cast<uint8_t>(hal::WaitKind::kFrozen)) row->by_freezer_ns += ns;
    }
    if (!is_charged) continue;
    is.high += lost_ns;
    if (is_idle || is_copy) {
      is.low += lost_ns;
      // Waiting to write is output, and neither a lock, its own timer nor a child's end is input,
      // whatever is submitted next.
      const bool may_be_input = is_wait(piece.is) && piece.is != TimeClass::kSleep && piece.is != TimeClass::kChild &&
                                (piece.off == nullptr || !(piece.off->is_write || piece.off->is_lock));
      if (segment->is_input && may_be_input) row->input_low += lost_ns;
      if (segment->is_behind_sync) row->behind_sync_low += lost_ns;
    }
    for (const Blame::Share& share : shares) add_share(*row, share, is_idle || is_copy);  // (G3)
    if (row->causes.size() <= kMaxRowCauses) continue;
    // (G5) The smallest becomes its parent's, or its nearest neighbour's.
    const auto smallest = std::min_element(row->causes.begin(), row->causes.end(), [](const auto& a, const auto& b) {
      return std::tie(a.high, a.cause) < std::tie(b.high, b.cause);
    });
    CauseShare moved = *smallest;
    row->causes.erase(smallest);
    const uint32_t parent = blame.cause(moved.cause).parent;
    moved.cause = parent != 0 ? parent : row->causes.front().cause;
    TimeSums more;
    more.causes.push_back(moved);
    row->add(more);
  }
}

// Whether a wait was for what a device did, although no call of its library says so: it was ended by the thread that
// hands it over, or by one that itself waited for that one, or in calls for the device, nearly as long.
bool Budget::Impl::waits_for_device(const BudgetThread& thread, const OffSpan& wait, size_t depth) const {
  constexpr size_t kMaxHands = 4;
  constexpr uint64_t kHandOverNs = 1'000'000;  // from one hand to the next
  constexpr uint64_t kLongNs = 500'000;        // of shorter waits it is not asked what the other thread did
  const OffSpan& last = *thread.time.last_of_wait(wait);
  const auto waker = threads.find(last.waker_tid);
  if (last.waker_tid == 0 || waker == threads.end() || waker->second.pid != thread.pid) return false;
  if (waker->second.hands_over) return true;
  if (depth + 1 == kMaxHands) return false;
  const uint64_t waited_ns = last.woken_ns - std::min(last.woken_ns, wait.out_ns);
  if (depth == 0 && waited_ns >= kLongNs && waker->second.submits) {
    uint64_t for_device_ns = 0;
    for (const Piece& piece : waker->second.time.pieces(wait.out_ns, last.woken_ns)) {
      if (piece.is == TimeClass::kDeviceWait) for_device_ns += piece.length_ns();
    }
    if (for_device_ns * 10 >= waited_ns * 8) return true;
  }
  const Queue<OffSpan>& off = waker->second.time.off();
  auto its =
      std::partition_point(off.begin(), off.end(), [&](const OffSpan& one) { return one.in_ns <= last.woken_ns; });
  if (its == off.begin()) return false;
  --its;
  const uint64_t both_ns = its->woken_ns - std::min(its->woken_ns, std::max(its->out_ns, wait.out_ns));
  const bool is_handed_on = is_wait(its->why) && its->in_ns + kHandOverNs >= last.woken_ns;
  return is_handed_on && both_ns * 10 >= (last.woken_ns - wait.out_ns) * 8 &&
         waits_for_device(waker->second, *its, depth + 1);
}

void Budget::Impl::account(BudgetProcess& process, BudgetThread& thread, uint64_t until_ns) {
  for (; process.step_tid == 0 && !process.boundaries.empty(); process.boundaries.pop_front()) {
    const StepBoundary& first = process.boundaries.front();
    if (!first.is_break) {
      process.step_tid = first.tid;
      break;
    }
    ++process.series;
  }
  const bool has_steps = process.step_tid == thread.tid;
  if (has_steps && process.step == nullptr) process.step = std::make_unique<TimeSums>();
  const Queue<DeviceSegment>& segments = process.line_of(thread).segments;
  auto segment = segments.begin();
  for (Piece& piece : thread.time.pieces(thread.done_ns, until_ns)) {
    const bool is_for_device = piece.off != nullptr && is_wait(piece.is) && waits_for_device(thread, *piece.off);
    if (is_for_device) {
      piece.is = TimeClass::kDeviceWait;
      ++thread.second->sums.waits;
      if (has_steps) ++process.step->waits;
    }
    const uint64_t its_row_ns = row_ns(piece.length_ns());
    for (uint64_t at = piece.from_ns; at < piece.to_ns;) {
      if (has_steps) cut(process, thread, at);
      const uint64_t second = at / kWindowNs;
      if (second != thread.second->second) {
        flush_second(thread);
        thread.second->second = second;
      }
      while (segment != segments.end() && segment->to_ns <= at) ++segment;
      const DeviceSegment* its = segment != segments.end() && segment->from_ns <= at ? &*segment : nullptr;
      DeviceSegment waited_for;
      if (is_for_device && its != nullptr && its->state == DeviceState::kUnknown) {
        waited_for = *its;
        waited_for.state = DeviceState::kBusy;
        its = &waited_for;
      }
      uint64_t next = std::min(piece.to_ns, second * kWindowNs + its_row_ns);
      if (segment != segments.end()) {
        next = std::min(next, segment->from_ns > at ? segment->from_ns : segment->to_ns);
      }
      if (has_steps && !process.boundaries.empty() && process.boundaries.front().mono_ns > at) {
        next = std::min(next, process.boundaries.front().mono_ns);
      }
      add_part(process, thread, piece, at, next, its);
      count_calls(process, thread, next);
      at = next;
    }
  }
  if (has_steps) cut(process, thread, until_ns);
  thread.done_ns = until_ns;
}

}  // namespace ingero::correlate
