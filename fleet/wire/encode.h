// Windows as a request of OTLP metrics in protobuf: what a node sends (docs/fleet.md, "Windows"). Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fleet/wire/clock.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::wire {

// Which run of which program sends, and how many messages it has sent before; nothing where `instance` is empty. And
// its clock less the receiver's, where it is known.
struct Push {
  std::string instance;
  uint64_t number = 0;
  std::optional<ClockOffset> clock = {};
};

// Of one sender and one window of time; empty for none.
std::string encode_windows(std::span<const Window> windows, const Push& push = {});
// How many points that request has.
uint32_t points_of(std::span<const Window> windows);

// What is wrong on a node, as its causal engine says: a point of `ingero.causal_chain`, whose value is the time lost in
// seconds.
struct Incident {
  uint64_t time_ns = 0;
  double lost_s = 0;
  std::optional<int64_t> rank;                                  // of the job
  std::vector<std::pair<std::string, std::string>> attributes;  // in any order, of different names
};
std::string encode_incidents(const Sender& sender, std::span<const Incident> incidents, const Push& push = {});

// What a node says of itself: a number with its attributes.
struct NodePoint {
  std::string_view metric;
  double value = 0;
  std::vector<std::pair<std::string_view, std::string>> texts;
  std::vector<std::pair<std::string_view, double>> numbers;
};
std::string encode_node(const Sender& sender, uint64_t time_ns, std::span<const NodePoint> points,
                        const Push& push = {});

// That the sender is there, and has nothing to send: a resource without points.
std::string encode_heartbeat(const Sender& sender, const Push& push);

}  // namespace ingero::fleet::wire
