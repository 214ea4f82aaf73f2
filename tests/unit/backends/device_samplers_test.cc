// Devices from stand-ins: the vendor's library as a program, the other's sysfs as a tree. Absent stays absent.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "backends/cuda/nvml.h"
#include "backends/cuda/xid.h"
#include "backends/hip/amdgpu.h"
#include "backends/registry.h"
#include "hal/visible_devices.h"
#include "temp_folder.h"

namespace ingero::backends {
namespace {

using hal::ReadingId;
namespace fs = std::filesystem;

std::optional<double> value_of(const hal::Device& device, ReadingId id, const std::string& part = {}) {
  for (const auto& reading : device.readings) {
    if (reading.id == id && reading.part == part) return reading.value;
  }
  return std::nullopt;
}

class HeldClock : public Clock {
 public:
  uint64_t mono_ns() const override { return now_ns; }
  uint64_t wall_ns() const override { return now_ns; }
  uint64_t now_ns = 1;
};

class Nvml : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.management_library = INGERO_BINARY_DIR "/tests/fakes/devices/libnvidia-ml.so.1";
    world_.clock = &clock_;
    unsetenv("INGERO_FAKE_NVML");
  }
  void TearDown() override { unsetenv("INGERO_FAKE_NVML"); }
  HeldClock clock_;
  hal::SamplerWorld world_;
};

// Not what it did before the first look; then each sample once.
TEST_F(Nvml, CountsHowLongTheDeviceWorkedSinceTheLastLook) {
  const auto sampler = cuda::open_nvml(world_);
  EXPECT_EQ(value_of(sampler->sample().devices[0], ReadingId::busy_ratio), std::nullopt);
  EXPECT_EQ(value_of(sampler->sample().devices[0], ReadingId::busy_ratio), std::nullopt) << "nothing since";
  std::this_thread::sleep_for(std::chrono::milliseconds(1650));
  const auto sample = sampler->sample();
  const auto busy = value_of(sample.devices[0], ReadingId::busy_ratio);
  ASSERT_TRUE(busy.has_value());
  EXPECT_NEAR(*busy, 0.6, 0.15) << "three of four samples are 80 %";
  EXPECT_EQ(value_of(sample.devices[1], ReadingId::busy_ratio), std::nullopt);
}

TEST_F(Nvml, ReadsEverythingADeviceGives) {
  const auto sample = cuda::open_nvml(world_)->sample();
  ASSERT_EQ(sample.devices.size(), 4U) << sample.reason;
  EXPECT_TRUE(sample.reason.empty());
  const hal::Device& first = sample.devices[0];
  EXPECT_EQ(first.uuid, "GPU-00000000-1111-2222-3333-444444444444");
  EXPECT_EQ(first.pci_address, "0000:3b:00.0");
  EXPECT_EQ(first.name, "NVIDIA H100");
  EXPECT_EQ(first.driver, "575.51.03");
  EXPECT_EQ(value_of(first, ReadingId::utilization_ratio), 0.87);
  EXPECT_EQ(value_of(first, ReadingId::memory_used_bytes), 19e9);
  EXPECT_EQ(value_of(first, ReadingId::clock_hertz, "memory"), 1.2e9);
  EXPECT_EQ(value_of(first, ReadingId::clock_hertz, "video"), std::nullopt);
  EXPECT_EQ(value_of(first, ReadingId::power_watts), 650.5);
  EXPECT_EQ(value_of(first, ReadingId::energy_joules_total), 123456.789);
  EXPECT_EQ(value_of(first, ReadingId::temperature_celsius, "gpu"), 71);
  EXPECT_EQ(value_of(first, ReadingId::ecc_errors_total, "uncorrected"), 1);
  EXPECT_EQ(value_of(first, ReadingId::pcie_rx_bytes_per_second), 200 * 1024);
  EXPECT_EQ(value_of(first, ReadingId::pcie_replays_total), 0) << "a zero that was told is a zero";
  EXPECT_EQ(value_of(first, ReadingId::link_active, "0"), 1);
  EXPECT_EQ(value_of(first, ReadingId::link_active, "1"), 0);
  EXPECT_EQ(value_of(first, ReadingId::link_active, "2"), std::nullopt);
  EXPECT_EQ(value_of(first, ReadingId::link_errors_total, "1 crc_flit"), 12);
  EXPECT_EQ(value_of(first, ReadingId::link_errors_total, "1 crc_data"), std::nullopt);
  EXPECT_EQ(value_of(first, ReadingId::link_rx_bytes_total), 7 * 1024);
  ASSERT_EQ(first.processes.size(), 3U);
  EXPECT_EQ(first.processes[0].memory_bytes, 1000000U);
  EXPECT_FALSE(first.processes[1].memory_bytes.has_value()) << "not available is no number";
  EXPECT_EQ(value_of(first, ReadingId::throttle_power_active), 1);
  EXPECT_EQ(value_of(first, ReadingId::throttle_hw_active), 1);
}

