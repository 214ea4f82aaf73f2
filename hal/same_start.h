// Do two start times of one pid mean the same process? Numbers are used again, so a process is its pid and its start;
// of the two, one may be the kernel side's and the other from /proc, which counts in ticks. Pure.
//
// Failure: none.
#pragma once

#include <cstdint>

namespace ingero::hal {

// Two ticks of USER_HZ, which is 100 wherever Linux runs on x86-64 and arm64 (proc(5), sysconf(_SC_CLK_TCK)).
inline constexpr uint64_t kSameStartNs = 20'000'000;

// A machine that was suspended between two processes' starts can make /proc's times look older, never equal.
constexpr bool same_start(uint64_t a_mono_ns, uint64_t b_mono_ns) {
  return (a_mono_ns > b_mono_ns ? a_mono_ns - b_mono_ns : b_mono_ns - a_mono_ns) <= kSameStartNs;
}

}  // namespace ingero::hal
