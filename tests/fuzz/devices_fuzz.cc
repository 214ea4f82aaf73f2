// Any bytes as what device libraries and drivers answer: NVML, whose stand-in (fuzzed_nvml.c) gives the input back call
// by call; amdgpu's and RDMA's files in sysfs; lines of the kernel log. What is taken keeps the bounds of hal/device.h,
// is finite, and goes into JSON as it is.
//
// The first byte says which. Of files, the parts of the input stand behind one another, each ended by byte 0x1e.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>
#include <nlohmann/json.hpp>

#include "backends/cuda/nvml.h"
#include "backends/cuda/xid.h"
#include "backends/hip/amdgpu.h"
#include "backends/hip/gpu_metrics.h"
#include "backends/rdma/sysfs_sampler.h"
#include "fuzzed_files.h"
#include "held_clock.h"

using namespace ingero;
using fuzz::require;

namespace {

void check_text(const std::string& text) { require(!nlohmann::json(text).dump().empty()); }

void check(const hal::Device& device) {
  require(!device.uuid.empty() && !device.vendor.empty());
  for (const std::string* text :
       {&device.uuid, &device.pci_address, &device.name, &device.driver, &device.parent_uuid}) {
    check_text(*text);
  }
  for (const hal::Reading& reading : device.readings) {
    require(reading.id < hal::ReadingId::kCount && std::isfinite(reading.value) && reading.value >= 0);
    check_text(reading.part);
  }
  require(device.processes.size() <= size_t{2} * 4112);
}

void check(const hal::DeviceSample& sample) {
  constexpr size_t kMaxDevices = 128 + 128 * 128;  // devices, and the partitions of each
  require(sample.devices.size() <= kMaxDevices);
  check_text(sample.reason);
  for (const hal::Device& device : sample.devices) check(device);
}

void nvml(const uint8_t* data, size_t size) {
  static const auto set = reinterpret_cast<void (*)(const uint8_t*, size_t)>(
      dlsym(dlopen(INGERO_FUZZED_NVML, RTLD_NOW | RTLD_LOCAL), "fuzzed_nvml_answers"));
  require(set != nullptr);
  set(data, size);
  HeldClock clock;
  hal::SamplerWorld world;
  world.management_library = INGERO_FUZZED_NVML;
  world.clock = &clock;
  const auto sampler = backends::cuda::open_nvml(world);
  check(sampler->sample());
  clock.now_ns += 61'000'000'000;
  check(sampler->sample());
}

hal::SamplerWorld world_of(const fuzz::Files& files) {
  hal::SamplerWorld world;
  world.sys_root = files.root();
  return world;
}

void amdgpu(std::string_view bytes) {
  static fuzz::Files files(
      {"class/drm/card0/device/vendor", "class/drm/card0/device/gpu_metrics", "class/drm/card0/device/unique_id",
       "class/drm/card0/device/product_name", "class/drm/card0/device/gpu_busy_percent",
       "class/drm/card0/device/mem_info_vram_total", "class/drm/card0/device/mem_info_vram_used",
       "class/drm/card0/device/pp_dpm_sclk", "class/drm/card0/device/current_link_speed",
       "class/drm/card0/device/ras/umc_err_count", "class/drm/card0/device/ras/xgmi_err_count",
       "class/drm/card0/device/hwmon/hwmon1/temp1_input", "class/drm/card0/device/hwmon/hwmon1/temp1_label",
       "class/drm/card0/device/hwmon/hwmon1/power1_average", "class/kfd/kfd/topology/nodes/1/gpu_id",
       "class/kfd/kfd/topology/nodes/1/properties", "class/kfd/kfd/proc/7/vram_1", "module/amdgpu/version"});
  files.write(bytes);
  const hal::SamplerWorld world = world_of(files);
  check(backends::hip::open_amdgpu(world)->sample());
}

void metrics_table(std::string_view bytes) {
  hal::Device device;
  device.uuid = device.vendor = "x";
  check_text(backends::hip::add_gpu_metrics(bytes, device));
  check(device);
}

void rdma(std::string_view bytes) {
  static fuzz::Files files(
      {"class/infiniband/a_0/fw_ver", "class/infiniband/a_0/board_id", "class/infiniband/a_0/node_guid",
       "class/infiniband/a_0/device/numa_node", "class/infiniband/a_0/ports/1/link_layer",
       "class/infiniband/a_0/ports/1/state", "class/infiniband/a_0/ports/1/phys_state",
       "class/infiniband/a_0/ports/1/rate", "class/infiniband/a_0/ports/1/gids/0",
       "class/infiniband/a_0/ports/1/gid_attrs/types/0", "class/infiniband/a_0/ports/1/gid_attrs/ndevs/0",
       "class/infiniband/a_0/ports/1/counters/port_xmit_data", "class/infiniband/a_0/ports/1/counters/symbol_error",
       "class/infiniband/a_0/ports/1/hw_counters/lifespan",
       "class/infiniband/a_0/ports/1/hw_counters/rnr_nak_retry_err",
       "class/infiniband/a_0/hw_counters/duplicate_request"});
  HeldClock clock;
  hal::SamplerWorld world = world_of(files);
  world.clock = &clock;
  backends::rdma::SysfsSampler sampler(world);
  // Half of the parts first, then the others: counters have gone on, or back.
  for (const std::string_view half : {bytes.substr(0, bytes.size() / 2), bytes.substr(bytes.size() / 2)}) {
    files.write(half);
    const hal::FabricSample sample = sampler.sample();
    require(sample.devices.size() == 1 && sample.devices[0].ports.size() == 1);
    const hal::FabricDevice& device = sample.devices[0];
    for (const std::string* text : {&device.firmware, &device.board, &device.node_guid}) check_text(*text);
    for (const hal::FabricGid& gid : device.ports[0].gids) check_text(gid.gid + gid.type + gid.netdev);
    check_text(device.ports[0].link_layer);
    require(!device.ports[0].rate_bits_per_second || *device.ports[0].rate_bits_per_second <= 1'000'000'000'000'000);
    clock.now_ns += 61'000'000'000;
  }
}

void log_line(std::string_view line) {
  for (const auto& error : {backends::cuda::xid_of(line), backends::hip::amdgpu_error_of(line)}) {
    if (!error) continue;
    for (const std::string* text : {&error->pci_address, &error->process, &error->message}) check_text(*text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const unsigned what = data[0] % 5;
  if (what == 0) nvml(data + 1, size - 1);
  if (what == 1) amdgpu(bytes);
  if (what == 2) metrics_table(bytes);
  if (what == 3) rdma(bytes);
  if (what == 4) log_line(bytes);
  return 0;
}
