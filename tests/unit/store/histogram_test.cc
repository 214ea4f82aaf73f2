// Log-linear histograms: their error bound, their encoded form, and what hostile bytes do to them.
#include "store/db/histogram.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ingero::store {
namespace {

TEST(Histogram, EveryBucketsMiddleIsWithinOneIn128OfItsValues) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t value = random() >> (random() % 64);
    const uint64_t middle = Histogram::middle_of(Histogram::bucket_of(value));
    const uint64_t error = value > middle ? value - middle : middle - value;
    EXPECT_LE(static_cast<double>(error), static_cast<double>(value) / 128) << value;
  }
}

TEST(Histogram, BucketsFollowEachOtherWithoutGaps) {
  for (size_t bucket = 0; bucket < Histogram::kBuckets; ++bucket) {
    EXPECT_EQ(Histogram::bucket_of(Histogram::middle_of(bucket)), bucket);
  }
}

TEST(Histogram, PercentilesAreNearestRankWithinTheBound) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> duration(10, 2);
  Histogram histogram;
  std::vector<uint64_t> values;
  for (int i = 0; i < 10007; ++i) {
    values.push_back(static_cast<uint64_t>(duration(random)));
    histogram.add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double p : {0.001, 0.5, 0.95, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<size_t>(std::ceil(p * 10007));
    const auto exact = static_cast<double>(values[rank - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.percentile(p)), exact, exact / 128 + 1) << p;
  }
}

TEST(Histogram, ComesBackFromItsEncodedFormAndAddsUp) {
  Histogram first, second;
  for (uint64_t i = 0; i < 1000; ++i) first.add(i * i * i);
  second.add(~uint64_t{0}, 3);
  ASSERT_TRUE(second.merge_encoded(first.encode()));
  first.add(~uint64_t{0}, 3);
  EXPECT_EQ(second.encode(), first.encode());
  EXPECT_EQ(second.total(), 1003U);
  Histogram third;
  third.merge(first);
  EXPECT_EQ(third.encode(), first.encode());
}

// Few values and many are held in two ways, and read alike, in whatever order they come in.
TEST(Histogram, OfAnyNumberOfValuesEachIsCountedInItsBucket) {
  std::mt19937_64 random(3);
  for (size_t values = 0; values < 100; ++values) {
    Histogram one, merged;
    std::map<size_t, uint64_t> buckets;
    for (size_t i = 0; i < values; ++i) {
      const uint64_t value = random() >> (random() % 64);
      one.add(value, 1 + i % 3);
      Histogram part;
      part.add(value, 1 + i % 3);
      merged.merge(part);
      buckets[Histogram::bucket_of(value)] += 1 + i % 3;
    }
    std::map<size_t, uint64_t> seen;
    size_t last = 0;
    one.each([&](size_t bucket, uint64_t count) {
      EXPECT_TRUE(seen.empty() || bucket > last);
      last = bucket;
      seen[bucket] = count;
    });
    EXPECT_EQ(seen, buckets);
    EXPECT_EQ(merged.encode(), one.encode());
    if (buckets.empty()) continue;
    EXPECT_EQ(one.percentile(1), Histogram::middle_of(buckets.rbegin()->first));
  }
}

TEST(Histogram, EmptyHasNoPercentileAndNoBytes) {
  const Histogram empty;
  EXPECT_EQ(empty.percentile(0.5), 0U);
  EXPECT_TRUE(empty.encode().empty());
}

TEST(Histogram, DamagedBytesAreRefusedAndChangeNothing) {
  std::mt19937 random(3);
  Histogram histogram;
  histogram.add(5);
  const std::string before = histogram.encode();
  EXPECT_FALSE(histogram.merge_encoded("\x01"));                                              // a gap without a count
  EXPECT_FALSE(histogram.merge_encoded(std::string("\x01\x00", 2)));                          // no event in a bucket
  EXPECT_FALSE(histogram.merge_encoded("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01"));      // beyond the last bucket
  EXPECT_FALSE(histogram.merge_encoded("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));  // not 64 bits
  EXPECT_EQ(histogram.encode(), before);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    Histogram target;
    if (!target.merge_encoded(bytes)) {
      EXPECT_EQ(target.total(), 0U);
    }
  }
}

}  // namespace
}  // namespace ingero::store
