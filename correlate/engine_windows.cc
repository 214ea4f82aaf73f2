// What happens when a window closes: sums are completed, rules evaluate them, incidents open, grow and end.
#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "correlate/engine_impl.h"
#include "hal/bounded.h"

namespace ingero::correlate {
namespace {

constexpr uint64_t kLearned = 20;          // calls after which a series's usual blocking is known
constexpr size_t kRatesKept = 32;          // windows a process's rate of work is remembered
constexpr size_t kNewcomers = 8;           // that a process knows of
constexpr uint64_t kForgottenAfter = 600;  // windows of silence, of a process that may go on
// Of one that has ended nothing comes any more, and rules look at kTrailing windows, also at those whose CPU it took.
constexpr uint64_t kKeptEnded = kTrailing;
constexpr uint64_t kKeptAlone = 1;  // its calls and incidents, if no other process may wait for it: an effect is raised
                                    // a window late

std::string key_of(Family family, const ProcessState* process, const std::string& subject) {
  return fmt::format("{}/{:x}/{}", static_cast<int>(family), process == nullptr ? 0 : process->key, subject);
}

// Threads of a vendor's library wake up now and then; those that make calls do not, while they sleep. Nor does one that
// computes, undisturbed on its CPU: the two look alike.
bool is_asleep(const ProcessWindow& now) {
  constexpr uint64_t kWakes = 50;
  constexpr uint64_t kBytes = 1 << 20;
  return now.calls + now.switches + now.reads.calls + now.writes.calls + now.forks == 0 &&
         now.other_switches <= kWakes && now.page_bytes < kBytes;
}

bool is_active(const ProcessState& process, uint64_t window) {
  return process.last_window != 0 && (process.last_window + 2 * kActive >= window || process.has_stopped());
}

void count_spikes(Series& series, const SeriesWindow& sum, uint64_t window) {
  constexpr uint64_t kBurst = 8;  // calls that are one burst
  constexpr size_t kGapsKept = 16;
  if (sum.spikes.empty()) return;
  series.spike_ns += sum.spike_ns;
  series.spike_window = window;
  if (series.first_spike_ns == 0) series.first_spike_ns = sum.first_spike_ns;
  for (const uint64_t at : sum.spikes) {
    if (series.last_spike == 0 || at > series.last_spike + kBurst) {
      if (series.last_spike != 0) push_last(series.gaps, at - series.last_spike, kGapsKept);
      ++series.spikes;
    }
    series.last_spike = at;
  }
}

// Of allocations that were refused the first stays: what was held then is what was too much.
Finding latest_of(const Incident& incident, const Finding& finding) {
  if (finding.rule != RuleId::device_out_of_memory || incident.last.rule != finding.rule) return finding;
  Finding first = incident.last;
  first.number_now = finding.number_now;
  return first;
}

// A program may ask before its first work how much it can get: what is refused then hinders nothing if it works with
// what it got. Whether it does is known once it works, or has ended.
enum class Probing { kReport, kWait, kDrop };
Probing evaluate_probing(const ProcessState* process, const Finding& finding, uint64_t window, bool is_last) {
  constexpr uint64_t kWaits = 10;  // windows
  if (finding.rule != RuleId::device_out_of_memory || process == nullptr) return Probing::kReport;
  if (finding.onset_mono_ns >= process->first_work_ns) return Probing::kReport;
  const bool is_over = process->ended_mono_ns && *process->ended_mono_ns / kWindowNs <= window;
  const bool has_worked = process->first_work_window != 0;
  const bool is_late = is_last || window >= finding.onset_mono_ns / kWindowNs + kWaits;
  if (!is_over && !has_worked && !is_late) return Probing::kWait;
  if (is_over && process->exit_status.value_or(0) != 0) return Probing::kReport;
  const bool goes_on = has_worked ? process->granted_ns != 0 : process->granted_ns > finding.onset_mono_ns;
  return goes_on ? Probing::kDrop : Probing::kReport;
}

}  // namespace

void Engine::Impl::pend(uint64_t mono_ns, ProcessState* process, Finding finding) {
  const uint64_t window = std::max(mono_ns / kWindowNs, base);
  if (pending.size() >= kMaxIncidents) {
    ledger.add(hal::Loss::engine_forgotten);
    return;
  }
  pending.emplace(window, std::pair(process, std::move(finding)));
}

void Engine::Impl::close_threads(uint64_t window) {
  const size_t slot = window % kOpen;
  for (ThreadState* thread : touched_threads[slot]) {
    if (thread->open[slot] == nullptr || thread->open[slot]->window != window) continue;
    const std::unique_ptr<ThreadWindow> closed = std::move(thread->open[slot]);
    const ThreadWindow& reported = *closed;
    ProcessWindow& sum = window_of(*thread->process, window);
    const bool makes_calls = thread->last_call_window != 0 && thread->last_call_window + kActive >= window;
    add_off(makes_calls ? sum.threads : sum.others, reported.off);
    (makes_calls ? sum.switches : sum.other_switches) += reported.switches;
    (makes_calls ? sum.thread_preemptors : sum.other_preemptors).add(reported.preemptors);
    sum.switch_ns += reported.ns;
    if (makes_calls) {
      sum.worst_thread_ns = std::max(sum.worst_thread_ns, reported.off.preempted_ns + reported.off.runqueue_ns);
      sum.worst_thread_io_ns = std::max(sum.worst_thread_io_ns, reported.off.io_ns);
    }
    for (const auto& interval : reported.intervals) {
      if (!hal::has_room(sum.off, kMaxIntervals, hal::Loss::engine_forgotten, ledger)) continue;
      sum.off.push_back(interval);
    }
  }
  touched_threads[slot].clear();
}

void Engine::Impl::close_series(uint64_t window) {
  const size_t slot = window % kOpen;
  for (Series* one : touched_series[slot]) {
    if (one->open[slot] == nullptr || one->open[slot]->window != window) continue;
    const std::unique_ptr<SeriesWindow> closed = std::move(one->open[slot]);
    const SeriesWindow& sum = *closed;
    const CallFacts& facts = calls[one->call];
    // Calls that sleep now and then (allocations, module loads) have a usual share; more than that is unusual.
    if (sum.timed > 0 && !facts.synchronising && !one->nested) {
      const double mean = static_cast<double>(sum.blocked_ns) / static_cast<double>(sum.timed);
      if (one->baseline.lifetime() >= kLearned && one->usual_blocked_ns >= 0) {
        const double usual = one->usual_blocked_ns * static_cast<double>(sum.timed);
        const double unusual = static_cast<double>(sum.blocked_ns) - 2 * usual;
        if (unusual > 0 && facts.kind != hal::Kind::kLaunch && facts.graph != GraphStep::kLaunch && !facts.async &&
            facts.kind != hal::Kind::kCollective && facts.kind != hal::Kind::kCommunicator &&
            facts.kind != hal::Kind::kSync) {
          window_of(*one->process, window).unusual_blocked_ns += static_cast<uint64_t>(unusual);
        }
      }
      one->usual_blocked_ns = one->usual_blocked_ns < 0 ? mean : one->usual_blocked_ns * 0.9 + mean * 0.1;
    }
    one->baseline.merge(sum.bins, sum.calls);
    one->slowest_ns = std::max(one->slowest_ns, sum.max_ns);
    one->shortest_ns = std::min(one->shortest_ns, sum.min_ns);
    one->last_window = window;
    count_spikes(*one, sum, window);
    if (one->baseline.lifetime() >= kLearned) one->usual_ns = one->baseline.percentile(50);
    if (!one->listed) {
      one->listed = true;
      one->process->series.push_back(one);
    }
  }
  touched_series[slot].clear();
}

void Engine::Impl::close_processes(uint64_t window) {
  const size_t slot = window % kOpen;
  for (const auto& process : processes) {
    const bool reported = process->open_window[slot] == window;
    if (reported) process->last_window = window;
    if (!is_active(*process, window)) continue;
    process->trailing.push(reported ? std::move(process->open[slot]) : nullptr);
    if (reported) process->open_window[slot] = 0;
    const ProcessWindow& now = process->trailing.back();
    if (process->first_call_window == 0 && !options.windowed) continue;
    if (now.syncs.calls > 0) {
      push_last(process->sync_means, {window, now.syncs.ns / now.syncs.calls}, kRatesKept);
    }
    const uint64_t work = now.launches.calls + now.graph_launches.calls + now.collectives.calls;
    if (work > 0) process->longest_pause = std::max(process->longest_pause, std::exchange(process->pause, 0));
    if (work == 0 && process->first_call_window != 0) ++process->pause;
    process->asleep = is_asleep(now) ? process->asleep + 1 : 0;
    push_last(process->rates, work, kRatesKept);
    if (work > 0 && process->first_work_window == 0) process->first_work_window = window;
    if (now.graph_launches.calls > 0 && process->first_graph_window == 0) process->first_graph_window = window;
    if (process->pause == 1) {  // the window in which it stopped holds a part of the usual
      process->rate_before_pause =
          std::max(steady_rate(process->rates, 1, kSteady), steady_rate(process->rates, 2, kSteady));
    }
    // The difference is less than what lives, whatever the two come to.
    const auto net = static_cast<int64_t>(now.allocated_bytes - now.freed_bytes);
    process->held_bytes += net;
    process->peak_bytes = std::max(process->peak_bytes, process->held_bytes);
    push_last(process->growth, net, kRatesKept);
    for (auto& [handle, graph] : process->graphs) {
      push_last(graph.rates, graph.open_window[slot] == window ? graph.open[slot] : 0, kRatesKept);
    }
  }
  touched_processes[slot].clear();
  note_newcomers(window);
}

// How long each process usually waited for its device before others came, and whether that grew when they did.
void Engine::Impl::note_newcomers(uint64_t window) {
  constexpr uint64_t kSoon = 10;  // windows
  const uint64_t enough = rule(RuleId::device_contention).count;
  for (const auto& process : processes) {
    if (process->sync_means.empty() || process->sync_means.back().window != window) continue;
    for (ProcessState::Newcomer& one : process->newcomers) {
      one.has_cost |= window <= one.window + kSoon && has_longer_waits(process->sync_means.back().ns, one.usual_ns);
    }
  }
  for (const auto& newcomer : processes) {
    if (newcomer->first_work_window != window) continue;
    for (const auto& process : processes) {
      std::vector<uint64_t> before;
      for (const auto& [at, ns] : process->sync_means) {
        if (at < window) before.push_back(ns);
      }
      if (process == newcomer || before.size() < enough) continue;
      std::sort(before.begin(), before.end());
      push_last(process->newcomers, {newcomer->key, window, before[before.size() / 2]}, kNewcomers);
    }
  }
}

uint64_t Engine::Impl::usual_of(const ProcessState& process, hal::CallId call, uint64_t* slowest) const {
  const Series* best = nullptr;
  for (const Series* one : process.series) {
    if (one->call != call || one->nested) continue;
    if (slowest != nullptr) *slowest = std::max(*slowest, one->slowest_ns);
    if (best == nullptr || one->baseline.lifetime() > best->baseline.lifetime()) best = one;
  }
  return best == nullptr || best->baseline.lifetime() < kEnoughForUsual ? 0 : best->baseline.percentile(50);
}

Evaluation Engine::Impl::evaluation(const ProcessState& process, const ProcessWindow& sum, const ProcessWindow& now,
                                    uint64_t window) const {
  uint64_t end = finishing ? std::min((window + 1) * kWindowNs, last_event_ns) : (window + 1) * kWindowNs;
  if (process.ended_mono_ns) end = std::min(end, *process.ended_mono_ns);
  const uint64_t begin = std::max(process.first_seen_ns, (window + 1 - std::min(window + 1, kTrailing)) * kWindowNs);
  const uint64_t span = end > begin ? end - begin : 1;
  return {process,
          sum,
          now,
          window,
          span,
          system,
          calls,
          by_pid,
          throttling,
          affinities,
          comm_pids,
          options.status_of,
          options.meaning_of,
          options.windowed};
}

void Engine::Impl::close(uint64_t window) {
  ++examined.windows;
  const uint64_t end = (window + 1) * kWindowNs;
  while (!snapshots.empty() && snapshots.front().second < end) {
    system.snapshot = snapshots.front().first;
    system.snapshot_mono_ns = snapshots.front().second;
    snapshots.pop_front();
  }
  while (!throttling.empty() && throttling.front().mono_ns + kTrailing * kWindowNs < end) throttling.pop_front();
  close_threads(window);
  close_series(window);
  close_processes(window);

  if (finishing && window * kWindowNs > last_event_ns && pending.empty() && !fabric.first_ns()) {
    resolve_quiet(window);
    return;
  }
  std::vector<std::pair<ProcessState*, Finding>> found;
  const bool is_last = finishing && (window + 1) * kWindowNs > last_event_ns;
  for (auto at = pending.begin(); at != pending.end() && at->first <= window; at = pending.erase(at)) {
    const Probing probing = evaluate_probing(at->second.first, at->second.second, window, is_last);
    if (probing == Probing::kReport) found.push_back(std::move(at->second));
    if (probing == Probing::kWait) pending.emplace(window + 1, std::move(at->second));
  }
  Findings of_fabric;
  fabric.evaluate(window, processes, of_fabric);
  for (Finding& finding : of_fabric) found.emplace_back(nullptr, std::move(finding));
  evaluate_flights(window, found);
  evaluate_arrivals(window, found);
  std::vector<std::pair<ProcessState*, Finding>> ends;
  evaluate_ends(window, ends);
  std::erase_if(open_hangs, [&](const auto& entry) { return entry.second.until < window; });
  evaluate_stuck(window, ends);
  for (const auto& [subject, hang] : open_hangs) {
    if (is_certain_by(hang) > window || in_deadlock.contains(subject)) continue;
    ends.emplace_back(nullptr, hang.finding);
    add_ends(hang.missing, ends.back().second);
  }
  settle_ends(std::move(ends), found, window);
  Findings of_system;
  evaluate_system(system, of_system);
  for (Finding& finding : of_system) found.emplace_back(nullptr, std::move(finding));

  std::map<ProcessState*, Findings> by_process;
  for (auto& [process, finding] : found) by_process[process].push_back(std::move(finding));
  if (by_process.contains(nullptr)) settle(nullptr, std::move(by_process[nullptr]), window);
  for (const auto& process : processes) {
    const bool active = is_active(*process, window);
    const auto known = by_process.find(process.get());
    Findings findings;
    if (known != by_process.end()) findings = std::move(known->second);
    if (active && (process->first_call_window != 0 || options.windowed) && !process->trailing.empty()) {
      ProcessWindow sum;
      for (const ProcessWindow& one : process->trailing) sum.add(one);
      const Evaluation seen = evaluation(*process, sum, process->trailing.back(), window);
      evaluate_cpu(seen, findings);
      evaluate_waits(seen, findings);
      evaluate_patterns(seen, findings);
      evaluate_memory(seen, findings);
      evaluate_rates(seen, findings);
      evaluate_device(seen, findings);
    }
    if (!findings.empty()) settle(process.get(), std::move(findings), window);
  }
  follow_growth(window);
  resolve_quiet(window);
  forget_old(window);
}

// One cause, one chain: of a family the heaviest finding; effects only where no cause of the process is there.
void Engine::Impl::settle(ProcessState* process, Findings findings, uint64_t window) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    const Rule& one = rule(a.rule);
    const Rule& other = rule(b.rule);
    if (one.is_effect != other.is_effect) return !one.is_effect;
    if (is_certain(one.id) != is_certain(other.id)) return is_certain(one.id);
    if (a.lost_ns != b.lost_ns) return a.lost_ns > b.lost_ns;
    return one.id < other.id;
  });
  std::map<std::string, bool> taken;
  for (const Finding& finding : findings) {
    const Rule& its = rule(finding.rule);
    const std::string key = key_of(its.family, process, finding.subject);
    if (std::exchange(taken[key], true)) continue;
    const bool may_be_symptom = its.is_effect || its.family == Family::kHang || its.family == Family::kExit ||
                                finding.rule == RuleId::fatal_error;
    if (finding.rule == RuleId::late_rank && process != nullptr && reported_late.size() < kMaxIncidents) {
      reported_late.insert(process->facts.pid);
    }
    if (process != nullptr && !incidents.contains(key) && is_of_late_peer(*process, finding)) continue;
    if (!may_be_symptom || incidents.contains(key)) {
      raise(process, finding, window);
      continue;
    }
    if (Incident* cause = cause_of(process, finding, window)) {
      add_symptom(*cause, process, finding, window);
      effects.erase(key);
      continue;
    }
    // A cause may be found a window later. Rules over all trailing windows have waited for that already.
    const auto before = effects.find(key);
    if (!its.is_effect || its.family == Family::kPattern) {
      raise(process, finding, window);
    } else if (before != effects.end() && before->second + 1 == window) {
      raise(process, finding, window);
      effects.erase(before);
    } else {
      effects[key] = window;
    }
  }
}