TEST_F(Nvml, WhatADeviceDoesNotSupportIsAbsent) {
  const auto sample = cuda::open_nvml(world_)->sample();
  ASSERT_EQ(sample.devices.size(), 4U);
  EXPECT_TRUE(sample.devices[1].readings.empty());
  EXPECT_TRUE(sample.devices[1].processes.empty());
  EXPECT_EQ(sample.devices[1].pci_address, "0000:3c:00.0");
}

TEST_F(Nvml, PartitionsFollowTheirDevice) {
  const auto sample = cuda::open_nvml(world_)->sample();
  ASSERT_EQ(sample.devices.size(), 4U);
  const hal::Device& partition = sample.devices[3];
  EXPECT_EQ(partition.parent_uuid, sample.devices[2].uuid);
  EXPECT_EQ(partition.uuid.rfind("MIG-", 0), 0U);
  EXPECT_EQ(partition.pci_address, "0000:3d:00.0");
  EXPECT_EQ(value_of(partition, ReadingId::memory_total_bytes), 80e9);
  EXPECT_EQ(value_of(partition, ReadingId::power_watts), std::nullopt);
}

// The vendor's own library, where it is installed or INGERO_NVML names it: without its driver that is the reason, and
// the library's words for it; with it, what it says is a device.
TEST_F(Nvml, TheRealLibraryWithoutItsDriverSaysSo) {
  const char* named = std::getenv("INGERO_NVML");
  std::string found;
  for (const std::string& path :
       {std::string(named != nullptr ? named : ""), std::string("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"),
        std::string("/usr/lib/x86_64-linux-gnu/nvidia/current/libnvidia-ml.so.1")}) {
    if (found.empty() && !path.empty() && fs::exists(path)) found = path;
  }
  if (found.empty()) GTEST_SKIP() << "no libnvidia-ml.so.1 here (INGERO_NVML names one)";
  world_.management_library = found;
  const auto sample = cuda::open_nvml(world_)->sample();
  if (fs::exists("/proc/driver/nvidia/version")) {
    ASSERT_FALSE(sample.devices.empty()) << sample.reason;
    EXPECT_EQ(sample.devices[0].uuid.rfind("GPU-", 0), 0U) << sample.devices[0].uuid;
    EXPECT_EQ(sample.devices[0].uuid.size(), 40U);
    EXPECT_GT(value_of(sample.devices[0], ReadingId::memory_total_bytes).value_or(0), 1e9);
    return;
  }
  EXPECT_TRUE(sample.devices.empty());
  EXPECT_NE(sample.reason.find(found), std::string::npos) << sample.reason;
  EXPECT_NE(sample.reason.find("Driver Not Loaded (nvmlInit_v2 9)"), std::string::npos) << sample.reason;
}

TEST_F(Nvml, NoLibraryAndNoDriverHaveReasons) {
  world_.management_library = "/nonexistent/libnvidia-ml.so.1";
  auto sample = cuda::open_nvml(world_)->sample();
  EXPECT_TRUE(sample.devices.empty());
  EXPECT_NE(sample.reason.find("/nonexistent"), std::string::npos) << sample.reason;

  SetUp();
  setenv("INGERO_FAKE_NVML", "no-driver", 1);
  const auto sampler = cuda::open_nvml(world_);
  sample = sampler->sample();
  EXPECT_TRUE(sample.devices.empty());
  EXPECT_NE(sample.reason.find("Driver Not Loaded"), std::string::npos) << sample.reason;
  // The driver comes: a minute later it is there.
  unsetenv("INGERO_FAKE_NVML");
  EXPECT_TRUE(sampler->sample().devices.empty());
  clock_.now_ns += 60'000'000'001;
  EXPECT_EQ(sampler->sample().devices.size(), 4U);
  setenv("INGERO_FAKE_NVML", "lost", 1);
  sample = sampler->sample();
  EXPECT_TRUE(sample.devices.empty());
  EXPECT_FALSE(sample.reason.empty());
}

