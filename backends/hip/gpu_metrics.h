// Parses `gpu_metrics`, the amdgpu driver's binary table of readings in sysfs, for what no other sysfs file contains.
//
// The layouts are the kernel's (drivers/gpu/drm/amd/include/kgd_pp_interface.h); the three numbers at the start say
// which one it is. Versions 1.1 to 1.3 (MI100, MI200) and 1.4 to 1.6 (MI300) are read. Those of APUs (2.x, 3.x) are
// not: their units depend on the chip. Pure; input is untrusted.
#pragma once

#include <string>
#include <string_view>

#include "hal/device.h"

namespace ingero::backends::hip {

// Adds the readings that `device` does not have yet. Returns why nothing was read, or nothing.
std::string add_gpu_metrics(std::string_view untrusted_table, hal::Device& device);

}  // namespace ingero::backends::hip
