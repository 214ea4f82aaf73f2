// Calls into the library, one reading at a time.
#include "backends/cuda/nvml.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>
#include <span>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/text.h"

namespace ingero::backends::cuda {
namespace {

using hal::ReadingId;

constexpr int kSuccess = 0;
constexpr uint64_t kRetryNs = 60'000'000'000;
constexpr unsigned kMaxDevices = 128;
constexpr unsigned kMaxLinks = 36;
constexpr unsigned kMaxProcesses = 4096;
constexpr uint64_t kNotAvailable = ~uint64_t{0};  // NVML_VALUE_NOT_AVAILABLE

using Handle = void*;
struct PciInfo {  // nvmlPciInfo_t
  char bus_id_legacy[16];
  uint32_t domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68);
struct Utilization {  // nvmlUtilization_t, percent
  uint32_t gpu, memory;
};
struct Sample {  // nvmlSample_t, with the value as an unsigned int
  uint64_t wall_us;
  uint32_t value, unused;
};
static_assert(sizeof(Sample) == 16);
constexpr int kUtilizationSamples = 1;  // NVML_GPU_UTILIZATION_SAMPLES: percent of each fifth of a second
constexpr uint32_t kUnsignedInt = 1;    // nvmlValueType_t
constexpr unsigned kMaxSamples = 256;   // it keeps some 14 s of them
struct Memory {                         // nvmlMemory_t, bytes
  uint64_t total, free, used;
};
struct ProcessInfo {  // nvmlProcessInfo_v2_t, of the functions with suffix _v3
  uint32_t pid;
  uint64_t used_bytes;
  uint32_t gpu_instance, compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);
struct FieldValue {  // nvmlFieldValue_t
  uint32_t field, scope;
  int64_t timestamp, latency_us;
  uint32_t type;
  int32_t status;
  union {
    double real;
    uint32_t narrow;
    uint64_t wide;
  } value;
};
static_assert(sizeof(FieldValue) == 40);
constexpr uint32_t kLinkBytesTx = 138;  // NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, KiB
constexpr uint32_t kLinkBytesRx = 139;
constexpr uint32_t kAllLinks = ~uint32_t{0};

// The functions used, by the library's names without "nvml"; null where it has none.
// NOLINTBEGIN(readability-identifier-naming)
struct Api {
  int (*Init_v2)();
  int (*Shutdown)();
  const char* (*ErrorString)(int);
  int (*SystemGetDriverVersion)(char*, unsigned);
  int (*DeviceGetCount_v2)(unsigned*);
  int (*DeviceGetHandleByIndex_v2)(unsigned, Handle*);
  int (*DeviceGetUUID)(Handle, char*, unsigned);
  int (*DeviceGetName)(Handle, char*, unsigned);
  int (*DeviceGetPciInfo_v3)(Handle, PciInfo*);
  int (*DeviceGetUtilizationRates)(Handle, Utilization*);
  int (*DeviceGetSamples)(Handle, int, unsigned long long, uint32_t*, unsigned*, Sample*);
  int (*DeviceGetMemoryInfo)(Handle, Memory*);
  int (*DeviceGetClockInfo)(Handle, int, unsigned*);
  int (*DeviceGetPowerUsage)(Handle, unsigned*);
  int (*DeviceGetEnforcedPowerLimit)(Handle, unsigned*);
  int (*DeviceGetTotalEnergyConsumption)(Handle, uint64_t*);
  int (*DeviceGetTemperature)(Handle, int, unsigned*);
  int (*DeviceGetCurrentClocksThrottleReasons)(Handle, uint64_t*);
  int (*DeviceGetTotalEccErrors)(Handle, int, int, uint64_t*);
  int (*DeviceGetPcieThroughput)(Handle, int, unsigned*);
  int (*DeviceGetCurrPcieLinkGeneration)(Handle, unsigned*);
  int (*DeviceGetCurrPcieLinkWidth)(Handle, unsigned*);
  int (*DeviceGetPcieReplayCounter)(Handle, unsigned*);
  int (*DeviceGetNvLinkState)(Handle, unsigned, int*);
  int (*DeviceGetNvLinkErrorCounter)(Handle, unsigned, int, uint64_t*);
  int (*DeviceGetFieldValues)(Handle, int, FieldValue*);
  int (*DeviceGetComputeRunningProcesses_v3)(Handle, unsigned*, ProcessInfo*);
  int (*DeviceGetGraphicsRunningProcesses_v3)(Handle, unsigned*, ProcessInfo*);
  int (*DeviceGetMigMode)(Handle, unsigned*, unsigned*);
  int (*DeviceGetMaxMigDeviceCount)(Handle, unsigned*);
  int (*DeviceGetMigDeviceHandleByIndex)(Handle, unsigned, Handle*);
};
// NOLINTEND(readability-identifier-naming)

template <typename Function>
void find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
}

void find_all(void* library, Api& api) {
#define FIND(name) find(library, "nvml" #name, api.name)
  FIND(Init_v2);
  FIND(Shutdown);
  FIND(ErrorString);
  FIND(SystemGetDriverVersion);
  FIND(DeviceGetCount_v2);
  FIND(DeviceGetHandleByIndex_v2);
  FIND(DeviceGetUUID);
  FIND(DeviceGetName);
  FIND(DeviceGetPciInfo_v3);
  FIND(DeviceGetUtilizationRates);
  FIND(DeviceGetSamples);
  FIND(DeviceGetMemoryInfo);
  FIND(DeviceGetClockInfo);
  FIND(DeviceGetPowerUsage);
  FIND(DeviceGetEnforcedPowerLimit);
  FIND(DeviceGetTotalEnergyConsumption);
  FIND(DeviceGetTemperature);
  FIND(DeviceGetCurrentClocksThrottleReasons);
  if (api.DeviceGetCurrentClocksThrottleReasons == nullptr) {  // its newer name, the same bits
    find(library, "nvmlDeviceGetCurrentClocksEventReasons", api.DeviceGetCurrentClocksThrottleReasons);
  }
  FIND(DeviceGetTotalEccErrors);
  FIND(DeviceGetPcieThroughput);
  FIND(DeviceGetCurrPcieLinkGeneration);
  FIND(DeviceGetCurrPcieLinkWidth);
  FIND(DeviceGetPcieReplayCounter);
  FIND(DeviceGetNvLinkState);
  FIND(DeviceGetNvLinkErrorCounter);
  FIND(DeviceGetFieldValues);
  FIND(DeviceGetComputeRunningProcesses_v3);
  FIND(DeviceGetGraphicsRunningProcesses_v3);
  FIND(DeviceGetMigMode);
  FIND(DeviceGetMaxMigDeviceCount);
  FIND(DeviceGetMigDeviceHandleByIndex);
#undef FIND
}

// True when there is such a function and it succeeded.
template <typename... Params, typename... Args>
bool call(int (*function)(Params...), Args... args) {
  return function != nullptr && function(args...) == kSuccess;
}

template <size_t N>
std::string text(const char (&buffer)[N]) {
  return printable(std::string_view(buffer, strnlen(buffer, N)), N);
}

// "00000000:3B:00.0" -> "0000:3b:00.0", as the kernel writes it.
std::string pci_address(const PciInfo& info) {
  std::string address = text(info.bus_id);
  std::transform(address.begin(), address.end(), address.begin(), [](unsigned char c) { return std::tolower(c); });
  const size_t colon = address.find(':');
  if (colon == 8 && address.starts_with("0000")) address.erase(0, 4);
  return address;
}

class Nvml : public hal::DeviceSampler {
 public:
  explicit Nvml(const hal::SamplerWorld& world)
      : path_(world.management_library.empty() ? "libnvidia-ml.so.1" : world.management_library),
        clock_(*world.clock) {}
  ~Nvml() override {
    if (ready_ && api_.Shutdown != nullptr) api_.Shutdown();
    if (library_ != nullptr) dlclose(library_);
  }

