// How long a call usually takes: durations counted in bins a quarter of an octave wide, old ones fading.
//
// Two sets of calls that differ in size never meet here: the engine keeps one baseline per (process, call, size class).
// Not thread-safe; 640 bytes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

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

using Bins = std::array<uint32_t, kBins>;

class Baseline {
 public:
  // A closed window's durations; what came before counts a little less from now on.
  void merge(const Bins& window, uint64_t count) {
    if (total_ + count > kMemory) {
      total_ = 0;
      for (uint32_t& bin : bins_) total_ += bin /= 2;
    }
    for (size_t i = 0; i < kBins; ++i) bins_[i] += window[i];
    total_ += count;
    lifetime_ += count;
  }
  // One more; likewise.
  void add(uint64_t ns) {
    if (total_ >= kMemory) {
      total_ = 0;
      for (uint32_t& bin : bins_) total_ += bin /= 2;
    }
    ++bins_[bin_of(ns)];
    ++total_;
    ++lifetime_;
  }
  uint64_t lifetime() const { return lifetime_; }
  // Nearest rank, as its bin's middle; 0 when nothing is known.
  uint64_t percentile(uint32_t percent) const {
    uint64_t rank = (total_ * percent + 99) / 100;
    if (total_ == 0) return 0;
    if (rank == 0) rank = 1;
    for (size_t i = 0; i < kBins; ++i) {
      if (bins_[i] >= rank) return ns_of(i);
      rank -= bins_[i];
    }
    return ns_of(kBins - 1);
  }
  // Calls on(middle of a bin in ns, count) for each that is not empty, in order.
  template <typename On>
  void each(const On& on) const {
    for (size_t i = 0; i < kBins; ++i) {
      if (bins_[i] > 0) on(ns_of(i), uint64_t{bins_[i]});
    }
  }

 private:
  static constexpr uint64_t kMemory = 1 << 20;  // calls after which half of what is known fades
  Bins bins_{};
  uint64_t total_ = 0, lifetime_ = 0;
};

}  // namespace ingero::correlate
