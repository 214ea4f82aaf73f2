// Bounded containers count what they drop, once, under the name they were given.
#include "hal/bounded.h"

#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace ingero::hal {
namespace {

uint64_t total(const LossLedger& ledger) {
  uint64_t sum = 0;
  for (size_t loss = 0; loss < static_cast<size_t>(Loss::kCount); ++loss) sum += ledger.count(static_cast<Loss>(loss));
  return sum;
}

TEST(Bounded, WhatAFullContainerHasNoRoomForIsCountedOnce) {
  LossLedger ledger;
  std::vector<int> items;
  for (int i = 0; i < 5; ++i) {
    if (has_room(items, 3, Loss::sampler_event_lost, ledger)) items.push_back(i);
  }
  EXPECT_EQ(items, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(ledger.count(Loss::sampler_event_lost), 2U);
  EXPECT_EQ(total(ledger), 2U);
}

TEST(Bounded, WhatAFullContainerHeldIsCounted) {
  LossLedger ledger;
  std::map<int, int> known;
  for (int i = 0; i < 7; ++i) {
    clear_if_full(known, 3, Loss::process_forgotten, ledger);
    known[i] = i;
  }
  EXPECT_EQ(known.size(), 1U);
  EXPECT_EQ(ledger.count(Loss::process_forgotten), 6U);
  EXPECT_EQ(total(ledger), 6U);
}

// Each container that drops has a name for it: none of these may count as what another one lost.
TEST(Bounded, LossesHaveOneNameEach) {
  std::set<std::string_view> names, sentences;
  for (const LossRow& row : kLossTable) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(sentences.insert(row.sentence).second) << row.sentence;
    EXPECT_TRUE(row.sentence.ends_with('.')) << row.name;
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(Loss::kCount));
}

}  // namespace
}  // namespace ingero::hal
