// Finds who has to share which CPUs.
#include "correlate/affinity.h"

#include <algorithm>

#include "base/text.h"
#include "correlate/state.h"

namespace ingero::correlate {
namespace {

const hal::Affinity* find(const Evaluation& seen, uint32_t pid) {
  const auto process = seen.by_pid.find(pid);
  if (process == seen.by_pid.end()) return nullptr;
  // What is asked for in a second is of that before.
  const uint64_t before_ns = (seen.window + 1) * kWindowNs + kLatenessNs;
  return seen.affinities.find(pid, process->second->facts.start_mono_ns, before_ns);
}

bool is_narrow(const hal::Affinity& one) { return !one.online.empty() && one.cpus.count() < one.online.count(); }

}  // namespace

bool Affinities::add(const hal::Affinity& affinity) {
  const bool is_full = by_pid_.size() >= kMaxProcesses && !by_pid_.contains(affinity.pid);
  if (is_full) {
    by_pid_.erase(std::ranges::min_element(by_pid_, {}, [](const auto& entry) { return entry.second.back().mono_ns; }));
  }
  std::vector<hal::Affinity>& its = by_pid_[affinity.pid];
  if (its.size() >= kKept) its.erase(its.begin());
  its.push_back(affinity);
  return !is_full;
}

const hal::Affinity* Affinities::find(uint32_t pid, uint64_t start_ns, uint64_t before_ns) const {
  const auto its = by_pid_.find(pid);
  if (its == by_pid_.end()) return nullptr;
  for (auto one = its->second.rbegin(); one != its->second.rend(); ++one) {
    if (one->mono_ns < before_ns) return one->mono_ns >= start_ns ? &*one : nullptr;
  }
  return nullptr;
}

std::optional<Confined> confined(const Evaluation& seen, uint32_t pid) {
  const hal::Affinity* its = find(seen, pid);
  if (its == nullptr || !is_narrow(*its)) return std::nullopt;
  Confined found{pid, its->cpus, its->online, its->threads, {}};
  for (const auto& [other, reported] : seen.affinities.all()) {
    if (other == pid) continue;
    const auto process = seen.by_pid.find(other);
    if (process == seen.by_pid.end() || process->second->ended_mono_ns.value_or(~uint64_t{0}) < its->mono_ns) continue;
    const hal::Affinity* theirs = find(seen, other);
    if (theirs == nullptr || !is_narrow(*theirs) || !theirs->cpus.shares_any(its->cpus)) continue;
    found.others.push_back(other);
    if (theirs->cpus == its->cpus) found.threads += theirs->threads;
  }
  return found;
}

uint64_t waited_for_cpu(const ProcessState& process) {
  uint64_t ns = 0;
  for (const ProcessWindow& one : process.trailing) {
    ns += one.threads.preempted_ns + one.threads.runqueue_ns + one.others.preempted_ns + one.others.runqueue_ns;
  }
  return ns;
}

std::optional<Confined> squeezed_worker(const Evaluation& seen) {
  if (!has_idle_cpus(seen)) return std::nullopt;
  for (const auto& [pid, reported] : seen.affinities.all()) {
    const auto process = seen.by_pid.find(pid);
    if (pid == seen.process.facts.pid || process == seen.by_pid.end()) continue;
    if (process->second->facts.parent_pid != seen.process.facts.pid || waited_for_cpu(*process->second) == 0) continue;
    auto found = confined(seen, pid);
    if (found && found->threads > found->cpus.count()) return found;
  }
  return std::nullopt;
}

std::string of_machine(const Confined& confined) {
  return fmt::format("{} only, {} of the machine's {}", confined.cpus.name(), confined.cpus.count(),
                     confined.online.count());
}

bool are_apart(const Evaluation& seen, uint32_t pid, uint32_t other) {
  const hal::Affinity *one = find(seen, pid), *two = find(seen, other);
  return one != nullptr && two != nullptr && !one->cpus.shares_any(two->cpus);
}

bool has_idle_cpus(const Evaluation& seen) {
  const bool is_known = seen.system.snapshot && seen.system.snapshot->cpu_percent >= 0 &&
                        seen.system.snapshot_mono_ns + kSnapshotHoldsNs >= seen.window * kWindowNs;
  return !is_known || seen.system.snapshot->cpu_percent < kBusyPercent;
}

}  // namespace ingero::correlate
