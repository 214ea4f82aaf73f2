// What samplers see on this machine right now, for `ingero check`: devices, fabric adapters, or why there are none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hal/prototype.h"
#include "hal/sampler_world.h"

namespace ingero::agent {

struct DeviceFinding {
  std::string name;    // backend and what: "rdma: adapters"
  std::string value;   // "2 devices", "none"
  std::string detail;  // names, or the reason
  bool found = false;
};

// Takes one sample of each sampler. Reads only.
std::vector<DeviceFinding> device_findings(std::span<const hal::Backend* const> backends,
                                           const hal::SamplerWorld& world = {});

}  // namespace ingero::agent
