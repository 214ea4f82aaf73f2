// What a recording holds of where the time went, as the writer takes it: steps, seconds, causes and their shares. Plain
// data; wall and monotonic nanoseconds; absent is unknown. docs/formats/store.md has the columns.
//
// Owned by who fills them in; one thread at a time. No failure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "hal/time_class.h"

namespace ingero::store {

struct StoredClassTime {
  uint64_t ns = 0, low = 0, high = 0;  // in the class; of it lost, at least and at most
};

// Of one thread.
struct StoredTimes {
  std::array<StoredClassTime, hal::kTimeClasses> classes{};
  uint64_t idle_low = 0, idle_high = 0;  // of the device
  uint32_t syncs = 0, submissions = 0;
};

struct StoredStep {
  uint32_t pid = 0, tid = 0;
  uint64_t number = 0;
  uint64_t start_wall_ns = 0, start_mono_ns = 0, duration_ns = 0, content = 0;
  bool is_usual = false, is_slow = false;
  std::optional<uint64_t> usual_ns;  // of the steps before
  std::optional<hal::TimeClass> slow_class;
  std::optional<uint64_t> more_ns;  // of that class
  std::optional<uint32_t> cause;    // of the most that was lost
  StoredTimes times;
};

struct StoredSecond {
  uint32_t pid = 0, tid = 0;
  uint64_t start_wall_ns = 0, start_mono_ns = 0;
  StoredTimes times;
};

// Ids count from 1 in each run; in the file they follow those that are there.
struct StoredCause {
  uint32_t id = 0, parent = 0;  // parent 0: none
  hal::TimeClass is = hal::TimeClass::kUnknown;
  std::string role;    // what the threads are called
  std::string pids;    // those seen until it was first stored
  std::string object;  // a path, or an address and port
  uint64_t stack_hash = 0;
  bool is_write = false;
};

struct StoredShare {
  uint32_t pid = 0, tid = 0;
  uint64_t start_wall_ns = 0;
  std::optional<uint64_t> step;  // number; absent: of a second
  uint32_t cause = 0, times = 0;
  uint64_t ns = 0, low = 0, high = 0;
};

}  // namespace ingero::store
