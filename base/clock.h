// Time, as an argument. Every room that needs the time takes a Clock, so that tests can hold it still.
//
// mono_ns is CLOCK_MONOTONIC (the kernel side's bpf_ktime_get_ns): it neither jumps nor counts suspend. wall_ns is
// CLOCK_REALTIME since the Unix epoch: what users read; it can be stepped by NTP. A clock is thread-safe, cannot fail,
// and outlives what it is given to; no room owns one.
#pragma once

#include <cstdint>

namespace ingero {

inline constexpr uint64_t kSecond = 1'000'000'000;  // nanoseconds
inline constexpr uint64_t kClockDrift = 50;         // millionths by which two clocks may differ in speed

// A wall clock less another one, and how far wrong that can be.
struct ClockOffset {
  int64_t offset_ns = 0;
  uint64_t within_ns = 0;
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual uint64_t mono_ns() const = 0;
  virtual uint64_t wall_ns() const = 0;
};

// The machine's clocks. Thread-safe; lives for the whole program.
const Clock& system_clock();

// wall minus mono, measured between two reads of mono; of `tries` the tightest pair wins. Nanoseconds.
int64_t measure_wall_offset_ns(const Clock& clock, int tries = 5);

}  // namespace ingero
