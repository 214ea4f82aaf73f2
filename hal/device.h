// What a device says of itself: identity, readings, the processes on it, and errors its driver reports.
//
// Plain data, no vendor. A reading that the device or driver does not give is not in the list: absent, never 0. Units
// are in the names. A sampler is created and used by one thread; it starts no subprocess and needs no privileges.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::hal {

// name (metric: gpu_NAME; device_values.name in a recording), whether it only grows, sentence. `part` distinguishes
// several of one kind apart: which clock, which sensor, which link.
#define INGERO_READINGS(X)                                                                                      \
  X(utilization_ratio, false, "Share of time in which the device did something, 0 to 1.")                       \
  X(busy_ratio, false, "Share of the time since the last sample in which the device worked, by its own count.") \
  X(memory_utilization_ratio, false, "Share of time in which device memory was read or written, 0 to 1.")       \
  X(memory_used_bytes, false, "Device memory in use.")                                                          \
  X(memory_free_bytes, false, "Device memory free.")                                                            \
  X(memory_total_bytes, false, "Total device memory.")                                                          \
  X(clock_hertz, false, "Clock by domain.")                                                                     \
  X(power_watts, false, "Power drawn.")                                                                         \
  X(power_limit_watts, false, "Power limit in force.")                                                          \
  X(energy_joules_total, true, "Energy used since the driver was loaded.")                                      \
  X(temperature_celsius, false, "Temperature by sensor.")                                                       \
  X(throttle_power_active, false, "1 while the device throttles to save power.")                                \
  X(throttle_thermal_active, false, "1 while the device throttles because of temperature.")                     \
  X(throttle_sw_active, false, "1 while the device is throttled by software.")                                  \
  X(throttle_hw_active, false, "1 while the device is throttled by hardware, or for an unknown reason.")        \
  X(ecc_errors_total, true, "Memory errors found by ECC or RAS, by kind, since the driver was loaded.")         \
  X(pcie_rx_bytes_per_second, false, "PCIe traffic to the device, over the driver's last window.")              \
  X(pcie_tx_bytes_per_second, false, "PCIe traffic from the device, over the driver's last window.")            \
  X(pcie_link_generation, false, "PCIe generation of the link now.")                                            \
  X(pcie_link_width, false, "PCIe lanes of the link now.")                                                      \
  X(pcie_replays_total, true, "PCIe packets sent again.")                                                       \
  X(link_active, false, "1 while the link to another device is up, by link.")                                   \
  X(link_rx_bytes_total, true, "Bytes received over links to other devices.")                                   \
  X(link_tx_bytes_total, true, "Bytes sent over links to other devices.")                                       \
  X(link_errors_total, true, "Errors of links to other devices, by link and kind.")

enum class ReadingId : uint8_t {
#define X(name, grows, sentence) name,
  INGERO_READINGS(X)
#undef X
      kCount,
};

struct ReadingRow {
  std::string_view name;
  bool grows;
  std::string_view sentence;
};
inline constexpr ReadingRow kReadingTable[] = {
#define X(name, grows, sentence) {#name, grows, sentence},
    INGERO_READINGS(X)
#undef X
};

struct Reading {
  ReadingId id;
  std::string part;
  double value = 0;
};

struct DeviceProcess {
  uint32_t pid = 0;
  std::optional<uint64_t> memory_bytes;
};

struct Device {
  std::string vendor;
  std::string uuid;         // the vendor's, or the PCI address where there is none: never empty
  std::string pci_address;  // "0000:3b:00.0"; empty: unknown
  std::string name;
  std::string driver;       // version
  std::string parent_uuid;  // of a partition: the whole device's
  uint32_t position = 0;    // in the sampler's own order, which is the driver's
  std::vector<Reading> readings;
  std::vector<DeviceProcess> processes;

  void add(ReadingId id, double value, std::string part = {}) { readings.push_back({id, std::move(part), value}); }
  // Of a reading without parts; of one that has some, the first.
  std::optional<double> value_of(ReadingId id) const;
};

// Bytes a nanosecond that a copy from or to pinned memory gets at the least: an eighth of the link, as eight devices
// behind one port may copy at once. 0: the link is not known. (PCI Express Base Specification 6.0, table 1-1.)
double surest_copy_rate(const Device& device);

struct DeviceSample {
  uint64_t wall_ns = 0;
  std::vector<Device> devices;
  std::string reason;  // why there is nothing, or less than could be, where that is not simply "no device"
};

class DeviceSampler {
 public:
  virtual ~DeviceSampler() = default;
  virtual DeviceSample sample() = 0;
};

// An error a driver wrote to the kernel log.
struct DeviceError {
  uint64_t wall_ns = 0;
  uint64_t mono_ns = 0;
  std::string_view vendor;
  std::string pci_address;  // empty: unknown
  std::string_view kind;    // the driver's word: "Xid", "reset", "ras"
  std::optional<int64_t> code;
  std::string_view meaning;  // a sentence, or empty
  std::optional<uint32_t> pid;
  std::string process;  // untrusted, printable
  std::string message;  // the line, printable
};

}  // namespace ingero::hal
