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

void TrackBins::append(std::vector<StoredBin>& bins, const StoredBin& bin) {
  if (bins.empty() || bins.back().position != bin.position) {
    bins.push_back(bin);
    return;
  }
  StoredBin& into = bins.back();
  into.count += bin.count;
  into.busy_ns += bin.busy_ns;
  if (bin.longest_ns >= into.longest_ns) {
    into.longest_ns = bin.longest_ns;
    into.op = bin.op;
  }
}

// In one pass over what there is: each insertion in the middle would move all that comes after it.
void TrackBins::coarsen(unsigned shift) {
  std::vector<StoredBin> no_longer_long;
  const auto first = std::stable_partition(long_.begin(), long_.end(),
                                           [&](const StoredSlice& slice) { return is_long(slice, shift); });
  for (auto slice = first; slice != long_.end(); ++slice) {
    spread(*slice, 0, int64_t{1} << shift, INT32_MIN, INT32_MAX, [&](int64_t position) -> StoredBin& {
      no_longer_long.emplace_back().position = static_cast<int32_t>(position);
      return no_longer_long.back();
    });
  }
  long_.erase(first, long_.end());
  const auto by_position = [](const StoredBin& a, const StoredBin& b) { return a.position < b.position; };
  std::stable_sort(no_longer_long.begin(), no_longer_long.end(), by_position);
  std::vector<StoredBin> made;
  made.reserve(bins_.size() / 2 + no_longer_long.size());
  auto next = no_longer_long.begin();
  for (StoredBin& bin : bins_) {
    bin.position >>= 1;
    for (; next != no_longer_long.end() && next->position < bin.position; ++next) append(made, *next);
    append(made, bin);
  }
  for (; next != no_longer_long.end(); ++next) append(made, *next);
  bins_ = std::move(made);
}

void TrackBins::begin_older() {
  newer_ = std::move(bins_);
  bins_.clear();
}

void TrackBins::end_older() {
  if (bins_.empty()) {
    bins_ = std::move(newer_);
  } else if (!newer_.empty()) {
    std::vector<StoredBin> made;
    made.reserve(bins_.size() + newer_.size());
    auto next = newer_.begin();
    for (const StoredBin& bin : bins_) {
      for (; next != newer_.end() && next->position < bin.position; ++next) append(made, *next);
      append(made, bin);
    }
    for (; next != newer_.end(); ++next) append(made, *next);
    bins_ = std::move(made);
  }
  newer_.clear();
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
