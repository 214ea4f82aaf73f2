// Small ids of keys: bounded, and one that is in use keeps its own.
#include "store/db/dictionary.h"

#include <gtest/gtest.h>

namespace ingero::store {
namespace {

TEST(Dictionary, AKeyThatIsInUseKeepsItsIdWhateverComesAndGoes) {
  Dictionary<1> dictionary(1024);
  const int64_t mine = dictionary.id_of({{7}});
  for (uint64_t passing = 1000; passing < 20'000; ++passing) {
    bool is_new = false;
    (void)dictionary.id_of({{passing}}, is_new);
    EXPECT_TRUE(is_new);
    if (passing % 400 != 0) continue;
    EXPECT_EQ(dictionary.id_of({{7}}), mine);
  }
  // One that was not asked for is another by now, and is written again.
  dictionary.committed();
  bool is_new = false;
  EXPECT_GT(dictionary.id_of({{1000}}, is_new), 19'000);
  EXPECT_TRUE(is_new);
  ASSERT_EQ(dictionary.pending().size(), 1U);
}

TEST(Dictionary, WhatIsForgottenGetsAnotherId) {
  Dictionary<1> dictionary(8);
  const int64_t first = dictionary.id_of({{1}});
  for (uint64_t other = 2; other < 7; ++other) (void)dictionary.id_of({{other}});  // 1 is among the older ones
  ASSERT_NE(dictionary.find({{1}}), nullptr);
  dictionary.forget({{1}});
  EXPECT_EQ(dictionary.find({{1}}), nullptr);
  EXPECT_NE(dictionary.id_of({{1}}), first);
}

}  // namespace
}  // namespace ingero::store
