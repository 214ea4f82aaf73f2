// Looks up each process that preempted a traced one, once, while /proc still has it.
#include "agent/neighbour_watch.h"

namespace ingero::agent {
namespace {

constexpr uint64_t kWorthNs = 1'000'000;  // a shorter preemption explains no slow call
constexpr size_t kMaxSeen = 4096;

}  // namespace

void NeighbourWatch::take(std::span<const hal::Event> events, const Traced& traced, std::vector<hal::Process>& found) {
  for (const hal::Event& event : events) {
    if (!event.has(hal::Has::kPreemptedBy) || event.preempted_by_ns < kWorthNs || event.preempted_by_pid == 0) continue;
    const hal::Process* own = traced(event.pid);
    if (own == nullptr || (own->container_id.empty() && own->pod_uid.empty() && own->slurm_job.empty())) continue;
    const auto known = seen_.find(event.preempted_by_pid);
    if (known != seen_.end() && known->second == event.preempted_by_comm) continue;
    if (seen_.size() >= kMaxSeen) seen_.clear();
    seen_[event.preempted_by_pid] = event.preempted_by_comm;
    if (traced(event.preempted_by_pid) != nullptr) continue;
    auto process = proc_.process(event.preempted_by_pid);
    if (process.ok()) found.push_back(std::move(*process));
  }
}

}  // namespace ingero::agent