// Whether the finding is the incident's. Within the first windows a better name may be found; the id stays.
bool Engine::Impl::takes(Incident& incident, const Finding& finding, const ProcessWindow& now, uint64_t window) {
  const Rule& its = rule(finding.rule);
  const bool is_coarser =
      (incident.rule == RuleId::memory_fragmentation && finding.rule == RuleId::device_out_of_memory) ||
      (is_certain(incident.rule) && !is_certain(finding.rule));
  const bool is_proven = is_certain(finding.rule) && !is_certain(incident.rule);
  const bool is_same_port = is_of_fabric(incident.rule) && is_of_fabric(finding.rule);
  if (is_same_port) {
    // Its rule is the first of those found: what lies further down follows from it.
    incident.rule = std::min(incident.rule, finding.rule);
  } else if (is_of_who_ran(incident.rule) && is_of_who_ran(finding.rule)) {
    return true;
  } else if (its.family == rule(incident.rule).family && incident.rule != finding.rule && !is_coarser &&
             (is_proven || window < incident.onset_window + kTrailing)) {
    incident.rule = finding.rule;
    incident.number = finding.number - finding.number_now;
  } else if (incident.rule != finding.rule) {
    if (incident.rule == RuleId::fatal_error && incident.last_window != window) {
      incident.number += finding.number_now;  // calls that failed since
      describe(incident, evaluation(*incident.process, incident.total, now, window));
      incident.changed = true;
    }
    // What follows from a failure is of it. Another cause has an incident of its own when this one is over.
    if (is_certain(incident.rule)) incident.last_window = window;
    return false;
  }
  return true;
}

