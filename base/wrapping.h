// Sums and differences of numbers that anybody may have written, as those of a recording: around the end of the numbers
// and on, which is undefined for signed ones.
//
// Pure: nothing can fail, and any thread may call. Units: the caller's.
#pragma once

#include <cstdint>

namespace ingero {

constexpr int64_t wrapping_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
constexpr int64_t wrapping_difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

}  // namespace ingero
