// Readings by name; rising edges; the share of memory that is neither used nor free.
#include "serve/metrics/device_metrics.h"

#include <algorithm>
#include <optional>

#include "serve/metrics/metric_names.h"

namespace ingero::serve::metrics {
namespace {

constexpr size_t kMaxErrorKinds = 1000;

using hal::ReadingId;
constexpr ReadingId kThrottleIds[] = {ReadingId::throttle_power_active, ReadingId::throttle_thermal_active,
                                      ReadingId::throttle_sw_active, ReadingId::throttle_hw_active};
constexpr const Metric* kThrottleEvents[] = {&kThrottlePowerEvents, &kThrottleThermalEvents, &kThrottleSwEvents,
                                             &kThrottleHwEvents};

std::optional<double> value_of(const hal::Device& device, ReadingId id) {
  for (const auto& reading : device.readings) {
    if (reading.id == id) return reading.value;
  }
  return std::nullopt;
}

void write_device(MetricSet& metrics, const hal::Device& device, size_t max_processes) {
  const Labels labels = {{"gpu_uuid", device.uuid}};
  for (const auto& reading : device.readings) {
    const hal::ReadingRow& row = hal::kReadingTable[static_cast<size_t>(reading.id)];
    Labels with_part = labels;
    with_part.emplace_back("part", reading.part);
    metrics.add("gpu_" + std::string(row.name), row.grows ? MetricType::kCounter : MetricType::kGauge,
                std::string(row.sentence), std::move(with_part), reading.value);
  }
  const auto total = value_of(device, ReadingId::memory_total_bytes);
  const auto used = value_of(device, ReadingId::memory_used_bytes);
  const auto free = value_of(device, ReadingId::memory_free_bytes);
  if (total && used && free && *total > 0) {
    metrics.add(kFragmentation, labels, std::clamp((*total - *used - *free) / *total, 0.0, 1.0));
  }
  metrics.add(kDeviceInfo,
              {{"gpu_uuid", device.uuid},
               {"vendor", device.vendor},
               {"gpu_id", std::to_string(device.position)},
               {"pci_address", device.pci_address},
               {"name", device.name},
               {"driver", device.driver},
               {"parent_uuid", device.parent_uuid}},
              1);
  std::vector<std::pair<uint64_t, uint32_t>> processes;
  for (const auto& process : device.processes) {
    if (process.memory_bytes) processes.emplace_back(*process.memory_bytes, process.pid);
  }
  std::sort(processes.rbegin(), processes.rend());
  uint64_t rest = 0;
  for (size_t i = 0; i < processes.size(); ++i) {
    if (i >= max_processes) {
      rest += processes[i].first;
      continue;
    }
    metrics.add(kProcessMemory, {{"gpu_uuid", device.uuid}, {"pid", std::to_string(processes[i].second)}},
                static_cast<double>(processes[i].first));
  }
  if (processes.size() > max_processes) {
    metrics.add(kProcessMemory, {{"gpu_uuid", device.uuid}, {"pid", std::string(kOther)}}, static_cast<double>(rest));
  }
}

}  // namespace

void DeviceMetrics::update(const std::string& sampler, const hal::DeviceSample& sample) {
  const std::scoped_lock lock(mutex_);
  for (const auto& device : sample.devices) {
    for (size_t i = 0; i < kThrottles; ++i) {
      const auto value = value_of(device, kThrottleIds[i]);
      if (!value) continue;
      has_throttles_ = true;
      bool& was = was_throttled_[device.uuid][i];
      if (*value > 0 && !was) ++throttle_events_[i];
      was = *value > 0;
    }
  }
  last_[sampler] = sample;
}

void DeviceMetrics::add_error(const hal::DeviceError& error) {
  const std::scoped_lock lock(mutex_);
  const std::array<std::string, 4> key = {std::string(error.vendor), error.pci_address, std::string(error.kind),
                                          error.code ? std::to_string(*error.code) : ""};
  if (errors_.contains(key) || errors_.size() < kMaxErrorKinds) {
    ++errors_[key];
  } else {
    ++errors_[{std::string(kOther), std::string(kOther), std::string(kOther), std::string(kOther)}];
  }
}

void DeviceMetrics::write(MetricSet& metrics) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [sampler, sample] : last_) {
    for (const auto& device : sample.devices) write_device(metrics, device, kMaxProcesses);
  }
  if (has_throttles_) {
    for (size_t i = 0; i < kThrottles; ++i) {
      metrics.add(*kThrottleEvents[i], {}, static_cast<double>(throttle_events_[i]));
    }
  }
  for (const auto& [key, count] : errors_) {
    metrics.add(kDeviceErrors, {{"vendor", key[0]}, {"pci_address", key[1]}, {"kind", key[2]}, {"code", key[3]}},
                static_cast<double>(count));
  }
}

}  // namespace ingero::serve::metrics
