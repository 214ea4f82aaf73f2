// Looks up each process that kept a traced one, once, while /proc still has it.
#include "agent/neighbour_watch.h"

namespace ingero::agent {
namespace {

constexpr uint64_t kWorthNs = 1'000'000;  // a shorter preemption or wait explains no slow call
constexpr size_t kMaxSeen = 4096;

}  // namespace

void NeighbourWatch::look(uint32_t pid, const std::array<char, 16>& comm, const Traced& traced,
                          std::vector<hal::Process>& found) {
  const auto known = seen_.find(pid);
  if (known != seen_.end() && known->second == comm) return;
  if (seen_.size() >= kMaxSeen) seen_.clear();
  seen_[pid] = comm;
  if (traced(pid) != nullptr) return;
  auto process = proc_.process(pid);
  if (process.ok()) found.push_back(std::move(*process));
}

void NeighbourWatch::take(std::span<const hal::Event> events, Waits waits, const Traced& traced,
                          std::vector<hal::Process>& found) {
  for (const hal::Event& event : events) {
    if (!event.has(hal::Has::kPreemptedBy) || event.preempted_by_ns < kWorthNs || event.preempted_by_pid == 0) continue;
    const hal::Process* own = traced(event.pid);
    if (own == nullptr || (own->container_id.empty() && own->pod_uid.empty() && own->slurm_job.empty())) continue;
    look(event.preempted_by_pid, event.preempted_by_comm, traced, found);
  }
  for (const auto& [index, wait] : waits) {
    const hal::Event& event = events[index];
    if (!wait.waker || wait.waker->is_kernel_thread || wait.waker->pid == event.pid) continue;
    if (event.duration_ns < kWorthNs || traced(event.pid) == nullptr) continue;
    if (seen_.contains(wait.waker->pid)) continue;  // its threads have names of their own
    look(wait.waker->pid, wait.waker->comm, traced, found);
  }
}

void NeighbourWatch::take(std::span<const hal::DiskUse> uses, const Traced& traced, std::vector<hal::Process>& found) {
  for (const hal::DiskUse& use : uses) {
    if (use.pid == 0 || seen_.contains(use.pid)) continue;
    std::array<char, 16> comm{};
    use.comm.copy(comm.data(), comm.size());
    look(use.pid, comm, traced, found);
  }
}

}  // namespace ingero::agent
