// What began first, of things that several nodes say began at times by their own clocks: in order where the clocks are
// known well enough for it, and said to be unknown where they are not. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace ingero::store {

struct Moment {
  std::string node, id;              // id: of what began, on that node
  uint64_t wall_ns = 0;              // by its clock
  std::optional<ClockOffset> clock;  // the node's, less ours (or that of a reference); absent: not known
  // Of a cluster's incident: it began in the window of this length, by its nodes' clocks.
  uint64_t window_ns = 0;
  std::string recorded = {};  // whose clock it is, where `node` answers for several
};

struct Ordered {
  Moment moment;
  std::optional<uint64_t> ours_ns;  // by our clock; absent: the node's clock is not known
  uint64_t within_ns = 0;           // how far wrong that can be
  bool is_certain = false;          // it began after the one before it; of the first: there is none
};

// The earliest first, as far as is known; those of nodes whose clocks are not known last, by their own time.
std::vector<Ordered> in_order(std::vector<Moment> moments);
// The same; empty where all are of one node: there is nothing to say.
std::vector<Ordered> in_order_of_nodes(std::vector<Moment> moments);
// [{"node", "id", "onset", "within_ns", "is_certain"}]
Json order_json(const std::vector<Ordered>& ordered);

}  // namespace ingero::store