TEST_F(Nvml, TheRealLibraryWithoutADriverGivesAReason) {
  world_.management_library.clear();
  const auto sample = cuda::open_nvml(world_)->sample();
  EXPECT_TRUE(!sample.devices.empty() || !sample.reason.empty());
}

TEST(ThrottleReasons, FallIntoFourBuckets) {
  struct Case {
    uint64_t reasons;
    bool power, thermal, sw, hw;
  };
  const Case cases[] = {
      {0x0, false, false, false, false},  {0x1, false, false, false, false},  // idle is not throttling
      {0x2, false, false, true, false},   {0x4, true, false, true, false},
      {0x8, false, false, false, true},   {0x10, false, false, true, false},
      {0x20, false, true, true, false},   {0x40, false, true, false, true},
      {0x80, true, false, false, true},   {0x100, false, false, true, false},
      {0x200, false, false, false, true}, {uint64_t{1} << 63, false, false, false, true},
  };
  for (const Case& c : cases) {
    const cuda::Throttle throttle = cuda::throttle_of(c.reasons);
    EXPECT_EQ(throttle.power, c.power) << c.reasons;
    EXPECT_EQ(throttle.thermal, c.thermal) << c.reasons;
    EXPECT_EQ(throttle.sw, c.sw) << c.reasons;
    EXPECT_EQ(throttle.hw, c.hw) << c.reasons;
  }
}

class Amdgpu : public ::testing::Test {
 protected:
  void SetUp() override { world_.sys_root = root_; }
  void file(const std::string& path, const std::string& text) {
    const fs::path full = fs::path(root_) / path;
    fs::create_directories(full.parent_path());
    std::ofstream(full) << text << "\n";
  }
  void card(const std::string& name, const std::string& address, const std::string& vendor) {
    file("devices/" + address + "/vendor", vendor);
    fs::create_directories(fs::path(root_) / "class/drm" / name);
    fs::create_directory_symlink(fs::path(root_) / "devices" / address,
                                 fs::path(root_) / "class/drm" / name / "device");
  }
  const TempFolder temp_;
  const std::string& root_ = temp_.path();
  hal::SamplerWorld world_;
};

TEST_F(Amdgpu, ReadsCardHwmonRasAndProcesses) {
  card("card1", "0000:c1:00.0", "0x1002");
  card("card2", "0000:03:00.0", "0x1002");
  card("card0", "0000:00:02.0", "0x8086");  // somebody else's
  file("class/drm/card1-DP-1/status", "connected");
  const std::string d = "devices/0000:c1:00.0/";
  file(d + "unique_id", "abcdef0123456789");
  file(d + "product_name", "AMD Instinct MI300X");
  file(d + "gpu_busy_percent", "93");
  file(d + "mem_info_vram_total", "1000");
  file(d + "mem_info_vram_used", "400");
  file(d + "pp_dpm_sclk", "0: 132Mhz\n1: 2100Mhz *");
  file(d + "current_link_speed", "32.0 GT/s PCIe");
  file(d + "current_link_width", "16");
  file(d + "hwmon/hwmon7/power1_average", "512000000");
  file(d + "hwmon/hwmon7/temp1_input", "65000");
  file(d + "hwmon/hwmon7/temp1_label", "junction");
  file(d + "ras/umc_err_count", "ue: 2\nce: 30");
  file(d + "ras/gfx_err_count", "ue: 1\nce: 4");
  file(d + "ras/xgmi_wafl_err_count", "ue: 0\nce: 7");
  file("class/kfd/kfd/topology/nodes/0/gpu_id", "0");
  file("class/kfd/kfd/topology/nodes/1/gpu_id", "51234");
  file("class/kfd/kfd/topology/nodes/1/properties", "simd_count 304\nlocation_id 49408\ndomain 0");  // c1:00.0
  file("class/kfd/kfd/proc/4242/vram_51234", "300");
  file("class/kfd/kfd/proc/4242/vram_1", "1");
  file("class/kfd/kfd/proc/junk/vram_51234", "5");
  const auto sample = hip::open_amdgpu(world_)->sample();
  ASSERT_EQ(sample.devices.size(), 2U);
  EXPECT_EQ(sample.devices[1].pci_address, "0000:03:00.0") << "the runtime does not know it";
  EXPECT_EQ(sample.devices[1].uuid, "0000:03:00.0") << "without an id of its own";
  EXPECT_TRUE(sample.devices[1].readings.empty()) << "absent, not zero";
  const hal::Device& device = sample.devices[0];
  EXPECT_EQ(device.uuid, "GPU-abcdef0123456789");
  EXPECT_EQ(value_of(device, ReadingId::utilization_ratio), 0.93);
  EXPECT_EQ(value_of(device, ReadingId::memory_free_bytes), 600);
  EXPECT_EQ(value_of(device, ReadingId::clock_hertz, "graphics"), 2.1e9);
  EXPECT_EQ(value_of(device, ReadingId::clock_hertz, "memory"), std::nullopt);
  EXPECT_EQ(value_of(device, ReadingId::power_watts), 512);
  EXPECT_EQ(value_of(device, ReadingId::temperature_celsius, "junction"), 65);
  EXPECT_EQ(value_of(device, ReadingId::ecc_errors_total, "uncorrected"), 3);
  EXPECT_EQ(value_of(device, ReadingId::ecc_errors_total, "corrected"), 34);
  EXPECT_EQ(value_of(device, ReadingId::link_errors_total, "xgmi corrected"), 7);
  EXPECT_EQ(value_of(device, ReadingId::pcie_link_generation), 5);
  ASSERT_EQ(device.processes.size(), 1U);
  EXPECT_EQ(device.processes[0].pid, 4242U);
  EXPECT_EQ(device.processes[0].memory_bytes, 300U);
}

