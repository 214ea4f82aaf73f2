// What else a device worked for: a device that only looks busy with this program's kernels is not called healthy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/time_spent.h"
#include "store/read/reader.h"
#include "unit/store/recording.h"

namespace ingero::report {
namespace {

using store::testing::event_of;
using store::testing::kMono;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr uint64_t kMilli = 1'000'000, kSteps = 100;
constexpr uint32_t kPid = 4000;

class TimeDeviceTest : public store::testing::RecordingTest {
 protected:
  // A process whose steps, 20 ms each from `from_ns` on, wait for the device.
  static ProcessTime of_device(uint32_t pid, uint64_t from_ns, uint64_t to_ns) {
    ProcessTime time;
    time.node = "node-a";
    time.name = "trainer";
    correlate::ProcessBudget& budget = time.budget;
    budget.pid = budget.tid = pid;
    budget.steps = budget.evaluated.steps = (to_ns - from_ns) / (20 * kMilli);
    budget.result.limit = correlate::Limit::kDeviceBound;
    budget.start_ns = kMono + from_ns;
    budget.end_ns = kMono + to_ns;
    budget.evaluated.sums.of(correlate::TimeClass::kDeviceWait).ns = to_ns - from_ns;
    return time;
  }
  std::vector<ProcessTime> with_evidence(std::vector<ProcessTime> times) {
    close();
    auto reader = store::Reader::open(path);
    EXPECT_TRUE(reader.ok());
    add_time_evidence(**reader, {}, times);
    return times;
  }
  ProcessTime with_copies(uint64_t bytes, bool failed = false) {
    open();
    for (uint64_t step = 0; step < kSteps; ++step) {
      hal::Event copy = event_of("cudaMemcpyAsync", step * 20 * kMilli, 5000, kPid);
      copy.bytes = bytes;
      copy.direction = hal::Direction::kHostToDevice;
      copy.failed = failed;
      copy.set(hal::Has::kBytes);
      copy.set(hal::Has::kDirection);
      write({copy});
    }
    return with_evidence({of_device(kPid, 0, kSteps * 20 * kMilli)})[0];
  }
  ProcessTime with_failed_launches(uint64_t part) {
    open();
    for (uint64_t i = 0; i < kSteps; ++i) {
      hal::Event launch = event_of("cudaLaunchKernel", i * kMilli, 1000, kPid);
      launch.failed = i % part == 0;
      launch.return_code = launch.failed ? 209 : 0;
      write({launch});
    }
    ProcessTime time = of_device(kPid, 0, kSteps * kMilli);
    time.budget.result.limit = correlate::Limit::kHostBound;
    return with_evidence({time})[0];
  }
  // Steps of 15 ms, of `slow_ns` while another process works, which is from 0.75 s on.
  ProcessTime beside_another(uint64_t slow_ns, uint32_t device, uint32_t other_device) {
    open();
    uint64_t at = 0;
    for (uint64_t i = 0; i < kSteps; ++i) {
      const uint64_t length = i < kSteps / 2 ? 15 * kMilli : slow_ns;
      add_step(i, at, length);
      at += length;
    }
    ProcessTime one = of_device(kPid, 0, at), other = of_device(kPid + 1, 750 * kMilli, at);
    other.name = "notebook";
    if (device != 0) one.devices.insert(device);
    if (other_device != 0) other.devices.insert(other_device);
    return with_evidence({one, other})[0];
  }
  void add_step(uint64_t number, uint64_t at_ns, uint64_t length_ns);
};

void TimeDeviceTest::add_step(uint64_t number, uint64_t at_ns, uint64_t length_ns) {
  store::StoredStep step;
  step.pid = step.tid = kPid;
  step.number = number;
  step.start_mono_ns = kMono + at_ns;
  step.start_wall_ns = store::testing::kWall + at_ns;
  step.duration_ns = length_ns;
  writer->add_step_times(step);
}

TEST_F(TimeDeviceTest, ThatMuchIsCopiedToItIsSaid) {
  const ProcessTime time = with_copies(120'000'000);
  EXPECT_THAT(time.because, Contains(HasSubstr("120 MB a step are copied to the device (6.0 GB/s)")));
  EXPECT_THAT(time_text({time}, false), Not(HasSubstr("(healthy)")));
  EXPECT_THAT(time_text({time}, false), HasSubstr("Do: see whether copies take the device's time"));
}

TEST_F(TimeDeviceTest, ThatLittleIsCopiedIsNot) {
  const ProcessTime time = with_copies(30'000'000);
  EXPECT_THAT(time.because, IsEmpty());
  EXPECT_THAT(time_text({time}, false), HasSubstr("(healthy)"));
}

TEST_F(TimeDeviceTest, CopiesThatFailedCopyNothing) { EXPECT_THAT(with_copies(120'000'000, true).because, IsEmpty()); }

TEST_F(TimeDeviceTest, WhereAllLaunchesFailThatIsTheAnswer) {
  const std::string text = time_text({with_failed_launches(1)}, false);
  EXPECT_THAT(text, HasSubstr("NO WORK FOR THE DEVICE: 100 of 100 launches returned an error (cudaLaunchKernel 209)."));
  EXPECT_THAT(text, HasSubstr("Do: see what the first failure says"));
  EXPECT_THAT(text, Not(HasSubstr("waiting for the device")));
}

TEST_F(TimeDeviceTest, WhereSomeFailItIsNot) {
  EXPECT_THAT(time_text({with_failed_launches(2)}, false), HasSubstr("HOST-BOUND"));
}

TEST_F(TimeDeviceTest, WhoElseWorkedWhileItWasSlowerIsNamed) {
  const ProcessTime time = beside_another(25 * kMilli, 1, 1);
  EXPECT_THAT(time.because,
              Contains("It took 25ms a step while notebook (pid 4001) used the same device, 15ms otherwise"));
  const std::string text = time_text({time}, false);
  EXPECT_THAT(text, HasSubstr("DEVICE-BOUND, and slower while notebook (pid 4001) worked, too: "));
  EXPECT_THAT(text, HasSubstr("Do: run notebook (pid 4001) at another time or on another device"));
}

TEST_F(TimeDeviceTest, WhereDevicesAreNotKnownThatIsSaid) {
  EXPECT_THAT(beside_another(25 * kMilli, 0, 0).because,
              ElementsAre(HasSubstr("(whether the same one is not recorded)")));
}

TEST_F(TimeDeviceTest, OneOnAnotherDeviceIsNotNamed) {
  EXPECT_THAT(beside_another(25 * kMilli, 1, 2).because, IsEmpty());
}

TEST_F(TimeDeviceTest, OneThatDidNotSlowItIsNotBlamed) {
  EXPECT_EQ(beside_another(16 * kMilli, 1, 1).slowed_by, std::nullopt);
  EXPECT_THAT(beside_another(16 * kMilli, 0, 0).because, IsEmpty());
}

TEST_F(TimeDeviceTest, OneThatFailedIsNotHealthy) {
  ProcessTime time = of_device(kPid, 0, kSteps * 20 * kMilli);
  EXPECT_THAT(time_text({time}, false), HasSubstr("(healthy)"));
  time.ended_so = "failed";
  EXPECT_THAT(time_text({time}, false), HasSubstr("DEVICE-BOUND, until it failed: "));
}

}  // namespace
}  // namespace ingero::report
