// What nodes send with the windows of their ranks: the state of each rank's device, and when the rank entered and left
// the collectives of a sample that all ranks choose alike. Of healthy devices. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "fleet/wire/clock.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::simulate {

// `windows`: of one node and one window of time, those of a rank next to each other. `clock`: the node's.
void add_details(wire::ClockOffset clock, std::vector<wire::Window>& windows);

}  // namespace ingero::fleet::simulate
