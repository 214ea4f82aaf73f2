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

}  // namespace ingero::fleet::detect
