// What a thread that submits GPU work does with its time: the classes of a budget. Closed; stored by name
// (docs/formats/store.md), in this order.
//
// Constant data; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ingero::hal {

enum class TimeClass : uint8_t {
  kDeviceWait,     // in a synchronisation: spinning or asleep
  kCommunication,  // likewise, for collectives alone
  kSubmit,         // in launches, enqueued copies, markers
  kCopy,           // in a copy that returns when it is done, once the device has come to it
  kAllocate,       // in allocations, registrations and their ends
  kOtherCall,      // in other described calls
  kHost,           // on the CPU, outside calls
  kPageFault,
  kCpuWait,    // could run, and did not
  kThrottled,  // likewise, because its cgroup's quota was used up
  kStopped,    // by a signal, a debugger or the freezer
  kDisk,
  kReclaim,
  kPipe,
  kSocket,
  kFutex,
  kPoll,
  kChild,
  kSleep,
  kDriver,
  kOtherWait,
  kBlocked,  // asleep, and not recorded on what
  kUnknown,
  kCount,
};
inline constexpr size_t kTimeClasses = static_cast<size_t>(TimeClass::kCount);

struct TimeClassRow {
  std::string_view name;   // as stored
  std::string_view words;  // as shown
};
inline constexpr std::array<TimeClassRow, kTimeClasses> kTimeClassTable{{
    {"device_wait", "waiting for the device"},
    {"communication", "waiting for a collective"},
    {"submit", "submitting"},
    {"copy", "copying"},
    {"allocate", "allocating"},
    {"other_call", "other GPU calls"},
    {"host", "host code"},
    {"page_fault", "page faults"},
    {"cpu_wait", "waiting for a CPU"},
    {"throttled", "throttled (CPU quota)"},
    {"stopped", "stopped"},
    {"disk", "waiting for a disk"},
    {"reclaim", "memory reclaim"},
    {"pipe", "waiting for a pipe"},
    {"socket", "waiting for a socket"},
    {"futex", "waiting for a lock"},
    {"poll", "waiting in poll"},
    {"child", "waiting for a child"},
    {"sleep", "sleeping"},
    {"driver", "waiting in a driver"},
    {"other_wait", "waiting for something else"},
    {"blocked", "blocked (not recorded on what)"},
    {"unknown", "not known"},
}};
constexpr std::string_view name_of(TimeClass one) { return kTimeClassTable[static_cast<size_t>(one)].name; }
constexpr std::string_view words_of(TimeClass one) { return kTimeClassTable[static_cast<size_t>(one)].words; }
constexpr bool is_wait(TimeClass one) { return one >= TimeClass::kDisk && one <= TimeClass::kBlocked; }

}  // namespace ingero::hal
