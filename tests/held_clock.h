// A clock that stands still until a test moves it; wall and monotonic time are the same.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace ingero {

class HeldClock : public Clock {
 public:
  uint64_t mono_ns() const override { return now_ns; }
  uint64_t wall_ns() const override { return now_ns; }
  uint64_t now_ns = 1'000'000'000'000;
};

}  // namespace ingero
