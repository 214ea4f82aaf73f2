// How many names a sender may bring, and that others find room next to one that brings them without end.
#include "fleet/server/name_shares.h"

#include <gtest/gtest.h>

namespace ingero::fleet::server {
namespace {

constexpr uint64_t kHeld_ns = 60'000'000'000;

size_t bring(NameShares& shares, const std::string& sender, size_t count, uint64_t mono_ns) {
  size_t taken = 0;
  for (size_t i = 0; i < count; ++i) taken += shares.take(sender, sender + std::to_string(i), mono_ns) ? 1 : 0;
  return taken;
}

TEST(NameShares, AFloodLeavesRoomForTheOthers) {
  NameShares shares(256, kHeld_ns);
  EXPECT_EQ(bring(shares, "flood", 100'000, 1), 224U);
  EXPECT_EQ(bring(shares, "first", 8, 1), 8U);
  EXPECT_EQ(bring(shares, "second", 100'000, 1), 21U) << "seven in eight of what was left";
  EXPECT_EQ(bring(shares, "third", 1, 1), 1U);
  EXPECT_TRUE(shares.take("first", "flood0", 1)) << "what is known is anybody's";
  EXPECT_TRUE(shares.take("", "of a sender that is not known", 1));
}

TEST(NameShares, WhatIsNotUsedIsForgotten) {
  NameShares shares(256, kHeld_ns);
  EXPECT_EQ(bring(shares, "flood", 300, 1), 224U);
  EXPECT_TRUE(shares.take("flood", "flood7", kHeld_ns));
  EXPECT_TRUE(shares.take("flood", "another", kHeld_ns + 1));
  EXPECT_EQ(bring(shares, "first", 300, kHeld_ns + 1), 223U) << "beside the two";
}

TEST(NameShares, TheLastOneIsForSomebodyElse) {
  NameShares shares(8, kHeld_ns);
  EXPECT_EQ(bring(shares, "a", 100, 1), 7U);
  EXPECT_EQ(bring(shares, "b", 100, 1), 1U);
  EXPECT_EQ(bring(shares, "c", 100, 1), 0U) << "there is none left";
}

}  // namespace
}  // namespace ingero::fleet::server
