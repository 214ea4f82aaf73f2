// Asks for the CPUs of threads that wait.
#include "agent/affinity_watch.h"

#include <algorithm>
#include <map>

namespace ingero::agent {

// Of a process's threads: the CPUs of those with most of the wait. None: all have ended.
std::optional<hal::Affinity> AffinityWatch::ask(std::vector<CpuWait> waits) const {
  std::ranges::sort(waits, std::ranges::greater{}, &CpuWait::ns);
  if (waits.size() > kMaxThreads) waits.resize(kMaxThreads);
  struct Share {
    hal::CpuList cpus;
    uint64_t ns = 0;
    uint32_t threads = 0;
  };
  std::map<std::string, Share> shares;
  for (const CpuWait& wait : waits) {
    auto cpus = kernel_.allowed(wait.tid);
    if (!cpus.ok() || cpus->empty()) continue;
    Share& share = shares[cpus->text()];
    share.cpus = std::move(*cpus);
    share.ns += wait.ns;
    ++share.threads;
  }
  const auto most = std::ranges::max_element(shares, {}, [](const auto& one) { return one.second.ns; });
  if (most == shares.end()) return std::nullopt;
  hal::Affinity found;
  found.threads = most->second.threads;
  found.cpus = std::move(most->second.cpus);
  return found;
}

void AffinityWatch::every_second(const std::vector<CpuWait>& waits, uint64_t now_mono_ns, EventBatch& batch) {
  struct Process {
    uint32_t pid = 0;
    uint64_t ns = 0;
    std::vector<CpuWait> waits;
  };
  std::unordered_map<uint32_t, Process> by_pid;
  for (const CpuWait& wait : waits) {
    Process& process = by_pid[wait.pid];
    process.pid = wait.pid;
    process.ns += wait.ns;
    process.waits.push_back(wait);
  }
  std::vector<Process> wanted;
  for (auto& [pid, process] : by_pid) {
    const auto known = known_.find(pid);
    const bool is_recent = known != known_.end() && known->second.asked_mono_ns + kAgainNs > now_mono_ns;
    if (process.ns >= kEnoughNs && !is_recent) wanted.push_back(std::move(process));
  }
  if (wanted.empty()) return;
  std::ranges::sort(wanted,
                    [](const Process& a, const Process& b) { return a.ns != b.ns ? a.ns > b.ns : a.pid < b.pid; });
  if (wanted.size() > kMaxProcesses) wanted.resize(kMaxProcesses);
  const hal::CpuList online = hal::CpuList::parse(kernel_.online()).value_or(hal::CpuList());
  for (Process& process : wanted) {
    if (known_.size() >= kMaxKnown && !known_.contains(process.pid)) known_.clear();
    Known& known = known_[process.pid];
    known.asked_mono_ns = now_mono_ns;
    auto found = ask(std::move(process.waits));
    if (!found) continue;
    found->online = online;
    const bool is_same = found->cpus == known.reported.cpus && found->online == known.reported.online;
    if (is_same && found->threads <= known.reported.threads) continue;
    found->mono_ns = now_mono_ns;
    found->pid = process.pid;
    known.reported = *found;
    batch.affinities.push_back(std::move(*found));
  }
}

}  // namespace ingero::agent
