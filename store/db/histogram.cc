// Merging, percentiles and the encoded form of a histogram.
#include "store/db/histogram.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/varint.h"

namespace ingero::store {

void Histogram::add_to_few(size_t bucket, uint64_t count) {
  if (count == 0) return;
  const auto at = std::lower_bound(few_.begin(), few_.end(), bucket,
                                   [](const Count& one, size_t wanted) { return one.bucket < wanted; });
  if (at != few_.end() && at->bucket == bucket) {
    at->count += count;
  } else if (few_.size() < kFew) {
    few_.insert(at, {bucket, count});
  } else {
    octaves_ = std::make_unique<std::array<std::unique_ptr<Octave>, kOctaves>>();
    for (const Count& one : std::exchange(few_, {})) add_to(one.bucket, one.count);
    add_to(bucket, count);
  }
}

void Histogram::merge(const Histogram& other) {
  other.each([&](size_t bucket, uint64_t count) { add_to(bucket, count); });
  total_ += other.total_;
}

uint64_t Histogram::percentile(double p) const {
  if (total_ == 0) return 0;
  auto rank = static_cast<uint64_t>(std::ceil(p * static_cast<double>(total_)));
  rank = rank == 0 ? 1 : (rank > total_ ? total_ : rank);
  uint64_t seen = 0;
  std::optional<uint64_t> found;
  each([&](size_t bucket, uint64_t count) {
    seen += count;
    if (!found && seen >= rank) found = middle_of(bucket);
  });
  return found.value_or(0);
}

std::string Histogram::encode() const {
  std::string out;
  size_t next = 0;
  each([&](size_t bucket, uint64_t count) {
    put_varint(out, bucket - next);
    put_varint(out, count);
    next = bucket + 1;
  });
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
