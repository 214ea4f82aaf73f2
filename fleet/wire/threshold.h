// What a cluster's server and its nodes agree on about the threshold by which a node calls itself a straggler.
//
// The legacy protocol's figures. Constant data; any thread.
#pragma once

namespace ingero::fleet::wire {

inline constexpr double kMinThreshold = 0.1, kMaxThreshold = 0.99;
inline constexpr double kHysteresis = 0.02;  // above the threshold, from which on a node is a straggler no longer

}  // namespace ingero::fleet::wire