  hal::DeviceSample sample() override {
    hal::DeviceSample sample;
    sample.wall_ns = clock_.wall_ns();
    if (!ready_ && (retry_mono_ns_ == 0 || clock_.mono_ns() >= retry_mono_ns_)) {
      open();
      retry_mono_ns_ = clock_.mono_ns() + kRetryNs;
    }
    sample.reason = reason_;
    unsigned count = 0;
    if (!ready_) return sample;
    if (!call(api_.DeviceGetCount_v2, &count)) {
      sample.reason = "the driver does not say how many devices there are";
      return sample;
    }
    for (unsigned i = 0; i < std::min(count, kMaxDevices); ++i) {
      Handle handle = nullptr;
      if (!call(api_.DeviceGetHandleByIndex_v2, i, &handle)) continue;  // lost, or not ours to see
      sample.devices.push_back(device(handle, i));
      partitions(handle, sample);
    }
    return sample;
  }

 private:
  void open() {
    if (library_ == nullptr) library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      const char* error = dlerror();
      reason_ = printable(error != nullptr ? error : path_);
      return;
    }
    find_all(library_, api_);
    const int status = api_.Init_v2 != nullptr ? api_.Init_v2() : -1;
    ready_ = status == kSuccess;
    const char* error = api_.ErrorString != nullptr ? api_.ErrorString(status) : nullptr;
    reason_ =
        ready_ ? "" : fmt::format("{}: {} (nvmlInit_v2 {})", path_, printable(error != nullptr ? error : "?"), status);
    char version[80] = {};
    if (ready_ && call(api_.SystemGetDriverVersion, version, unsigned{sizeof(version)})) driver_ = text(version);
  }