void Engine::Impl::raise(ProcessState* process, const Finding& finding, uint64_t window) {
  const Rule& its = rule(finding.rule);
  const std::string key = key_of(its.family, process, finding.subject);
  auto known = incidents.find(key);
  const bool is_new = known == incidents.end();
  if (is_new && incidents.size() >= kMaxIncidents) {
    ledger.add(hal::Loss::engine_forgotten);
    return;
  }
  Incident& incident = is_new ? incidents[key] : known->second;
  const ProcessWindow nothing;
  const ProcessWindow& now = process == nullptr || process->trailing.empty() ? nothing : process->trailing.back();
  if (is_new) {
    incident.rule = finding.rule;
    incident.process = process;
    incident.onset_window = window;
    incident.onset_mono_ns = finding.onset_mono_ns != 0 ? finding.onset_mono_ns : window * kWindowNs;
    incident.lost_ns = finding.lost_ns;
    incident.number = finding.number;
    incident.wall_offset_ns = wall_offset_ns;
    incident.chain.id =  // (E3)
        fmt::format("{}-{:016x}", name_of(its.family),
                    mix(mix(fnv1a(key), static_cast<uint64_t>(its.family)), incident.onset_mono_ns / kWindowNs));
    if (process != nullptr) {
      for (const ProcessWindow& one : process->trailing) incident.total.add(one);
    }
  } else {
    if (!takes(incident, finding, now, window)) return;
    if (incident.last_window != window) {
      incident.lost_ns += finding.lost_now_ns;
      incident.number += finding.number_now;
      incident.total.add(now);
    } else if (finding.rule == RuleId::device_out_of_memory) {
      incident.number += finding.number_now;  // each comes by itself
    }
    // Named by all of its windows, as its figures are theirs.
    const bool is_of_cpus = is_of_who_ran(incident.rule) && is_of_who_ran(finding.rule);
    if (is_of_cpus) incident.rule = who_ran(evaluation(*process, incident.total, now, window), incident.total);
  }
  incident.longest_ns = std::max(incident.longest_ns, finding.longest_ns);
  incident.last = latest_of(incident, finding);
  incident.last_window = window;
  if (is_new && finding.fabric) {
    incident.fabric = *finding.fabric;
  } else if (finding.fabric) {
    incident.fabric.add(*finding.fabric);
  }
  if (finding.lost_now_ns > 0 || finding.number_now > 0 || is_new || (finding.fabric && finding.fabric->is_down)) {
    const uint64_t end = finding.end_mono_ns != 0 ? finding.end_mono_ns : (window + 1) * kWindowNs;
    incident.end_mono_ns =
        std::max(incident.onset_mono_ns, finishing ? std::min(end, std::max(last_event_ns, fabric.last_ns())) : end);
  }
  incident.last.usual_ns = 0;
  if (process != nullptr) {
    incident.last.slowest_ns = 0;
    incident.last.usual_ns = usual_of(*process, finding.op, &incident.last.slowest_ns);
    describe(incident, evaluation(*process, incident.total, now, window));
  } else if (finding.fabric) {
    describe_fabric(incident);
  } else {
    describe_system(incident, system);
  }
  incident.changed = true;
}

