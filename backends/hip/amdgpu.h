// Devices of the amdgpu driver: sysfs of the card, its hwmon, and KFD's list of processes. And its errors in the kernel
// log. Sources: Linux Documentation/gpu/amdgpu (driver-misc, thermal, ras), Documentation/hwmon/sysfs-interface.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "hal/device.h"
#include "hal/sampler_world.h"

namespace ingero::backends::hip {

std::unique_ptr<hal::DeviceSampler> open_amdgpu(const hal::SamplerWorld& world);

// The error of one message of the kernel log; none when the line is none of this driver. Pure.
std::optional<hal::DeviceError> amdgpu_error_of(std::string_view line);

}  // namespace ingero::backends::hip