  // Identity and memory: what a partition has too.
  hal::Device identity(Handle handle, unsigned position) {
    hal::Device device;
    device.vendor = "nvidia";
    device.position = position;
    device.driver = driver_;
    char buffer[96] = {};
    if (call(api_.DeviceGetUUID, handle, buffer, unsigned{sizeof(buffer)})) device.uuid = text(buffer);
    std::fill(std::begin(buffer), std::end(buffer), '\0');
    if (call(api_.DeviceGetName, handle, buffer, unsigned{sizeof(buffer)})) device.name = text(buffer);
    PciInfo pci{};
    if (call(api_.DeviceGetPciInfo_v3, handle, &pci)) device.pci_address = pci_address(pci);
    if (device.uuid.empty())
      device.uuid = device.pci_address.empty() ? fmt::format("nvidia{}", position) : device.pci_address;
    Memory memory{};
    if (call(api_.DeviceGetMemoryInfo, handle, &memory)) {
      device.add(ReadingId::memory_total_bytes, static_cast<double>(memory.total));
      device.add(ReadingId::memory_used_bytes, static_cast<double>(memory.used));
      device.add(ReadingId::memory_free_bytes, static_cast<double>(memory.free));
    }
    processes(api_.DeviceGetComputeRunningProcesses_v3, handle, device);
    processes(api_.DeviceGetGraphicsRunningProcesses_v3, handle, device);
    return device;
  }

  static void processes(int (*list)(Handle, unsigned*, ProcessInfo*), Handle handle, hal::Device& device) {
    if (list == nullptr) return;
    std::vector<ProcessInfo> found(64);
    auto count = static_cast<unsigned>(found.size());
    int status = list(handle, &count, found.data());
    constexpr int kTooSmall = 7;  // NVML_ERROR_INSUFFICIENT_SIZE: count says how many
    if (status == kTooSmall && count > found.size() && count <= kMaxProcesses) {
      found.resize(count + 16);
      count = static_cast<unsigned>(found.size());
      status = list(handle, &count, found.data());
    }
    if (status != kSuccess) return;
    for (unsigned i = 0; i < count && i < found.size(); ++i) {
      const bool known = std::any_of(device.processes.begin(), device.processes.end(),
                                     [&](const hal::DeviceProcess& process) { return process.pid == found[i].pid; });
      if (known) continue;  // computes and draws: the same memory
      hal::DeviceProcess process;
      process.pid = found[i].pid;
      if (found[i].used_bytes != kNotAvailable) process.memory_bytes = found[i].used_bytes;
      device.processes.push_back(process);
    }
  }