// Whether something may yet follow from a failure, as cause_of() has it. From one of a process that is over, and that
// no other waits for, nothing does.
bool Engine::Impl::may_explain(const Incident& failure, uint64_t window) const {
  const ProcessState* process = failure.process;
  if (failure.rule != RuleId::fatal_error && failure.rule != RuleId::process_failed) return true;
  return process == nullptr || process->has_peers || !is_over(*process, window);
}

// Whether memory that grew goes on growing is seen in what its process does next.
void Engine::Impl::follow_growth(uint64_t window) {
  for (auto& [key, incident] : incidents) {
    ProcessState* process = incident.process;
    if (incident.rule != RuleId::memory_growth || incident.last_window == window || process == nullptr) continue;
    if (!is_active(*process, window) || process->trailing.empty()) continue;
    const std::string before = incident.chain.summary;
    describe(incident, evaluation(*process, incident.total, process->trailing.back(), window));
    incident.changed |= incident.chain.summary != before;
  }
}

void Engine::Impl::resolve_quiet(uint64_t window) {
  for (auto at = incidents.begin(); at != incidents.end();) {
    Incident& incident = at->second;
    const bool is_failure = is_certain(incident.rule) && rule(incident.rule).family != Family::kMemory;
    const bool is_waited_for = is_failure && may_explain(incident, window);
    const bool is_last = !is_waited_for && incident.process != nullptr && is_over(*incident.process, window);
    const uint64_t quiet = is_waited_for ? kFailureQuiet : kQuiet;
    const bool over = is_last || incident.last_window + quiet <= window;  // (E4)
    if (over) incident.chain.resolved = true;
    if (over || incident.changed) changes.push_back(incident.as_chain());
    incident.changed = false;
    at = over ? incidents.erase(at) : std::next(at);
  }
  std::erase_if(effects, [&](const auto& effect) { return effect.second + 1 < window; });
  if (changes.size() > 4 * kMaxIncidents) changes.erase(changes.begin(), changes.begin() + kMaxIncidents);
}

