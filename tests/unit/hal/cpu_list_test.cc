// Lists of CPUs as the kernel writes them, and what is none.
#include "hal/cpu_list.h"

#include <gtest/gtest.h>

namespace ingero::hal {
namespace {

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  for (const auto& [text, count] : {std::pair{"0-3,6\n", 5U}, {"0", 1U}, {"7", 1U}, {"0-8191", 8192U}}) {
    const auto list = CpuList::parse(text);
    ASSERT_TRUE(list) << text;
    EXPECT_EQ(list->count(), count);
  }
  EXPECT_EQ(CpuList::parse("0,1,2,4-5")->text(), "0-2,4-5");
}

TEST(CpuList, WhatIsNoListIsNone) {
  for (const char* text : {"", "\n", "x", "3-1", "1,1", "2,0", "0-8192", "1-", "-1", "0,,1", "99999999999999999999"}) {
    EXPECT_FALSE(CpuList::parse(text)) << text;
  }
}

TEST(CpuList, IsMadeOfNumbersInOrder) {
  CpuList list;
  EXPECT_TRUE(list.empty());
  for (const uint32_t cpu : {0U, 1U, 2U, 5U}) list.add(cpu);
  EXPECT_EQ(list.text(), "0-2,5");
  EXPECT_EQ(list.name(), "CPUs 0-2,5");
  EXPECT_EQ(CpuList::parse("5")->name(), "CPU 5");
  EXPECT_EQ(list, *CpuList::parse("0-2,5"));
}

TEST(CpuList, SharesWhatBothHave) {
  EXPECT_TRUE(CpuList::parse("0-3,8")->shares_any(*CpuList::parse("8-9")));
  EXPECT_FALSE(CpuList::parse("0-3,8")->shares_any(*CpuList::parse("4-7,9")));
}

}  // namespace
}  // namespace ingero::hal
