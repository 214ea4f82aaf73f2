// Durations counted in log-linear buckets: exact below 128 ns, 64 buckets an octave above, so that a bucket's middle is
// within 1/128 (0.8 %) of every value in it, over the whole range of 64 bits.
//
// Of a few values memory grows by value (16 bytes each), then by octave touched (512 bytes each): most processes are
// short. Moves, does not copy. Threads: one at a time. Failure: false of merge_encoded() only.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::store {

class Histogram {
 public:
  void add(uint64_t value, uint64_t count = 1) {
    add_to(bucket_of(value), count);
    total_ += count;
  }
  void merge(const Histogram& other);
  uint64_t total() const { return total_; }
  // The value of nearest rank ceil(p * total), 0 < p <= 1, as its bucket's middle; 0 when empty.
  uint64_t percentile(double p) const;

  // Calls on(bucket, count) for each bucket that is not empty, in order.
  template <typename On>
  void each(const On& on) const {
    for (const Count& one : few_) on(one.bucket, one.count);
    if (!octaves_) return;
    for (size_t octave = 0; octave < kOctaves; ++octave) {
      if (!(*octaves_)[octave]) continue;
      for (size_t i = 0; i < kPerOctave; ++i) {
        if ((*(*octaves_)[octave])[i] > 0) on(octave * kPerOctave + i, (*(*octaves_)[octave])[i]);
      }
    }
  }

  // Pairs of varints, (buckets skipped, count), of the buckets that are not empty; docs/formats/store.md.
  std::string encode() const;
  // Adds an encoded histogram to this one. False, and nothing added, when the text is not one.
  bool merge_encoded(std::string_view untrusted);

  static constexpr size_t kPerOctave = 64;
  static constexpr size_t kOctaves = 59;
  static constexpr size_t kBuckets = kPerOctave * kOctaves;
  // The least value of a bucket.
  static constexpr uint64_t least_of(size_t bucket) {
    if (bucket < 2 * kPerOctave) return bucket;
    return uint64_t{kPerOctave + bucket % kPerOctave} << (bucket / kPerOctave - 1);
  }
  static constexpr size_t bucket_of(uint64_t value) {
    if (value < 2 * kPerOctave) return static_cast<size_t>(value);
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - 7;
    return static_cast<size_t>(shift) * kPerOctave + static_cast<size_t>(value >> shift);
  }
  static constexpr uint64_t middle_of(size_t bucket) {
    if (bucket < 2 * kPerOctave) return bucket;
    const size_t shift = bucket / kPerOctave - 1;
    const uint64_t low = (kPerOctave + bucket % kPerOctave) << shift;
    return low + (uint64_t{1} << shift) / 2;
  }

 private:
  static constexpr size_t kFew = 32;
  struct Count {
    size_t bucket;
    uint64_t count;  // never 0
  };
  using Octave = std::array<uint64_t, kPerOctave>;

  void add_to(size_t bucket, uint64_t count) {
    if (!octaves_) return add_to_few(bucket, count);
    auto& octave = (*octaves_)[bucket / kPerOctave];
    if (!octave) octave = std::make_unique<Octave>();
    (*octave)[bucket % kPerOctave] += count;
  }
  void add_to_few(size_t bucket, uint64_t count);

  std::vector<Count> few_;  // in order; at most kFew, and none once there are octaves
  std::unique_ptr<std::array<std::unique_ptr<Octave>, kOctaves>> octaves_;
  uint64_t total_ = 0;
};
static_assert(Histogram::bucket_of(127) == 127 && Histogram::bucket_of(128) == 128);
static_assert(Histogram::bucket_of(~uint64_t{0}) == Histogram::kBuckets - 1);

}  // namespace ingero::store