  // Nothing the first time: what the device did before the trace is not asked for.
  std::optional<double> busy_since_last(Handle handle) {
    std::array<Sample, kMaxSamples> samples{};
    uint32_t type = 0;
    unsigned count = kMaxSamples;
    uint64_t& last_us = last_samples_us_[handle];
    if (!call(api_.DeviceGetSamples, handle, kUtilizationSamples, last_us, &type, &count, samples.data()) ||
        type != kUnsignedInt) {
      return std::nullopt;
    }
    const uint64_t since_us = last_us;
    uint64_t sum = 0, counted = 0;
    for (const Sample& one : std::span(samples).first(std::min(count, kMaxSamples))) {
      if (one.wall_us <= since_us || one.value > 100) continue;
      last_us = std::max(last_us, one.wall_us);
      sum += one.value;
      ++counted;
    }
    if (since_us == 0 || counted == 0) return std::nullopt;
    return static_cast<double>(sum) / static_cast<double>(counted) / 100.0;
  }

  hal::Device device(Handle handle, unsigned position) {
    hal::Device device = identity(handle, position);
    unsigned value = 0;
    uint64_t wide = 0;
    Utilization busy{};
    if (call(api_.DeviceGetUtilizationRates, handle, &busy)) {
      device.add(ReadingId::utilization_ratio, busy.gpu / 100.0);
      device.add(ReadingId::memory_utilization_ratio, busy.memory / 100.0);
    }
    if (const auto ratio = busy_since_last(handle)) device.add(ReadingId::busy_ratio, *ratio);
    constexpr std::array<const char*, 4> kClocks = {"graphics", "sm", "memory", "video"};
    for (size_t i = 0; i < kClocks.size(); ++i) {
      if (call(api_.DeviceGetClockInfo, handle, static_cast<int>(i), &value)) {
        device.add(ReadingId::clock_hertz, value * 1e6, kClocks[i]);
      }
    }
    if (call(api_.DeviceGetPowerUsage, handle, &value)) device.add(ReadingId::power_watts, value / 1e3);
    if (call(api_.DeviceGetEnforcedPowerLimit, handle, &value)) device.add(ReadingId::power_limit_watts, value / 1e3);
    if (call(api_.DeviceGetTotalEnergyConsumption, handle, &wide)) {
      device.add(ReadingId::energy_joules_total, static_cast<double>(wide) / 1e3);
    }
    if (call(api_.DeviceGetTemperature, handle, 0, &value)) device.add(ReadingId::temperature_celsius, value, "gpu");
    if (call(api_.DeviceGetCurrentClocksThrottleReasons, handle, &wide)) {
      const Throttle throttle = throttle_of(wide);
      device.add(ReadingId::throttle_power_active, throttle.power ? 1 : 0);
      device.add(ReadingId::throttle_thermal_active, throttle.thermal ? 1 : 0);
      device.add(ReadingId::throttle_sw_active, throttle.sw ? 1 : 0);
      device.add(ReadingId::throttle_hw_active, throttle.hw ? 1 : 0);
    }
    constexpr std::array<const char*, 2> kEcc = {"corrected", "uncorrected"};
    for (size_t i = 0; i < kEcc.size(); ++i) {  // volatile: since the driver was loaded
      if (call(api_.DeviceGetTotalEccErrors, handle, static_cast<int>(i), 0, &wide)) {
        device.add(ReadingId::ecc_errors_total, static_cast<double>(wide), kEcc[i]);
      }
    }
    if (call(api_.DeviceGetPcieThroughput, handle, 0, &value))
      device.add(ReadingId::pcie_tx_bytes_per_second, value * 1024.0);
    if (call(api_.DeviceGetPcieThroughput, handle, 1, &value))
      device.add(ReadingId::pcie_rx_bytes_per_second, value * 1024.0);
    if (call(api_.DeviceGetCurrPcieLinkGeneration, handle, &value)) device.add(ReadingId::pcie_link_generation, value);
    if (call(api_.DeviceGetCurrPcieLinkWidth, handle, &value)) device.add(ReadingId::pcie_link_width, value);
    if (call(api_.DeviceGetPcieReplayCounter, handle, &value)) device.add(ReadingId::pcie_replays_total, value);
    links(handle, device);
    return device;
  }

