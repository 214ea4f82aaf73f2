// Which device a window's rank works on, and what that was in the window.
#include "fleet/send/device_states.h"

#include <gtest/gtest.h>

namespace ingero::fleet::send {
namespace {

using hal::ReadingId;

constexpr uint64_t kSecond = 1'000'000'000, kBegin = 1'700'000'000 * kSecond, kPeriod = 5 * kSecond;

hal::Device device(const std::string& uuid, uint32_t position, double clock_hertz) {
  hal::Device made;
  made.vendor = "nvidia";
  made.uuid = uuid;
  made.position = position;
  made.name = "H100";
  made.add(ReadingId::clock_hertz, 2 * clock_hertz, "memory");
  made.add(ReadingId::clock_hertz, clock_hertz, "sm");
  made.add(ReadingId::throttle_thermal_active, clock_hertz < 1e9 ? 1 : 0);
  made.add(ReadingId::throttle_hw_active, clock_hertz < 1e9 ? 1 : 0);
  return made;
}

class DeviceStatesTest : public ::testing::Test {
 protected:
  std::optional<hal::DeviceState> of(uint32_t ref, uint64_t window, uint32_t pid = 1) {
    correlate::RankWindow one;
    one.start_ns = kBegin + window * kPeriod;
    one.end_ns = one.start_ns + kPeriod;
    one.device_ref = ref;
    one.pid = pid;
    states.attach({&one, 1}, [](uint32_t ref) {
      hal::EventDevice device;
      device.vendor = "nvidia";
      if (ref == 1) device.uuid = "GPU-1";
      if (ref == 2) device.gpu_id = 1;
      return device;
    });
    return one.device;
  }
  void sample(uint64_t at_s, double second_clock) {
    hal::DeviceSample taken;
    taken.wall_ns = kBegin + at_s * kSecond;
    taken.devices = {device("GPU-1", 0, 1.5e9), device("GPU-2", 1, second_clock)};
    taken.devices[1].processes = {{77, {}}};
    states.take("cuda", std::move(taken));
  }
  DeviceStates states;
};

TEST_F(DeviceStatesTest, AreTheLastBeforeTheWindowsEnd) {
  sample(1, 1.5e9);
  sample(4, 0.5e9);
  sample(6, 1.5e9);
  const auto first = of(2, 0), second = of(2, 1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->uuid, "GPU-2");
  EXPECT_EQ(first->model, "H100");
  EXPECT_EQ(first->sm_clock_hertz, 0.5e9);
  EXPECT_EQ(first->throttle_reasons, hal::kThrottleThermal | hal::kThrottleHardware);
  EXPECT_EQ(first->wall_ns, kBegin + 4 * kSecond);
  EXPECT_FALSE(first->power_watts);
  EXPECT_EQ(second->sm_clock_hertz, 1.5e9);
  EXPECT_EQ(second->throttle_reasons, 0U);
}

TEST_F(DeviceStatesTest, AreNoneWhereTheyAreOldOrTheDeviceIsNotKnown) {
  EXPECT_FALSE(of(1, 0));
  sample(1, 1.5e9);
  EXPECT_TRUE(of(1, 0));
  EXPECT_FALSE(of(1, 3));  // read more than 10 s before it began
  EXPECT_FALSE(of(0, 0));  // no call named one, nor does the driver list the process
  EXPECT_FALSE(of(3, 0));
}

TEST_F(DeviceStatesTest, AreOfTheOnlyDeviceThatTheDriverListsTheProcessOn) {
  sample(1, 0.5e9);
  const auto found = of(0, 0, 77);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->uuid, "GPU-2");
  hal::DeviceSample both;
  both.wall_ns = kBegin + 2 * kSecond;
  both.devices = {device("GPU-1", 0, 1e9), device("GPU-2", 1, 1e9)};
  for (auto& one : both.devices) one.processes = {{77, {}}};
  states.take("cuda", std::move(both));
  EXPECT_FALSE(of(0, 0, 77));
}

TEST_F(DeviceStatesTest, OfAPartitionHaveWhatOnlyTheWholeKnows) {
  hal::DeviceSample taken;
  taken.wall_ns = kBegin + kSecond;
  taken.devices = {device("GPU-0", 0, 0.75e9), hal::Device()};
  taken.devices[1].vendor = "nvidia";
  taken.devices[1].uuid = "GPU-1";
  taken.devices[1].parent_uuid = "GPU-0";
  taken.devices[1].add(ReadingId::utilization_ratio, 0.25);
  states.take("cuda", std::move(taken));
  const auto found = of(1, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->utilization_ratio, 0.25);
  EXPECT_EQ(found->sm_clock_hertz, 0.75e9);
}

}  // namespace
}  // namespace ingero::fleet::send