TEST_F(Amdgpu, DevicesStandInTheOrderOfTheDriversNodes) {
  card("card0", "0000:03:00.0", "0x1002");
  card("card1", "0000:43:00.0", "0x1002");
  card("card2", "0000:83:00.0", "0x1002");
  const auto node = [this](const std::string& number, const std::string& id, unsigned location) {
    file("class/kfd/kfd/topology/nodes/" + number + "/gpu_id", id);
    file("class/kfd/kfd/topology/nodes/" + number + "/properties", "location_id " + std::to_string(location));
  };
  node("0", "0", 0);          // a CPU
  node("10", "111", 0x0300);  // ten comes after two
  node("2", "222", 0x8300);
  node("3", "333", 0x4300);
  const auto sample = hip::open_amdgpu(world_)->sample();
  ASSERT_EQ(sample.devices.size(), 3U);
  EXPECT_EQ(sample.devices[0].pci_address, "0000:83:00.0");
  EXPECT_EQ(sample.devices[1].pci_address, "0000:43:00.0");
  EXPECT_EQ(sample.devices[2].pci_address, "0000:03:00.0");
  EXPECT_EQ(sample.devices[2].position, 2U);
}

// A card in several partitions (CPX, DPX): a node for each, all at the card's address.
TEST_F(Amdgpu, PartitionsAreDevicesOfTheirOwn) {
  card("card0", "0000:03:00.0", "0x1002");
  card("card1", "0000:43:00.0", "0x1002");
  file("devices/0000:03:00.0/unique_id", "abcdef0123456789");
  file("devices/0000:03:00.0/product_name", "AMD Instinct MI300X");
  file("devices/0000:03:00.0/mem_info_vram_total", "1000");
  const auto node = [this](const std::string& number, const std::string& id, unsigned location) {
    file("class/kfd/kfd/topology/nodes/" + number + "/gpu_id", id);
    file("class/kfd/kfd/topology/nodes/" + number + "/properties", "location_id " + std::to_string(location));
  };
  node("1", "111", 0x0300);
  node("2", "222", 0x0300);
  node("3", "333", 0x4300);
  file("class/kfd/kfd/proc/42/vram_111", "300");
  file("class/kfd/kfd/proc/42/vram_222", "20");
  file("class/kfd/kfd/proc/43/vram_222", "1");
  file("class/kfd/kfd/proc/43/vram_333", "7");
  const auto sample = hip::open_amdgpu(world_)->sample();
  ASSERT_EQ(sample.devices.size(), 4U);
  const hal::Device& whole = sample.devices[0];
  EXPECT_EQ(whole.uuid, "GPU-abcdef0123456789");
  EXPECT_TRUE(whole.parent_uuid.empty());
  EXPECT_EQ(value_of(whole, ReadingId::memory_total_bytes), 1000);
  ASSERT_EQ(whole.processes.size(), 2U);
  EXPECT_EQ(whole.processes[0].pid, 42U);
  EXPECT_EQ(whole.processes[0].memory_bytes, 320U);
  EXPECT_EQ(whole.processes[1].memory_bytes, 1U);
  const char* uuids[] = {"GPU-abcdef0123456789/1", "GPU-abcdef0123456789/2"};
  for (const size_t i : {size_t{1}, size_t{2}}) {
    const hal::Device& part = sample.devices[i];
    EXPECT_EQ(part.uuid, uuids[i - 1]);
    EXPECT_EQ(part.parent_uuid, whole.uuid);
    EXPECT_EQ(part.pci_address, whole.pci_address);
    EXPECT_EQ(part.name, "AMD Instinct MI300X");
    EXPECT_EQ(part.position, 0U);
    EXPECT_TRUE(part.readings.empty());
  }
  ASSERT_EQ(sample.devices[1].processes.size(), 1U);
  EXPECT_EQ(sample.devices[1].processes[0].memory_bytes, 300U);
  EXPECT_EQ(sample.devices[2].processes.size(), 2U);
  EXPECT_EQ(sample.devices[3].pci_address, "0000:43:00.0");
  EXPECT_EQ(sample.devices[3].position, 1U);
  EXPECT_TRUE(sample.devices[3].parent_uuid.empty());
  // The runtime has three devices: which one a number means is not known.
  const auto backend = std::ranges::find(all_backends(), std::string_view("hip"), &hal::Backend::name);
  ASSERT_NE(backend, all_backends().end());
  const auto seen = hal::visible_devices(
      *(*backend)->device_naming, [](std::string_view) { return std::nullopt; }, false, sample.devices);
  for (const int32_t ordinal : {0, 1, 2}) EXPECT_EQ(seen.at(ordinal).gpu_id, std::nullopt) << ordinal;
}

