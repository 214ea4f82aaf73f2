// Forgets before it refuses: see node_ranks.h.
#include "fleet/server/node_ranks.h"

#include "base/hash.h"

namespace ingero::fleet::server {
namespace {

constexpr uint64_t kForgetEvery_ns = 1'000'000'000;

bool is_old(uint64_t heard_ns, uint64_t mono_ns) { return mono_ns >= heard_ns + NodeRanks::kHeard_ns; }

}  // namespace

bool NodeRanks::take(const wire::Window& window, uint64_t mono_ns) {
  const auto& [cluster, name, job, instance, clock] = window.sender;
  const std::pair key(cluster, name);
  auto found = nodes_.find(key);
  if (found == nodes_.end() && nodes_.size() >= kMaxNodes && mono_ns >= looked_ns_ + kForgetEvery_ns) {
    looked_ns_ = mono_ns;
    std::erase_if(nodes_, [&](const auto& one) { return is_old(one.second.heard_ns, mono_ns); });
  }
  if (found == nodes_.end()) {
    if (nodes_.size() >= kMaxNodes) return true;
    found = nodes_.try_emplace(key).first;
  }
  Node& node = found->second;
  node.heard_ns = mono_ns;
  const uint64_t rank = fnv1a(job) * 31 + window.rank;
  const auto known = node.ranks.find(rank);
  if (known != node.ranks.end()) {
    known->second = mono_ns;
    return true;
  }
  if (node.ranks.size() >= kMaxRanks && mono_ns >= node.looked_ns + kForgetEvery_ns) {
    node.looked_ns = mono_ns;
    std::erase_if(node.ranks, [&](const auto& one) { return is_old(one.second, mono_ns); });
  }
  if (node.ranks.size() >= kMaxRanks) {
    node.refused_ns = mono_ns;
    return false;
  }
  node.ranks.emplace(rank, mono_ns);
  return true;
}

std::vector<std::string> NodeRanks::excessive(uint64_t mono_ns, const store::Clusters& readable) const {
  std::vector<std::string> names;
  for (const auto& [key, node] : nodes_) {
    if (node.refused_ns == 0 || is_old(node.refused_ns, mono_ns) || !readable.have(key.first)) continue;
    names.push_back(key.first == "default" ? key.second : key.first + ": " + key.second);
  }
  return names;
}

}  // namespace ingero::fleet::server
