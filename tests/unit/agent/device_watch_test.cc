// What a thread has chosen counts from when all of its calls are seen, whatever the order in which that is reported.
#include "agent/device_watch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "hal/shapes.h"

namespace ingero::agent {
namespace {

using hal::Has;
using hal::Kind;

constexpr hal::Row kRows[] = {
    {.name = "choose", .kind = Kind::kDevice, .shape = hal::shape::kDeviceOnly, .flags = hal::kChoosesDevice},
    {.name = "sync", .kind = Kind::kSync, .shape = {}},
};
constexpr hal::Library kLibraries[] = {
    {.name = "runtime", .sonames = {}, .rows = kRows, .layer = "R", .starts_on_first_device = true}};
constexpr hal::VisibleList kLists[] = {{.variable = "TEST_VISIBLE"}};
constexpr hal::DeviceNaming kNaming{.lists = kLists, .uuid_prefix = "GPU-"};
constexpr hal::Backend kBackend{.name = "b", .vendor = "v", .libraries = kLibraries, .device_naming = &kNaming};

constexpr uint64_t kAttached = 1000;  // until then its calls were not seen

class DeviceWatchTest : public ::testing::Test {
 protected:
  DeviceWatchTest() {
    std::vector<hal::Device> devices(3);
    for (size_t i = 0; i < devices.size(); ++i) {
      devices[i].uuid = "GPU-" + std::to_string(i);
      devices[i].vendor = "v";
      devices[i].position = static_cast<uint32_t>(i);
    }
    watch.know("b", devices);
  }
  // Another process's number from here on; it has ended when the first of its calls is seen.
  void end_before_the_first_call() {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) pause();
    }
    pid = static_cast<uint32_t>(child);
    add_process(true, 10);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  void add_process(bool from_start, uint64_t since) {
    hal::Process process;
    process.pid = pid;
    process.start_mono_ns = since;
    watch.add_process(process, from_start, since);
  }
  hal::Event call(std::string_view name, uint64_t at_ns, int32_t device = -1) {
    hal::Event event;
    event.call = name == "choose" ? 0 : 1;
    event.kind = kRows[event.call].kind;
    event.pid = event.tid = pid;
    event.start_mono_ns = at_ns;
    event.outcome = hal::Outcome::kReturned;
    if (device >= 0) {
      event.device = device;
      event.set(Has::kDevice);
    }
    return event;
  }
  // The devices of the batch's calls: their UUID, or "-".
  std::string take(std::vector<hal::Event> events) {
    EventBatch batch;
    batch.records.events = std::move(events);
    watch.take(batch);
    std::string found;
    for (const hal::Event& event : batch.records.events) {
      const std::string uuid = watch.device(event.device_ref).uuid;
      found += (found.empty() ? "" : " ") + (uuid.empty() ? "-" : uuid);
    }
    return found;
  }

  const hal::Backend* backends[1] = {&kBackend};
  hal::CallTable calls{backends};
  hal::LossLedger ledger;
  kernelside::Foreign foreign{std::move(kernelside::Helpers::start()).value(), ledger};
  DeviceWatch watch{backends, calls, foreign, ledger};
  uint32_t pid = static_cast<uint32_t>(getpid());  // this process: its environment can be read
};

TEST_F(DeviceWatchTest, OfAProcessThatWasThereBeforeOnlyWhatItHasChosenSinceIsKnown) {
  watch.missed(pid, kAttached);
  add_process(false, 10);
  EXPECT_EQ(take({call("sync", 1100), call("choose", 1200, 1), call("sync", 1300)}), "- GPU-1 GPU-1");
  // In the next batch too: there is nothing more to be missed.
  EXPECT_EQ(take({call("sync", 1400)}), "GPU-1");
}

TEST_F(DeviceWatchTest, AMissedPartEndsWhatWasChosenInItWhenItIsReportedLater) {
  add_process(true, 10);
  EXPECT_EQ(take({call("sync", 100), call("choose", 200, 2), call("sync", 300)}), "GPU-0 GPU-2 GPU-2");
  watch.missed(pid, kAttached);  // another library of its was mapped meanwhile
  EXPECT_EQ(take({call("sync", 900), call("sync", 1100), call("choose", 1200, 1), call("sync", 1300)}),
            "GPU-2 - GPU-1 GPU-1");
}

TEST_F(DeviceWatchTest, TheStartOfAProgramThatComesBehindItsMissedPartIsNotWhole) {
  watch.missed(pid, kAttached);
  add_process(true, 500);
  EXPECT_EQ(take({call("sync", 1100)}), "-");
}

TEST_F(DeviceWatchTest, AMissedPartOfAPreviousProgramOfThatNumberDoesNotCount) {
  watch.missed(pid, kAttached);
  add_process(true, 5000);
  EXPECT_EQ(take({call("sync", 5100)}), "GPU-0");
}

// What it was started with says nothing: it may have chosen among the devices by itself.
TEST_F(DeviceWatchTest, OfAProcessWhoseEnvironmentCannotBeReadNumbersMeanNothing) {
  end_before_the_first_call();
  EXPECT_EQ(take({call("choose", 1100, 1), call("sync", 1200)}), "- -");
}

TEST_F(DeviceWatchTest, WhereTheMachineHasOneDeviceItIsThatOne) {
  hal::Device only;
  only.uuid = "GPU-7";
  only.vendor = "v";
  watch.know("b", {only});
  end_before_the_first_call();
  EXPECT_EQ(take({call("choose", 1100, 0), call("sync", 1200)}), "GPU-7 GPU-7");
}

}  // namespace
}  // namespace ingero::agent
