// Formats a causal chain: summary, root cause, timeline, evidence and remedies, from its incident's figures.
#include <algorithm>

#include "base/text.h"
#include "correlate/state.h"
#include "hal/slow_settings.h"

namespace ingero::correlate {
namespace {

std::string percent_text(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.0f}%", std::min(100.0, 100.0 * static_cast<double>(part) / static_cast<double>(whole)));
}

struct ChainText {
  Incident& incident;
  const Evaluation& seen;
  const Rule& its;
  const hal::Process& process;
  std::string who;  // "python3 (pid 12)"
  uint64_t span_ns;

  std::string op() const {
    const CallFacts* facts = seen.call(incident.last.op);
    return facts == nullptr ? std::string() : facts->op;
  }
  void step(std::string_view layer, std::string op, std::string detail, uint64_t ns = 0) {
    incident.chain.timeline.push_back({std::string(layer), std::move(op), std::move(detail), ns});
  }
  void fix(std::string text) { incident.chain.recommendations.push_back(std::move(text)); }
};

// "stress-ng (pid 99) 340ms, kworker/0:1 (pid 7) 20ms, other threads of python3 3ms"
std::string preemptors_text(const Preemptors& preemptors, const hal::Process& own) {
  std::vector<Preemptors::PreemptedBy> list = preemptors.list();
  std::sort(list.begin(), list.end(),
            [](const auto& a, const auto& b) { return a.ns != b.ns ? a.ns > b.ns : a.pid < b.pid; });
  std::string out;
  for (size_t i = 0; i < std::min<size_t>(3, list.size()); ++i) {
    const std::string comm = printable(fixed_text(list[i].comm));
    const std::string who =
        list[i].pid == own.pid
            ? fmt::format("other threads of {}", own.comm.empty() ? "the process" : printable(own.comm))
            : fmt::format("{} (pid {})", comm.empty() ? "another program" : comm, list[i].pid);
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", who, format_duration(list[i].ns));
  }
  return out;
}

// The usual time of a call is given only where it took clearly more.
bool is_unusual(uint64_t ns, uint64_t usual_ns) { return usual_ns > 0 && ns >= usual_ns + usual_ns / 2; }

void add_call_step(ChainText& text, std::string_view why) {
  const CallFacts* facts = text.seen.call(text.incident.last.op);
  if (facts == nullptr) return;
  const Finding& last = text.incident.last;
  const uint64_t its_ns = last.sample && last.sample->duration_ns > 0 ? last.sample->duration_ns : last.slowest_ns;
  const std::string usually = is_unusual(its_ns, last.usual_ns) ? ", usually " + format_duration(last.usual_ns) : "";
  std::string detail;
  if (last.sample && last.sample->duration_ns > 0) {
    detail = fmt::format("{} once{}", format_duration(last.sample->duration_ns), usually);
    if (!why.empty() && last.sample->lost_ns > 0) {
      detail += fmt::format(", {} of it {}", percent_text(last.sample->lost_ns, last.sample->duration_ns), why);
    }
  } else if (last.slowest_ns > 0) {
    detail = fmt::format("{} at most{}", format_duration(last.slowest_ns), usually);
  }
  text.step(facts->layer, facts->op, detail, last.sample ? last.sample->duration_ns : last.slowest_ns);
}

void add_system_step(ChainText& text) {
  if (!text.seen.system.snapshot) return;
  const hal::SystemSnapshot& now = *text.seen.system.snapshot;
  std::string detail;
  if (now.cpu_percent >= 0) detail += fmt::format("CPU {:.0f}%", now.cpu_percent);
  if (now.psi_cpu_some >= 1)
    detail += fmt::format("{}tasks wait for CPUs {:.0f}% of the time", detail.empty() ? "" : ", ", now.psi_cpu_some);
  if (now.psi_io_some >= 1)
    detail += fmt::format("{}for disks {:.0f}%", detail.empty() ? "tasks wait " : ", ", now.psi_io_some);
  if (!detail.empty()) text.step("SYSTEM", "snapshot", detail);
}

std::string disk_text(const ProcessWindow& total) {
  const KindSum& r = total.reads;
  const KindSum& wr = total.writes;
  return fmt::format("{} ({}) and {} ({}) of its own, {} at most", plural(r.calls, "read"), format_bytes(r.bytes),
                     plural(wr.calls, "write"), format_bytes(wr.bytes), format_duration(total.slowest_io_ns));
}

std::string slow_call_text(const ChainText& text) {
  const Finding& last = text.incident.last;
  if (!last.sample || text.op().empty()) return {};
  if (last.sample->duration_ns == 0) return {};
  if (last.usual_ns > 0 && !is_unusual(last.sample->duration_ns, last.usual_ns)) return {};
  return fmt::format("; its slowest {} took {}{}", text.op(), format_duration(last.sample->duration_ns),
                     last.usual_ns > 0 ? fmt::format(" (usually {})", format_duration(last.usual_ns)) : "");
}

std::string process_name(const Evaluation& seen, uint32_t pid) {
  const auto known = seen.by_pid.find(pid);
  const std::string comm = known == seen.by_pid.end() ? std::string() : printable(known->second->facts.comm);
  return fmt::format("{} (pid {})", comm.empty() ? "a process" : comm, pid);
}

// "python (pid 8), python (pid 9) and 2 more"
std::string processes_text(const Evaluation& seen, const std::vector<uint32_t>& pids) {
  constexpr size_t kNamed = 3;
  std::vector<std::string> names;
  for (const uint32_t pid : pids) {
    if (names.size() < kNamed) names.push_back(process_name(seen, pid));
  }
  const size_t more = pids.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

// On how many CPUs its threads may run; 0: unknown.
uint64_t cpus_for(const ChainText& text) {
  const auto its = confined(text.seen, text.process.pid);
  return its ? its->cpus.count() : text.seen.system.cpus;
}

// Others are idle: that it may not use them is why it waits, whatever program had its own. Where its own threads keep
// each other from the few that they may use, that is so whatever the others do.
void add_affinity(ChainText& text) {
  const bool is_of_workers = text.incident.rule == RuleId::dataloader_starvation;
  auto its = confined(text.seen, text.process.pid);
  const bool is_own = its.has_value();
  if (!its && is_of_workers) its = squeezed_worker(text.seen);
  const bool has_idle = has_idle_cpus(text.seen);
  const bool is_of_threads =
      is_own && text.incident.total.preemptors().is_mostly(text.process.pid, 0) && its->threads > its->cpus.count();
  if (!its || (!has_idle && !is_of_threads)) return;
  hal::CausalChain& chain = text.incident.chain;
  const std::string of = is_own ? "Its CPU affinity" : "The CPU affinity of its workers";
  std::erase(its->others, text.process.pid);
  chain.summary += fmt::format("; {} may run on {}", is_own ? "it" : "they", of_machine(*its));
  chain.root_cause += fmt::format(
      ". {} allows {}{}: {} waited for a CPU{}", of, of_machine(*its),
      is_own && !its->others.empty() ? ", which it shares with " + processes_text(text.seen, its->others) : "",
      plural(its->threads, "thread"),
      has_idle && text.seen.system.snapshot && text.seen.system.snapshot->cpu_percent >= 0
          ? fmt::format(", while the machine's CPUs were {:.0f}% busy", text.seen.system.snapshot->cpu_percent)
          : "");
  text.step("SYSTEM", "cpu affinity", fmt::format("{} of {}", its->cpus.name(), its->online.text()));
  chain.recommendations.insert(
      chain.recommendations.begin(),
      fmt::format(
          "Widen the CPU affinity: taskset -acp {} {}, and at the next start what narrows it: the launcher's CPU "
          "binding, numactl, taskset, OMP_PROC_BIND, GOMP_CPU_AFFINITY, or the cpuset of the cgroup{}",
          its->online.text(), is_own ? text.process.pid : its->pid,
          its->others.empty() ? "" : "; or give each process CPUs of its own, in sets that do not overlap"));
}

void fix_own_threads(ChainText& text) {
  const uint64_t cpus = cpus_for(text);
  text.fix(cpus > 0 ? fmt::format("Start no more threads than it has CPUs ({}), for example with OMP_NUM_THREADS", cpus)
                    : std::string("Start no more threads than there are CPUs, for example with OMP_NUM_THREADS"));
}

// No other process took its CPUs: it has more threads that are ready to run than there are CPUs.
void describe_own_threads(ChainText& text, const std::string& preemptors, const std::string& lost,
                          const std::string& share) {
  hal::CausalChain& chain = text.incident.chain;
  chain.summary = fmt::format("Threads of {} waited {} ({} of the time) for CPUs that its other threads had", text.who,
                              lost, share);
  chain.root_cause = fmt::format("More threads of {} were ready to run than it had CPUs: {} ran instead{}", text.who,
                                 preemptors, slow_call_text(text));
  text.step("HOST", "sched_switch", fmt::format("{} ran instead", preemptors), text.incident.lost_ns);
  fix_own_threads(text);
}

// Of its job, with itself: those with which it may share CPUs.
size_t ranks_here(const Evaluation& seen, const Incident& incident) {
  size_t ranks = 1;
  for (const auto& [pid, other] : seen.by_pid) {
    const bool was_there = other->ended_mono_ns.value_or(~uint64_t{0}) > incident.onset_mono_ns;
    const bool is_one = was_there && is_sibling(seen, pid) && !are_apart(seen, seen.process.facts.pid, pid);
    ranks += is_one ? 1 : 0;
  }
  return ranks;
}

void fix_ranks(ChainText& text, size_t ranks) {
  const uint64_t cpus = text.seen.system.cpus;
  if (cpus == 0 || ranks > cpus) text.fix("Run fewer ranks on this node, or give it more CPUs");
  // Those that sleep already leave their CPUs to others.
  const ProcessWindow& total = text.incident.total;
  const bool sleeps = total.syncs.ns > 0 && total.sync_blocked_ns * 2 >= total.syncs.ns;
  if (!sleeps) {
    text.fix(
        "Let the ranks sleep instead of spin while they wait for the device (blocking synchronisation), so that one "
        "that waits leaves its CPU to the others");
  }
  if (cpus == 0 || ranks <= cpus) {
    text.fix("Bind each rank to CPUs of its own: the launcher's CPU binding, numactl or taskset");
  }
}

// Other ranks of its job had its CPUs: to lower the priority of one helps none of them.
void describe_ranks(ChainText& text, const std::string& preemptors, const std::string& lost, const std::string& share) {
  hal::CausalChain& chain = text.incident.chain;
  const size_t ranks = ranks_here(text.seen, text.incident);
  const uint64_t cpus = cpus_for(text);
  const std::string shared =
      ranks < 2 ? std::string()
                : fmt::format(": {} ranks share {}{}", ranks, cpus == 0 ? "this machine's CPUs" : plural(cpus, "CPU"),
                              confined(text.seen, text.process.pid) ? " that they may use" : "");
  chain.summary = fmt::format("{} waited {} ({} of the time) for CPUs that other ranks of its job had{}", text.who,
                              lost, share, shared);
  chain.root_cause = fmt::format("More ranks of one job were ready to run than there were CPUs for them{}: {} ran {}{}",
                                 shared, preemptors, "while it was ready to run", slow_call_text(text));
  text.step("HOST", "sched_switch", fmt::format("{} ran instead", preemptors), text.incident.lost_ns);
  fix_ranks(text, ranks);
}

// A remedy never names one: its priority and place are not to be changed.
bool is_kernel_thread(const Evaluation& seen, const Preemptors::PreemptedBy& one) {
  constexpr uint32_t kKthreadd = 2;
  const auto known = seen.by_pid.find(one.pid);
  if (known != seen.by_pid.end() && known->second->facts.parent_pid == kKthreadd) return true;
  const std::string_view name = fixed_text(one.comm);
  constexpr std::string_view kNames[] = {"kworker/",   "ksoftirqd/", "migration/", "rcu_",         "rcuc/",
                                         "rcuog/",     "rcuop/",     "jbd2/",      "kswapd",       "kcompactd",
                                         "irq/",       "kthreadd",   "watchdog/",  "idle_inject/", "cpuhp/",
                                         "khugepaged", "ksmd",       "oom_reaper"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

// Another CPU helps whatever the scheduling classes are. Priorities do not count between two sessions that have groups
// of their own (sched_autogroup_enabled), between cgroups, and against real-time threads.
void fix_takers(ChainText& text, const Preemptors::Named& most) {
  const auto& list = text.incident.total.preemptors().list();
  const bool is_of_kernel = std::any_of(list.begin(), list.end(), [&](const Preemptors::PreemptedBy& one) {
    return std::ranges::find(most.pids, one.pid) != most.pids.end() && is_kernel_thread(text.seen, one);
  });
  if (is_of_kernel) {
    text.fix(
        "The kernel's own threads took the CPU: move interrupts to other CPUs (/proc/irq), and see what they work for");
  } else if (most.pids.size() == 1 && most.pids.front() != 0) {
    text.fix(fmt::format("Keep it off these CPUs: taskset -acp <other cpus> {}", most.pids.front()));
  }
  text.fix(fmt::format("Give the process CPUs of its own: taskset -acp <cpus> {}", text.process.pid));
  if (is_of_kernel) return;
  text.fix(fmt::format("{}, or in a cgroup with other CPUs (cpuset.cpus) or a lower cpu.weight",
                       most.pids.empty()
                           ? "Run fewer other programs meanwhile"
                           : fmt::format("Run {} at another time, with fewer processes", printable(most.name))));
}

void describe_preemption(ChainText& text, const std::string& preemptors, const std::string& lost,
                         const std::string& share) {
  hal::CausalChain& chain = text.incident.chain;
  const ProcessWindow& total = text.incident.total;
  if (text.incident.rule == RuleId::oversubscription) {
    const bool is_of_ranks = siblings_ns(text.seen, total.preemptors()) > total.preemptors().own_ns(text.process.pid);
    return is_of_ranks ? describe_ranks(text, preemptors, lost, share)
                       : describe_own_threads(text, preemptors, lost, share);
  }
  const Preemptors::Named most = total.preemptors().named(text.process.pid, (text.incident.lost_ns + 1) / 2);
  const uint64_t own_ns = total.preemptors().own_ns(text.process.pid);
  const bool is_partly_own = own_ns * 10 >= text.incident.lost_ns;
  chain.summary = fmt::format(
      "{} lost {} ({} of the time) to {}{}", text.who, lost, share,
      most.pids.empty() ? "other programs" : printable(most.name),
      is_partly_own ? fmt::format(" and, at least {} of it, to threads of its own", format_duration(own_ns)) : "");
  chain.root_cause = fmt::format("{} was ready to run while {} had its CPU{}", text.who,
                                 preemptors.empty() ? "another program" : preemptors, slow_call_text(text));
  text.step("HOST", "sched_switch",
            fmt::format("{} preempted, {} in run queues; {} ran instead", format_duration(total.preempted_ns()),
                        format_duration(std::max(total.threads.runqueue_ns, total.in_calls.runqueue_ns)),
                        preemptors.empty() ? "another program" : preemptors),
            text.incident.lost_ns);
  fix_takers(text, most);
  if (own_ns * 4 >= text.incident.lost_ns) fix_own_threads(text);
}

// Who is known to have had the CPU for a part of the wait, unless that is next to nothing.
std::string known_part(const ChainText& text, const std::string& preemptors) {
  const Preemptors& all = text.incident.total.preemptors();
  if ((all.total_ns() - all.recorder_ns()) * 10 < text.incident.lost_ns || preemptors.empty()) return {};
  return fmt::format(" (of that, {} had the CPU; who had it in the rest is not known)", preemptors);
}

void describe_run_queue(ChainText& text, const std::string& preemptors, const std::string& lost,
                        const std::string& share) {
  hal::CausalChain& chain = text.incident.chain;
  const Preemptors& all = text.incident.total.preemptors();
  const std::string part = known_part(text, preemptors);
  const bool is_own = !part.empty() && all.is_mostly(text.process.pid, 0);
  chain.summary =
      fmt::format("{} waited {} for a CPU after being woken ({} of the time){}", text.who, lost, share,
                  is_own ? fmt::format("; threads of its own had it for {} of the {} of which that is known",
                                       format_duration(all.own_ns(text.process.pid)),
                                       format_duration(all.total_ns() - all.recorder_ns()))
                         : "");
  chain.root_cause = fmt::format("More threads were runnable than CPUs: {} was ready to run and waited {}{}{}",
                                 text.who, lost, part, slow_call_text(text));
  text.step("HOST", "sched_switch", fmt::format("{} in run queues", lost), text.incident.lost_ns);
  if (is_own) fix_own_threads(text);
  if (const size_t ranks = ranks_here(text.seen, text.incident); ranks > 1 && ranks > cpus_for(text)) {
    return fix_ranks(text, ranks);
  }
  fix_takers(text, all.named(text.process.pid, (text.incident.lost_ns + 1) / 2));
}

void describe_cpu(ChainText& text) {
  hal::CausalChain& chain = text.incident.chain;
  const ProcessWindow& total = text.incident.total;
  const bool of_threads =
      text.incident.rule == RuleId::cpu_preemption || text.incident.rule == RuleId::run_queue_wait ||
      text.incident.rule == RuleId::noisy_neighbour || text.incident.rule == RuleId::oversubscription;
  const uint64_t wanted = total.wanted_cpu_ns(), recorder = total.preemptors().recorder_ns();
  if (of_threads && wanted > recorder) text.incident.lost_ns = wanted - recorder;
  const std::string lost = format_duration(text.incident.lost_ns);
  const std::string share = percent_text(text.incident.lost_ns, text.span_ns);
  const std::string preemptors = preemptors_text(total.preemptors(), text.process);
  const bool windowed = text.incident.last.grade == hal::Grade::kWindowed;
  const uint64_t switches = total.switches + total.other_switches;
  add_system_step(text);
  switch (text.incident.rule) {
    case RuleId::cgroup_throttling:
      chain.summary = fmt::format("{} was throttled by its CPU limit: {} lost in {}", text.who, lost,
                                  plural(text.incident.number, "period"));
      chain.root_cause = fmt::format("The CPU limit of cgroup {} stopped {} for {} ({} of the time){}",
                                     text.incident.last.detail, text.who, lost, share, slow_call_text(text));
      text.step("SYSTEM", "cgroup", fmt::format("throttled in {}", plural(text.incident.number, "period")),
                text.incident.lost_ns);
      text.fix(
          text.incident.last.detail.starts_with("/cpu/")
              ? fmt::format("Raise the limit: echo -1 > /sys/fs/cgroup{}/cpu.cfs_quota_us", text.incident.last.detail)
              : fmt::format("Raise the limit: echo max > /sys/fs/cgroup{}/cpu.max", text.incident.last.detail));
      break;
    case RuleId::dataloader_starvation:
      chain.summary =
          fmt::format("{} starved: its GPU calls {} while {} had the CPUs", text.who, windowed ? "stopped" : "waited",
                      plural(text.incident.last.number, windowed ? "child" : "worker"));
      chain.root_cause =
          fmt::format("CPU contention between data-loading workers and {}: {} lost, {}{}", text.who, lost,
                      text.incident.last.detail, switches > 0 ? fmt::format(", {} context switches", switches) : "");
      text.step("HOST", "sched_switch",
                fmt::format("{} context switches, {} off the CPU", switches, format_duration(total.switch_ns)),
                total.switch_ns);
      text.fix(
          "Use fewer DataLoader workers than CPUs (num_workers), persistent_workers=True, or direct indexing of "
          "data in memory");
      if (text.seen.system.cpus > 0 && !confined(text.seen, text.process.pid)) {
        text.fix(fmt::format("This machine has {} CPUs: leave one to the main process: taskset -cp 0 {}",
                             text.seen.system.cpus, text.process.pid));
      }
      break;
    case RuleId::run_queue_wait:
      describe_run_queue(text, preemptors, lost, share);
      break;
    default:
      if (windowed) {
        chain.summary = fmt::format("{} was switched out {} on a machine without a free CPU ({} context switches)",
                                    text.who, lost, switches);
        chain.root_cause = fmt::format(
            "CPU contention at the same time as its calls: {} context switches, {} off the CPU", switches, lost);
        text.step("HOST", "sched_switch",
                  fmt::format("{} context switches ({} off-CPU)", switches, format_duration(total.switch_ns)),
                  total.switch_ns);
        text.fix(fmt::format("Give it CPUs of its own: taskset -acp <cpus> {}", text.process.pid));
        break;
      }
      describe_preemption(text, preemptors, lost, share);
  }
  if (text.incident.rule != RuleId::cgroup_throttling) add_affinity(text);
  add_call_step(text, "off the CPU");
}

void describe_wait(ChainText& text) {
  hal::CausalChain& chain = text.incident.chain;
  const ProcessWindow& total = text.incident.total;
  const std::string lost = format_duration(text.incident.lost_ns);
  const std::string share = percent_text(text.incident.lost_ns, text.span_ns);
  if (text.incident.rule == RuleId::block_io) {
    add_system_step(text);
    const bool own = total.reads.calls + total.writes.calls > 0;
    // What it slept for is known only where it made one kind of request.
    const uint64_t less = std::min(total.reads.bytes, total.writes.bytes), all = total.reads.bytes + total.writes.bytes;
    const std::string_view kind = !own || less * 10 >= all                  ? "disk requests"
                                  : total.reads.bytes >= total.writes.bytes ? "reads"
                                                                            : "writes";
    // What the disk did for it was over much sooner: the rest it waited for the kernel's requests, or for leave to make
    // its own.
    const uint64_t requests_ns = total.reads.ns + total.writes.ns;
    const bool is_held_back = own && requests_ns * 10 < text.incident.lost_ns;
    chain.summary = fmt::format("{} waited {} ({} of the time) for {}", text.who, lost, share,
                                own && !is_held_back ? "its own " + std::string(kind) : "disks");
    chain.root_cause = fmt::format(
        "{}: {} was asleep on I/O for {}{}{}{}", is_held_back ? "Waits for I/O" : "Heavy block I/O", text.who, lost,
        own ? ", with " + disk_text(total) : "",
        is_held_back ? fmt::format(", which took {} of that: the rest was for its turn behind others' requests, for "
                                   "what the kernel writes for it later, or for a limit of its cgroup (io.max)",
                                   format_duration(requests_ns))
                     : "",
        slow_call_text(text));
    text.step("HOST", "sched_switch", fmt::format("{} asleep on I/O", lost), text.incident.lost_ns);
    if (own) text.step("IO", "block_io", disk_text(total), requests_ns);
    text.fix(kind == "writes" ? "Write checkpoints from another thread, and to a disk of their own"
                              : "Prefetch and cache the data, or read it in other threads");
    if (is_held_back) {
      text.fix("See whether its cgroup limits I/O: io.max, in version 1 blkio.throttle.*");
    } else {
      text.fix(fmt::format("Where other programs use the disk: ionice -c 1 -n 0 -p {}", text.process.pid));
    }
    add_call_step(text, "on I/O");
    return;
  }
  chain.summary = fmt::format("{}: asynchronous calls were blocked for {} ({} of the time)", text.who, lost, share);
  text.step("HOST", "blocked", fmt::format("{} asleep, neither preempted nor on I/O", lost), text.incident.lost_ns);
  for (const auto& [setting, value] : hal::slow_settings_in(text.process.settings, 0)) {
    if (!hal::blocks_launches(*setting, value)) continue;
    chain.root_cause =
        fmt::format("{} is set in the environment of {}: each launch waits for its work", printable(value), text.who);
    text.fix(fmt::format("Unset {}", setting->name));
    add_call_step(text, "asleep");
    return;
  }
  const CallFacts* slowest = text.seen.call(text.incident.last.op);
  if (slowest != nullptr && slowest->kind == hal::Kind::kMemcpy) {
    chain.root_cause = fmt::format(
        "{} slept {} inside asynchronous copies, most likely from or to pageable memory: such a call makes the copy "
        "itself, piece by piece{}",
        text.who, lost, slow_call_text(text));
    text.fix("Pin the host memory (PyTorch: pin_memory), so that copies run while the thread goes on");
    add_call_step(text, "asleep");
    return;
  }
  chain.root_cause = fmt::format(
      "{} slept {} inside calls that do not wait for the device: a lock is held by another thread, or a queue is "
      "full{}",
      text.who, lost, slow_call_text(text));
  text.fix(
      fmt::format("See who holds it: ingero query \"SELECT tid, call, duration FROM events WHERE pid = {} ORDER BY "
                  "duration DESC LIMIT 20\"",
                  text.process.pid));
  add_call_step(text, "asleep");
}

void describe_pattern(ChainText& text) {
  hal::CausalChain& chain = text.incident.chain;
  const ProcessWindow& total = text.incident.total;
  const std::string lost = format_duration(text.incident.lost_ns);
  const std::string share = percent_text(text.incident.lost_ns, text.span_ns);
  switch (text.incident.rule) {
    case RuleId::sync_storm:
      chain.summary = fmt::format("{}: {} small copies to the host, each with a synchronisation: {} ({} of the time)",
                                  text.who, text.incident.number, lost, share);
      chain.root_cause = fmt::format(
          "Implicit synchronisation: every one of {} copies of {} on average made the device drain, as .cpu().numpy() "
          "or .item() in a loop does",
          total.small_results.calls,
          format_bytes(total.small_results.bytes / std::max<uint64_t>(1, total.small_results.calls)));
      break;
    case RuleId::launch_bound:
      chain.summary = fmt::format("{} is bound by launches: {} of them took {} ({} of the time)", text.who,
                                  text.incident.number, lost, share);
      chain.root_cause =
          fmt::format("Many tiny launches, {} each on average, and the device keeps up: synchronisations took only {}",
                      format_duration(total.launches.ns / std::max<uint64_t>(1, total.launches.calls)),
                      format_duration(total.syncs.ns));
      break;
    case RuleId::slow_copies: {
      const double rate =
          total.copies.ns == 0 ? 0 : static_cast<double>(total.copies.bytes) / static_cast<double>(total.copies.ns);
      chain.summary = fmt::format("{} spent {} ({} of the time) copying {} in {}", text.who, lost, share,
                                  format_bytes(total.copies.bytes), plural(total.copies.calls, "copy"));
      chain.root_cause = fmt::format(
          "Copies run at {:.1f} GB/s and hold the calling thread: pageable host memory is staged by the CPU{}", rate,
          slow_call_text(text));
      break;
    }
    case RuleId::shared_default_stream:
      chain.summary = fmt::format("{}: {} threads share the default stream: their work runs one after the other",
                                  text.who, text.incident.last.number);
      chain.root_cause = fmt::format(
          "Each of {} threads puts its work on the default stream and waits for it, and with it for the others': up to "
          "{} ({} of the time) each, if the device has room for their work at the same time",
          text.incident.last.number, lost, share);
      break;
    case RuleId::periodic_spike:
      chain.summary = fmt::format("{}: {} spikes {}", text.who, text.op(), text.incident.last.detail);
      chain.root_cause =
          fmt::format("A periodic activity delays {}: {}{}", text.op(), text.incident.last.detail,
                      text.incident.last.usual_ns > 0
                          ? fmt::format("; {} at most, usually {}", format_duration(text.incident.last.slowest_ns),
                                        format_duration(text.incident.last.usual_ns))
                          : "");
      break;
    case RuleId::graph_recapture:
      chain.summary = fmt::format("{} captured or instantiated graphs {} times: {} ({} of the time)", text.who,
                                  text.incident.number, lost, share);
      chain.root_cause = "Graphs are re-created instead of replayed: a shape or an address changes from step to step";
      text.step(
          "GRAPH", "capture",
          fmt::format("{} captures and instantiations, {} launches", total.captures.calls, total.graph_launches.calls),
          total.captures.ns);
      break;
    default:
      chain.summary = fmt::format("{} started cold: its first calls took {} longer than later ones", text.who, lost);
      chain.root_cause = fmt::format("Cold start: context, modules and memory pools were made by the first calls{}",
                                     slow_call_text(text));
  }
  text.fix(std::string(text.its.remedy));
  add_call_step(text, "");
}

// Whether the process worked on without growing: it had filled a cache, or loaded a model while it worked. One that
// rests or has ended may have grown until then.
bool has_grown_enough(const Incident& incident, const Evaluation& seen) {
  constexpr uint64_t kEnough = 2;  // windows: the last one of a recording is a part of one
  constexpr uint64_t kMuchLess = 4;
  const auto& growth = seen.process.growth;
  const auto& work = seen.process.rates;
  const uint64_t since = std::min<uint64_t>({seen.window - incident.last_window, growth.size(), work.size()});
  const uint64_t grew_for = incident.last_window + 1 - incident.onset_window + rule(incident.rule).count - 1;
  uint64_t worked = 0;
  int64_t more = 0;
  for (uint64_t i = 1; i <= since; ++i) {
    more += growth[growth.size() - i];
    if (work[work.size() - i] >= kLeastLaunches) ++worked;
  }
  const uint64_t usual = incident.number / grew_for;
  return worked >= kEnough && (more <= 0 || static_cast<uint64_t>(more) < since * usual / kMuchLess);
}

void describe_growth(ChainText& text) {
  hal::CausalChain& chain = text.incident.chain;
  const auto held = [](int64_t bytes) { return format_bytes(static_cast<uint64_t>(std::max<int64_t>(0, bytes))); };
  const std::string grew = fmt::format("{}: device memory grew by {}", text.who, format_bytes(text.incident.number));
  const std::string figures =
      fmt::format("{} held now, {} at most", held(text.seen.process.held_bytes), held(text.seen.process.peak_bytes));
  if (has_grown_enough(text.incident, text.seen)) {
    text.incident.last.is_minor = true;
    chain.summary = fmt::format("{} within {}, and not after that", grew, format_duration(text.incident.span_ns()));
    chain.root_cause = fmt::format(
        "Allocations that are kept: {}; the process worked on without more, as with a cache that is full", figures);
    return;
  }
  chain.summary = grew + " and keeps growing";
  chain.root_cause = fmt::format("Allocations that are not freed: {}, in every second more than before", figures);
}

void describe_memory(ChainText& text) {
  hal::CausalChain& chain = text.incident.chain;
  const ProcessWindow& total = text.incident.total;
  switch (text.incident.rule) {
    case RuleId::memory_growth:
      describe_growth(text);
      break;
    case RuleId::memory_fragmentation:
      chain.summary = fmt::format("{}: {} could not allocate {}: device memory is fragmented", text.who, text.op(),
                                  format_bytes(text.incident.last.bytes));
      chain.root_cause = fmt::format("An allocation of {} failed {}", format_bytes(text.incident.last.bytes),
                                     text.incident.last.detail);
      break;
    case RuleId::device_out_of_memory:
      chain.summary = fmt::format("{}: {} ran out of device memory{}", text.who, text.op(),
                                  text.incident.number > 1 ? fmt::format(" {} times", text.incident.number) : "");
      chain.root_cause =
          fmt::format("{}{} failed; the process held {} then, allocated in this recording",
                      text.incident.number > 1 ? "At the first, an allocation" : "An allocation",
                      text.incident.last.bytes > 0 ? " of " + format_bytes(text.incident.last.bytes) : "",
                      format_bytes(text.incident.last.held_bytes));
      break;
    case RuleId::host_memory_refused:
      chain.summary = fmt::format("{}: {} could not pin memory of the host", text.who, text.op());
      chain.root_cause =
          fmt::format("{} of the host's memory could not be pinned; the memory of the device has nothing to do with it",
                      text.incident.last.bytes > 0 ? format_bytes(text.incident.last.bytes) : "A part");
      break;
    case RuleId::allocation_churn:
      chain.summary = fmt::format("{} allocated and freed device memory {} times: {} ({} of the time)", text.who,
                                  text.incident.number, format_duration(text.incident.lost_ns),
                                  percent_text(text.incident.lost_ns, text.span_ns));
      chain.root_cause = fmt::format("Allocation churn: {} in allocations, {} in frees",
                                     format_duration(total.allocations.ns), format_duration(total.frees.ns));
      break;
    case RuleId::failing_calls: {
      std::vector<std::pair<std::pair<hal::CallId, int64_t>, uint64_t>> list(text.seen.process.failures.begin(),
                                                                             text.seen.process.failures.end());
      std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
        if (a.second != b.second) return a.second > b.second;
        const CallFacts* one = text.seen.call(a.first.first);
        const CallFacts* other = text.seen.call(b.first.first);
        return one != nullptr && other != nullptr && one->name != other->name ? one->name < other->name
                                                                              : a.first.second < b.first.second;
      });
      std::string codes;
      for (size_t i = 0; i < std::min<size_t>(3, list.size()); ++i) {
        const CallFacts* facts = text.seen.call(list[i].first.first);
        const std::string status =
            text.seen.status_of ? text.seen.status_of(list[i].first.first, list[i].first.second) : std::string();
        codes += fmt::format("{}{} {}{}", codes.empty() ? "" : ", ", facts == nullptr ? "" : facts->op,
                             list[i].first.second, status.empty() ? "" : " (" + status + ")");
      }
      chain.summary = fmt::format("{}: {} calls failed: {}", text.who, text.incident.number, codes);
      chain.root_cause = fmt::format("{} of {} calls returned an error: {}", total.failed, total.calls, codes);
      const hal::StatusMeaning* meaning =
          list.empty() || !text.seen.meaning_of || !text.seen.status_of
              ? nullptr
              : text.seen.meaning_of(text.seen.status_of(list[0].first.first, list[0].first.second));
      if (meaning != nullptr) {
        chain.root_cause += fmt::format(". {}", meaning->meaning);
        text.fix(std::string(meaning->remedy));
      }
      break;
    }
    default:
      chain.summary = fmt::format("{} took {} of host pages", text.who, format_bytes(text.incident.number));
      chain.root_cause = "Page-allocation storm: the process allocates and frees host memory continually";
      text.step("HOST", "mm_page_alloc", chain.summary);
  }
  text.fix(std::string(text.its.remedy));
  add_call_step(text, "");
}

void describe_other(ChainText& text) {
  hal::CausalChain& chain = text.incident.chain;
  const Finding& last = text.incident.last;
  switch (text.incident.rule) {
    case RuleId::never_returned:
      if (last.has_returned) {
        chain.summary = fmt::format("{} in {} took {}", text.op(), text.who, format_duration(last.lost_ns));
        chain.root_cause = fmt::format("Thread {} was in {} for that long; it has returned", last.subject, text.op());
        text.fix("Look at what the call waited for: its stack and line are below");
        break;
      }
      chain.summary =
          fmt::format("{} in {} has not returned for {}", text.op(), text.who, format_duration(last.lost_ns));
      chain.root_cause = fmt::format("Thread {} entered {} and is still in it", last.subject, text.op());
      text.fix(fmt::format("See where it is blocked: cat /proc/{0}/task/{1}/stack; py-spy dump --pid {0}",
                           text.process.pid, last.subject));
      break;
    case RuleId::late_rank: {
      const std::string lateness =
          fmt::format("{} was the last to enter {} of communicator {}: {} late in total, at most {}", last.detail,
                      plural(text.incident.number, "collective"), last.cause, format_duration(text.incident.lost_ns),
                      format_duration(std::max(text.incident.longest_ns, last.longest_ns)));
      chain.summary = lateness;
      chain.root_cause = fmt::format("{} ({}); the other ranks waited", lateness, text.who);
      text.step("COLLECTIVE", text.op(), lateness, text.incident.lost_ns);
      break;
    }
    case RuleId::tcp_retransmits:
      chain.summary = fmt::format("{}: {} TCP retransmits on its connections", text.who, text.incident.number);
      chain.root_cause =
          fmt::format("Segments were lost on the way: {} retransmits of {}", text.incident.number, text.who);
      text.step("NET", "tcp_retransmit", plural(text.incident.number, "retransmit"));
      text.fix("Look at the path: nstat -az TcpRetransSegs; ethtool -S <interface> | grep -i -e drop -e err");
      break;
    case RuleId::full_stop:
      chain.summary =
          fmt::format("{} stopped submitting work: {} launches a second before, none now", text.who, last.number);
      chain.root_cause = last.detail;
      break;
    case RuleId::oom_kill:
      chain.summary = fmt::format("The kernel killed {} because memory ran out", last.detail);
      chain.root_cause = "Host memory was exhausted, or the cgroup's memory limit reached";
      if (const auto parent = text.seen.by_pid.find(text.process.parent_pid);
          parent != text.seen.by_pid.end() && parent->second->first_call_window != 0) {
        const hal::Process& its = parent->second->facts;
        chain.root_cause += fmt::format("; it was a worker of {} (pid {}), which makes GPU calls",
                                        its.comm.empty() ? "a process" : printable(its.comm), its.pid);
      }
      text.step("SYSTEM", "oom_kill", last.detail);
      text.fix("See the kernel log: dmesg | grep -i -A5 'out of memory'");
      break;
    case RuleId::graph_capture_failed:
      chain.summary =
          fmt::format("{}: a graph capture failed{}", text.who, last.detail.empty() ? "" : ": " + last.detail);
      chain.root_cause = std::string(text.its.sentence);
      text.step("GRAPH", text.op(), last.detail);
      break;
    case RuleId::graph_never_launched:
      chain.summary = fmt::format("{}: graph {} was instantiated and never launched", text.who, last.subject);
      chain.root_cause = std::string(text.its.sentence);
      text.step("GRAPH", last.subject, fmt::format("no launch in {}", format_duration(text.its.floor_ns)));
      break;
    case RuleId::graph_rate_collapse:
      chain.summary = fmt::format("{}: launches of graph {} fell {}", text.who, last.subject, last.detail);
      chain.root_cause = std::string(text.its.sentence);
      text.step("GRAPH", last.subject, last.detail);
      break;
    default:
      chain.summary =
          fmt::format("{}: {}", text.who, last.detail.empty() ? std::string(text.its.sentence) : last.detail);
      chain.root_cause = std::string(text.its.sentence);
  }
  if (text.incident.rule == RuleId::memory_pressure && !last.remedy.empty()) text.fix(last.remedy);
  if (chain.recommendations.empty()) text.fix(std::string(text.its.remedy));
  add_call_step(text, "");
}

}  // namespace

void finish_chain(Incident& incident, const Rule& its, uint64_t span_ns) {
  hal::CausalChain& chain = incident.chain;
  chain.rule = its.name;
  chain.grade = name_of(incident.last.grade);
  chain.confidence = incident.last.confidence;
  chain.lost_ns = incident.lost_ns;
  chain.symptoms = incident.symptoms;
  hal::ChainSeverity severity = its.severity;
  if (its.severity == hal::ChainSeverity::kMedium && span_ns > 0 && incident.lost_ns * 100 >= span_ns * kHighShare &&
      its.family != Family::kStart) {
    severity = hal::ChainSeverity::kHigh;
  }
  if (incident.rule == RuleId::failing_calls && incident.number * 2 >= incident.total.calls) {
    severity = hal::ChainSeverity::kHigh;
  }
  if (incident.last.has_returned) severity = hal::ChainSeverity::kMedium;
  if (incident.last.is_minor) severity = hal::ChainSeverity::kLow;
  if (incident.has_ended_process) severity = hal::ChainSeverity::kCritical;
  chain.severity = name_of(severity);
  chain.explanation =
      fmt::format("{} Found by rule {} ({}).{}", its.sentence, its.name, chain.grade,
                  incident.last.grade == hal::Grade::kWindowed
                      ? " The recording holds no off-CPU shares: this is what happened at the same time."
                      : "");
}

void describe(Incident& incident, const Evaluation& seen) {
  const Rule& its = rule(incident.rule);
  hal::CausalChain& chain = incident.chain;
  chain.timeline.clear();
  chain.recommendations.clear();
  chain.evidence.clear();
  const hal::Process& process = seen.process.facts;
  const std::string comm = printable(process.comm);
  const uint64_t span =
      std::max<uint64_t>(seen.span_ns, incident.onset_window + 1 < seen.window ? incident.span_ns() : 0);
  ChainText text{incident,
                 seen,
                 its,
                 process,
                 fmt::format("{} (pid {})", comm.empty() ? "a process" : comm, process.pid),
                 span * incident.total.threads_at_once()};
  chain.pid = process.pid;
  chain.process = comm;
  if (process.rank >= 0) chain.rank = process.rank;
  if (const CallFacts* facts = seen.call(incident.last.op)) {
    chain.op = facts->op;
  }
  chain.usual_ns = incident.last.usual_ns;
  chain.slowest_ns = incident.last.slowest_ns;
  switch (its.family) {
    case Family::kCpu:
      describe_cpu(text);
      break;
    case Family::kIo:
    case Family::kLock:
      describe_wait(text);
      break;
    case Family::kPattern:
    case Family::kStart:
      describe_pattern(text);
      break;
    case Family::kFailure:
      if (incident.rule == RuleId::fatal_error) {
        describe_failure(incident, seen, text.who);
        break;
      }
      [[fallthrough]];
    case Family::kMemory:
      describe_memory(text);
      break;
    case Family::kExit:
      describe_end(incident, seen, text.who);
      break;
    default:
      if (incident.rule == RuleId::graph_recapture) {
        describe_pattern(text);
      } else if (incident.rule == RuleId::page_allocation_storm) {
        describe_memory(text);
      } else {
        describe_other(text);
      }
  }
  if (incident.rule == RuleId::periodic_spike) incident.lost_ns = incident.last.lost_ns;
  if (incident.last.sample) {
    const Sample& sample = *incident.last.sample;
    chain.tid = sample.tid;
    if (sample.has_stack) chain.stack_hash = sample.stack_id;
    const CallFacts* its_call = seen.call(sample.call);
    chain.evidence.push_back(evidence_of(sample, its_call == nullptr ? text.op() : its_call->op,
                                         incident.rule == RuleId::fatal_error && sample.call != incident.last.op
                                             ? "the work that most likely caused it"
                                         : its.family == Family::kExit ? "the last call"
                                                                       : "the call that lost most"));
  }
  finish_chain(incident, its, text.span_ns);
}

void describe_system(Incident& incident, const SystemState& system) {
  const Rule& its = rule(incident.rule);
  hal::CausalChain& chain = incident.chain;
  chain.timeline.clear();
  chain.recommendations = {incident.last.remedy.empty() ? std::string(its.remedy) : incident.last.remedy};
  const std::string& detail = incident.last.detail;
  chain.summary = detail.empty() ? std::string(its.sentence) : detail;
  if (incident.rule == RuleId::oom_kill)
    chain.summary = fmt::format("The kernel killed {} because memory ran out", detail);
  chain.root_cause = fmt::format("{} {}", its.sentence, detail);
  if (!incident.last.cause.empty()) chain.root_cause += ". Of those missing: " + incident.last.cause;
  if (incident.rule == RuleId::collective_hang) {
    incident.lost_ns = incident.span_ns() > 0 ? incident.span_ns() : incident.last.lost_ns;
    chain.summary += fmt::format(", for {}", format_duration(incident.lost_ns));
  }
  chain.evidence = incident.last.evidence;
  chain.timeline.push_back({std::string(its.layer), std::string(its.name), chain.summary, incident.lost_ns});
  if (its.family == Family::kHost && system.snapshot && system.snapshot->mem_percent >= 0) {
    chain.timeline.push_back(
        {"SYSTEM", "snapshot", fmt::format("memory {:.0f}% used", system.snapshot->mem_percent), 0});
  }
  finish_chain(incident, its, 0);
}

}  // namespace ingero::correlate