// The last window with anything of it; none: one is still open.
std::optional<uint64_t> Engine::Impl::last_of(const ProcessState& process) const {
  for (const uint64_t open : process.open_window) {
    if (open >= base) return std::nullopt;
  }
  const uint64_t last = std::max(process.last_window, process.known_since);
  return process.ended_mono_ns ? std::max(last, *process.ended_mono_ns / kWindowNs) : last;
}

// The window from which on nothing is known to need it; none: not as things are.
std::optional<uint64_t> Engine::Impl::over_from(const ProcessState& process) const {
  const auto last = last_of(process);
  if (!last) return std::nullopt;
  if (process.ended_mono_ns) return *last + kKeptEnded;
  // A process that was only announced stays: a neighbour is announced once, and no event of it ever comes.
  return process.last_window == 0 ? ~uint64_t{0} : *last + kForgottenAfter;
}

// It has ended, and nothing more is found of it: its incidents are as they will be.
bool Engine::Impl::is_over(const ProcessState& process, uint64_t window) const {
  const auto last = last_of(process);
  return process.ended_mono_ns && last && *last + (process.has_peers ? kKeptEnded : kKeptAlone) < window;
}

// Processes that are over, or silent for long, give their memory back. Beyond the limit those silent longest go too,
// and are counted: they may come again (E5).
void Engine::Impl::forget_old(uint64_t window) {
  std::unordered_set<const ProcessState*> named, old, reported;
  for (const auto& [key, incident] : incidents) named.insert(incident.process);
  std::vector<std::pair<uint64_t, const ProcessState*>> silent;
  const bool is_full = processes.size() > kMaxProcesses;
  for (const auto& process : processes) {
    if (is_over(*process, window) && !process->series.empty()) reported.insert(process.get());
    const auto over = over_from(*process);
    if (!over || (*over >= window && !is_full)) continue;
    if (named.contains(process.get())) continue;
    if (*over < window) {
      old.insert(process.get());
    } else {
      silent.emplace_back(std::max(process->last_window, process->known_since), process.get());
    }
  }
  const size_t left = processes.size() - old.size();
  if (left > kMaxProcesses) {
    const size_t excess = std::min(left - kMaxProcesses, silent.size());
    std::nth_element(silent.begin(), silent.begin() + static_cast<std::ptrdiff_t>(excess), silent.end());
    for (size_t i = 0; i < excess; ++i) old.insert(silent[i].second);
    ledger.add(hal::Loss::engine_forgotten, excess);
  }
  if (!old.empty()) forget(old);
  if (!reported.empty()) forget_calls(reported);
  // To the rules a thread that has been silent for kActive windows is a new one.
  const bool many = threads.size() > kMaxThreads;
  if (many || window % kActive == 0) {
    const uint64_t kept = many ? kTrailing : kActive;
    const size_t forgotten =
        forget_threads([&](const ThreadState& thread) { return thread.last_window + kept < window; });
    if (many) ledger.add(hal::Loss::engine_forgotten, forgotten);
  }
  // Of a communicator without a collective under way, how many ranks it has is seen again.
  if (comm_ranks.size() > kMaxRounds) {
    std::erase_if(comm_ranks, [&](const auto& entry) {
      const auto round = rounds.lower_bound({entry.first, 0});
      return round == rounds.end() || round->first.first != entry.first;
    });
  }
}

