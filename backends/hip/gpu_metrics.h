// The driver's binary table of readings, `gpu_metrics` in sysfs: what no file beside it says.
//
// Its layout is the kernel's (drivers/gpu/drm/amd/include/kgd_pp_interface.h), told apart by the three numbers it
// begins with. Versions 1.1 to 1.3 and 1.4 to 1.6 are read (MI100 and MI200; MI300); those of devices beside a CPU
// (2.x, 3.x) are not: what units they are in depends on the chip. Pure; input is untrusted.
#pragma once

#include <string>
#include <string_view>

#include "hal/device.h"

namespace ingero::backends::hip {

// Adds the readings that `device` does not have yet. Returns why nothing was read, or nothing.
std::string add_gpu_metrics(std::string_view untrusted_table, hal::Device& device);

}  // namespace ingero::backends::hip
