// The middle of values in no order; of an even number the upper one. Pure; thread-safe; cannot fail: of none it is 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ingero::correlate {

// 0: there are none.
inline uint64_t median(std::vector<uint64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace ingero::correlate
