// Windows as a request of OTLP metrics in protobuf: what a node sends (docs/fleet.md, "Windows"). Pure; thread-safe.
#pragma once

#include <span>
#include <string>

#include "fleet/wire/point.h"

namespace ingero::fleet::wire {

// Of one sender and one window of time; empty for none.
std::string encode_windows(std::span<const Window> windows);

}  // namespace ingero::fleet::wire
