// Which device a call was about, by what its thread chose and what its arguments were made on.
#include "correlate/device_choice.h"

#include <gtest/gtest.h>

#include "hal/shapes.h"
#include "hal/visible_devices.h"
#include "numbers.h"

namespace ingero::correlate::testing {
namespace {

using hal::Event;
using hal::Exchange;
using hal::Has;
using hal::Kind;
using hal::Role;

constexpr hal::Row kRuntimeRows[] = {
    {.name = "choose", .kind = Kind::kDevice, .shape = hal::shape::kDeviceOnly, .flags = hal::kChoosesDevice},
    {.name = "ask", .kind = Kind::kDevice, .shape = hal::shape::kDeviceGet, .flags = hal::kChoosesDevice},
    {.name = "reset_one", .kind = Kind::kDevice, .shape = hal::shape::kDeviceOnly},
    {.name = "launch", .kind = Kind::kLaunch, .shape = {}},
    {.name = "copy", .kind = Kind::kMemcpy, .shape = {}},
    {.name = "alloc", .kind = Kind::kAlloc, .shape = hal::shape::kAllocAsync},
    {.name = "free", .kind = Kind::kFree, .shape = {}},
    {.name = "sync", .kind = Kind::kSync, .shape = {}},
    {.name = "make_stream", .kind = Kind::kStream, .shape = hal::shape::kStreamCreate},
    {.name = "make_event", .kind = Kind::kEvent, .shape = hal::shape::kHandleCreate},
    {.name = "record", .kind = Kind::kEvent, .shape = {}},
    {.name = "register", .kind = Kind::kModule, .shape = {}},
};
constexpr hal::Row kDriverRows[] = {
    {.name = "d_alloc", .kind = Kind::kAlloc, .shape = hal::shape::kAllocAsync},
    {.name = "d_launch", .kind = Kind::kLaunch, .shape = {}},
    {.name = "retain", .kind = Kind::kDevice, .shape = hal::shape::kContextRetain},
    {.name = "create", .kind = Kind::kDevice, .shape = hal::shape::kContextCreate, .flags = hal::kPushesDevice},
    {.name = "push", .kind = Kind::kDevice, .shape = hal::shape::kHandleOnly, .flags = hal::kPushesDevice},
    {.name = "pop", .kind = Kind::kDevice, .shape = hal::shape::kHandleCreate, .flags = hal::kPopsDevice},
    {.name = "set", .kind = Kind::kDevice, .shape = hal::shape::kHandleOnly, .flags = hal::kChoosesDevice},
};
constexpr hal::Row kOtherRows[] = {{.name = "o_launch", .kind = Kind::kLaunch, .shape = {}}};
constexpr hal::Row kCollectiveRows[] = {{.name = "collect", .kind = Kind::kCollective, .shape = {}},
                                        {.name = "manage", .kind = Kind::kCommunicator, .shape = {}}};
constexpr hal::Library kLibraries[] = {
    {.name = "runtime", .sonames = {}, .rows = kRuntimeRows, .layer = "R", .starts_on_first_device = true},
    {.name = "driver", .sonames = {}, .rows = kDriverRows, .layer = "D"},
};
constexpr hal::Library kOtherLibraries[] = {{.name = "other", .sonames = {}, .rows = kOtherRows, .layer = "O"}};
constexpr hal::Library kCollectiveLibraries[] = {
    {.name = "collectives", .sonames = {}, .rows = kCollectiveRows, .layer = "C"}};
constexpr hal::DeviceNaming kNaming{.lists = {}, .uuid_prefix = "GPU-"};
constexpr hal::Backend kBackend{.name = "b", .vendor = "v", .libraries = kLibraries, .device_naming = &kNaming};
constexpr hal::Backend kOther{.name = "o", .vendor = "w", .libraries = kOtherLibraries, .device_naming = &kNaming};
constexpr hal::Backend kCollectives{.name = "c", .vendor = "v", .libraries = kCollectiveLibraries};

const hal::CallTable& table() {
  static const hal::Backend* const backends[] = {&kBackend, &kOther, &kCollectives};
  static const hal::CallTable calls(backends);
  return calls;
}

constexpr uint64_t kStream = 0x7f0000001000, kStream2 = 0x7f0000002000;

class DeviceChoiceTest : public ::testing::Test {
 protected:
  DeviceChoiceTest() { choice.watched_from_start(kPid); }