// One whose number has gone to a thread of another process may still have windows that have not closed.
size_t Engine::Impl::forget_threads(const std::function<bool(const ThreadState&)>& is_old) {
  for (auto& list : touched_threads) std::erase_if(list, [&](const ThreadState* one) { return is_old(*one); });
  return std::erase_if(threads, [&](const auto& entry) { return is_old(entry.second); });
}

// How its calls usually went.
void Engine::Impl::forget_calls(const std::unordered_set<const ProcessState*>& old) {
  forget_threads([&](const ThreadState& thread) { return old.contains(thread.process); });
  std::erase_if(series,
                [&](const auto& entry) { return entry.second == nullptr || old.contains(entry.second->process); });
  for (const auto& process : processes) {
    if (!old.contains(process.get())) continue;
    process->series = std::vector<Series*>();  // `= {}` would keep its room
    process->trailing = {};
    process->live = std::unordered_map<uint64_t, ProcessState::Live>();
    process->live_bytes = 0;
    process->graphs = {};
    process->failures = {};
    process->launches.reset();
  }
  last_series_key = ~uint64_t{0};
  last_series = nullptr;
}

void Engine::Impl::forget(const std::unordered_set<const ProcessState*>& old) {
  forget_calls(old);
  for (const auto& [pid, process] : by_pid) {
    if (!old.contains(process)) continue;
    keep_end(*process);
    submitted.erase(pid);
    affinities.forget(pid);
  }
  std::erase_if(by_pid, [&](const auto& entry) { return old.contains(entry.second); });
  std::erase_if(pending, [&](const auto& entry) { return old.contains(entry.second.first); });
  for (auto& list : touched_processes) std::erase_if(list, [&](ProcessState* one) { return old.contains(one); });
  std::erase_if(processes, [&](const auto& process) { return old.contains(process.get()); });
  last_pid.reset();
}

}  // namespace ingero::correlate
