// Slices that overlap cannot share a track unless one holds the other: each goes to the first lane where it fits.
//
// Fed in the order of starts, the longer first. A lane keeps the ends of the slices that are open at this moment, so
// memory is bounded by how deep calls nest; beyond kMostLanes a slice is shortened to what holds it, and counted.
// Pure; one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ingero::serve::perfetto {

class Lanes {
 public:
  static constexpr size_t kMostLanes = 256;

  struct Place {
    size_t lane = 0;
    int64_t end_ns = 0;
    bool is_shortened = false;
  };
  Place place(int64_t start_ns, int64_t end_ns) {
    for (size_t lane = 0;; ++lane) {
      if (lane == open_.size()) open_.emplace_back();
      std::vector<int64_t>& ends = open_[lane];
      while (!ends.empty() && ends.back() <= start_ns) ends.pop_back();
      const bool fits = ends.empty() || end_ns <= ends.back();
      if (!fits && lane + 1 < kMostLanes) continue;
      const int64_t end = fits ? end_ns : ends.back();
      ends.push_back(end);
      return {lane, end, !fits};
    }
  }

 private:
  std::vector<std::vector<int64_t>> open_;  // the outermost first
};

}  // namespace ingero::serve::perfetto
