// The clock of the programs that are traced in tests: the one the kernel side writes its times in.
#pragma once

#include <cstdint>
#include <ctime>

namespace ingero::tests {

inline uint64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(time.tv_nsec);
}

inline void sleep_ns(uint64_t ns) {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  nanosleep(&time, nullptr);
}

inline void sleep_ms(uint64_t ms) { sleep_ns(ms * 1'000'000); }

}  // namespace ingero::tests
