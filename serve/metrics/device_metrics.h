// Devices as metrics: gpu_NAME{gpu_uuid} for every reading there is, and what follows from two samples in a row.
//
// update() from the sampling thread, write() from any. Processes are capped at kMaxProcesses a device, largest first;
// the rest is pid "other". Owns copies of the last samples. Failure: none; what a sample lacks is not shown.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "hal/device.h"
#include "serve/metrics/metric_set.h"

namespace ingero::serve::metrics {

class DeviceMetrics {
 public:
  static constexpr size_t kMaxProcesses = 64;

  // The sample of one sampler; it replaces that sampler's last one. `sampler` is its backend's name.
  void update(const std::string& sampler, const hal::DeviceSample& sample);
  void add_error(const hal::DeviceError& error);
  void write(MetricSet& metrics) const;

 private:
  static constexpr size_t kThrottles = 4;  // power, thermal, sw, hw
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  std::map<std::string, hal::DeviceSample> last_;
  std::map<std::string, std::array<bool, kThrottles>> was_throttled_;  // by uuid
  std::array<uint64_t, kThrottles> throttle_events_{};
  bool has_throttles_ = false;
  std::map<std::array<std::string, 4>, uint64_t> errors_;  // vendor, pci address, kind, code
};

}  // namespace ingero::serve::metrics
