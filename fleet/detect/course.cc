// A ring of windows: see course.h.
#include "fleet/detect/course.h"

#include <algorithm>
#include <cmath>

namespace ingero::fleet::detect {

void Course::add(uint64_t window, double effect) {
  if (has_any_ && window <= last_) return;
  // The windows in between were not compared, and their places have what was before.
  const uint64_t skipped = has_any_ ? std::min<uint64_t>(window - last_ - 1, kCourseWindows) : 0;
  for (uint64_t i = 1; i <= skipped; ++i) percent_[(window - i) % kCourseWindows] = kUnknown;
  const double percent = std::round(100 * effect);
  percent_[window % kCourseWindows] =
      static_cast<int16_t>(std::clamp(percent, -double{kMaxPercent}, double{kMaxPercent}));
  last_ = window;
  has_any_ = true;
}

int16_t Course::at(uint64_t window) const {
  if (!has_any_ || window > last_ || last_ - window >= kCourseWindows) return kUnknown;
  return percent_[window % kCourseWindows];
}

std::vector<int16_t> Course::known_of(size_t windows, size_t skipped) const {
  std::vector<int16_t> known;
  for (size_t back = skipped; back < kCourseWindows && back <= last_ && known.size() < windows; ++back) {
    const int16_t percent = at(last_ - back);
    if (percent != kUnknown) known.push_back(percent);
  }
  return known;
}

int16_t Course::median_of(size_t windows) const {
  std::vector<int16_t> known = known_of(windows, 0);
  if (known.empty()) return kUnknown;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::nth_element(known.begin(), middle, known.end());
  return *middle;
}

// Values that were rounded to the same percent are taken for evenly spread over it.
std::optional<double> Course::usual_of(size_t windows, size_t skipped, size_t least) const {
  std::vector<int16_t> known = known_of(windows, skipped);
  if (known.size() < std::max<size_t>(least, 1)) return std::nullopt;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::nth_element(known.begin(), middle, known.end());
  const int16_t percent = *middle;
  const auto below = static_cast<double>(std::ranges::count_if(known, [&](int16_t one) { return one < percent; }));
  const auto equal = static_cast<double>(std::ranges::count(known, percent));
  return (percent - 0.5 + (static_cast<double>(known.size()) / 2 - below) / equal) / 100;
}

}  // namespace ingero::fleet::detect