TEST_F(Amdgpu, FilesThatSayNothingAreAbsent) {
  card("card0", "0000:03:00.0", "0x1002");
  const std::string d = "devices/0000:03:00.0/";
  for (const char* name : {"gpu_busy_percent", "mem_info_vram_total", "pp_dpm_sclk", "current_link_speed",
                           "current_link_width", "pcie_replay_count", "hwmon/hwmon0/power1_average"}) {
    file(d + name, "N/A");
  }
  file(d + "ras/umc_err_count", "nonsense");
  file(d + "mem_info_vram_used", "-1");
  const auto sample = hip::open_amdgpu(world_)->sample();
  ASSERT_EQ(sample.devices.size(), 1U);
  EXPECT_TRUE(sample.devices[0].readings.empty());
}

// The kernel's structures, field by field, apart from the offsets that the sampler reads by.
struct MetricsHeader {
  uint16_t structure_size;
  uint8_t format_revision, content_revision;
};
struct Metrics13 {  // gpu_metrics_v1_3
  MetricsHeader header;
  uint16_t temperature_edge, temperature_hotspot, temperature_mem, temperature_vrgfx, temperature_vrsoc,
      temperature_vrmem, average_gfx_activity, average_umc_activity, average_mm_activity, average_socket_power;
  uint64_t energy_accumulator, system_clock_counter;
  uint16_t average_clocks[7], current_clocks[7];
  uint32_t throttle_status;
  uint16_t current_fan_speed, pcie_link_width, pcie_link_speed, padding;
  uint32_t gfx_activity_acc, mem_activity_acc;
  uint16_t temperature_hbm[4];
  uint64_t firmware_timestamp;
  uint16_t voltage_soc, voltage_gfx, voltage_mem, padding1;
  uint64_t indep_throttle_status;
};
struct Metrics16 {  // gpu_metrics_v1_6
  MetricsHeader header;
  uint16_t temperature_hotspot, temperature_mem, temperature_vrsoc, curr_socket_power, average_gfx_activity,
      average_umc_activity, vcn_activity[4], jpeg_activity[32];
  uint64_t energy_accumulator, system_clock_counter;
  uint32_t accumulation_counter, residencies[5], throttle_status, gfxclk_lock_status;
  uint16_t pcie_link_width, pcie_link_speed, xgmi_link_width, xgmi_link_speed;
  uint32_t gfx_activity_acc, mem_activity_acc;
  uint64_t pcie_bandwidth_acc, pcie_bandwidth_inst, pcie_l0_to_recov_count_acc, pcie_replay_count_acc,
      pcie_replay_rover_count_acc;
  uint32_t pcie_nak_sent_count_acc, pcie_nak_rcvd_count_acc;
  uint64_t xgmi_read_data_acc[8], xgmi_write_data_acc[8], firmware_timestamp;
  uint16_t current_gfxclk[8], current_socclk[4], current_vclk0[4], current_dclk0[4], current_uclk, padding;
};

