// What becomes of a node's messages on their way: most arrive once, some twice and some never, and some nodes' agents
// are started again meanwhile. By hashes of seed, node and window: pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace ingero::fleet::simulate {

enum class Delivery : uint8_t { kOnce, kTwice, kLost };

class Deliveries {
 public:
  Deliveries(uint64_t seed, uint32_t windows) : seed_(seed), windows_(windows) {}

  // One message of 500 arrives twice and one of 500 never, as the one of the window in which an agent is restarted.
  Delivery of(uint32_t node, uint32_t window) const;
  // The node's last window that is not lost on its way; none where all are.
  std::optional<uint32_t> last_arrival(uint32_t node) const;
  // The window in which the node's agent is started again: of one node of 32, and of long enough a job.
  std::optional<uint32_t> restart_of(uint32_t node) const;
  // Which run of the node's agent sends the window.
  std::string instance_of(uint32_t node, uint32_t window) const;
  // {"lost", "doubled", "restarted_nodes"}
  Json truth(uint32_t nodes) const;

 private:
  uint64_t seed_;
  uint32_t windows_;
};

}  // namespace ingero::fleet::simulate
