// Who else used the disks, from counts that grow: differences, the largest first, and only where it matters.
#include "kernelside/disk_use.h"

#include <unistd.h>

#include <cstring>

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

using Disks = std::vector<std::pair<uint32_t, wire_device_io>>;
using Users = std::vector<std::pair<wire_disk_user_key, wire_disk_user>>;
constexpr uint64_t kMB = 1'000'000;
constexpr uint32_t kDisk = 254 << 20, kOther = 8 << 20;

std::pair<uint32_t, wire_device_io> disk(uint32_t dev, uint64_t others_bytes, uint64_t own_bytes) {
  return {dev,
          {.requests = others_bytes / kMB,
           .bytes = others_bytes,
           .total_ns = 1,
           .failed = 0,
           .own_requests = 1,
           .own_bytes = own_bytes}};
}

std::pair<wire_disk_user_key, wire_disk_user> user(uint32_t dev, uint32_t pid, uint64_t bytes) {
  wire_disk_user made{.requests = bytes / kMB, .bytes = bytes, .comm = {}};
  std::memcpy(made.comm, "abcdefghijklmnop", sizeof(made.comm));  // without an end
  return {{dev, pid}, made};
}

TEST(DiskUse, OthersAreNamedByWhatTheyAskedForSinceTheLastTime) {
  DiskUses uses;
  uses.take(Disks{disk(kDisk, 100 * kMB, 5 * kMB)}, Users{user(kDisk, 7, 60 * kMB), user(kDisk, 8, 40 * kMB)}, 1);
  const auto found = uses.take(Disks{disk(kDisk, 150 * kMB, 6 * kMB)},
                               Users{user(kDisk, 7, 70 * kMB), user(kDisk, 8, 80 * kMB), user(kOther, 7, kMB),
                                     user(kDisk, static_cast<uint32_t>(getpid()), 99 * kMB)},
                               2);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].pid, 0U);
  EXPECT_EQ(found[0].bytes, 50 * kMB);
  EXPECT_EQ(found[0].requests, 50U);
  EXPECT_EQ(found[0].own_bytes, kMB);
  EXPECT_EQ(found[0].device, kDisk);
  EXPECT_EQ(found[1].pid, 8U);
  EXPECT_EQ(found[1].bytes, 40 * kMB);
  EXPECT_EQ(found[1].comm, std::string("abcdefghijklmnop", WIRE_COMM_LEN));
  EXPECT_EQ(found[2].pid, 7U);
  EXPECT_EQ(found[2].bytes, 10 * kMB);
  EXPECT_EQ(found[2].mono_ns, 2U);
}

TEST(DiskUse, ADiskThatNobodyTracedUsesOrThatOthersHardlyUseIsLeftOut) {
  DiskUses uses;
  EXPECT_TRUE(
      uses.take(Disks{disk(kDisk, 100 * kMB, 0), disk(kOther, kMB, 5 * kMB)}, Users{user(kDisk, 7, kMB)}, 1).empty());
  EXPECT_TRUE(uses.take(Disks{disk(kDisk, 100 * kMB, 0), disk(kOther, kMB, 5 * kMB)}, Users{}, 2).empty());
}

TEST(DiskUse, OneThatWasForgottenBeginsAnewAndTheRestIsBounded) {
  DiskUses uses;
  uses.take(Disks{disk(kDisk, kMB, kMB)}, Users{user(kDisk, 7, 60 * kMB)}, 1);
  Users many{user(kDisk, 7, 2 * kMB)};
  for (uint32_t pid = 100; pid < 110; ++pid) many.push_back(user(kDisk, pid, pid * kMB));
  const auto found = uses.take(Disks{disk(kDisk, 900 * kMB, 2 * kMB)}, many, 2);
  ASSERT_EQ(found.size(), 1 + DiskUses::kMaxNamed);
  EXPECT_EQ(found[1].pid, 109U);
  const auto next = uses.take(Disks{disk(kDisk, 999 * kMB, 3 * kMB)}, Users{user(kDisk, 7, kMB)}, 3);
  ASSERT_EQ(next.size(), 2U);
  EXPECT_EQ(next[1].bytes, kMB) << "less than before: it was forgotten meanwhile";
}

}  // namespace
}  // namespace ingero::kernelside
