// Devices through libnvidia-ml.so.1, opened at run time: no header and no link dependency of the vendor's.
//
// The few structures and numbers used are declared in nvml.cc from the library's public interface (NVML API reference,
// versions named by the symbols' suffixes). A library or driver that is not there is a reason in the sample, tried
// again a minute later. A function the library lacks, or a value the device does not support, leaves its reading out.
#pragma once

#include <memory>

#include "hal/device.h"
#include "hal/sampler_world.h"

namespace ingero::backends::cuda {

std::unique_ptr<hal::DeviceSampler> open_nvml(const hal::SamplerWorld& world);

// Bits of nvmlDeviceGetCurrentClocksThrottleReasons as four answers. Unknown bits count as hardware.
struct Throttle {
  bool power = false, thermal = false, sw = false, hw = false;
};
Throttle throttle_of(uint64_t reasons);

}  // namespace ingero::backends::cuda
