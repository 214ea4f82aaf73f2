// Merging, percentiles and the encoded form of a histogram.
#include "store/db/histogram.h"

#include <cmath>
#include <utility>
#include <vector>

#include "base/varint.h"

namespace ingero::store {

void Histogram::merge(const Histogram& other) {
  for (size_t i = 0; i < kOctaves; ++i) {
    if (!other.octaves_[i]) continue;
    if (!octaves_[i]) octaves_[i] = std::make_unique<Octave>();
    for (size_t j = 0; j < kPerOctave; ++j) (*octaves_[i])[j] += (*other.octaves_[i])[j];
  }
  total_ += other.total_;
}

uint64_t Histogram::percentile(double p) const {
  if (total_ == 0) return 0;
  auto rank = static_cast<uint64_t>(std::ceil(p * static_cast<double>(total_)));
  rank = rank == 0 ? 1 : (rank > total_ ? total_ : rank);
  uint64_t seen = 0;
  for (size_t i = 0; i < kOctaves; ++i) {
    if (!octaves_[i]) continue;
    for (size_t j = 0; j < kPerOctave; ++j) {
      seen += (*octaves_[i])[j];
      if (seen >= rank) return middle_of(i * kPerOctave + j);
    }
  }
  return 0;
}

std::string Histogram::encode() const {
  std::string out;
  size_t next = 0;
  for (size_t i = 0; i < kOctaves; ++i) {
    if (!octaves_[i]) continue;
    for (size_t j = 0; j < kPerOctave; ++j) {
      const uint64_t count = (*octaves_[i])[j];
      if (count == 0) continue;
      const size_t bucket = i * kPerOctave + j;
      put_varint(out, bucket - next);
      put_varint(out, count);
      next = bucket + 1;
    }
  }
  return out;
}

bool Histogram::merge_encoded(std::string_view untrusted) {
  std::vector<std::pair<size_t, uint64_t>> buckets;
  uint64_t next = 0;
  uint64_t sum = total_;
  while (!untrusted.empty()) {
    uint64_t gap = 0;
    uint64_t count = 0;
    if (!get_varint(untrusted, gap) || !get_varint(untrusted, count)) return false;
    if (gap >= kBuckets || next + gap >= kBuckets || count == 0 || sum + count < sum) return false;
    buckets.emplace_back(next + gap, count);
    sum += count;
    next += gap + 1;
  }
  for (const auto& [bucket, count] : buckets) add(middle_of(bucket), count);
  return true;
}

}  // namespace ingero::store
