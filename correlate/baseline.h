// How long a call usually takes: durations counted in bins a quarter of an octave wide, old ones fading.
//
// Calls of different sizes never share a baseline: the engine keeps one baseline per (process, call, size class).
// Not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ingero::correlate {

inline constexpr size_t kBins = 160;  // up to 2^40 ns, 18 minutes; longer ones are in the last
constexpr size_t bin_of(uint64_t ns) {
  if (ns < 4) return static_cast<size_t>(ns);
  const auto octave = static_cast<size_t>(std::bit_width(ns)) - 1;
  const size_t bin = octave * 4 + static_cast<size_t>((ns >> (octave - 2)) & 3);
  return bin < kBins ? bin : kBins - 1;
}
// The middle of a bin.
constexpr uint64_t ns_of(size_t bin) {
  if (bin < 8) return bin < 4 ? bin : 4;
  const size_t octave = bin / 4;
  const uint64_t quarter = uint64_t{1} << (octave - 2);
  return (uint64_t{1} << octave) + (bin % 4) * quarter + quarter / 2;
}

// Calls of one kind take about the same time, so few bins are kept: 8 bytes each.
class Bins {
 public:
  struct Count {
    uint32_t bin, count;  // never 0
  };
  void add(uint64_t ns) { ++count_of(static_cast<uint32_t>(bin_of(ns))); }
  void add(const Bins& other) {
    for (const Count& one : other.counts_) count_of(one.bin) += one.count;
  }
  // How many are left.
  uint64_t halve() {
    uint64_t left = 0;
    for (Count& one : counts_) left += one.count /= 2;
    std::erase_if(counts_, [](const Count& one) { return one.count == 0; });
    return left;
  }
  auto begin() const { return counts_.begin(); }
  auto end() const { return counts_.end(); }

 private:
  uint32_t& count_of(uint32_t bin) {
    auto at = std::lower_bound(counts_.begin(), counts_.end(), bin,
                               [](const Count& one, uint32_t wanted) { return one.bin < wanted; });
    if (at == counts_.end() || at->bin != bin) at = counts_.insert(at, {bin, 0});
    return at->count;
  }

  std::vector<Count> counts_;  // of bins that are not empty, in order
};

class Baseline {
 public:
  // A closed window's durations; what came before counts a little less from now on.
  void merge(const Bins& window, uint64_t count) {
    if (total_ + count > kMemory) fade();
    bins_.add(window);
    total_ += count;
    lifetime_ += count;
  }
  // One more; likewise.
  void add(uint64_t ns) {
    if (total_ >= kMemory) fade();
    bins_.add(ns);
    ++total_;
    ++lifetime_;
  }
  uint64_t lifetime() const { return lifetime_; }
  // Nearest rank, as its bin's middle; 0 when nothing is known.
  uint64_t percentile(uint32_t percent) const {
    uint64_t rank = (total_ * percent + 99) / 100;
    if (total_ == 0) return 0;
    if (rank == 0) rank = 1;
    for (const Bins::Count& one : bins_) {
      if (one.count >= rank) return ns_of(one.bin);
      rank -= one.count;
    }
    return ns_of(kBins - 1);
  }
  // Calls on(middle of a bin in ns, count) for each that is not empty, in order.
  template <typename On>
  void each(const On& on) const {
    for (const Bins::Count& one : bins_) on(ns_of(one.bin), uint64_t{one.count});
  }

 private:
  static constexpr uint64_t kMemory = 1 << 20;  // calls after which half of what is known fades
  void fade() { total_ = bins_.halve(); }

  Bins bins_;
  uint64_t total_ = 0, lifetime_ = 0;
};

}  // namespace ingero::correlate
