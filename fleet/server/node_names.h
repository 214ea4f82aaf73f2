// Tells nodes of one name apart. A node's name is what somebody configured; each run of an agent also sends a random
// instance. Where two instances of one name take turns, they are two machines: from then on each is kept as
// NAME#INSTANCE, until only one of them has been heard of for a while. An agent that was started anew takes no turns.
//
// Times are of a monotonic clock. Bounded: names beyond the constant are not told apart until others are silent, and of
// instances the newest are known. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fleet/store/cluster_store.h"

namespace ingero::fleet::server {

class NodeNames {
 public:
  static constexpr size_t kMaxNames = 4096, kMaxInstances = 8;
  static constexpr uint64_t kTurn_ns = 30'000'000'000;   // the same instance again within this, another one between
  static constexpr uint64_t kAlone_ns = 60'000'000'000;  // the others are gone
  static constexpr size_t kShownBytes = 8;               // of an instance

  // The name under which to keep what came now. `instance`: empty where the sender has none.
  std::string name_of(const std::string& cluster, const std::string& node, const std::string& instance,
                      uint64_t mono_ns);
  // The name under which what such an instance sends is kept now; `node` where it has sent nothing that counts here.
  std::string known_as(const std::string& cluster, const std::string& node, const std::string& instance) const;
  // Names of these clusters that several nodes have now, as "CLUSTER: NAME" or, in the cluster `default`, the name.
  std::vector<std::string> shared(const store::Clusters& readable = {}) const;

 private:
  struct Instance {
    std::string id;
    uint64_t mono_ns;  // when it was heard of last
  };
  struct Name {
    std::vector<Instance> instances;  // the one that was heard of last at the end
    bool is_shared = false;
  };
  std::map<std::pair<std::string, std::string>, Name> names_;  // by cluster and node
  uint64_t looked_ns_ = 0;                                     // when it was, for those that are silent
};

}  // namespace ingero::fleet::server