template <typename Table>
std::string table_of(uint8_t minor, Table table) {
  table.header = {sizeof(Table), 1, minor};
  return {reinterpret_cast<const char*>(&table), sizeof table};
}

TEST_F(Amdgpu, TheBinaryTableAddsWhatNoFileSays) {
  card("card0", "0000:03:00.0", "0x1002");
  card("card1", "0000:04:00.0", "0x1002");
  Metrics13 older;
  std::memset(&older, 0xff, sizeof older);
  older.temperature_hotspot = 61;
  older.temperature_hbm[2] = 55;
  older.average_gfx_activity = 97;
  older.average_socket_power = 300;
  older.indep_throttle_status = uint64_t{1} << 36 | 1;
  file("devices/0000:03:00.0/gpu_metrics", table_of(3, older));
  file("devices/0000:03:00.0/gpu_busy_percent", "42");
  Metrics16 newer{};
  newer.energy_accumulator = uint64_t{65536} * 1000;
  newer.pcie_replay_count_acc = 5;
  newer.xgmi_read_data_acc[7] = 3;
  newer.xgmi_write_data_acc[0] = 4;
  newer.temperature_vrsoc = 48;
  newer.average_umc_activity = 25;
  file("devices/0000:04:00.0/gpu_metrics", table_of(6, newer));
  const auto sample = hip::open_amdgpu(world_)->sample();
  ASSERT_EQ(sample.devices.size(), 2U);
  EXPECT_EQ(sample.reason, "");
  const hal::Device& first = sample.devices[0];
  EXPECT_EQ(value_of(first, ReadingId::temperature_celsius, "junction"), 61);
  EXPECT_EQ(value_of(first, ReadingId::temperature_celsius, "hbm2"), 55);
  EXPECT_EQ(value_of(first, ReadingId::temperature_celsius, "hbm0"), std::nullopt) << "all ones: there is none";
  EXPECT_EQ(value_of(first, ReadingId::utilization_ratio), 0.42) << "what a file says stays";
  EXPECT_EQ(value_of(first, ReadingId::power_watts), 300);
  EXPECT_EQ(value_of(first, ReadingId::throttle_power_active), 1);
  EXPECT_EQ(value_of(first, ReadingId::throttle_thermal_active), 1);
  EXPECT_EQ(value_of(first, ReadingId::throttle_hw_active), 0);
  EXPECT_EQ(value_of(first, ReadingId::throttle_sw_active), std::nullopt);
  const hal::Device& second = sample.devices[1];
  EXPECT_EQ(value_of(second, ReadingId::energy_joules_total), 1000);
  EXPECT_EQ(value_of(second, ReadingId::pcie_replays_total), 5);
  EXPECT_EQ(value_of(second, ReadingId::link_rx_bytes_total, "xgmi7"), 3 * 1024);
  EXPECT_EQ(value_of(second, ReadingId::link_tx_bytes_total, "xgmi0"), 4 * 1024);
  EXPECT_EQ(value_of(second, ReadingId::temperature_celsius, "vrsoc"), 48);
  EXPECT_EQ(value_of(second, ReadingId::memory_utilization_ratio), 0.25);
}

