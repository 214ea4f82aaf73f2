// How busy one track was, bin by bin: the memory of a timeline (timeline.h). Private to store/.
//
// Bins are `1 << shift` ns long, on a grid that begins at the owner's base; only bins that are not empty are kept, in
// order. Nothing here is locked.
#pragma once

#include <cstdint>
#include <vector>

#include "store/read/timeline.h"

namespace ingero::store {

struct StoredBin {
  int32_t position = 0;
  uint32_t count = 0;
  uint32_t op = 0;
  uint64_t busy_ns = 0, longest_ns = 0;
};

// A call, its start relative to the base.
struct StoredSlice {
  int64_t start_ns = 0;
  uint64_t duration_ns = 0;
  int64_t seq = 0;
  uint32_t op = 0;
  uint8_t depth = 0;
  bool failed = false, is_open = false;
  int64_t end_ns() const { return start_ns + static_cast<int64_t>(duration_ns); }
};

// Adds `slice` to the bins it lies in; `bin(position)` gives the one at a position, for positions of [first, last].
template <typename BinAt>
void spread(const StoredSlice& slice, int64_t origin_ns, int64_t width_ns, int64_t first, int64_t last,
            const BinAt& bin) {
  const auto floor_of = [&](int64_t ns) {
    const int64_t from = ns - origin_ns;
    return from >= 0 ? from / width_ns : -((-from + width_ns - 1) / width_ns);
  };
  const int64_t begin = floor_of(slice.start_ns);
  const int64_t end = slice.duration_ns == 0 ? begin : floor_of(slice.end_ns() - 1);
  for (int64_t at = std::max(begin, first); at <= std::min(end, last); ++at) {
    auto& one = bin(at);
    if (at == begin) ++one.count;
    const int64_t left = origin_ns + at * width_ns;
    const int64_t overlap = std::min(slice.end_ns(), left + width_ns) - std::max(slice.start_ns, left);
    if (slice.depth == 0 && overlap > 0) one.busy_ns += static_cast<uint64_t>(overlap);
    if (one.longest_ns <= slice.duration_ns) {
      one.longest_ns = slice.duration_ns;
      one.op = slice.op;
    }
  }
}

class TrackBins {
 public:
  // Returns by how many bins it grew.
  size_t add(const StoredSlice& slice, unsigned shift);
  // Every two bins become one, of the length `1 << shift`; long calls that are no longer long become part of them.
  void coarsen(unsigned shift);
  // Calls that are added between the two are older than all before, and in the order of time among themselves: each
  // would be inserted in front of what there is, so that is kept apart, and joined in one pass.
  void begin_older();
  void end_older();
  // Forgets what was over before `start_ns`.
  void forget_before(int64_t start_ns, unsigned shift);

  const std::vector<StoredBin>& bins() const { return bins_; }
  const std::vector<StoredSlice>& long_slices() const { return long_; }
  uint64_t events() const { return events_; }
  size_t size() const { return bins_.size() + newer_.size() + long_.size(); }

 private:
  StoredBin& at(int64_t position);
  // Adds to the last one, or behind it.
  static void append(std::vector<StoredBin>& bins, const StoredBin& bin);
  std::vector<StoredBin> bins_, newer_;  // newer_: kept apart between the two
  std::vector<StoredSlice> long_;
  uint64_t events_ = 0;
};

}  // namespace ingero::store