  Event call(std::string_view name, uint32_t tid = kPid) {
    Event event;
    for (hal::CallId id = 0; id < table().size(); ++id) {
      if (table()[id].name == name) event.call = id;
    }
    event.kind = table()[event.call].kind;
    event.pid = kPid;
    event.tid = tid;
    return event;
  }
  Event with(std::string_view name, Has field, uint64_t value, uint32_t tid = kPid) {
    Event event = call(name, tid);
    event.set(field);
    if (field == Has::kDevice) event.device = static_cast<int32_t>(value);
    if (field == Has::kStream) event.stream = value;
    if (field == Has::kHandle) event.handle = value;
    if (field == Has::kAddress) event.address = value;
    return event;
  }
  // -1: about a device that is not known; -2: about none.
  int32_t take(const Event& event, const Exchange* exchange = nullptr) {
    const DeviceChoice::Answer answer = choice.take(event, exchange);
    return answer.backend == nullptr ? -2 : answer.ordinal.value_or(-1);
  }
  int32_t launch(uint32_t tid = kPid) { return take(call("launch", tid)); }
  void choose(uint64_t device, uint32_t tid = kPid) { take(with("choose", Has::kDevice, device, tid)); }
  void context(uint64_t handle, uint64_t device) {
    Event event = with("retain", Has::kHandle, handle);
    event.device = static_cast<int32_t>(device);
    event.set(Has::kDevice);
    EXPECT_EQ(take(event), static_cast<int32_t>(device));
  }

