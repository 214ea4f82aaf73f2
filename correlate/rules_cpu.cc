// Who had the CPU: preemption, run queues, limits, neighbours, and workers of one's own.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "correlate/state.h"

namespace ingero::correlate {
namespace {

uint64_t without(uint64_t ns, uint64_t taken_ns) { return ns - std::min(ns, taken_ns); }

bool machine_is_busy(const Evaluation& seen) {
  return seen.system.snapshot && seen.system.snapshot->cpu_percent >= kBusyPercent &&
         seen.system.snapshot_mono_ns + kSnapshotHoldsNs >= seen.window * kWindowNs;
}

// The first of the trailing windows that holds a good part of the loss.
template <typename Loss>
uint64_t onset_of(const Evaluation& seen, Loss loss) {
  uint64_t most = 0;
  for (const ProcessWindow& one : seen.process.trailing) most = std::max(most, loss(one));
  uint64_t window = seen.window + 1 - seen.process.trailing.size();
  for (const ProcessWindow& one : seen.process.trailing) {
    if (loss(one) * 4 >= most && most > 0) break;
    ++window;
  }
  return std::max(window * kWindowNs, seen.process.first_seen_ns);
}

struct Limited {
  uint64_t periods = 0, ns = 0;
};

// Of the trailing windows, and of the last of them.
const hal::Throttling* worst_limit(const Evaluation& seen, Limited& all, Limited& now) {
  const hal::Throttling* worst = nullptr;
  for (const hal::Throttling& one : seen.throttling) {
    const bool its = one.pid == seen.process.facts.pid;
    if (!its || one.mono_ns >= (seen.window + 1) * kWindowNs ||
        one.mono_ns + kTrailing * kWindowNs < (seen.window + 1) * kWindowNs) {
      continue;
    }
    all.periods += one.periods;
    all.ns += one.throttled_ns;
    if (one.mono_ns >= seen.window * kWindowNs) {
      now.periods += one.periods;
      now.ns += one.throttled_ns;
    }
    if (worst == nullptr || one.throttled_ns > worst->throttled_ns) worst = &one;
  }
  return worst;
}

bool is_kin(const Evaluation& seen, uint32_t pid) {
  if (pid == seen.process.facts.pid) return true;
  const auto known = seen.by_pid.find(pid);
  return known != seen.by_pid.end() && known->second->facts.parent_pid == seen.process.facts.pid;
}

bool is_neighbour(const Evaluation& seen, uint32_t pid) {
  const auto known = seen.by_pid.find(pid);
  if (known == seen.by_pid.end()) return false;
  // A system program is not a neighbour: both processes must belong to a container, pod or job.
  const auto differ = [](const std::string& one, const std::string& other) {
    return !one.empty() && !other.empty() && one != other;
  };
  const hal::Process& other = known->second->facts;
  const hal::Process& own = seen.process.facts;
  return differ(own.container_id, other.container_id) || differ(own.pod_uid, other.pod_uid) ||
         differ(own.slurm_job, other.slurm_job);
}

// A process whose own workers took its CPU has too many of them: that is the cause's name, and what can be done.
void blame_workers(const Evaluation& seen, Finding& finding) {
  std::set<uint32_t> workers;
  uint64_t taken_ns = 0;
  const auto preemptors = seen.sum.preemptors();
  for (const Preemptors::PreemptedBy& one : preemptors.list()) {
    if (one.pid == seen.process.facts.pid || !is_kin(seen, one.pid)) continue;
    workers.insert(one.pid);
    taken_ns += one.ns;
  }
  if (workers.size() < rule(RuleId::dataloader_starvation).count || taken_ns * 2 < preemptors.total_ns()) return;
  finding.rule = RuleId::dataloader_starvation;
  finding.number = workers.size();
  finding.detail = fmt::format("{} worker processes of its own had its CPU", workers.size());
}

void evaluate_workers(const Evaluation& seen, Findings& findings) {
  const Rule& its = rule(RuleId::dataloader_starvation);
  if (seen.process.children.size() < its.count || seen.process.first_call_window == 0) return;
  Finding finding;
  finding.rule = its.id;
  if (seen.windowed) {
    // Windowed: no calls although it runs on, on a machine without a free CPU.
    const bool idle = seen.sum.calls == 0 && seen.process.last_call_window + kTrailing <= seen.window;
    const bool runs = !seen.process.ended_mono_ns && seen.process.last_window + kActive >= seen.window;
    if (!idle || !runs || !machine_is_busy(seen)) return;
    finding.lost_ns = seen.span_ns;
    finding.lost_now_ns = kWindowNs;
    finding.grade = hal::Grade::kWindowed;
    finding.confidence = 0.6;
    finding.number = seen.process.children.size();
    finding.detail = fmt::format("the machine's CPUs were {:.0f}% busy", seen.system.snapshot->cpu_percent);
    finding.onset_mono_ns = (seen.process.last_call_window + 1) * kWindowNs;
    findings.push_back(std::move(finding));
    return;
  }
  // Measured: the threads that make calls sleep outside of calls, the workers want CPUs they do not get. What ended
  // soon did one piece of work, as a compiler: fewer of a loader's workers would not help.
  constexpr uint64_t kWorkerNs = 2'000'000'000;
  uint64_t workers = 0, wanted_ns = 0;
  for (const auto& [pid, other] : seen.by_pid) {
    if (other->facts.parent_pid != seen.process.facts.pid || pid == seen.process.facts.pid || other->trailing.empty())
      continue;
    if (other->ended_mono_ns && *other->ended_mono_ns < other->first_seen_ns + kWorkerNs) continue;
    const uint64_t its_own = waited_for_cpu(*other);
    workers += its_own > 0 ? 1 : 0;
    wanted_ns += its_own;
  }
  const uint64_t blocked = seen.sum.threads.blocked_ns > seen.sum.in_calls.blocked_ns
                               ? seen.sum.threads.blocked_ns - seen.sum.in_calls.blocked_ns
                               : 0;
  if (workers < its.count || wanted_ns < its.floor_ns) return;
  if (blocked * 100 < seen.span_ns * its.share) return;
  // Workers that wait for CPUs are slow, whether or not it waits for a CPU itself.
  const uint64_t waited_ns = without(seen.sum.thread_wanted_ns(), seen.sum.preemptors().recorder_ns());
  if (!squeezed_worker(seen) && !seen.over(waited_ns, rule(RuleId::run_queue_wait))) return;
  finding.lost_ns = std::min(blocked, seen.span_ns);
  finding.lost_now_ns = std::min<uint64_t>(seen.now.threads.blocked_ns, kWindowNs);
  finding.confidence = 0.85;
  finding.number = workers;
  finding.detail = fmt::format("{} worker processes wanted a CPU and waited for one", workers);
  finding.onset_mono_ns = onset_of(seen, [](const ProcessWindow& one) { return one.threads.blocked_ns; });
  findings.push_back(std::move(finding));
}

}  // namespace

bool is_sibling(const Evaluation& seen, uint32_t pid) {
  const hal::Process& own = seen.process.facts;
  const auto known = seen.by_pid.find(pid);
  if (pid == own.pid || known == seen.by_pid.end()) return false;
  if (known->second->first_call_window == 0 || seen.process.first_call_window == 0) return false;
  const hal::Process& other = known->second->facts;
  const auto are_same = [](const std::string& one, const std::string& two) { return !one.empty() && one == two; };
  const bool has_ranks = own.rank >= 0 && other.rank >= 0;
  if (has_ranks && (are_same(own.launcher_job, other.launcher_job) || are_same(own.slurm_job, other.slurm_job))) {
    return true;
  }
  constexpr uint32_t kInit = 1;
  if (own.parent_pid > kInit && own.parent_pid == other.parent_pid && are_same(own.comm, other.comm)) {
    return true;  // one program started both
  }
  return std::any_of(seen.comm_pids.begin(), seen.comm_pids.end(), [&](const auto& entry) {
    return std::ranges::find(entry.second, pid) != entry.second.end() &&
           std::ranges::find(entry.second, own.pid) != entry.second.end();
  });
}

uint64_t siblings_ns(const Evaluation& seen, const Preemptors& preemptors) {
  uint64_t ns = 0;
  for (const Preemptors::PreemptedBy& one : preemptors.list()) ns += is_sibling(seen, one.pid) ? one.ns : 0;
  return ns;
}

RuleId who_ran(const Evaluation& seen, const ProcessWindow& sum) {
  const Preemptors& preemptors = sum.preemptors();
  const uint64_t lost = without(sum.wanted_cpu_ns(), preemptors.recorder_ns());
  // After a sleep it is known of a part of the wait at most.
  const uint64_t known = std::max(sum.preempted_ns(), preemptors.total_ns());
  if (without(known, preemptors.recorder_ns()) * 2 < lost) return RuleId::run_queue_wait;
  const uint32_t own = seen.process.facts.pid;
  if (preemptors.is_mostly(own, siblings_ns(seen, preemptors))) return RuleId::oversubscription;
  const Preemptors::PreemptedBy* worst = preemptors.worst(own);
  const bool is_other = worst != nullptr && !is_kin(seen, worst->pid);
  return is_other && is_neighbour(seen, worst->pid) ? RuleId::noisy_neighbour : RuleId::cpu_preemption;
}

void evaluate_cpu(const Evaluation& seen, Findings& findings) {
  const auto loss = [](const ProcessWindow& one) { return one.wanted_cpu_ns(); };
  const uint64_t recorder_ns = seen.sum.preemptors().recorder_ns();
  const uint64_t lost = without(seen.sum.wanted_cpu_ns(), recorder_ns);
  Finding finding;
  finding.lost_ns = lost;
  finding.lost_now_ns = without(seen.now.wanted_cpu_ns(), seen.now.preemptors().recorder_ns());
  finding.op = seen.sum.worst_cpu->call;
  if (seen.sum.worst_cpu->call != hal::kNoCall) finding.sample = *seen.sum.worst_cpu;

  Limited all, now;
  const hal::Throttling* limit = worst_limit(seen, all, now);
  const Rule& throttling = rule(RuleId::cgroup_throttling);
  if (limit != nullptr && all.periods >= throttling.count && seen.over(all.ns, throttling) && seen.sum.calls > 0) {
    finding.rule = throttling.id;
    finding.lost_ns = std::min(all.ns, seen.span_ns);
    finding.lost_now_ns = std::min(now.ns, kWindowNs);
    finding.number = all.periods;
    finding.number_now = now.periods;
    finding.confidence = 0.95;
    finding.detail = limit->path;
    finding.onset_mono_ns = onset_of(seen, loss);
    findings.push_back(std::move(finding));
    return;
  }
  evaluate_workers(seen, findings);
  const bool is_known = seen.sum.preemptors().worst(0) != nullptr;
  finding.rule = who_ran(seen, seen.sum);
  if (seen.over(without(seen.sum.thread_wanted_ns(), recorder_ns), rule(finding.rule))) {
    finding.confidence = is_known ? 0.95 : 0.85;
    finding.onset_mono_ns = onset_of(seen, loss);
    if (finding.rule == RuleId::oversubscription || finding.rule == RuleId::cpu_preemption) {
      blame_workers(seen, finding);
    }
    findings.push_back(std::move(finding));
    return;
  }
  const Rule& preempted = rule(RuleId::cpu_preemption);
  // Windowed: its threads were switched out often while it made calls, and no CPU was free.
  if (seen.windowed && seen.sum.calls > 0 && machine_is_busy(seen) && seen.over(seen.sum.switch_ns, preempted)) {
    finding.rule = preempted.id;
    finding.grade = hal::Grade::kWindowed;
    finding.confidence = 0.5;
    finding.lost_ns = std::min(seen.sum.switch_ns, seen.span_ns);
    finding.lost_now_ns = std::min(seen.now.switch_ns, kWindowNs);
    finding.onset_mono_ns = onset_of(seen, [](const ProcessWindow& one) { return one.switch_ns; });
    findings.push_back(std::move(finding));
  }
}

}  // namespace ingero::correlate
