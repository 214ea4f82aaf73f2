// Culprits, once each.
#include "cli/neighbours.h"

namespace ingero::cli {
namespace {

constexpr uint64_t kWorthNs = 1'000'000;  // who ran for less is nobody's cause
constexpr size_t kMostSeen = 4096;

}  // namespace

void Neighbours::take(std::span<const hal::Event> events, const Traced& traced, std::vector<hal::Process>& met) {
  for (const hal::Event& event : events) {
    if (!event.has(hal::Has::kCulprit) || event.culprit_ns < kWorthNs || event.culprit_pid == 0) continue;
    const hal::Process* own = traced(event.pid);
    if (own == nullptr || (own->container_id.empty() && own->pod_uid.empty() && own->slurm_job.empty())) continue;
    const auto known = seen_.find(event.culprit_pid);
    if (known != seen_.end() && known->second == event.culprit_comm) continue;
    if (seen_.size() >= kMostSeen) seen_.clear();
    seen_[event.culprit_pid] = event.culprit_comm;
    if (traced(event.culprit_pid) != nullptr) continue;
    auto process = proc_.process(event.culprit_pid);
    if (process.ok()) met.push_back(std::move(*process));
  }
}

}  // namespace ingero::cli
