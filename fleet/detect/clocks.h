// How far the clocks of two nodes are apart, as the collectives that both took part in bound it: no rank has left one
// before all have entered it.
//
// Q1  Where a rank of b entered a collective at E (by b's clock) and one of a left it at L (by a's), a's clock less b's
//     is at most L - E; and the other way round. Together collectives bound it from both sides, as closely as the last
//     rank to come was followed by the first to leave.
// Q2  Only collectives that every rank has to enter before any can leave: of a broadcast or a reduction that is not so.
// Q3  Clocks drift: a bound widens by kClockDrift of its age. Where bounds exclude each other a clock was set, and what
//     is older counts no more.
//
// Pure and deterministic; one thread at a time; bounded: kMaxEntries, a node in a collective each, the newest. Failure:
// none; what comes beyond a bound takes the place of the oldest.
// Times in nanoseconds since the Unix epoch, by each node's clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace ingero::fleet::detect {

// A clock less another one: not less than the one and not more than the other.
struct ClockBound {
  int64_t least_ns = 0, most_ns = 0;
  size_t collectives = 0;  // that bound it

  int64_t middle_ns() const { return least_ns + (most_ns - least_ns) / 2; }
  uint64_t within_ns() const { return static_cast<uint64_t>(most_ns - least_ns) / 2 + 1; }
};

// (Q2) By its name in a window.
bool waits_for_all(std::string_view operation);

class Clocks {
 public:
  static constexpr size_t kMaxEntries = 1 << 18;

  // One rank of a node in a collective that waits for all.
  void add(uint64_t communicator, uint64_t number, uint32_t node, uint64_t entered_ns, std::optional<uint64_t> left_ns);
  // Of a's clock less that of each other node, where collectives bound it from both sides.
  std::map<uint32_t, ClockBound> differences(uint32_t a) const;

 private:
  struct Of {  // a node
    uint32_t node = 0;
    uint64_t entered_ns = 0;        // the last of its ranks
    uint64_t left_ns = UINT64_MAX;  // the first of its ranks; at most: not known
  };
  struct Collective {
    uint64_t communicator = 0, number = 0;
    std::vector<Of> nodes;
  };
  std::deque<Collective> collectives_;                       // the oldest first
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> place_;  // by communicator and number: in order of coming
  uint64_t first_ = 0;                                       // the place of collectives_.front()
  size_t entries_ = 0;
};

}  // namespace ingero::fleet::detect
