// Assigns each event to its window, process and thread.
#include "correlate/engine.h"

#include <algorithm>

#include "base/text.h"
#include "correlate/engine_impl.h"
#include "hal/bounded.h"
#include "hal/same_start.h"
#include "hal/slow_settings.h"

namespace ingero::correlate {
namespace {

using hal::Has;

// An empty gap is skipped, not evaluated second by second.
constexpr uint64_t kLongestGap = 64;
// An event longer than this does not say how far time has come: its row is older than its end.
constexpr uint64_t kReportsTimeNs = 5'000'000'000;

// Do such events come in the order in which they ended? Others are counted once a second, or come by a ring of their
// own, ahead of all the calls that are still to be read.
bool is_in_order(const CallFacts& facts) {
  if (!facts.host) return true;
  switch (*facts.host) {
    case hal::HostOp::kSchedSwitch:
    case hal::HostOp::kBlockRead:
    case hal::HostOp::kBlockWrite:
    case hal::HostOp::kBlockDiscard:
    case hal::HostOp::kBlockFlush:
    case hal::HostOp::kBlockOther:
    case hal::HostOp::kTcpRetransmit:
      return true;
    default:
      return false;
  }
}

// Of two addresses of this machine: no network lost it, its reader was slow. Of IPv6 that is not known.
bool stays_on_host(const hal::Event& retransmit) {
  constexpr uint64_t kLoopback = 127;
  if (!retransmit.has(Has::kArg0)) return false;
  const uint64_t source = retransmit.arg0 >> 32, destination = retransmit.arg0 & UINT32_MAX;
  return source == destination || destination >> 24 == kLoopback;
}

// One that had ended before its name was read is called what it was called when something happened to it, and one that
// names itself what its main thread was called last, in whatever order that comes (E2).
void take_name(const hal::Event& event, hal::HostOp op, ProcessState& process) {
  const std::string_view comm = fixed_text(event.comm);
  const bool is_own = op == hal::HostOp::kExec || (op == hal::HostOp::kSchedSwitch && event.pid == event.tid);
  if (is_own && !comm.empty() && event.start_mono_ns >= process.named_ns) {
    process.named_ns = event.start_mono_ns;
    if (process.facts.comm != comm) process.facts.comm = comm;
  } else if (process.facts.comm.empty()) {
    process.facts.comm = comm;
  }
}

}  // namespace

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

ProcessState& Engine::Impl::process_of(uint32_t pid) {
  if (pid == last_pid) return *last_process;
  ProcessState*& known = by_pid[pid];
  if (known == nullptr) {
    processes.push_back(std::make_unique<ProcessState>());
    known = processes.back().get();
    known->facts.pid = pid;
    known->key = mix(pid, 0);
    known->known_since = base;
    ++examined.processes;
  }
  last_pid = pid;
  last_process = known;
  return *known;
}

ThreadState& Engine::Impl::thread_of(uint32_t tid, ProcessState& process) {
  ThreadState& thread = threads[tid];
  if (thread.process != &process) {
    thread.process = &process;
    thread.last_call_window = thread.last_window = 0;
  }
  return thread;
}

ProcessWindow& Engine::Impl::window_of(ProcessState& process, uint64_t window) {
  const size_t slot = window % kOpen;
  if (process.open_window[slot] != window) {
    process.open[slot] = std::make_unique<ProcessWindow>();
    process.open[slot]->windows = 1;
    process.open_window[slot] = window;
    touched_processes[slot].push_back(&process);
  }
  return *process.open[slot];
}

void Engine::Impl::seen(uint64_t mono_ns) {
  if (mono_ns <= seen_ns) return;
  seen_ns = mono_ns;
  if (base == 0) {
    // What happened to an adapter before the first call is evaluated, too.
    base = std::max<uint64_t>(std::min(mono_ns, fabric.first_ns().value_or(mono_ns)) / kWindowNs, 3) - 2;
  }
  // Before their windows close: time may go on by itself, without an event in between.
  uint64_t closed = 0;  // in a row, with nothing taken
  const auto take_due = [&] {
    while (!future.empty() && future.begin()->first < base + kOpen) {
      const auto node = future.extract(future.begin());
      if (node.key() >= base) take(node.mapped(), calls[node.mapped().call], node.key());
      closed = 0;
    }
  };
  while ((base + 1) * kWindowNs + kLatenessNs <= seen_ns) {
    take_due();
    close(base++);
    if (++closed < kLongestGap) continue;
    const uint64_t last = (seen_ns - kLatenessNs) / kWindowNs;
    uint64_t next = future.empty() ? last : std::min(last, future.begin()->first);
    if (const auto observed = fabric.first_ns()) next = std::min(next, *observed / kWindowNs);
    base = std::max(base, next);
    closed = 0;
  }
  take_due();
}

void Engine::Impl::note_flight(const hal::Event& event) {
  if (event.kind == hal::Kind::kHost) return;
  const std::pair key{event.tid, event.start_mono_ns};
  const bool ended = event.outcome < hal::Outcome::kInFlight;
  const uint64_t end = ended ? event.end_mono_ns() : ~uint64_t{0};
  const auto known = flights.find(key);
  if (known != flights.end()) {
    known->second.end_mono_ns = end;
  } else if (flights.size() >= kMaxFlights) {
    ledger.add(hal::Loss::engine_forgotten);
  } else {
    flights[key] = {event.pid, event.call, whole_ms(event.wall_offset_ns), end, event.stack_id, event.has(Has::kStack),
                    false};
  }
}

void Engine::Impl::add(const hal::Event& event) {
  if (event.call >= calls.size()) return;
  const CallFacts& facts = calls[event.call];
  ++examined.events;
  const uint64_t duration = event.has(Has::kDuration) ? event.duration_ns : 0;
  if (event.start_mono_ns > INT64_MAX || duration > INT64_MAX) {
    ledger.add(hal::Loss::engine_late);
    ++examined.late;
    return;
  }
  const uint64_t end = event.start_mono_ns + duration;
  const bool unfinished = event.outcome >= hal::Outcome::kInFlight;
  if (unfinished || duration >= (facts.prompt ? kStuckNs : rule(RuleId::never_returned).floor_ns) ||
      (!flights.empty() && flights.contains({event.tid, event.start_mono_ns}))) {
    note_flight(event);
  }
  wall_offset_ns = whole_ms(event.wall_offset_ns);
  last_event_ns = std::max(last_event_ns, duration < kReportsTimeNs ? end : event.start_mono_ns);
  if (unfinished) {
    seen(event.start_mono_ns);
    return;
  }
  if (duration < kReportsTimeNs && (is_in_order(facts) || future.size() >= kMaxFuture)) seen(end);
  if (base == 0) seen(event.start_mono_ns);
  const uint64_t window = end / kWindowNs;
  if (window < base) {  // (E1)
    ledger.add(hal::Loss::engine_late);
    ++examined.late;
  } else if (window < base + kOpen) {
    take(event, facts, window);
  } else if (future.size() < kMaxFuture) {
    future.emplace(window, event);
  } else {
    ledger.add(hal::Loss::engine_forgotten);
  }
}

// Into the sums of its window: nothing here may depend on what was taken before it (E2).
void Engine::Impl::take(const hal::Event& event, const CallFacts& facts, uint64_t window) {
  if (event.pid != 0) {
    ProcessState& process = process_of(event.pid);
    if (process.first_seen_ns == ~uint64_t{0}) ++examined.active;
    process.first_seen_ns = std::min(process.first_seen_ns, event.start_mono_ns);
  }
  if (facts.host) {
    take_host(event, *facts.host, window);
  } else if (event.kind != hal::Kind::kHost) {
    take_call(event, facts, window);
  }
}

void Engine::Impl::take_host(const hal::Event& event, hal::HostOp op, uint64_t window) {
  if (event.pid == 0 && op != hal::HostOp::kOomKill) return;
  ProcessState& process = process_of(event.pid);
  take_name(event, op, process);
  const uint64_t bytes = event.has(Has::kBytes) ? event.bytes : 0;
  switch (op) {
    case hal::HostOp::kSchedSwitch: {
      ThreadState& thread = thread_of(event.tid, process);
      auto& open = thread.open[window % kOpen];
      if (open == nullptr || open->window != window) {
        open = std::make_unique<ThreadWindow>();
        open->window = window;
        touched_threads[window % kOpen].push_back(&thread);
      }
      thread.last_window = std::max(thread.last_window, window);
      ThreadWindow& sum = *open;
      ++sum.switches;
      sum.ns += event.duration_ns;
      add_off(sum.off, event.off);
      if (event.has(Has::kPreemptedBy))
        sum.preemptors.add(event.preempted_by_pid, event.preempted_by_ns, event.preempted_by_comm);
      if (options.windowed && !event.has(Has::kOffCpu) &&
          hal::has_room(sum.intervals, kMaxIntervals, hal::Loss::engine_forgotten, ledger)) {
        sum.intervals.emplace_back(event.start_mono_ns, event.end_mono_ns());
      }
      window_of(process, window);
      break;
    }
    case hal::HostOp::kBlockRead:
    case hal::HostOp::kBlockWrite: {
      ProcessWindow& sum = window_of(process, window);
      KindSum& requests = op == hal::HostOp::kBlockRead ? sum.reads : sum.writes;
      ++requests.calls;
      requests.ns += event.duration_ns;
      requests.bytes += event.has(Has::kBytes) ? bytes : event.arg0 * 512;
      sum.slowest_io_ns = std::max(sum.slowest_io_ns, event.duration_ns);
      if (options.windowed && hal::has_room(sum.io, kMaxIntervals, hal::Loss::engine_forgotten, ledger)) {
        sum.io.emplace_back(event.start_mono_ns, event.end_mono_ns());
      }
      break;
    }
    case hal::HostOp::kPageAlloc:
      window_of(process, window).page_bytes += event.has(Has::kBytes) ? bytes : event.arg0;
      window_of(process, window).page_allocs += event.has(Has::kBytes) ? event.arg0 : 1;
      break;
    case hal::HostOp::kTcpRetransmit:
      if (!stays_on_host(event)) ++window_of(process, window).retransmits;
      break;
    case hal::HostOp::kFork:
      if (event.has(Has::kArg1) && event.arg1 <= UINT32_MAX && process.children.size() < kMaxChildren) {
        const auto child = static_cast<uint32_t>(event.arg1);
        process.children.insert(child);
        ProcessState& made = process_of(child);
        if (made.facts.parent_pid == 0) made.facts.parent_pid = event.pid;
      }
      ++window_of(process, window).forks;
      break;
    case hal::HostOp::kExit:
      note_exit(event, process);
      break;
    case hal::HostOp::kOomKill: {
      Finding finding;
      finding.rule = RuleId::oom_kill;
      const auto victim = static_cast<uint32_t>(event.has(Has::kArg1) ? event.arg1 : event.pid);
      finding.detail =
          fmt::format("{} (pid {})", fixed_text(event.comm).empty() ? "a process" : fixed_text(event.comm), victim);
      finding.subject = fmt::format("{}", victim);
      finding.number = finding.number_now = 1;
      finding.confidence = 1;
      finding.onset_mono_ns = event.start_mono_ns;
      const auto known = by_pid.find(victim);
      if (known != by_pid.end()) known->second->is_oom_victim = true;
      pend(event.start_mono_ns, known == by_pid.end() ? nullptr : known->second, std::move(finding));
      break;
    }
    default:
      break;
  }
}

Engine::Engine(EngineOptions options, hal::LossLedger& ledger)
    : impl_(std::make_unique<Impl>(std::move(options), ledger)) {}
Engine::~Engine() = default;

void Engine::set_call(hal::CallId id, CallFacts facts) {
  if (id == hal::kNoCall) return;
  if (id >= impl_->calls.size()) impl_->calls.resize(id + size_t{1});
  impl_->calls[id] = std::move(facts);
}

void Engine::set_probe(uint32_t probe, bool is_per_thread) { impl_->per_thread_probes.set(probe, is_per_thread); }

void Engine::add_process(const hal::Process& reported) {
  const auto known = impl_->by_pid.find(reported.pid);
  if (known != impl_->by_pid.end() && known->second->facts.start_mono_ns != 0 && reported.start_mono_ns != 0 &&
      !hal::same_start(known->second->facts.start_mono_ns, reported.start_mono_ns)) {
    // Its number is another process's now: it has ended, should that have been lost. What is open of it stays.
    auto& ended_mono_ns = known->second->ended_mono_ns;
    ended_mono_ns = ended_mono_ns.value_or(reported.start_mono_ns);
    impl_->by_pid.erase(known);
    impl_->last_pid.reset();
  }
  ProcessState& process = impl_->process_of(reported.pid);
  hal::Process facts = reported;
  if (facts.comm.empty() || process.named_ns != 0) facts.comm = process.facts.comm;
  // The same start may be given to the tick and exactly: the first stays.
  if (process.facts.start_mono_ns != 0) facts.start_mono_ns = process.facts.start_mono_ns;
  if (facts.parent_pid == 0) facts.parent_pid = process.facts.parent_pid;
  process.facts = std::move(facts);
  process.launches_block = hal::makes_launches_block(process.facts.settings);
  if (process.facts.start_mono_ns != 0) process.key = mix(reported.pid, process.facts.start_mono_ns);
  const auto parent = impl_->by_pid.find(reported.parent_pid);
  if (reported.parent_pid != 0 && parent != impl_->by_pid.end() && parent->second->children.size() < kMaxChildren) {
    parent->second->children.insert(reported.pid);
  }
}

void Engine::add(const hal::Event& event) { impl_->add(event); }
void Engine::add_wait(const hal::Event& event, const hal::Wait& wait) { impl_->note_wait(event, wait); }
void Engine::advance(uint64_t mono_ns) { impl_->seen(mono_ns); }

void Engine::finish() {
  if (impl_->base == 0 && !impl_->fabric.first_ns()) return;
  if (impl_->base == 0) impl_->seen(*impl_->fabric.first_ns());
  impl_->finishing = true;
  const uint64_t last = std::max({impl_->seen_ns, impl_->last_event_ns, impl_->fabric.last_ns()}) / kWindowNs;
  uint64_t end = last + 1;
  if (!impl_->future.empty()) end = std::max(end, std::min(impl_->future.rbegin()->first + 1, last + kLongestGap));
  impl_->seen((end + 1) * kWindowNs + kLatenessNs);
}

std::vector<hal::CausalChain> Engine::take_changes() { return std::exchange(impl_->changes, {}); }

Engine::Examined Engine::examined() const { return impl_->examined; }
size_t Engine::known_processes() const { return impl_->processes.size(); }

}  // namespace ingero::correlate
