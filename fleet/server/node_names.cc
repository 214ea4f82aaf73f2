// Who took turns with whom: see node_names.h.
#include "fleet/server/node_names.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"

namespace ingero::fleet::server {
namespace {

std::string own_name(const std::string& node, const std::string& instance) {
  return fmt::format("{}#{}", node, instance.substr(0, NodeNames::kShownBytes));
}

}  // namespace

std::string NodeNames::name_of(const std::string& cluster, const std::string& node, const std::string& instance,
                               uint64_t mono_ns) {
  if (instance.empty()) return node;
  const std::pair key(cluster, node);
  const auto is_old = [&](const Instance& one) { return mono_ns - one.mono_ns > kAlone_ns; };
  if (names_.size() >= kMaxNames && !names_.contains(key)) {
    if (mono_ns - looked_ns_ <= kAlone_ns) return node;
    looked_ns_ = mono_ns;
    std::erase_if(names_, [&](const auto& one) { return std::ranges::all_of(one.second.instances, is_old); });
    if (names_.size() >= kMaxNames) return node;
  }
  Name& name = names_[key];
  auto& instances = name.instances;
  const auto known =
      std::find_if(instances.begin(), instances.end(), [&](const Instance& one) { return one.id == instance; });
  const bool takes_turns =
      known != instances.end() && &*known != &instances.back() && mono_ns - known->mono_ns <= kTurn_ns;
  if (known != instances.end()) instances.erase(known);
  std::erase_if(instances, is_old);
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
  return name.is_shared ? own_name(node, instance) : node;
}

std::string NodeNames::known_as(const std::string& cluster, const std::string& node,
                                const std::string& instance) const {
  const auto name = names_.find({cluster, node});
  if (name == names_.end() || !name->second.is_shared) return node;
  const bool is_known =
      std::ranges::find(name->second.instances, instance, &Instance::id) != name->second.instances.end();
  return is_known ? own_name(node, instance) : node;
}

std::vector<std::string> NodeNames::shared(const store::Clusters& readable) const {
  std::vector<std::string> shared;
  for (const auto& [key, name] : names_) {
    if (name.is_shared && readable.have(key.first))
      shared.push_back(key.first == "default" ? key.second : key.first + ": " + key.second);
  }
  return shared;
}

}  // namespace ingero::fleet::server
