// Picks the readings that say how fast a device can work: see device_state.h.
#include "hal/device_state.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ingero::hal {
namespace {

// Of the domain that computes: what vendors call it, in the order in which it is taken.
constexpr std::array<std::string_view, 2> kComputeClocks = {"sm", "graphics"};
constexpr std::pair<ReadingId, uint32_t> kThrottles[] = {{ReadingId::throttle_power_active, kThrottlePower},
                                                         {ReadingId::throttle_thermal_active, kThrottleThermal},
                                                         {ReadingId::throttle_sw_active, kThrottleSoftware},
                                                         {ReadingId::throttle_hw_active, kThrottleHardware}};

std::optional<double> compute_clock(const Device& device) {
  for (const std::string_view part : kComputeClocks) {
    for (const Reading& reading : device.readings) {
      if (reading.id == ReadingId::clock_hertz && reading.part == part) return reading.value;
    }
  }
  return std::nullopt;
}

std::optional<uint32_t> throttle_reasons(const Device& device) {
  std::optional<uint32_t> reasons;
  for (const auto& [id, bit] : kThrottles) {
    const auto value = device.value_of(id);
    if (value) reasons = reasons.value_or(0) | (*value > 0 ? bit : 0);
  }
  return reasons;
}

template <typename Read>
auto of_either(const Device& device, const Device* whole, const Read& read) {
  auto value = read(device);
  return value || whole == nullptr ? value : read(*whole);
}

}  // namespace

DeviceState state_of(const Device& device, const Device* whole, uint64_t wall_ns) {
  const auto reading = [&](ReadingId id) {
    return of_either(device, whole, [id](const Device& one) { return one.value_of(id); });
  };
  DeviceState state;
  state.uuid = device.uuid;
  state.model = device.name;
  state.wall_ns = wall_ns;
  state.utilization_ratio = reading(ReadingId::utilization_ratio);
  state.power_watts = reading(ReadingId::power_watts);
  state.temperature_celsius = reading(ReadingId::temperature_celsius);
  state.sm_clock_hertz = of_either(device, whole, compute_clock);
  state.throttle_reasons = of_either(device, whole, throttle_reasons);
  return state;
}

const Device* find_device(std::span<const Device> devices, const EventDevice& of_event) {
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const Device& one) {
    if (!of_event.vendor.empty() && one.vendor != of_event.vendor) return false;
    if (!of_event.uuid.empty()) return one.uuid == of_event.uuid;
    if (!of_event.pci_address.empty()) return one.pci_address == of_event.pci_address;
    return of_event.gpu_id && one.parent_uuid.empty() && one.position == *of_event.gpu_id;
  });
  return found == devices.end() ? nullptr : &*found;
}

const Device* whole_of(std::span<const Device> devices, const Device& device) {
  if (device.parent_uuid.empty()) return nullptr;
  const auto found = std::ranges::find(devices, device.parent_uuid, &Device::uuid);
  return found == devices.end() ? nullptr : &*found;
}

}  // namespace ingero::hal
