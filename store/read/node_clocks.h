// How far the wall clocks of a recording's nodes are apart, as collectives that several nodes took part in bound it; by
// it events of two nodes are put in order, or it is said that their order is unknown.
//
// U1  A collective that every rank has to enter before any can leave cannot end on one node before it began on another:
//     each bounds the difference of two clocks from both sides (where a rank was seen to leave it).
// U2  Clocks drift, by kClockDrift at most: a bound widens by that of its distance in time. What is known of a pair
//     holds from the recording's first shared collective to its last; at() widens it before and after.
// U3  Times of a recording are those of its clock to kClockToleranceNs, on each node.
// U4  Where bounds exclude each other, a clock was set while it was recorded: nothing is known.
//
// The differences are of the recording's times, and need no other file: one that was merged long ago has them too.
// Owns all by value. Thread-safe once made. Failure: the store's; a comparison that takes too long is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "store/read/reader.h"

namespace ingero::store {

// How far `second`'s wall clock was ahead of `first`'s, all the time. Negative: behind. A bound that nothing gave is
// absent.
struct ClockDifference {
  std::string first, second;
  std::optional<int64_t> least_ns, most_ns;
  uint64_t collectives = 0;
  bool was_set = false;  // (U4) then there are no bounds

  bool is_known() const { return least_ns && most_ns; }
};

struct NodeClock {
  std::string node;
  std::optional<ClockOffset> clock;  // less the reference's; absent: not known
};

class NodeClocks {
 public:
  NodeClocks() = default;
  // From the first shared collective to the last, of which `differences` are.
  NodeClocks(const std::vector<std::string>& nodes, std::vector<ClockDifference> differences,
             uint64_t first_wall_ns = 0, uint64_t last_wall_ns = UINT64_MAX);
  static Result<NodeClocks> load(const Reader& reader, const QueryLimits& limits = {});

  // Of one node there is nothing to say.
  bool are_several() const { return nodes_.size() > 1; }
  bool is_any_known() const;
  bool is_examined() const { return is_examined_; }
  // Whose clock the others are compared with; the first of the list. Only where there are several.
  const std::string& reference() const { return nodes_.front().node; }
  const std::vector<NodeClock>& nodes() const { return nodes_; }
  const std::vector<ClockDifference>& differences() const { return differences_; }
  const NodeClock* find(std::string_view node) const;
  // What is taken off a time of this node to have it by the reference's clock; 0: nothing is known.
  int64_t offset_ns(std::string_view node) const;
  // The greatest and the least of them.
  int64_t most_ahead_ns() const;
  int64_t most_behind_ns() const;
  // The node's clock less the reference's at this time of its own.
  std::optional<ClockOffset> at(std::string_view node, uint64_t wall_ns) const;

 private:
  std::vector<NodeClock> nodes_;
  std::vector<ClockDifference> differences_;
  uint64_t first_wall_ns_ = 0, last_wall_ns_ = UINT64_MAX;
  bool is_examined_ = true;
};

// Of a node that is not a known reference: "the clock of gpu-02 is 3.1ms ahead of gpu-01's, known within 85us".
std::string clock_sentence(const NodeClocks& clocks, const NodeClock& node);
// Whether events of two nodes can be put in order: of the pair that is known least. Empty: there are no two nodes.
std::string order_sentence(const NodeClocks& clocks);
// [{"node", "offset_ns", "within_ns"}]
Json clocks_json(const NodeClocks& clocks);

}  // namespace ingero::store
