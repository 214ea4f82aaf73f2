// Who had the CPUs that a thread waited for, and on which it may run (time_part.h).
#include <algorithm>
#include <map>

#include "base/text.h"
#include "correlate/rules.h"
#include "correlate/window.h"
#include "hal/cpu_list.h"
#include "hal/wait.h"
#include "report/cpu_takers.h"
#include "report/time_part.h"

namespace ingero::report {

using correlate::Limit;
using correlate::TimeClass;
using store::Conditions;

uint64_t cpus_of(const Part& part, const ProcessTime& time) {
  uint64_t cpus = 0;
  Conditions of_node;
  of_node.add("node = ?", store::Bound::of(time.node));
  if (time.session) of_node.add("id = ?", *time.session);
  part.ask(
      "SELECT max(coalesce(cpu_cores, 0)) FROM sessions WHERE {}", of_node,
      [&](std::span<const store::Value> row) { cpus = static_cast<uint64_t>(std::max<int64_t>(0, row[0].integer)); });
  return cpus;
}

std::string part_text(const ProcessTime& time, uint64_t ns) {
  if (time.budget.steps == 0 || is_of_one_step(time.budget)) return "the " + format_duration(ns);
  return fmt::format("the {} a step", format_duration(ns / std::max<uint64_t>(1, time.budget.evaluated.steps)));
}

namespace {

void blame_own_threads(const std::string& share, const CpuTakers& taken, ProcessTime& time) {
  time.because.push_back(share + ": it has more threads ready to run than CPUs");
  time.remedy =
      "start fewer threads: OMP_NUM_THREADS, MKL_NUM_THREADS, torch.set_num_threads, fewer workers; or, where all of "
      "them have work to do, give it more CPUs";
  if (taken.own < kHalf) time.remedy += "; and run fewer other programs meanwhile";
}

// For how long its threads waited for a CPU in all, as far as the kernel side counted it: also what the records of
// single waits that were lost had.
uint64_t counted_waiting(const Part& part, const ProcessTime& time) {
  constexpr int kQueued = -1, kPreempted = static_cast<int>(hal::WaitKind::kPreempted);
  Conditions its = Part::of_process(time, "p", Part::kSessions.data());
  its.add("w.mono_ns >= ?", static_cast<int64_t>(time.budget.start_ns));
  its.add("w.mono_ns <= ?", static_cast<int64_t>(time.budget.end_ns));
  uint64_t ns = 0;
  part.ask(fmt::format(
               "SELECT sum(one.ns) FROM (SELECT max(w.ns) - min(w.ns) AS ns FROM wait_totals w JOIN threads t ON t.id "
               "= w.thread JOIN processes p ON p.id = t.process JOIN sessions s ON s.id = p.session WHERE {{}} AND "
               "w.kind IN ({}, {}) GROUP BY w.thread, w.kind) one",
               kQueued, kPreempted),
           its, [&](std::span<const store::Value> row) {
             if (!row[0].is_null()) ns = static_cast<uint64_t>(std::max<int64_t>(0, row[0].integer));
           });
  return ns;
}

// Its threads keep each other from the CPUs: whether that is so. Some of them wait for one all the time, and not only
// the one that submits, which may wait for the others and run.
bool add_own_threads(const Part& part, ProcessTime& time) {
  const Limit limit = time.budget.result.limit;
  const uint64_t ns = time.budget.end_ns - std::min(time.budget.end_ns, time.budget.start_ns);
  const bool may_be = limit == Limit::kHostBound || limit == Limit::kInputBound || limit == Limit::kStarvedOfCpu;
  if (!may_be || ns == 0) return false;
  const Conditions its = part.of_threads_of(time, time.budget.pid);
  const CpuTakers taken = takers_of_cpu(part.reader, its, time.budget.pid);
  const double waited_ns = std::max(taken.waited_ns, static_cast<double>(counted_waiting(part, time)));
  const double waiting = waited_ns / static_cast<double>(ns);  // threads at a time, on average
  if (!taken.is_mostly_own() || waiting < kHalf) return false;
  blame_own_threads(fmt::format("{:.1f} of its threads waited for a CPU at any time, and ", waiting) +
                        taken.text("its own threads", taken.own, "that"),
                    taken, time);
  const uint64_t threads = count_waiting_for_cpu(part.reader, its), cpus = cpus_of(part, time);
  if (cpus > 0 && threads > cpus) {
    time.because.back() += fmt::format(" ({} of them waited for one of the machine's {})", threads, cpus);
  }
  return true;
}

// Who had the CPUs that it waited for.
void add_preemptors(const Part& part, ProcessTime& time) {
  const correlate::TimeSums& sums = time.budget.evaluated.sums;
  const bool is_starved =
      time.budget.result.limit == Limit::kStarvedOfCpu || time.budget.result.second == Limit::kStarvedOfCpu;
  const uint64_t low = sums.of(TimeClass::kCpuWait).low;
  if (low == 0 || low * 100 < sums.total_ns()) return;  // next to nothing: it does not matter who
  if (!is_starved && low * 100 < kSomePercent * sums.lost_low()) return;
  const std::string of_that = is_starved ? std::string("the time for which it waited for one")
                                         : fmt::format("{} for which it waited for one", part_text(time, low));
  const CpuTakers taken = takers_of_cpu(part.reader, part.of_thread(time), time.budget.pid);
  if (taken.own >= kHalf) {
    blame_own_threads(taken.text("Its own threads", taken.own, of_that), taken, time);
    return;
  }
  if (taken.other) time.because.push_back(taken.text(taken.other->name(), taken.other->share, of_that));
  if (taken.own * 100 >= kSomePercent) {
    time.because.push_back(taken.other ? fmt::format("Its own other threads had it for {:.0f}%", 100 * taken.own)
                                       : taken.text("Its own other threads", taken.own, of_that));
  }
}

// Who had the CPU that another process waited for, while this one waited for that.
void add_preemptors_of_others(const Part& part, ProcessTime& time) {
  for (const BlamePath& path : time.blame) {
    const BlameNode& root = path.nodes.back();
    const bool is_much = path.low * 100 >= kSomePercent * time.budget.evaluated.sums.lost_low();
    if (root.is != TimeClass::kCpuWait || root.pids.size() != 1 || root.pids.front() == time.budget.pid || !is_much)
      continue;
    const CpuTakers taken = takers_of_cpu(part.reader, part.of_threads_of(time, root.pids.front()), root.pids.front());
    if (!taken.other) continue;
    time.because.push_back(
        taken.text(taken.other->name(), taken.other->share,
                   fmt::format("{} for which {} waited for one", part_text(time, path.low), other_text(root, time))));
    return;
  }
}

struct OnCpus {
  hal::CpuList cpus, online;
  uint64_t threads = 0;
  std::string comm;
  bool is_narrow() const { return !online.empty() && cpus.count() < online.count(); }
};

// Of processes of the run that waited for a CPU: on which they could run by the end of the interval.
std::map<uint32_t, OnCpus> affinities(const Part& part, const ProcessTime& time) {
  Conditions of_run;
  if (!time.node.empty()) of_run.add("s.node = ?", store::Bound::of(time.node));
  if (time.session) of_run.add("s.id = ?", *time.session);
  // What is asked for in a second is of that before.
  if (time.budget.end_ns > time.budget.start_ns) {
    of_run.add("a.mono_ns <= ?", static_cast<int64_t>(time.budget.end_ns + correlate::kWindowNs));
  }
  std::map<uint32_t, OnCpus> found;
  part.ask(
      "SELECT a.pid, a.cpus, a.online, a.threads, (SELECT p.comm FROM processes p WHERE p.session = a.session AND "
      "p.pid = a.pid ORDER BY p.id DESC LIMIT 1) FROM cpu_affinity a JOIN sessions s ON s.id = a.session WHERE {} "
      "ORDER BY a.mono_ns LIMIT 100000",
      of_run, [&](std::span<const store::Value> row) {
        OnCpus one;
        one.cpus = hal::CpuList::parse(row[1].as_text()).value_or(hal::CpuList());
        one.online = hal::CpuList::parse(row[2].as_text()).value_or(hal::CpuList());
        one.threads = static_cast<uint64_t>(std::max<int64_t>(0, row[3].integer));
        one.comm = row[4].as_text();
        found[static_cast<uint32_t>(row[0].integer)] = std::move(one);
      });
  return found;
}

// "python (pid 8), python (pid 9) and 2 more"; empty: none shares CPUs with it.
std::string sharers_text(const std::map<uint32_t, OnCpus>& all, uint32_t pid, uint64_t& threads) {
  const OnCpus& its = all.at(pid);
  std::vector<std::string> names;
  size_t more = 0;
  for (const auto& [other, theirs] : all) {
    if (other == pid || !theirs.is_narrow() || !theirs.cpus.shares_any(its.cpus)) continue;
    if (theirs.cpus == its.cpus) threads += theirs.threads;
    if (names.size() >= kMaxNamed) {
      ++more;
    } else {
      names.push_back(fmt::format("{} (pid {})", printable(theirs.comm, 40), other));
    }
  }
  return fmt::format("{}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

// How busy the machine's CPUs were meanwhile, in percent; none: not known.
std::optional<double> busy_percent(const Part& part, const ProcessTime& time) {
  std::optional<double> percent;
  part.ask("SELECT avg(cpu_pct) FROM system_snapshots WHERE {}", part.snapshots_meanwhile(time, "cpu_pct"),
           [&](std::span<const store::Value> row) { percent = row[0].as_real(); });
  return percent;
}

// It, or who it waits for, waits for a CPU because it may not run on those that are idle, or because its own threads
// keep each other from the few that they may use.
void add_affinity(const Part& part, ProcessTime& time) {
  const correlate::TimeSums& sums = time.budget.evaluated.sums;
  const auto matters = [&](uint64_t ns) {
    return ns * 100 >= sums.total_ns() && ns * 100 >= kSomePercent * sums.lost_low();
  };
  std::optional<uint32_t> pid;
  if (matters(sums.of(TimeClass::kCpuWait).low)) pid = time.budget.pid;
  for (const BlamePath& path : time.blame) {
    const BlameNode& root = path.nodes.back();
    if (!pid && root.is == TimeClass::kCpuWait && !root.pids.empty() && matters(path.low)) pid = root.pids.front();
  }
  if (!pid) return;
  const std::map<uint32_t, OnCpus> all = affinities(part, time);
  const auto its = all.find(*pid);
  if (its == all.end() || !its->second.is_narrow()) return;
  const auto busy = busy_percent(part, time);
  const bool is_busy = busy.value_or(0) >= correlate::kBusyPercent;
  uint64_t threads = its->second.threads;
  if (is_busy) {
    const CpuTakers takers = takers_of_cpu(part.reader, part.of_threads_of(time, *pid), *pid);
    const bool are_own = threads > its->second.cpus.count() && takers.own >= kHalf;
    // Those that may run on the same few CPUs take them from each other.
    const bool are_sharers =
        takers.other && std::ranges::all_of(takers.other->pids, [&](const auto& one) {
          const auto sharer = all.find(static_cast<uint32_t>(one.first));
          return sharer != all.end() && sharer->second.is_narrow() && sharer->second.cpus == its->second.cpus;
        });
    if (!are_own && !are_sharers) return;
  }
  const std::string sharers = sharers_text(all, *pid, threads);
  const std::string who =
      *pid == time.budget.pid ? "It" : fmt::format("{} (pid {})", printable(its->second.comm, 40), *pid);
  time.because.push_back(fmt::format(
      "{} may run on {} only, {} of the machine's {}{}: its CPU affinity keeps it off the others{}; {} waited for a "
      "CPU",
      who, its->second.cpus.name(), its->second.cpus.count(), its->second.online.count(),
      sharers.empty() ? std::string() : ", and so may " + sharers,
      busy && !is_busy ? fmt::format(", while the machine's CPUs were {:.0f}% busy", *busy) : "",
      plural(threads, "thread")));
  time.remedy = fmt::format(
      "widen the CPU affinity (taskset -acp {} {}; the launcher's CPU binding, numactl, the cpuset "
      "of its cgroup){}",
      its->second.online.text(), *pid,
      is_busy           ? ", or start fewer threads"
      : sharers.empty() ? ""
                        : ", or give each process CPUs of its own");
}

}  // namespace

void add_cpus(const Part& part, ProcessTime& time) {
  if (!add_own_threads(part, time)) add_preemptors(part, time);
  add_preemptors_of_others(part, time);
  add_affinity(part, time);
}

}  // namespace ingero::report