TEST_F(Amdgpu, ABinaryTableThatIsNotKnownIsSaidAndNotRead) {
  card("card0", "0000:03:00.0", "0x1002");
  const std::string path = "devices/0000:03:00.0/gpu_metrics";
  const std::pair<std::string, std::string> cases[] = {
      {std::string("\x78\x00\x09\x07", 4) + std::string(116, '\0'), "layout 9.7"},
      {std::string("\x78\x00\x02\x03", 4) + std::string(116, '\0'), "layout 2.3"},
      {std::string("\x79\x00\x01\x03", 4) + std::string(117, '\0'), "121 bytes"},
      {table_of(3, Metrics13{}).substr(0, 60), "61 came"},
      {"\x78", "truncated"},
  };
  for (const auto& [table, reason] : cases) {
    file(path, table);
    const auto sample = hip::open_amdgpu(world_)->sample();
    ASSERT_EQ(sample.devices.size(), 1U);
    EXPECT_NE(sample.reason.find(reason), std::string::npos) << sample.reason;
    EXPECT_TRUE(sample.devices[0].readings.empty()) << reason;
  }
}

TEST_F(Amdgpu, AMachineWithoutCardsHasNone) { EXPECT_TRUE(hip::open_amdgpu(world_)->sample().devices.empty()); }

TEST(KernelLogErrors, XidsAreRead) {
  auto error = cuda::xid_of("NVRM: Xid (PCI:0000:3B:00): 79, pid=1234, name=python3, GPU has fallen off the bus.");
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, 79);
  EXPECT_EQ(error->pci_address, "0000:3b:00.0");
  EXPECT_EQ(error->pid, 1234U);
  EXPECT_EQ(error->process, "python3");
  EXPECT_EQ(error->meaning, "GPU has fallen off the bus.");
  error = cuda::xid_of("NVRM: Xid (PCI:0000:3b:00): 31, pid='<unknown>', name=<unknown>, Ch 00000008");
  ASSERT_TRUE(error.has_value());
  EXPECT_FALSE(error->pid.has_value());
  EXPECT_TRUE(error->process.empty());
  error = cuda::xid_of("NVRM: Xid (0000:3b:00): 9999, something new");
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, 9999);
  EXPECT_TRUE(error->meaning.empty()) << "an unknown number has no meaning";
  for (const char* place : {"PCI:0000:3b:00 GPU-I:05", "PCI:0000:3B:00 GPU-I:01 GPU-CI:02", "0000:3b:00"}) {
    error = cuda::xid_of(fmt::format("NVRM: Xid ({}): 45, pid=7, name=python3, Ch 00000008", place));
    ASSERT_TRUE(error.has_value()) << place;
    EXPECT_EQ(error->pci_address, "0000:3b:00.0") << place;
    EXPECT_EQ(error->pid, 7U) << place;
  }
  for (const char* line : {"", "NVRM: loading", "x NVRM: Xid (PCI:0000:3b:00): 79, a", "NVRM: Xid (",
                           "NVRM: Xid (a): b, c", "NVRM: Xid (PCI:0000:3b:00): 99999999999999999999, a"}) {
    EXPECT_FALSE(cuda::xid_of(line).has_value()) << line;
  }
}

TEST(KernelLogErrors, ResetsAndRasAreRead) {
  const struct {
    const char* line;
    const char* kind;
  } cases[] = {
      {"amdgpu 0000:c1:00.0: amdgpu: GPU reset begin!", "reset"},
      {"amdgpu 0000:c1:00.0: amdgpu: GPU reset end with ret = -110 failed", "reset_failed"},
      {"amdgpu 0000:c1:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3", "timeout"},
      {"amdgpu 0000:c1:00.0: amdgpu: 2 uncorrectable hardware errors detected in umc block", "ras_uncorrected"},
      {"amdgpu 0000:c1:00.0: amdgpu: 3 correctable hardware errors detected in umc block", "ras_corrected"},
      {"amdgpu 0000:c1:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24)", "page_fault"},
  };
  for (const auto& c : cases) {
    const auto error = hip::amdgpu_error_of(c.line);
    ASSERT_TRUE(error.has_value()) << c.line;
    EXPECT_EQ(error->kind, c.kind) << c.line;
    EXPECT_EQ(error->pci_address, "0000:c1:00.0");
  }
  for (const char* line :
       {"", "amdgpu", "amdgpu 0000:c1:00.0: amdgpu: VRAM: 196592M", "[drm] amdgpu kernel modesetting"}) {
    EXPECT_FALSE(hip::amdgpu_error_of(line).has_value()) << line;
  }
}

}  // namespace
}  // namespace ingero::backends