  hal::LossLedger ledger;
  DeviceChoice choice{table(), ledger};
};

TEST_F(DeviceChoiceTest, AThreadIsOnTheFirstDeviceUntilItChoosesAnother) {
  EXPECT_EQ(launch(), 0);
  choose(2);
  EXPECT_EQ(launch(), 2);
  EXPECT_EQ(launch(101), 0) << "each thread for itself";
  choose(1, 101);
  EXPECT_EQ(launch(), 2);
  EXPECT_EQ(launch(101), 1);
}

TEST_F(DeviceChoiceTest, AChoiceThatFailedChangesNothing) {
  choose(1);
  Event failed = with("choose", Has::kDevice, 7);
  failed.failed = true;
  EXPECT_EQ(take(failed), -1) << "there may be no such device";
  EXPECT_EQ(launch(), 1);
}

TEST_F(DeviceChoiceTest, OfAProcessFoundLaterNothingIsKnownUntilItChoosesOrAsks) {
  choice.process_ended(kPid);
  EXPECT_EQ(launch(), -1);
  EXPECT_EQ(take(with("ask", Has::kDevice, 3)), 3);
  EXPECT_EQ(launch(), 3);
  EXPECT_EQ(launch(101), -1);
  EXPECT_EQ(take(with("reset_one", Has::kDevice, 5)), 5);
  EXPECT_EQ(launch(), 3) << "naming a device is not choosing it";
}

TEST_F(DeviceChoiceTest, AStreamIsOnTheDeviceItWasMadeOn) {
  choose(1);
  take(with("make_stream", Has::kStream, kStream));
  choose(0);
  EXPECT_EQ(take(with("copy", Has::kStream, kStream)), 1);
  EXPECT_EQ(take(with("sync", Has::kStream, kStream)), 1);
  EXPECT_EQ(take(with("alloc", Has::kStream, kStream)), 1);
  EXPECT_EQ(take(with("copy", Has::kStream, 0)), 0) << "the default stream is the thread's";
  EXPECT_EQ(take(with("copy", Has::kStream, kStream2)), -1) << "made before anybody looked";
  EXPECT_EQ(take(with("launch", Has::kStream, kStream2)), 0) << "a launch must be on the thread's device";
}

TEST_F(DeviceChoiceTest, EventsAndMemoryKeepTheirDevice) {
  choose(1);
  take(with("make_event", Has::kHandle, 77));
  take(with("alloc", Has::kAddress, 0xa000));
  choose(2);
  EXPECT_EQ(take(with("sync", Has::kHandle, 77)), 1);
  EXPECT_EQ(take(with("record", Has::kHandle, 78)), -1);
  EXPECT_EQ(take(with("free", Has::kAddress, 0xa000)), 1);
  EXPECT_EQ(take(with("free", Has::kAddress, 0xa000)), -1) << "given back: the address may come again";
  EXPECT_EQ(take(with("free", Has::kAddress, 0)), 2);
}

TEST_F(DeviceChoiceTest, AContextMadeCurrentIsItsDevice) {
  EXPECT_EQ(take(call("d_launch")), -1) << "the driver has no default";
  context(11, 1);
  context(12, 3);
  take(with("set", Has::kHandle, 12));
  EXPECT_EQ(take(call("d_launch")), 3);
  take(with("push", Has::kHandle, 11));
  EXPECT_EQ(launch(), 1);
  take(with("push", Has::kHandle, 99));
  EXPECT_EQ(launch(), -1) << "a context nobody saw made";
  take(with("pop", Has::kHandle, 99));
  take(with("pop", Has::kHandle, 11));
  EXPECT_EQ(launch(), 3);
  take(with("set", Has::kHandle, 0));
  EXPECT_EQ(take(call("d_launch")), -1);
}

TEST_F(DeviceChoiceTest, TheRuntimesDefaultBecomesTheDriversContext) {
  Event inner = with("d_alloc", Has::kAddress, 0xb000);
  inner.parent_call = call("alloc").call;
  inner.set(Has::kParent);
  EXPECT_EQ(take(inner), 0) << "made inside a call of the runtime";
  EXPECT_EQ(take(call("d_launch")), 0);
  EXPECT_EQ(take(call("d_launch", 101)), -1);
}

TEST_F(DeviceChoiceTest, CollectivesRunWhereTheirRuntimeIs) {
  choose(2);
  Exchange init;
  init.role = Role::kInit;
  init.new_communicator = 5;
  EXPECT_EQ(take(call("manage"), &init), 2);
  take(with("make_stream", Has::kStream, kStream));
  choose(0);
  Exchange on;
  on.communicator = 5;
  EXPECT_EQ(take(call("collect"), &on), 2) << "by its communicator";
  EXPECT_EQ(take(with("collect", Has::kStream, kStream), nullptr), 2) << "by its stream";
  EXPECT_EQ(take(call("collect"), nullptr), -1);
  take(call("o_launch"));
  EXPECT_EQ(take(call("collect"), &on), -2) << "two vendors' runtimes in one process";
}

TEST_F(DeviceChoiceTest, CallsThatWereMissedMakeChoicesUnknown) {
  choose(1);
  choice.missed(kPid);
  EXPECT_EQ(launch(), -1);
  choose(1);
  EXPECT_EQ(launch(), 1);
  choice.lost();
  EXPECT_EQ(launch(), -1);
}

TEST_F(DeviceChoiceTest, SomeCallsAreAboutNoDevice) {
  EXPECT_EQ(take(call("register")), -2);
  EXPECT_EQ(choice.look(call("register"), nullptr).backend, nullptr);
}

TEST_F(DeviceChoiceTest, LookingLearnsNothing) {
  EXPECT_FALSE(choice.look(with("choose", Has::kDevice, 2), nullptr).ordinal == 1);
  choose(1);
  EXPECT_EQ(choice.look(call("launch"), nullptr).ordinal, 1);
  (void)choice.look(with("choose", Has::kDevice, 2), nullptr);
  EXPECT_EQ(launch(), 1);
}

TEST_F(DeviceChoiceTest, WhatIsForgottenIsCounted) {
  for (size_t i = 0; i < DeviceChoice::kMaxThings; ++i) take(with("alloc", Has::kAddress, 0x1000 + i));
  EXPECT_EQ(ledger.count(hal::Loss::device_forgotten), 0U);
  take(with("alloc", Has::kAddress, 1));
  EXPECT_EQ(ledger.count(hal::Loss::device_forgotten), DeviceChoice::kMaxThings);
  EXPECT_EQ(take(with("free", Has::kAddress, 0x1000)), -1);
  EXPECT_EQ(take(with("free", Has::kAddress, 1)), 0);
}

}  // namespace
}  // namespace ingero::correlate::testing