  void links(Handle handle, hal::Device& device) {
    constexpr std::array<const char*, 4> kErrors = {"replay", "recovery", "crc_flit", "crc_data"};
    bool any = false;
    for (unsigned link = 0; link < kMaxLinks; ++link) {
      int active = 0;
      if (!call(api_.DeviceGetNvLinkState, handle, link, &active)) break;  // the last one was before
      any = true;
      device.add(ReadingId::link_active, active != 0 ? 1 : 0, std::to_string(link));
      for (size_t i = 0; i < kErrors.size(); ++i) {
        uint64_t count = 0;
        if (call(api_.DeviceGetNvLinkErrorCounter, handle, link, static_cast<int>(i), &count)) {
          device.add(ReadingId::link_errors_total, static_cast<double>(count), fmt::format("{} {}", link, kErrors[i]));
        }
      }
    }
    if (!any) return;
    FieldValue values[2] = {};
    values[0].field = kLinkBytesRx;
    values[1].field = kLinkBytesTx;
    for (auto& value : values) value.scope = kAllLinks;
    if (!call(api_.DeviceGetFieldValues, handle, 2, values)) return;
    constexpr uint32_t kUnsignedLongLong = 3;  // nvmlValueType_t
    constexpr ReadingId kIds[] = {ReadingId::link_rx_bytes_total, ReadingId::link_tx_bytes_total};
    for (size_t i = 0; i < 2; ++i) {
      if (values[i].status == kSuccess && values[i].type == kUnsignedLongLong) {
        device.add(kIds[i], static_cast<double>(values[i].value.wide) * 1024);
      }
    }
  }

  void partitions(Handle handle, hal::DeviceSample& sample) {
    unsigned current = 0;
    unsigned pending = 0;
    unsigned most = 0;
    if (!call(api_.DeviceGetMigMode, handle, &current, &pending) || current == 0) return;
    if (!call(api_.DeviceGetMaxMigDeviceCount, handle, &most)) return;
    const std::string parent = sample.devices.back().uuid;
    const std::string address = sample.devices.back().pci_address;
    const uint32_t position = sample.devices.back().position;
    for (unsigned i = 0; i < std::min(most, kMaxDevices); ++i) {
      Handle partition = nullptr;
      if (!call(api_.DeviceGetMigDeviceHandleByIndex, handle, i, &partition)) continue;  // not in use
      hal::Device device = identity(partition, position);
      device.parent_uuid = parent;
      if (device.pci_address.empty()) device.pci_address = address;
      if (device.uuid == parent || device.uuid == address) device.uuid = fmt::format("{}/{}", parent, i);
      sample.devices.push_back(std::move(device));
    }
  }

  const std::string path_;
  const Clock& clock_;
  void* library_ = nullptr;
  Api api_{};
  bool ready_ = false;
  uint64_t retry_mono_ns_ = 0;
  std::string reason_;
  std::string driver_;
  std::map<Handle, uint64_t> last_samples_us_;  // of busy_since_last
};

}  // namespace

Throttle throttle_of(uint64_t reasons) {
  // nvmlClocksThrottleReasons
  constexpr uint64_t kIdle = 0x1, kApplicationClocks = 0x2, kSwPowerCap = 0x4, kHwSlowdown = 0x8, kSyncBoost = 0x10,
                     kSwThermal = 0x20, kHwThermal = 0x40, kHwPowerBrake = 0x80, kDisplayClock = 0x100;
  constexpr uint64_t kKnown = kIdle | kApplicationClocks | kSwPowerCap | kHwSlowdown | kSyncBoost | kSwThermal |
                              kHwThermal | kHwPowerBrake | kDisplayClock;
  Throttle throttle;
  throttle.power = (reasons & (kSwPowerCap | kHwPowerBrake)) != 0;
  throttle.thermal = (reasons & (kSwThermal | kHwThermal)) != 0;
  throttle.sw = (reasons & (kApplicationClocks | kSwPowerCap | kSyncBoost | kSwThermal | kDisplayClock)) != 0;
  throttle.hw = (reasons & (kHwSlowdown | kHwThermal | kHwPowerBrake | ~kKnown)) != 0;
  return throttle;
}

std::unique_ptr<hal::DeviceSampler> open_nvml(const hal::SamplerWorld& world) { return std::make_unique<Nvml>(world); }

}  // namespace ingero::backends::cuda
