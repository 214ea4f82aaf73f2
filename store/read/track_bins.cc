// Adds calls to the bins of a track and halves their number when they outgrow its memory.
#include "store/read/track_bins.h"

#include <algorithm>

namespace ingero::store {
namespace {

bool is_long(const StoredSlice& slice, unsigned shift) {
  return static_cast<int64_t>(slice.duration_ns >> shift) >= Timeline::kLongBins;
}

}  // namespace

StoredBin& TrackBins::at(int64_t position) {
  // Rows come in the order in which calls ended: nearly always the last bin, or one soon before it.
  auto found = bins_.end();
  for (int steps = 0; steps < 8 && found != bins_.begin() && std::prev(found)->position >= position; ++steps) --found;
  if (found != bins_.begin() && std::prev(found)->position >= position) {
    found = std::lower_bound(bins_.begin(), found, position,
                             [](const StoredBin& bin, int64_t wanted) { return bin.position < wanted; });
  }
  if (found == bins_.end() || found->position != position) {
    StoredBin made;
    made.position = static_cast<int32_t>(position);
    found = bins_.insert(found, made);
  }
  return *found;
}

size_t TrackBins::add(const StoredSlice& slice, unsigned shift) {
  ++events_;
  const size_t before = size();
  if (is_long(slice, shift)) {
    long_.push_back(slice);
  } else {
    spread(slice, 0, int64_t{1} << shift, INT32_MIN, INT32_MAX,
           [this](int64_t position) -> StoredBin& { return at(position); });
  }
  return size() - before;
}

void TrackBins::coarsen(unsigned shift) {
  size_t kept = 0;
  for (const StoredBin& bin : bins_) {
    const int32_t position = bin.position >> 1;
    if (kept == 0 || bins_[kept - 1].position != position) {
      bins_[kept] = bin;
      bins_[kept++].position = position;
      continue;
    }
    StoredBin& into = bins_[kept - 1];
    into.count += bin.count;
    into.busy_ns += bin.busy_ns;
    if (bin.longest_ns >= into.longest_ns) {
      into.longest_ns = bin.longest_ns;
      into.op = bin.op;
    }
  }
  bins_.resize(kept);
  std::vector<StoredSlice> before;
  before.swap(long_);
  events_ -= before.size();  // add() counts them once more
  for (const StoredSlice& slice : before) add(slice, shift);
}

void TrackBins::forget_before(int64_t start_ns, unsigned shift) {
  const auto first = std::find_if(bins_.begin(), bins_.end(), [&](const StoredBin& bin) {
    return ((int64_t{bin.position} + 1) << shift) > start_ns;
  });
  for (auto bin = bins_.begin(); bin != first; ++bin) events_ -= bin->count;
  bins_.erase(bins_.begin(), first);
  const auto is_over = [&](const StoredSlice& slice) { return slice.end_ns() < start_ns; };
  const auto rest = std::remove_if(long_.begin(), long_.end(), is_over);
  events_ -= static_cast<uint64_t>(long_.end() - rest);
  long_.erase(rest, long_.end());
}

}  // namespace ingero::store
