// Who gets numbers of probes, and which.
#include "kernelside/probe_numbers.h"

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

constexpr uint32_t kNumbers = ProbeNumbers::kAll, kShare = ProbeNumbers::kShare, kReserve = ProbeNumbers::kReserve;

TEST(ProbeNumbers, TheLongestUnusedComeFirstAndThenNewOnes) {
  ProbeNumbers numbers;
  const auto first = numbers.take(0, 3), second = numbers.take(0, 2);
  EXPECT_EQ(first, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(second, (std::vector<uint32_t>{3, 4}));
  numbers.give_back(*second);
  numbers.give_back(*first);
  EXPECT_EQ(numbers.free(), kNumbers);
  EXPECT_EQ(numbers.take(0, 4), (std::vector<uint32_t>{3, 4, 0, 1}));
  EXPECT_EQ(numbers.take(0, 2), (std::vector<uint32_t>{2, 5}));
  EXPECT_EQ(numbers.take(0, kNumbers - 6)->front(), 6U);
  EXPECT_EQ(numbers.take(0, 1), std::nullopt);
  EXPECT_EQ(numbers.used(0), kNumbers);
}

TEST(ProbeNumbers, AllOrNothing) {
  ProbeNumbers numbers;
  ASSERT_TRUE(numbers.take(0, kNumbers - 4));
  EXPECT_EQ(numbers.take(0, 5), std::nullopt);
  EXPECT_EQ(numbers.free(), 4U);
  EXPECT_TRUE(numbers.take(0, 4));
}

TEST(ProbeNumbers, OneUserLeavesAShareForAnotherAndTheLastQuarterToRoot) {
  ProbeNumbers numbers;
  ASSERT_TRUE(numbers.take(1000, kNumbers - kReserve - kShare));
  EXPECT_EQ(numbers.take(1000, 1), std::nullopt);
  ASSERT_TRUE(numbers.take(1001, kShare));
  EXPECT_EQ(numbers.take(1001, 1), std::nullopt);
  EXPECT_EQ(numbers.take(1002, 1), std::nullopt);
  EXPECT_TRUE(numbers.take(0, kReserve));
}

TEST(ProbeNumbers, AreShortForWhoHasMuchBeforeTheyAreForOthers) {
  ProbeNumbers numbers;
  ASSERT_TRUE(numbers.take(1000, kShare + 1));
  EXPECT_TRUE(numbers.is_short(1000));
  EXPECT_FALSE(numbers.is_short(1001));
  EXPECT_FALSE(numbers.is_short(0));
  ASSERT_TRUE(numbers.take(0, kNumbers - kShare - 1));
  EXPECT_TRUE(numbers.is_short(1001));
  EXPECT_TRUE(numbers.is_short(0));
}

TEST(ProbeNumbers, WhatWasNotTakenIsNotGivenBack) {
  ProbeNumbers numbers;
  const auto some = numbers.take(1000, 2);
  const std::vector<uint32_t> twice = {0, 0, 1, 7, kNumbers};
  numbers.give_back(twice);
  EXPECT_EQ(numbers.free(), kNumbers);
  EXPECT_EQ(numbers.used(1000), 0U);
  EXPECT_EQ(numbers.returns(), 1U);
}

}  // namespace
}  // namespace ingero::kernelside
