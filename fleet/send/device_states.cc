// Finds each window's device in the samples of its time: see device_states.h.
#include "fleet/send/device_states.h"

#include <algorithm>

namespace ingero::fleet::send {
namespace {

// Null: of none, or of several.
const hal::Device* only_with(std::span<const hal::Device> devices, uint32_t pid) {
  const hal::Device* only = nullptr;
  for (const hal::Device& device : devices) {
    if (std::ranges::find(device.processes, pid, &hal::DeviceProcess::pid) == device.processes.end()) continue;
    if (only != nullptr && only->parent_uuid != device.uuid) {
      if (device.parent_uuid != only->uuid) return nullptr;
      only = &device;  // the partition says more than the whole
      continue;
    }
    if (only == nullptr) only = &device;
  }
  return only;
}

}  // namespace

void DeviceStates::take(const std::string& sampler, hal::DeviceSample sample) {
  if (sample.devices.empty()) return;
  const std::scoped_lock lock(mutex_);
  if (samples_.size() >= kMaxSamplers && !samples_.contains(sampler)) return;
  auto& samples = samples_[sampler];
  if (!samples.empty() && samples.back().wall_ns > sample.wall_ns) samples.clear();  // the clock was set back
  if (samples.size() >= kMaxSamples) samples.pop_front();
  samples.push_back(std::move(sample));
}

void DeviceStates::clear() {
  const std::scoped_lock lock(mutex_);
  samples_.clear();
}

std::optional<hal::DeviceState> DeviceStates::state_of(const correlate::RankWindow& window,
                                                       const hal::EventDevice& device) const {
  for (const auto& [sampler, samples] : samples_) {
    const auto behind = std::ranges::upper_bound(samples, window.end_ns, {}, &hal::DeviceSample::wall_ns);
    if (behind == samples.begin()) continue;
    const hal::DeviceSample& last = *std::prev(behind);
    if (last.wall_ns + kMaxAgeNs < window.start_ns) continue;
    const hal::Device* found = device.is_known() ? hal::find_device(last.devices, device) : nullptr;
    if (found == nullptr && !device.is_known()) found = only_with(last.devices, window.pid);
    if (found != nullptr) return hal::state_of(*found, hal::whole_of(last.devices, *found), last.wall_ns);
  }
  return std::nullopt;
}

void DeviceStates::attach(std::span<correlate::RankWindow> windows, const DeviceOf& device_of) const {
  const std::scoped_lock lock(mutex_);
  for (correlate::RankWindow& window : windows) {
    window.device = state_of(window, window.device_ref == 0 ? hal::EventDevice() : device_of(window.device_ref));
  }
}

}  // namespace ingero::fleet::send
