// The scores that nodes of the legacy agent give themselves: see Cluster::compare_score().
#include <algorithm>

#include "base/hash.h"
#include "fleet/server/cluster.h"

namespace ingero::fleet::server {
namespace {

constexpr uint64_t kPeriod_ns = 10'000'000'000;  // how often it sends
constexpr size_t kMaxGroupBytes = 64;            // it is a hash

}  // namespace

// Compared within what shares a control group: a node may run several jobs, each with a score of its own.
void Cluster::compare_score(const wire::Point& point, uint64_t now_ns, const std::string& sent_by) {
  if (!point.value_double || *point.value_double < 0) return;
  const Json attributes = parse_json(point.attributes);
  const std::string state = text_member(attributes, "ingero.node.state");
  if (!state.empty() && state != "active") return;
  const auto number = node_numbers_.find({point.sender.cluster, point.sender.node});
  uint32_t node = 0;
  if (number == node_numbers_.end()) {
    const auto found = store_->node_number(point.sender.cluster, point.sender.node);
    if (!found) return;
    node = *found;
    remember_node(point.sender.cluster, point.sender.node, node);
  } else {
    node = number->second;
  }
  if (point.time_ns > clock_.wall_ns() + kMaxAhead_ns) {
    ++counters_.ahead;
    return;
  }
  Job* job = job_of({point.sender.cluster, "", Kind::kScore}, kPeriod_ns, now_ns, sent_by);
  if (job == nullptr) return;
  const std::string group = text_member(attributes, "ingero.cgroup_path_hash").substr(0, kMaxGroupBytes);
  // The same after a restart, so that an incident goes on.
  const auto rank = static_cast<uint32_t>(Fnv1a().add(uint64_t{node}).add(std::string_view(group)).value());
  if (!job->scored.contains(rank) && job->scored.size() >= detect::kMaxRanks) {
    ++counters_.too_many_ranks;
    return;
  }
  job->scored.try_emplace(rank, Scored{node, group});
  detect::Sample sample;
  sample.window = point.time_ns / kPeriod_ns;
  sample.rank = sample.node = rank;  // each an incident of its own
  sample.communicator = fnv1a(group);
  sample.count = 2;
  sample.work_s = *point.value_double;
  job->hear(now_ns, false);
  (void)job->detector.add(sample, now_ns);
}

}  // namespace ingero::fleet::server
