// Assigns events to processes and threads, and closes windows once nothing of them is still to come.
#include "correlate/budget.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "correlate/budget_impl.h"
#include "correlate/window.h"
#include "hal/same_start.h"

namespace ingero::correlate {
namespace {

using hal::Has;
using hal::Kind;

// A process older than the recording by this much was running when the tracer came.
constexpr uint64_t kAttachedNs = 500'000'000;

bool is_gpu_call(const CallFacts& facts) {
  switch (facts.kind) {
    case Kind::kLaunch:
    case Kind::kMemcpy:
    case Kind::kMemset:
    case Kind::kAlloc:
    case Kind::kFree:
    case Kind::kSync:
    case Kind::kEvent:
    case Kind::kGraph:
    case Kind::kStream:
    case Kind::kDevice:
    case Kind::kCollective:
    case Kind::kP2p:
    case Kind::kCommunicator:
    case Kind::kModule:
      return true;
    case Kind::kFabric:
    case Kind::kHost:
    case Kind::kCount:
      break;
  }
  return false;
}

}  // namespace

uint64_t TimeSums::total_ns() const {
  uint64_t sum = 0;
  for (const ClassTime& one : classes) sum += one.ns;
  return sum;
}
uint64_t TimeSums::lost_low() const {
  uint64_t sum = 0;
  for (const ClassTime& one : classes) sum += one.low;
  return sum;
}
uint64_t TimeSums::lost_high() const {
  uint64_t sum = 0;
  for (const ClassTime& one : classes) sum += one.high;
  return sum;
}

void TimeSums::add(const TimeSums& other) {
  for (size_t i = 0; i < kTimeClasses; ++i) {
    classes[i].ns += other.classes[i].ns;
    classes[i].low += other.classes[i].low;
    classes[i].high += other.classes[i].high;
  }
  for (uint64_t TimeSums::*one :
       {&TimeSums::idle_low, &TimeSums::idle_high, &TimeSums::input_low, &TimeSums::behind_sync_low,
        &TimeSums::clients_ns, &TimeSums::spun_preempted_ns, &TimeSums::copy_or_wait_ns, &TimeSums::by_debugger_ns,
        &TimeSums::by_freezer_ns, &TimeSums::probes_ns}) {
    this->*one += other.*one;
  }
  for (uint32_t TimeSums::*one : {&TimeSums::syncs, &TimeSums::waits, &TimeSums::unnamed_syncs, &TimeSums::submissions,
                                  &TimeSums::queued_behind}) {
    this->*one += other.*one;
  }
  for (const CauseShare& share : other.causes) {
    const auto at = std::lower_bound(causes.begin(), causes.end(), share.cause,
                                     [](const CauseShare& one, uint32_t id) { return one.cause < id; });
    if (at != causes.end() && at->cause == share.cause) {
      at->times += share.times;
      at->ns += share.ns;
      at->low += share.low;
      at->high += share.high;
    } else {
      causes.insert(at, share);
    }
  }
}

// `mono_ns`: when it was there.
BudgetProcess& Budget::Impl::process_of(uint32_t pid, uint64_t mono_ns) {
  const auto known = processes.find(pid);
  if (known != processes.end()) return known->second;
  if (processes.size() >= kMaxProcesses) {
    const auto oldest = std::min_element(processes.begin(), processes.end(), [](const auto& a, const auto& b) {
      return a.second.last_seen_ns < b.second.last_seen_ns;
    });
    end_process(oldest->first, closed_ns);
    ledger.add(hal::Loss::budget_forgotten);
  }
  BudgetProcess& process = processes.emplace(pid, ledger).first->second;
  process.facts.pid = pid;
  process.device.set_slowest_link(slowest_link);
  if (const auto its = facts.find(pid); its != facts.end()) process.set_facts(its->second);
  // Ends and calls come in any order.
  if (const auto exit = exited.find(pid); exit != exited.end() && exit->second >= mono_ns) {
    process.ended_ns = exit->second;
  }
  return process;
}

BudgetThread* Budget::Impl::thread_of(uint32_t tid, uint32_t pid, const std::string& comm) {
  const auto known = threads.find(tid);
  if (known != threads.end() && known->second.pid == pid) return &known->second;
  if (known != threads.end()) threads.erase(known);  // the number is another thread's now
  if (threads.size() >= kMaxThreads) {
    ledger.add(hal::Loss::budget_forgotten);
    return nullptr;
  }
  BudgetThread& thread = threads[tid];
  thread.pid = pid;
  thread.tid = tid;
  thread.comm = comm;
  return &thread;
}

// (G4) Given when it is first needed: by then all that came before is known, in whatever order it came.
uint32_t Budget::Impl::role_of(BudgetThread& thread) {
  if (thread.role) return *thread.role;
  const auto its = facts.find(thread.pid);
  std::string name = thread.comm;
  // Of a main thread the process's, which changes at exec, and where the process names itself.
  const bool is_main = thread.tid == thread.pid;
  if (its != facts.end() && !its->second.comm.empty() && (is_main || name.empty())) name = its->second.comm;
  // Threads of a process that makes GPU calls are kept apart from workers of the same name.
  const auto process = processes.find(thread.pid);
  const bool submits = process != processes.end() && process->second.has_begun;
  const uint32_t parent = its == facts.end() ? 0 : its->second.parent_pid;
  thread.role = blame.role(submits ? thread.pid : parent, name, thread.pid, submits);
  return *thread.role;
}

// A main thread's name is its process's: another than at the start is one that the process gave itself.
void Budget::Impl::rename(uint32_t pid, const std::string& comm) {
  const auto its = facts.find(pid);
  if (comm.empty() || its == facts.end() || its->second.comm == comm) return;
  its->second.comm = comm;
  if (const auto process = processes.find(pid); process != processes.end()) process->second.set_facts(its->second);
}

bool Budget::Impl::is_descendant(uint32_t pid, uint32_t of) const {
  constexpr int kGenerations = 4;
  for (int i = 0; i < kGenerations && pid != 0; ++i) {
    const auto its = facts.find(pid);
    pid = its == facts.end() ? 0 : its->second.parent_pid;
    if (pid == of) return true;
  }
  return false;
}

// A process that ends closes what it had open, and a timer may fire while it does: neither is what it was waited for,
// unless that was started to end.
bool Budget::Impl::is_coincidence(const OffSpan& wait, uint32_t pid) const {
  return wait.is_by_exit && wait.why != TimeClass::kChild && wait.waker_pid != pid &&
         !is_descendant(wait.waker_pid, pid);
}

// Who connects is a client, unless it belongs to the job: it makes GPU calls itself, as another rank does, or the
// process that waits has started it.
bool Budget::Impl::is_client(const OffSpan& wait, uint32_t pid) const {
  if (!wait.is_client) return false;
  const auto peer = processes.find(wait.waker_pid);
  if (peer != processes.end() && peer->second.has_begun) return false;
  return !is_descendant(wait.waker_pid, pid);
}

Blame::Thread Budget::Impl::find(uint32_t tid, uint32_t pid) {
  const auto known = threads.find(tid);
  if (known != threads.end()) return {&known->second.time, tid, role_of(known->second), pid};
  const auto process = watched.find(pid);
  if (process == watched.end()) return {};
  BudgetThread unseen;  // one that lived too short a time: its process is what there is to name
  unseen.comm = process->second;
  unseen.pid = pid;
  unseen.tid = tid;
  return {nullptr, tid, role_of(unseen), pid};
}

void Budget::Impl::add_call(const hal::Event& event, const CallFacts& its) {
  if (event.depth != 0 || !is_gpu_call(its) || !event.has(Has::kDuration)) return;
  if (event.outcome >= hal::Outcome::kInFlight) return;
  if (pending >= kMaxEvents) {
    ledger.add(hal::Loss::budget_forgotten);
    return;
  }
  BudgetCall call;
  call.start_ns = event.start_mono_ns;
  call.end_ns = event.end_mono_ns();
  if (event.has(Has::kStream)) call.stream = event.stream;
  if (event.has(Has::kHandle)) call.handle = event.handle;
  if (event.has(Has::kFunction)) call.function = event.function;
  if (event.has(Has::kBytes)) call.bytes = event.bytes;
  if (event.has(Has::kDirection)) call.direction = event.direction;
  if (event.has(Has::kStack)) call.stack_id = event.stack_id;
  call.tid = event.tid;
  call.device_ref = event.device_ref;
  call.call = event.call;
  call.is_per_thread = per_thread_probes.has(event.probe);
  call.failed = event.failed || event.outcome != hal::Outcome::kReturned;
  call.is_zero = !event.has(Has::kReturnCode) || event.return_code == 0;
  BudgetProcess& process = process_of(event.pid, call.start_ns);
  process.last_seen_ns = std::max(process.last_seen_ns, call.end_ns);
  process.calls.add(call);
  ++pending;
}

void Budget::Impl::add_switch(const hal::Event& event) {
  if (pending >= kMaxEvents) {  // (G5)
    ledger.add(hal::Loss::budget_forgotten);
    return;
  }
  const std::string comm(fixed_text(event.comm));
  BudgetThread* thread = thread_of(event.tid, event.pid, comm);
  if (thread == nullptr) return;  // counted there
  if (event.tid == event.pid && event.end_mono_ns() >= thread->seen_ns) rename(event.pid, comm);
  thread->seen_ns = std::max(thread->seen_ns, event.end_mono_ns());
  thread->hands_over = hal::is_completion_thread(fixed_text(event.comm));
  switches.push_back({event.tid, off_span(event, nullptr)});
  ++pending;
}

void Budget::Impl::add_wait(const hal::Event& event, const hal::Wait& wait) {
  if (switches.empty() || switches.back().tid != event.tid) return;
  OffSpan& last = switches.back().span;
  if (last.out_ns == event.start_mono_ns && last.in_ns == event.end_mono_ns()) last = off_span(event, &wait);
}

void Budget::Impl::add(const hal::Event& event) {
  if (event.call >= calls.size() || event.pid == 0) return;
  const CallFacts& its = calls[event.call];
  const uint64_t length = event.has(Has::kDuration) ? event.duration_ns : 0;
  if (event.start_mono_ns > INT64_MAX || length > INT64_MAX) return;
  if (first_ns == 0) first_ns = event.start_mono_ns;
  // A gap before it, before it is pending.
  if (event.outcome < hal::Outcome::kInFlight) seen(event.start_mono_ns);
  if (its.host == hal::HostOp::kSchedSwitch) {
    seen(event.end_mono_ns());
    if (event.end_mono_ns() >= closed_ns) add_switch(event);  // the last of `switches`, for add_wait()
  } else if (!its.host && event.kind != Kind::kHost) {
    if (event.end_mono_ns() >= closed_ns) {
      add_call(event, its);
    } else {
      ledger.add(hal::Loss::budget_forgotten);  // (G4) later than anything may be
    }
    if (event.outcome < hal::Outcome::kInFlight) seen(event.end_mono_ns());
  } else if (its.host == hal::HostOp::kExit) {
    add_exit(event);
  } else if (its.host == hal::HostOp::kExec) {
    if (from_start.size() < kMaxThreads) from_start.insert(event.pid);
  } else if (its.host == hal::HostOp::kFork && event.has(Has::kArg1) && event.arg1 <= UINT32_MAX) {
    if (from_start.size() < kMaxThreads) from_start.insert(static_cast<uint32_t>(event.arg1));
    BudgetFacts& made = facts[static_cast<uint32_t>(event.arg1)];
    // What was read later may be who took it over when its parent ended.
    const bool is_same = made.start_mono_ns == 0 || hal::same_start(made.start_mono_ns, event.start_mono_ns);
    if (made.parent_pid == 0 || is_same) made.parent_pid = event.pid;
    if (made.comm.empty()) made.comm = std::string(fixed_text(event.comm));
    if (made.start_mono_ns == 0) made.start_mono_ns = event.start_mono_ns;
  }
}

void Budget::Impl::add_exit(const hal::Event& event) {
  const auto thread = threads.find(event.tid);
  if (thread != threads.end() && thread->second.pid == event.pid) thread->second.ended_ns = event.start_mono_ns;
  if (event.tid != event.pid) return;
  if (const auto known = processes.find(event.pid); known != processes.end()) {
    known->second.ended_ns = event.start_mono_ns;
  }
  if (exited.size() >= kMaxThreads) {
    exited.clear();
    ledger.add(hal::Loss::budget_forgotten);
  }
  exited[event.pid] = event.start_mono_ns;
}

void Budget::Impl::seen(uint64_t mono_ns) {
  if (mono_ns <= seen_ns) return;
  seen_ns = mono_ns;
  if (closed_ns == 0) {
    closed_ns = mono_ns / kWindowNs * kWindowNs;
    closed_ns -= std::min(closed_ns, kLatenessNs);
  }
  while (closed_ns + kWindowNs + kLatenessNs <= seen_ns) {
    // A gap in which nothing ends is skipped.
    if (seen_ns - closed_ns > 64 * kWindowNs) {
      const uint64_t next_ns = std::min(first_pending_ns(), seen_ns - kLatenessNs) / kWindowNs * kWindowNs;
      if (next_ns > closed_ns) {
        closed_ns = next_ns;
        close(closed_ns, false);
        continue;
      }
    }
    closed_ns += kWindowNs;
    close(closed_ns, false);
  }
}

// Not later than when the first of what is pending ended; ~0: nothing is.
uint64_t Budget::Impl::first_pending_ns() const {
  uint64_t first = ~uint64_t{0};
  for (const Switch& one : switches) first = std::min(first, one.span.in_ns);
  for (const auto& [pid, process] : processes) first = std::min(first, process.calls.first_window_ns());
  return first;
}

// (G4) Only what ended before `mono_ns` takes part, whatever has already come.
void Budget::Impl::close(uint64_t mono_ns, bool is_end) {
  const auto later = std::partition(switches.begin(), switches.end(),
                                    [&](const Switch& one) { return !is_end && one.span.in_ns >= mono_ns; });
  for (auto at = later; at != switches.end(); ++at) {
    --pending;
    const auto thread = threads.find(at->tid);
    if (thread == threads.end()) continue;
    if (is_coincidence(at->span, thread->second.pid)) at->span.waker_pid = at->span.waker_tid = 0;
    if (!thread->second.time.add(at->span)) ledger.add(hal::Loss::budget_forgotten);
  }
  watched.clear();
  for (auto& [tid, thread] : threads) {
    thread.time.sort();
    std::string& name = watched[thread.pid];
    if (name.empty()) name = thread.comm;
  }
  for (auto at = later; at != switches.end(); ++at) {
    const OffSpan& wait = at->span;
    if (wait.why != TimeClass::kFutex || wait.waker_tid == 0) continue;
    const auto waiter = threads.find(at->tid), waker = threads.find(wait.waker_tid);
    if (waiter == threads.end() || waker == threads.end() || waiter->second.pid != waker->second.pid) continue;
    waker->second.time.note_holder(wait, at->tid, waiter->second.pid);
  }
  switches.erase(later, switches.end());
  for (auto& [pid, process] : processes) close_calls(process, is_end ? ~uint64_t{0} : mono_ns);
  for (auto& [pid, process] : processes) close_process(process, mono_ns, is_end);
  std::vector<uint32_t> over;
  for (const auto& [pid, process] : processes) {
    if (process.ended_ns != 0 && process.ended_ns < mono_ns) over.push_back(pid);
  }
  for (const uint32_t pid : over) end_process(pid, mono_ns);
  closed_calls = std::vector<BudgetCall>();  // `= {}` would keep its room
  forget(mono_ns);
}

void Budget::Impl::close_calls(BudgetProcess& process, uint64_t mono_ns) {
  closed_calls.clear();
  process.calls.take(mono_ns, closed_calls);
  std::sort(closed_calls.begin(), closed_calls.end(), [](const BudgetCall& a, const BudgetCall& b) {
    return std::tie(a.end_ns, a.start_ns, a.tid, a.call) < std::tie(b.end_ns, b.start_ns, b.tid, b.call);
  });
  pending -= closed_calls.size();
  for (const BudgetCall& call : closed_calls) {
    BudgetThread* thread = thread_of(call.tid, process.facts.pid, {});
    if (thread == nullptr) continue;
    if (!process.has_begun) {
      process.has_begun = true;
      process.first_event_ns = call.start_ns;
      const uint64_t start = process.facts.start_mono_ns;
      process.is_attached_late =
          start != 0 && start + kAttachedNs < first_ns && !from_start.contains(process.facts.pid);
      if (process.is_attached_late) process.device.begin_unknown(call.start_ns);
    }
    if (!thread->submits) {
      thread->submits = true;
      thread->second = std::make_unique<BudgetSecond>();
      thread->done_ns = call.start_ns;
      process.submitters.push_back(call.tid);
    }
    const CallFacts& its = calls[call.call];
    const CallSpan span = process.device.add(call, its, thread->time);
    if (is_work(its) && !call.failed && call.device_ref != 0) {
      thread->has_several_devices |= thread->device_ref != 0 && thread->device_ref != call.device_ref;
      thread->device_ref = call.device_ref;
    }
    const auto probes_ns = static_cast<uint32_t>(std::min(probe_ns, call.end_ns - call.start_ns));
    // What is in a row already is missing to the walk alone.
    const bool fits = thread->time.add(span, probes_ns);
    if (!fits && thread->time.known_from_ns() > thread->done_ns) ledger.add(hal::Loss::budget_forgotten);
    const bool is_sync = span.use == CallUse::kSync || its.kind == Kind::kSync ||
                         (span.use == CallUse::kBlockingCopy && span.device_until_ns != 0);
    const bool has_waited = is_sync && (span.use == CallUse::kBlockingCopy
                                            ? span.device_until_ns >= call.start_ns + ThreadTime::kShortestWaitNs
                                            : call.end_ns - call.start_ns >= ThreadTime::kShortestWaitNs);
    if (process.device.first_submission_ns()) {  // before, no row counts it
      thread->ended.push_back({call.end_ns, probes_ns, process.device.queued_behind(), is_sync, has_waited,
                               is_work(its) && !call.failed, process.device.names_nothing()});
    }
    if (thread->ended.size() > ThreadTime::kMaxSpans) {  // since the last submission
      thread->ended.pop_front();
      ledger.add(hal::Loss::budget_forgotten);
    }
    process.last_call_ns = std::max(process.last_call_ns, call.end_ns);
    process.finder.add(call, its);
  }
  process.finder.choose();
  for (const StepBoundary& one : process.finder.take()) process.boundaries.push_back(one);
}

// A gap belongs to the submission behind it: what comes after a device's last one is not known to be a gap.
void Budget::Impl::take_segments(BudgetProcess& process, uint32_t device_ref, uint64_t mono_ns, bool is_end) {
  const bool was_with_others = device_ref == process.device.first_device_ref() && !process.lines.contains(device_ref);
  BudgetProcess::Line& line = process.lines[device_ref];
  if (was_with_others) line.segments = process.lines[0].segments;
  const uint64_t final_ns = process.device.settle(is_end ? process.last_call_ns : mono_ns, device_ref);
  line.until_ns = is_end ? process.last_call_ns : std::min(final_ns, process.device.last_submission_ns(device_ref));
  for (const DeviceSegment& one : process.device.take(line.until_ns, device_ref)) line.segments.push_back(one);
}

void Budget::Impl::close_process(BudgetProcess& process, uint64_t mono_ns, bool is_end) {
  if (!process.device.first_submission_ns()) return;
  for (const uint32_t tid : process.submitters) {
    if (const auto thread = threads.find(tid); thread != threads.end()) thread->second.time.sort();
  }
  for (const auto& [device_ref, line] : process.device.devices()) take_segments(process, device_ref, mono_ns, is_end);
  take_segments(process, 0, mono_ns, is_end);
  uint64_t oldest = process.lines[0].until_ns;
  for (const uint32_t tid : process.submitters) {
    const auto found = threads.find(tid);
    if (found == threads.end() || found->second.pid != process.facts.pid || !found->second.submits) continue;
    BudgetThread& thread = found->second;
    const uint64_t known = std::min(process.line_of(thread).until_ns, thread.time.certain_ns());
    if (known > thread.done_ns) account(process, thread, known);
    if (is_end) flush_second(thread);
    // One that makes no more calls holds nothing back.
    if (mono_ns < thread.time.certain_ns() + kKeptNs) oldest = std::min(oldest, thread.done_ns);
  }
  for (auto& [device_ref, line] : process.lines) {
    while (!line.segments.empty() && line.segments.front().to_ns <= oldest) line.segments.pop_front();
  }
  if (process.boundaries.size() > kMaxBoundaries) {  // the thread that had the steps makes no calls any more
    process.step_tid = process.boundaries.back().tid;
    process.boundaries.clear();
    process.step_start_ns = 0;
  }
}

void Budget::Impl::end_process(uint32_t pid, uint64_t mono_ns) {
  const auto known = processes.find(pid);
  if (known == processes.end()) return;
  BudgetProcess& process = known->second;
  close_calls(process, ~uint64_t{0});
  close_process(process, mono_ns, true);
  if (ended.size() >= kMaxProcesses) ended.erase(ended.begin());
  if (process.device.first_submission_ns()) ended.push_back(facts_of(process));
  for (const uint32_t tid : process.submitters) {
    const auto thread = threads.find(tid);
    if (thread == threads.end() || thread->second.pid != pid) continue;
    // What it did is asked for while a thread that it woke has a budget; it takes as little room as may be until then.
    thread->second.submits = false;
    thread->second.ended_ns = process.ended_ns != 0 ? process.ended_ns : mono_ns;
    thread->second.second.reset();
    thread->second.ended.clear();
    thread->second.time.pack();
  }
  processes.erase(known);
}

Budget::ProcessFacts Budget::Impl::facts_of(const BudgetProcess& process) {
  return {process.facts.pid,
          process.facts.comm,
          *process.device.first_submission_ns(),
          process.device.last_submission_ns(),
          process.is_attached_late,
          process.first_event_ns};
}

// Spans are kept as long as a budget is behind them, and for the walk: at most kKeptNs (G5). A thread that has ended
// wakes no other: no walk from `floor` on comes to it. Of one that may go on it is known for kKeptNs that it is there.
void Budget::Impl::forget(uint64_t mono_ns) {
  const uint64_t limit = mono_ns > kKeptNs ? mono_ns - kKeptNs : 0;
  // A call that is still to end may have begun a while ago.
  uint64_t floor = mono_ns > kKeptNs / 3 ? mono_ns - kKeptNs / 3 : 0;
  for (const auto& [pid, process] : processes) {
    for (const uint32_t tid : process.submitters) {
      const auto thread = threads.find(tid);
      if (thread != threads.end()) floor = std::min(floor, thread->second.done_ns);
    }
  }
  floor = std::max(floor, limit);
  for (auto at = threads.begin(); at != threads.end();) {
    BudgetThread& thread = at->second;
    thread.time.drop(floor);
    while (!thread.ended.empty() && thread.ended.front().end_ns < limit) thread.ended.pop_front();
    const uint64_t last_ns = std::max({thread.time.last_ns(), thread.seen_ns, thread.ended_ns});
    const bool is_over =
        !thread.submits && last_ns < (thread.ended_ns != 0 ? floor : limit) && thread.time.off().empty();
    at = is_over ? threads.erase(at) : std::next(at);
  }
  forget_exited(floor);
}

// Roles of threads are named by their process's facts, so those go last.
void Budget::Impl::forget_exited(uint64_t floor_ns) {
  std::erase_if(exited, [&](const auto& one) {
    const auto [pid, exit_ns] = one;
    if (exit_ns >= floor_ns || processes.contains(pid) || threads.contains(pid)) return false;
    const auto known = facts.find(pid);
    if (known != facts.end() && known->second.start_mono_ns > exit_ns) return true;  // of another process by now
    if (known != facts.end()) facts.erase(known);
    from_start.erase(pid);
    return true;
  });
}

Budget::Budget(hal::LossLedger& ledger) : impl_(std::make_unique<Impl>(ledger)) {}
Budget::~Budget() = default;

void Budget::set_call(hal::CallId id, CallFacts facts) {
  if (id == hal::kNoCall) return;
  if (id >= impl_->calls.size()) impl_->calls.resize(id + size_t{1});
  impl_->calls[id] = std::move(facts);
}

void Budget::set_probe(uint32_t probe, bool is_per_thread) { impl_->per_thread_probes.set(probe, is_per_thread); }

void Budget::add_process(const hal::Process& process) {
  if (impl_->facts.size() >= kMaxThreads) impl_->facts.clear();
  BudgetFacts& known = impl_->facts[process.pid];
  if (known.start_mono_ns != 0 && process.start_mono_ns != 0 &&
      !hal::same_start(known.start_mono_ns, process.start_mono_ns)) {
    impl_->end_process(process.pid, impl_->seen_ns);  // its number is another process's now
    known = {};
  }
  known.pid = process.pid;
  known.start_mono_ns = process.start_mono_ns;
  known.launches_block = hal::makes_launches_block(process.settings);
  if (process.parent_pid != 0) known.parent_pid = process.parent_pid;
  if (!process.comm.empty()) known.comm = process.comm;
  if (const auto its = impl_->processes.find(process.pid); its != impl_->processes.end()) {
    its->second.set_facts(known);
  }
}

void Budget::set_start(uint64_t mono_ns) { impl_->first_ns = mono_ns; }
void Budget::add_device_sample(const hal::DeviceSample& sample) {
  double slowest = 0;
  for (const hal::Device& device : sample.devices) {
    const double rate = hal::surest_copy_rate(device);
    if (rate <= 0) return;  // of one of them it is not known
    // A link saves power while nothing is copied: its best is what it has when there is.
    if (impl_->links.size() >= Impl::kMaxLinks && !impl_->links.contains(device.uuid)) return;
    double& best = impl_->links[device.uuid];
    best = std::max(best, rate);
    slowest = slowest == 0 ? best : std::min(slowest, best);
  }
  if (slowest == 0) return;
  impl_->slowest_link = std::max(slowest, DeviceTime::kSlowestLink);
  for (auto& [pid, process] : impl_->processes) process.device.set_slowest_link(impl_->slowest_link);
}
void Budget::set_probe_cost(uint64_t ns) { impl_->probe_ns = std::min<uint64_t>(ns, UINT32_MAX); }
void Budget::add(const hal::Event& event) { impl_->add(event); }
void Budget::add_wait(const hal::Event& event, const hal::Wait& wait) { impl_->add_wait(event, wait); }
void Budget::add_sample(const hal::CpuSample& sample) {
  if (sample.stack_id == 0 || sample.mono_ns < impl_->closed_ns) return;
  const auto thread = impl_->threads.find(sample.tid);
  if (thread != impl_->threads.end() && thread->second.pid == sample.pid) {
    thread->second.time.add_sample(sample.mono_ns, sample.stack_id);
  }
}
void Budget::advance(uint64_t mono_ns) { impl_->seen(mono_ns); }

void Budget::finish() {
  if (impl_->seen_ns == 0) return;
  // (G4, G5) Window by window, as if more had come: all that is pending may be more than a thread's spans can be.
  while (impl_->closed_ns + kWindowNs < impl_->seen_ns) {
    impl_->closed_ns += kWindowNs;
    impl_->close(impl_->closed_ns, false);
  }
  impl_->close(std::max(impl_->seen_ns, impl_->closed_ns), true);
}

std::vector<BudgetStep> Budget::take_steps() { return std::exchange(impl_->steps, {}); }
std::vector<BudgetSecond> Budget::take_seconds() { return std::exchange(impl_->seconds, {}); }
const Blame& Budget::blame() const { return impl_->blame; }

std::vector<Budget::ProcessFacts> Budget::processes() const {
  std::vector<ProcessFacts> out = impl_->ended;
  for (const auto& [pid, process] : impl_->processes) {
    if (process.device.first_submission_ns()) out.push_back(Impl::facts_of(process));
  }
  return out;
}

}  // namespace ingero::correlate
