// A rank's effect in each of the last windows, in whole percent: what a picture of ranks by time is made of.
//
// Pure; used by one thread at a time. 240 bytes a rank, and no more however long the job runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ingero::fleet::detect {

inline constexpr size_t kCourseWindows = 120;  // ten minutes of usual windows: as many as a restart brings back

class Course {
 public:
  static constexpr int16_t kUnknown = INT16_MIN;  // the rank was not compared in that window
  static constexpr int16_t kMaxPercent = 9999;    // what is more is given as this

  Course() { percent_.fill(kUnknown); }
  // Windows come in their order; one that is not newer than the last is left out.
  void add(uint64_t window, double effect);
  int16_t at(uint64_t window) const;
  // The median of the last `windows` in which it was compared, the higher of two in the middle; kUnknown without any.
  int16_t median_of(size_t windows) const;
  // The median as a share, more exact than what is kept, of up to `windows` before the last `skipped` ones; absent with
  // fewer than `least` in which it was compared.
  std::optional<double> usual_of(size_t windows, size_t skipped, size_t least) const;

 private:
  std::vector<int16_t> known_of(size_t windows, size_t skipped) const;

  std::array<int16_t, kCourseWindows> percent_{};  // of window w at w modulo its size
  uint64_t last_ = 0;
  bool has_any_ = false;
};

}  // namespace ingero::fleet::detect
