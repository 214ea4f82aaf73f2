// Who took turns with whom: see node_names.h.
#include "fleet/server/node_names.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"

namespace ingero::fleet::server {

std::string NodeNames::name_of(const std::string& cluster, const std::string& node, const std::string& instance,
                               uint64_t mono_ns) {
  if (instance.empty()) return node;
  const std::pair key(cluster, node);
  if (names_.size() >= kMaxNames && names_.count(key) == 0) return node;
  Name& name = names_[key];
  auto& instances = name.instances;
  const auto known =
      std::find_if(instances.begin(), instances.end(), [&](const Instance& one) { return one.id == instance; });
  const bool takes_turns =
      known != instances.end() && &*known != &instances.back() && mono_ns - known->mono_ns <= kTurn_ns;
  if (known != instances.end()) instances.erase(known);
  std::erase_if(instances, [&](const Instance& one) { return mono_ns - one.mono_ns > kAlone_ns; });
  if (instances.size() >= kMaxInstances) instances.erase(instances.begin());
  instances.push_back({instance, mono_ns});
  if (instances.size() == 1) name.is_shared = false;
  if (takes_turns && !name.is_shared) {
    name.is_shared = true;
    log_warning(
        "two nodes of the cluster {} call themselves {}: each is kept as {}#INSTANCE; give them different names "
        "(trace --fleet-node-id, or agent.node of ingero.yaml)",
        cluster, node, node);
  }
  return name.is_shared ? fmt::format("{}#{}", node, instance.substr(0, kShownBytes)) : node;
}

std::vector<std::string> NodeNames::shared() const {
  std::vector<std::string> shared;
  for (const auto& [key, name] : names_) {
    if (name.is_shared) shared.push_back(key.first == "default" ? key.second : key.first + ": " + key.second);
  }
  return shared;
}

}  // namespace ingero::fleet::server
