// The state of each rank's device, for its windows: the machine's devices as they were read lately, and which of them a
// rank works on.
//
// A rank's device is the one that its calls were about; where that is not known, the only one that the driver lists its
// process on. A window has the reading that was the last before its end, where that is not older than kMaxAgeNs before
// its begin; else none. Thread-safe; bounded: kMaxSamples of each backend. Owns copies. Failure: none; what is not
// known is absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "correlate/rank_windows.h"
#include "hal/device_state.h"

namespace ingero::fleet::send {

class DeviceStates {
 public:
  static constexpr uint64_t kMaxAgeNs = 10'000'000'000;
  static constexpr size_t kMaxSamples = 32, kMaxSamplers = 16;

  // What an Event::device_ref means.
  using DeviceOf = std::function<hal::EventDevice(uint32_t ref)>;

  // `sampler`: who took it; it is the newest of that one.
  void take(const std::string& sampler, hal::DeviceSample sample);
  // Fills RankWindow::device.
  void attach(std::span<correlate::RankWindow> windows, const DeviceOf& device_of) const;
  void clear();

 private:
  std::optional<hal::DeviceState> state_of(const correlate::RankWindow& window, const hal::EventDevice& device) const;

  mutable std::mutex mutex_;
  std::map<std::string, std::deque<hal::DeviceSample>> samples_;  // by sampler, oldest first; guarded by mutex_
};

}  // namespace ingero::fleet::send
