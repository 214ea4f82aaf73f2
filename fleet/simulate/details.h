// What nodes send with the windows of their ranks: the state of each rank's device, when the rank entered and left the
// collectives of a sample that all ranks choose alike, and what the node's causal engine reports. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/wire/clock.h"
#include "fleet/wire/encode.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::simulate {

// Of the window's rank. `slower`: by how much it is slower than its peers, as a share of their time: its clock is lower
// by that, because it is hot.
wire::DeviceState device_of(const wire::Window& window, double slower);

// `windows`: of one node and one window of time, those of a rank next to each other.
// `begin_of_job_ns`: by the node's clock; a step has one collective of each communicator.
void add_arrivals(uint64_t begin_of_job_ns, uint64_t step_ns, std::vector<wire::Window>& windows);

// A causal chain of a node, from `onset_ns` to `end_ns`, which cost `lost_share` of that time.
wire::Incident chain_of(std::string id, std::string rule, uint64_t onset_ns, uint64_t end_ns, double lost_share);

// 0 to 1, by two numbers: the noise of a plan is the same whatever else is drawn.
double drawn(uint64_t first, uint64_t second);

}  // namespace ingero::fleet::simulate
