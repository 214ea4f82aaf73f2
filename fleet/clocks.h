// How far apart the wall clocks of nodes are, from a few questions for the time. Pure; thread-safe. Nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fleet/wire/clock.h"

namespace ingero::fleet {

inline constexpr int kClockSamples = 3;

using wire::ClockOffset;  // a node's clock less ours

// The offset that one question showed: asked at `begin_wall_ns`, answered `round_trip_ns` later. Absent: the answer is
// no time of these centuries.
inline std::optional<ClockOffset> clock_offset(uint64_t begin_wall_ns, uint64_t round_trip_ns,
                                               int64_t untrusted_node_wall_ns) {
  return wire::clock_offset(begin_wall_ns, round_trip_ns, untrusted_node_wall_ns, untrusted_node_wall_ns);
}
// The most certain one, whose way there and back was shortest (as RFC 5905, section 10, chooses); absent without
// samples.
std::optional<ClockOffset> best_of(std::span<const ClockOffset> samples);

struct ClockPair {
  size_t first = 0, second = 0;  // places in the list
  uint64_t difference_ns = 0, within_ns = 0;
};
// Pairs of clocks that are certainly further apart than `threshold_ns`, furthest first.
std::vector<ClockPair> clocks_apart(const std::vector<std::optional<ClockOffset>>& offsets, uint64_t threshold_ns);

}  // namespace ingero::fleet
