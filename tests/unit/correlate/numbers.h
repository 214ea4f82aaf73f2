// Numbers that several tests of this folder mean the same by.
#pragma once

#include <cstdint>

namespace ingero::correlate::testing {

inline constexpr uint32_t kPid = 100;
inline constexpr uint64_t kHandle = 0x1000;  // of a communicator
inline constexpr uint64_t kMs = 1'000'000;

}  // namespace ingero::correlate::testing
