// Slices that overlap cannot share a track unless one contains the other: each goes to the first row where it fits.
//
// Slices come by start, the longer first. A row keeps the ends of the slices that are open at this moment, so memory is
// bounded by how deep calls nest; beyond kMaxRows a slice is shortened to fit into its parent, and counted.
// Pure; one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ingero::serve::perfetto {

class SliceRows {
 public:
  static constexpr size_t kMaxRows = 256;

  struct Place {
    size_t row = 0;
    int64_t end_ns = 0;
    bool is_shortened = false;
  };
  Place place(int64_t start_ns, int64_t end_ns) {
    for (size_t row = 0;; ++row) {
      if (row == open_.size()) open_.emplace_back();
      std::vector<int64_t>& ends = open_[row];
      while (!ends.empty() && ends.back() <= start_ns) ends.pop_back();
      const bool fits = ends.empty() || end_ns <= ends.back();
      if (!fits && row + 1 < kMaxRows) continue;
      const int64_t end = fits ? end_ns : ends.back();
      ends.push_back(end);
      return {row, end, !fits};
    }
  }

 private:
  std::vector<std::vector<int64_t>> open_;  // the outermost first
};

}  // namespace ingero::serve::perfetto
