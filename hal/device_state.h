// What of a device's readings says how fast it can work now: what a cluster's server compares between ranks.
//
// Plain data and two pure functions; any thread. What the device does not give is absent. Owns its texts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hal/device.h"
#include "hal/event.h"

namespace ingero::hal {

// Bits of DeviceState::throttle_reasons, as the readings throttle_..._active have them.
inline constexpr uint32_t kThrottlePower = 1, kThrottleThermal = 2, kThrottleSoftware = 4, kThrottleHardware = 8;

struct DeviceState {
  std::string uuid;      // Device::uuid
  std::string model;     // Device::name; empty: not known
  uint64_t wall_ns = 0;  // when it was read
  std::optional<double> utilization_ratio, power_watts, temperature_celsius, sm_clock_hertz;
  std::optional<uint32_t> throttle_reasons;  // 0: none; absent: the driver does not say
};

// `whole`: of a partition, the device that it is a part of, for what only that has; null: none.
DeviceState state_of(const Device& device, const Device* whole, uint64_t wall_ns);
// Which of them an event's device is; null: none, or it is not known.
const Device* find_device(std::span<const Device> devices, const EventDevice& of_event);
// The whole device of a partition; null: it is none, or that is not there.
const Device* whole_of(std::span<const Device> devices, const Device& device);

}  // namespace ingero::hal
