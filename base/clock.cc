// The machine's clocks and the distance between them.
#include "base/clock.h"

#include <ctime>

namespace ingero {
namespace {

uint64_t read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

class SystemClock final : public Clock {
 public:
  uint64_t mono_ns() const override { return read_clock(CLOCK_MONOTONIC); }
  uint64_t wall_ns() const override { return read_clock(CLOCK_REALTIME); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

int64_t measure_wall_offset_ns(const Clock& clock, int tries) {
  int64_t best_offset = 0;
  uint64_t best_width = UINT64_MAX;
  for (int i = 0; i < tries; ++i) {
    const uint64_t before = clock.mono_ns();
    const uint64_t wall = clock.wall_ns();
    const uint64_t width = clock.mono_ns() - before;
    if (width < best_width) {
      best_width = width;
      best_offset = static_cast<int64_t>(wall - (before + width / 2));
    }
  }
  return best_offset;
}

}  // namespace ingero
