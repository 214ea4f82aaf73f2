// Errors after which nothing works, processes that die, and who waited for them: facts that one event proves, whatever
// their share of the time. One fault makes one chain: what follows from it is listed under it.
#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "correlate/engine_impl.h"

namespace ingero::correlate {
namespace {

using hal::Has;

// Signals by which a user, a launcher or a shell ends a program that is all right (signal(7), both architectures).
constexpr int kHangup = 1, kInterrupt = 2, kKill = 9, kPipe = 13, kAlarm = 14, kTerminate = 15;
// A worker that was killed this long before its parent failed was not killed by the parent's clearing up.
constexpr uint64_t kBeforeItsParentNs = 500'000'000;
constexpr uint64_t kForEverNs = 2'000'000'000;  // a wait for a lock that may never end
constexpr uint64_t kEndTakesNs = 100'000'000;   // of a process: its threads end one after the other
constexpr uint64_t kWithNs = 1'000'000'000;     // threads that lock each other out wait from about the same time on

// Also as the status of one that handled it, by the shells' convention.
bool is_request_to_end(int number) {
  return number == kHangup || number == kInterrupt || number == kPipe || number == kAlarm || number == kTerminate;
}

std::string who(const ProcessState& process) {
  return fmt::format("{} (pid {})", process.facts.comm.empty() ? "a process" : printable(process.facts.comm, 40),
                     process.facts.pid);
}

// A process that makes no GPU calls and was killed; or that failed and had worked for its parent until then: what a
// helper returns, as a search that finds nothing, does not count.
bool is_lost_worker(const ProcessState& process, const ProcessState& parent) {
  if (!process.ended_mono_ns || process.first_call_window != 0 || process.is_oom_victim) return false;
  const int64_t status = process.exit_status.value_or(0);
  if ((status & 0x7f) != 0) return (status & 0x7f) == kKill;
  constexpr uint64_t kWorksForIt = 4;
  const auto exchanged = parent.exchanges.find(process.facts.pid);
  return status != 0 && exchanged != parent.exchanges.end() && exchanged->second >= kWorksForIt;
}

// Of such a worker, by what its parent did then.
Finding missed(const ProcessState& worker, const ProcessState& parent, double confidence, std::string_view what) {
  Finding finding;
  finding.rule = (*worker.exit_status & 0x7f) != 0 ? RuleId::process_crashed : RuleId::process_failed;
  finding.number = finding.number_now = 1;
  finding.confidence = confidence;
  finding.onset_mono_ns = *worker.ended_mono_ns;
  finding.detail = fmt::format("{}, whose worker it was, {}", who(parent), what);
  return finding;
}

// What took time before and is over, or fades, does not explain that there is less work now.
bool lasts(const Incident& incident, uint64_t window) {
  if (rule(incident.rule).share == 0 || rule(incident.rule).floor_ns == 0) return true;
  const Finding& last = incident.last;
  return incident.last_window == window && last.lost_now_ns * kTrailing * 2 >= last.lost_ns;
}

bool is_of_end(RuleId id) { return id == RuleId::process_crashed || id == RuleId::process_failed; }

}  // namespace

void Launches::add(uint64_t stream, One launch) {
  if (of_stream_.size() >= kMaxStreams && !of_stream_.contains(stream)) of_stream_.erase(of_stream_.begin());
  if (launch.sample.has_stack && launch.function != 0) {
    if (stacks_.size() >= kMaxStreams * kKept) stacks_.clear();
    stacks_[launch.function] = launch.sample.stack_id;
  } else if (const auto known = stacks_.find(launch.function); known != stacks_.end() && launch.function != 0) {
    launch.sample.stack_id = known->second;
    launch.sample.has_stack = true;
  }
  auto& list = of_stream_[stream];
  const auto after = std::upper_bound(list.begin(), list.end(), launch, [](const One& a, const One& b) {
    return a.sample.start_mono_ns < b.sample.start_mono_ns;
  });
  list.insert(after, launch);
  if (list.size() > kKept) list.erase(list.begin());
}

std::vector<const Launches::One*> Launches::between(std::optional<uint64_t> stream, uint64_t from_ns,
                                                    uint64_t before_ns) const {
  std::vector<const One*> found;
  for (const auto& [handle, list] : of_stream_) {
    if (stream && *stream != handle) continue;
    for (const One& one : list) {
      if (one.sample.start_mono_ns >= from_ns && one.end_mono_ns <= before_ns) found.push_back(&one);
    }
  }
  std::ranges::stable_sort(found, {}, [](const One* one) { return one->sample.start_mono_ns; });
  return found;
}

const Launches::One* Launches::last(std::optional<uint64_t> stream, uint64_t before_ns) const {
  const One* last = nullptr;
  for (const auto& [handle, list] : of_stream_) {
    if (stream && *stream != handle) continue;
    for (const One& one : list) {
      if (one.end_mono_ns > before_ns) continue;
      if (last == nullptr || one.sample.start_mono_ns > last->sample.start_mono_ns) last = &one;
    }
  }
  return last;
}

// "xMalloc returned 2 (xErrorMemoryAllocation)"
std::string Engine::Impl::returned(hal::CallId call, std::optional<int64_t> code) const {
  if (!code) return fmt::format("{} returned nothing (a null pointer)", calls[call].op);
  const std::string name = options.status_of ? options.status_of(call, *code) : std::string();
  return fmt::format("{} returned {}{}", calls[call].op, *code, name.empty() ? "" : " (" + name + ")");
}

// The launches since the last synchronisation but for the last of them, which is named; empty: there is no other.
std::string Engine::Impl::others_text(const std::vector<const Launches::One*>& launches,
                                      const hal::Event& event) const {
  constexpr size_t kMaxNamed = 4;
  std::vector<std::string> others;
  for (size_t i = launches.size(); i-- > 1 && others.size() < kMaxNamed;) {
    const Sample& one = launches[i - 1]->sample;
    others.push_back(
        fmt::format("{} {}", calls[one.call].op, format_duration(event.start_mono_ns - one.start_mono_ns)));
  }
  if (others.empty()) return {};
  const size_t more = launches.size() - 1 - others.size();
  return fmt::format(" Or one of the {} before it since the last synchronisation: {}{} earlier.", launches.size() - 1,
                     fmt::join(others, ", "), more == 0 ? "" : fmt::format(" and {} more,", more));
}

// The first error of a process after which nothing works. One that was caused by earlier work leads to that work.
void Engine::Impl::note_fatal(const hal::Event& event, ProcessState& process, const hal::StatusMeaning& meaning) {
  if (process.fatal_mono_ns != 0) return;
  process.fatal_mono_ns = event.start_mono_ns;
  Finding finding;
  finding.rule = RuleId::fatal_error;
  finding.op = event.call;
  finding.number = finding.number_now = 1;
  finding.confidence = 1;
  finding.onset_mono_ns = event.start_mono_ns;
  finding.detail = returned(event.call, event.return_code);
  finding.cause = meaning.meaning;
  finding.remedy = meaning.remedy;
  Sample sample = sample_of(event, 1);
  if (meaning.effect == hal::StatusEffect::kFatalLater) {
    const bool of_a_stream = event.has(Has::kStream) && event.kind == hal::Kind::kSync;
    const auto stream = of_a_stream ? std::optional(event.stream) : std::nullopt;
    const Launches::One* launch =
        process.launches != nullptr ? process.launches->last(stream, event.start_mono_ns) : nullptr;
    if (launch != nullptr) {
      sample = launch->sample;
      finding.cause += fmt::format(" Work submitted before did it, most likely the last: {}, {} earlier{}.",
                                   calls[launch->sample.call].op,
                                   format_duration(event.start_mono_ns - launch->sample.start_mono_ns),
                                   stream ? fmt::format(" on stream 0x{:x}", *stream) : "");
      finding.cause += others_text(process.launches->between(stream, process.last_wait_ns, event.start_mono_ns), event);
    } else {
      finding.cause += " Work submitted before did it; which is not recorded.";
    }
  }
  finding.sample = sample;
  pend(event.end_mono_ns(), &process, std::move(finding));
}

void Engine::Impl::note_exit(const hal::Event& event, ProcessState& process) {
  if (event.tid != event.pid) return;
  process.ended_mono_ns = event.start_mono_ns;
  if (event.has(Has::kReturnCode)) process.exit_status = event.return_code;
  if (!event.has(Has::kSender)) return;
  process.sender_pid = event.sender_pid;
  process.sender_comm = fixed_text(event.sender_comm);
}

// A process and its child wait for each other: as one that has data prepared for it, and the one that prepares it.
void Engine::Impl::note_waker(uint32_t pid, uint32_t waker) {
  const auto one = by_pid.find(pid), other = by_pid.find(waker);
  if (one == by_pid.end() || other == by_pid.end()) return;
  const bool is_childs = one->second->facts.parent_pid == waker;
  if (!is_childs && other->second->facts.parent_pid != pid) return;
  ProcessState& parent = is_childs ? *other->second : *one->second;
  const ProcessState& child = is_childs ? *one->second : *other->second;
  if (child.ended_mono_ns) return;  // by its end
  const uint32_t key = child.facts.pid;
  if (parent.exchanges.size() < kMaxChildren || parent.exchanges.contains(key)) ++parent.exchanges[key];
}

// A lock that was not to be had until the process ended. What another thread let go of was: it woke the waiter by the
// same system call.
void Engine::Impl::note_wait(const hal::Event& event, const hal::Wait& wait) {
  const bool is_for_requests =
      wait.kind == hal::WaitKind::kPoll || (wait.kind == hal::WaitKind::kSocket && wait.peer && wait.peer->is_accepted);
  if (wait.waker && wait.waker->pid != event.pid) note_waker(event.pid, wait.waker->pid);
  const bool is_for_others =
      wait.kind == hal::WaitKind::kSocket || wait.kind == hal::WaitKind::kPipe || wait.kind == hal::WaitKind::kTerminal;
  if (wait.kind != hal::WaitKind::kFutex && !is_for_requests && !is_for_others) return;
  if (wait.is_timed_out || event.duration_ns < kForEverNs) return;
  if (wait.waker && wait.waker->syscall == wait.syscall) return;
  const auto process = by_pid.find(event.pid);
  if (process == by_pid.end() || process->second->first_call_window == 0) return;
  auto& waits = process->second->long_waits;
  waits.push_back({event.tid, event.start_mono_ns, event.end_mono_ns(), wait.waker.has_value(), is_for_requests,
                   is_for_others, wait.object.value_or(0)});
  if (waits.size() > kLongWaits) waits.erase(waits.begin());
}

// A process whose thread that made the calls waited for a lock from then on until the process ended: it hung, and what
// ended it is only how that was noticed. Threads that began to wait with it may hold what it waits for. Where another
// one waited for requests, it had no work to give. Who is asked to end may have been idle: it hung only where a thread
// that makes no calls, as those of a pool do, waits with it for another lock, and none for another process.
void Engine::Impl::add_hang_before(const ProcessState& process, Finding& finding) {
  if (process.last_calls.empty() || process.last_call_window <= process.first_call_window) return;
  const uint64_t ended = *process.ended_mono_ns;
  const bool is_signal = (*process.exit_status & 0x7f) != 0;  // then it may not be known who woke it
  const auto is_to_the_end = [&](const ProcessState::LongWait& one) { return one.end_ns + kEndTakesNs >= ended; };
  const auto is_for_ever = [&](const ProcessState::LongWait& one) {
    return is_to_the_end(one) && !one.is_for_requests && !one.is_for_others && (one.has_waker || is_signal);
  };
  const bool is_asked = is_request_to_end(static_cast<int>(*process.exit_status & 0x7f));
  const auto is_idle = [&](const auto& one) {
    return is_to_the_end(one) && (one.is_for_requests || (is_asked && one.is_for_others));
  };
  if (std::any_of(process.long_waits.begin(), process.long_waits.end(), is_idle)) return;
  const Sample& last = process.last_calls.back();
  // Inside a call it waited for the device, whatever the library sleeps in.
  const auto is_inside = [&](const Sample& call) { return call.tid == last.tid; };
  if (std::any_of(process.calls_at_end.begin(), process.calls_at_end.end(), is_inside)) return;
  const auto own = std::find_if(process.long_waits.begin(), process.long_waits.end(), [&](const auto& one) {
    return one.tid == last.tid && one.start_ns >= last.start_mono_ns && is_for_ever(one);
  });
  if (own == process.long_waits.end()) return;
  const uint64_t ns = own->end_ns - own->start_ns;
  if (ns < 2 * process.longest_pause * kWindowNs) return;  // it has waited like that, and went on
  std::string others;
  size_t count = 0;
  for (const ProcessState::LongWait& one : process.long_waits) {
    if (one.tid == own->tid || !is_for_ever(one)) continue;
    const uint64_t apart = one.start_ns > own->start_ns ? one.start_ns - own->start_ns : own->start_ns - one.start_ns;
    if (apart > kWithNs) continue;  // an idle thread of a pool, or one that waits for this one's work
    const auto is_its = [&](const Sample& call) { return call.tid == one.tid; };
    if (is_asked && (one.object == own->object || std::ranges::any_of(process.last_calls, is_its))) continue;
    others += fmt::format("{} {}", count++ == 0 ? "" : ",", one.tid);
  }
  if (is_asked && count == 0) return;
  finding.detail = fmt::format("waited for a lock for its last {}", format_duration(ns));
  finding.cause = fmt::format(
      "Thread {}, which had made its calls, waited for a lock (futex) in its last {}, and nothing ended that wait",
      own->tid, format_duration(ns));
  if (count > 0) {
    finding.cause += fmt::format(
        ". {}{} waited likewise from about the same time on: a deadlock, if each holds what the other waits for",
        count == 1 ? "Thread" : "Threads", others);
  }
  finding.remedy =
      "Look at what was to end that wait: who fills its queue or holds its lock may have ended, or may wait for it.";
}

// A worker may be killed when it is not needed any more. One that was killed while its parent went on, which then made
// no call and failed, was.
void Engine::Impl::add_killed_workers(const ProcessState& parent,
                                      std::vector<std::pair<ProcessState*, Finding>>& found) {
  const uint64_t ended = *parent.ended_mono_ns;
  for (const uint32_t pid : parent.children) {
    const auto child = by_pid.find(pid);
    if (child == by_pid.end() || !is_lost_worker(*child->second, parent)) continue;
    const uint64_t killed = *child->second->ended_mono_ns;
    const uint64_t last = parent.last_calls.empty() ? 0 : parent.last_calls.back().start_mono_ns;
    if (std::max(killed, last) + kBeforeItsParentNs > ended || killed + kExplainsNs < ended) continue;
    const std::string silent_for = format_duration(ended - std::max(killed, last));
    found.emplace_back(child->second, missed(*child->second, parent, 0.9, "made no call in its last " + silent_for));
  }
}

// A worker that was killed, and whose parent has slept ever since: it may wait for ever. Who ends its workers itself
// has something else to do, or ends.
void Engine::Impl::add_missed_workers(const ProcessState& parent, uint64_t window,
                                      std::vector<std::pair<ProcessState*, Finding>>& found) {
  constexpr uint64_t kAsleep = 2;  // windows
  if (parent.first_call_window == 0 || parent.ended_mono_ns || parent.asleep != kAsleep) return;
  const uint64_t slept_from = window + 1 - kAsleep;
  for (const uint32_t pid : parent.children) {
    const auto child = by_pid.find(pid);
    if (child == by_pid.end() || !is_lost_worker(*child->second, parent)) continue;
    const uint64_t killed = *child->second->ended_mono_ns / kWindowNs;
    const uint64_t last_call = parent.last_calls.empty() ? 0 : parent.last_calls.back().start_mono_ns / kWindowNs;
    if (killed >= slept_from || killed + kAsleep < slept_from || last_call + 1 < killed) continue;
    found.emplace_back(child->second, missed(*child->second, parent, 0.8,
                                             "still runs: it has made no call since, and its threads sleep"));
  }
}

// Several of one parent that are killed at once, while it goes on: it did so, as launchers do. For recordings that do
// not say who sent the signal.
std::string Engine::Impl::killed_by(const ProcessState& process) const {
  if (process.sender_pid != 0) return {};
  const auto parent = by_pid.find(process.facts.parent_pid);
  constexpr uint32_t kInit = 1;
  if (parent == by_pid.end() || process.facts.parent_pid <= kInit) return {};
  const uint64_t ended = *process.ended_mono_ns;
  if (parent->second->ended_mono_ns && *parent->second->ended_mono_ns < ended) return {};
  size_t others = 0;
  for (const auto& other : processes) {
    if (other.get() == &process || other->facts.parent_pid != process.facts.parent_pid) continue;
    if (!other->ended_mono_ns || (other->exit_status.value_or(0) & 0x7f) != kKill) continue;
    const uint64_t at = *other->ended_mono_ns;
    others += (at > ended ? at - ended : ended - at) <= kWithNs ? 1 : 0;
  }
  if (others == 0) return {};
  return fmt::format("{} of {} {} killed with it: most likely by that parent, as a launcher does",
                     others == 1 ? "Another process" : fmt::format("{} other processes", others), who(*parent->second),
                     others == 1 ? "was" : "were");
}

// Processes that ended in this window and should not have: by a signal, or with a status that means failure; or that
// hung, whatever ended them.
void Engine::Impl::evaluate_ends(uint64_t window, std::vector<std::pair<ProcessState*, Finding>>& found) {
  for (const auto& process : processes) {
    add_missed_workers(*process, window, found);
    if (!process->ended_mono_ns || !process->exit_status) continue;
    if (std::max(*process->ended_mono_ns / kWindowNs, process->first_call_window) != window) continue;
    const int signal = static_cast<int>(*process->exit_status & 0x7f);
    const int status = static_cast<int>(*process->exit_status >> 8 & 0xff);
    constexpr int kHandled = 128;  // and the signal's number
    const bool is_asked = is_request_to_end(signal);
    if ((signal == 0 && status == 0) || (is_asked && process->first_call_window == 0)) continue;
    if (signal == 0 && is_request_to_end(status - kHandled)) continue;
    if (signal == kKill && process->is_oom_victim) continue;  // the kernel did it: oom_kill
    if (process->first_call_window == 0) {
      // A worker of one that makes calls; it may be killed when it is not needed any more.
      const auto parent = by_pid.find(process->facts.parent_pid);
      const bool is_worker = parent != by_pid.end() && parent->second->first_call_window != 0;
      if (!is_worker || signal == 0 || signal == kKill) continue;
    }
    Finding finding;
    finding.rule = signal != 0 ? RuleId::process_crashed : RuleId::process_failed;
    finding.number = finding.number_now = 1;
    finding.confidence = 1;
    finding.onset_mono_ns = *process->ended_mono_ns;
    if (!process->calls_at_end.empty()) {
      finding.sample = process->calls_at_end.front();
    } else if (!process->last_calls.empty()) {
      finding.sample = process->last_calls.back();
    }
    if (finding.sample) finding.op = finding.sample->call;
    // What failed among its last calls is most often why it gave up.
    if (const ProcessState::Failure& last = process->last_failure;
        signal == 0 && last.start_mono_ns != 0 && !process->last_calls.empty() &&
        last.start_mono_ns >= process->last_calls.front().start_mono_ns) {
      finding.detail = returned(last.call, last.code);
    }
    if (signal == kKill && finding.detail.empty()) finding.detail = killed_by(*process);
    if (process->first_call_window != 0) {
      add_hang_before(*process, finding);
      // A timer of its own that nothing handled ended what was at work.
      const bool is_cut_off = signal == kAlarm && !process->last_calls.empty() &&
                              process->last_calls.back().start_mono_ns + kWithNs >= *process->ended_mono_ns;
      if (is_asked && !is_cut_off && finding.cause.empty()) continue;
      // What a program ends of its own it needs no more, unless that hung.
      finding.is_minor = signal == kKill && finding.cause.empty() && process->is_sent_by_parent();
      add_killed_workers(*process, found);
    }
    found.emplace_back(process.get(), std::move(finding));
  }
}

// When it is known to have happened: a rank that is waited for is missing for good once it has ended.
uint64_t Engine::Impl::known_ns(const Finding& finding) const {
  uint64_t at = finding.onset_mono_ns;
  for (const uint32_t pid : finding.absent) {
    if (const auto end = end_of(pid)) at = std::max(at, end->mono_ns);
  }
  return at;
}

// In the order in which they happened, across processes: the first explains the others.
void Engine::Impl::settle_ends(std::vector<std::pair<ProcessState*, Finding>> ends,
                               std::vector<std::pair<ProcessState*, Finding>>& found, uint64_t window) {
  for (auto& entry : found) {
    if (entry.first != nullptr && is_certain(entry.second.rule)) {
      ends.push_back(std::move(entry));
      entry.first = nullptr;
      entry.second.rule = RuleId::kCount;
    }
  }
  std::erase_if(found, [](const auto& entry) { return entry.second.rule == RuleId::kCount; });
  std::stable_sort(ends.begin(), ends.end(),
                   [&](const auto& a, const auto& b) { return known_ns(a.second) < known_ns(b.second); });
  for (auto& [process, finding] : ends) settle(process, {std::move(finding)}, window);
}

uint64_t Engine::Impl::is_certain_by(const Hang& hang) const {
  const Finding& finding = hang.finding;
  if (out_of_step.contains(hang.comm_id_hash)) return std::min(hang.from, finding.onset_mono_ns / kWindowNs + 1);
  const bool all_are_gone = std::ranges::all_of(finding.absent, [&](uint32_t pid) { return end_of(pid).has_value(); });
  if (finding.absent.empty() || !all_are_gone) return hang.from;
  return std::min(hang.from, known_ns(finding) / kWindowNs + 1);
}

bool Engine::Impl::are_peers(uint32_t pid, uint32_t other) const {
  return std::any_of(comm_pids.begin(), comm_pids.end(), [&](const auto& entry) {
    const auto& pids = entry.second;
    return std::find(pids.begin(), pids.end(), pid) != pids.end() &&
           std::find(pids.begin(), pids.end(), other) != pids.end();
  });
}

// Calls that wait are longer now and then for a rank that comes late, which has a chain of its own.
bool Engine::Impl::is_of_late_peer(const ProcessState& process, const Finding& finding) const {
  if (finding.rule != RuleId::periodic_spike || !process.has_peers || finding.op >= calls.size()) return false;
  if (!calls[finding.op].synchronising && calls[finding.op].kind != hal::Kind::kCollective) return false;
  return std::any_of(reported_late.begin(), reported_late.end(), [&](uint32_t pid) {
    const auto late = late_in_all.find(pid);
    return pid != process.facts.pid && late != late_in_all.end() && late->second * 2 >= finding.lost_ns &&
           are_peers(pid, process.facts.pid);
  });
}

// The incident that the finding follows from, now or still open; null: none.
Incident* Engine::Impl::cause_of(const ProcessState* process, const Finding& finding, uint64_t window) {
  const Rule& its = rule(finding.rule);
  const uint64_t at = finding.onset_mono_ns;
  Incident* cause = nullptr;
  for (auto& [key, incident] : incidents) {
    const Rule& other = rule(incident.rule);
    if (other.is_effect || incident.rule == RuleId::cold_start) continue;
    const bool own = process != nullptr && incident.process == process;
    const bool of_failure = is_of_end(incident.rule) || incident.rule == RuleId::fatal_error;
    const bool is_before = at == 0 || incident.onset_mono_ns <= at;
    bool explains = own && its.is_effect && (its.family != Family::kRate || lasts(incident, window));
    if (incident.rule == RuleId::collective_hang && process != nullptr) {
      const auto waiting = hanging.find(fnv1a(incident.last.subject));
      explains |= waiting != hanging.end() && std::find(waiting->second.begin(), waiting->second.end(),
                                                        process->facts.pid) != waiting->second.end();
    }
    // The end of a process that could not go on; what its peers get then; and those that wait for it.
    if (own && is_of_end(finding.rule)) explains |= is_certain(incident.rule) && is_before;
    if (!own && of_failure && process != nullptr && incident.process != nullptr && is_before &&
        (is_of_end(finding.rule) || finding.rule == RuleId::fatal_error || finding.rule == RuleId::never_returned)) {
      explains |=
          incident.onset_mono_ns + kExplainsNs >= at && are_peers(process->facts.pid, incident.process->facts.pid);
    }
    if (finding.rule == RuleId::collective_hang && incident.process != nullptr &&
        (of_failure || incident.rule == RuleId::oom_kill)) {
      explains |=
          std::find(finding.absent.begin(), finding.absent.end(), incident.process->facts.pid) != finding.absent.end();
    }
    // Whose worker was killed waits for it, or fails; and a hang follows where ranks are out of step.
    explains |= (its.is_effect || (is_of_end(finding.rule) && is_before)) &&
                (incident.rule == RuleId::oom_kill || is_of_end(incident.rule)) && process != nullptr &&
                incident.process != nullptr && incident.process->facts.parent_pid == process->facts.pid;
    explains |= finding.rule == RuleId::collective_hang && incident.rule == RuleId::collective_mismatch &&
                finding.subject.starts_with(incident.last.subject);
    if (!explains) continue;
    if (cause == nullptr || incident.lost_ns > cause->lost_ns ||
        (is_certain(incident.rule) && incident.onset_mono_ns < cause->onset_mono_ns)) {
      cause = &incident;
    }
  }
  return cause;
}

// One line a rule and process: the latest figures replace those before.
void Engine::Impl::add_symptom(Incident& cause, ProcessState* process, const Finding& finding, uint64_t window) {
  Incident symptom;
  symptom.rule = finding.rule;
  symptom.process = process;
  symptom.last = finding;
  symptom.number = finding.number;
  symptom.lost_ns = finding.lost_ns;
  symptom.onset_window = window;
  if (process != nullptr) {
    describe(symptom, evaluation(*process, ProcessWindow{}, ProcessWindow{}, window));
  } else {
    symptom.onset_mono_ns = finding.onset_mono_ns;
    symptom.end_mono_ns = (window + 1) * kWindowNs;
    describe_system(symptom, system);
  }
  const bool own = process == nullptr || cause.process == process;
  const std::string name = own ? fmt::format("{}: ", rule(finding.rule).name)
                               : fmt::format("{} of pid {}: ", rule(finding.rule).name, process->facts.pid);
  const auto same = std::find_if(cause.symptoms.begin(), cause.symptoms.end(),
                                 [&](const std::string& one) { return one.starts_with(name); });
  if (same != cause.symptoms.end()) {
    *same = name + symptom.chain.summary;
  } else if (cause.symptoms.size() < kMaxChildren) {
    cause.symptoms.push_back(name + symptom.chain.summary);
  }
  cause.chain.symptoms = cause.symptoms;
  if (own && (finding.rule == RuleId::process_failed || finding.rule == RuleId::process_crashed)) {
    cause.has_ended_process = true;
    cause.chain.severity = name_of(hal::ChainSeverity::kCritical);
  }
  cause.changed = true;
}

}  // namespace ingero::correlate
