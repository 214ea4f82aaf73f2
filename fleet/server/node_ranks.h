// How many ranks a node has: a machine has as many as devices, and one that claims to have thousands would take the
// room of other nodes' ranks.
//
// A rank counts while it was heard of within the last minute. Times are of a monotonic clock, in ns. Bounded: of nodes
// beyond the constant nothing is known, and nothing is refused. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fleet/store/cluster_store.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::server {

class NodeRanks {
 public:
  static constexpr size_t kMaxNodes = 4096, kMaxRanks = 256;  // ranks: of a node, in all of its jobs
  static constexpr uint64_t kHeard_ns = 60'000'000'000;

  // Whether the window is of one of the node's ranks, or there is room for one more.
  bool take(const wire::Window& window, uint64_t mono_ns);
  // Nodes that had too many within the last minute, as "CLUSTER: NAME" or, in the cluster `default`, the name.
  std::vector<std::string> excessive(uint64_t mono_ns, const store::Clusters& readable = {}) const;

 private:
  struct Node {
    std::unordered_map<uint64_t, uint64_t> ranks;  // by job and rank: when it was heard of last
    uint64_t heard_ns = 0;
    uint64_t looked_ns = 0;   // when it was, for ranks to forget
    uint64_t refused_ns = 0;  // when one was refused last; 0: none was
  };
  std::map<std::pair<std::string, std::string>, Node> nodes_;  // by cluster and name
  uint64_t looked_ns_ = 0;                                     // when it was, for nodes to forget
};

}  // namespace ingero::fleet::server
