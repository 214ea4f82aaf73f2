// Names of launched functions by process: inherited, and gone with the last of those that may launch them.
#include "store/write/function_names.h"

#include <gtest/gtest.h>

namespace ingero::store::testing {
namespace {

using Added = FunctionNames::Added;

TEST(StoreFunctionNames, AHandleIsNamedOnceUntilItGetsAnother) {
  FunctionNames names;
  EXPECT_EQ(names.add(1, 0x10, "gemm"), Added::kFirst);
  EXPECT_EQ(names.add(1, 0x10, "gemm"), Added::kSame);
  EXPECT_EQ(names.add(1, 0x10, "softmax"), Added::kRenamed);
  EXPECT_EQ(*names.find(1, 0x10), "softmax");
  EXPECT_EQ(names.find(1, 0x20), nullptr);
  EXPECT_EQ(names.find(2, 0x10), nullptr);
  EXPECT_EQ(names.size(), 1U);
}

TEST(StoreFunctionNames, AChildKeepsWhatItInheritedWhenItsParentIsOver) {
  FunctionNames names;
  names.add(1, 0x10, "gemm");
  EXPECT_TRUE(names.add_parent(2, 1));
  EXPECT_TRUE(names.add_parent(3, 2));
  names.process_ended(1);
  names.process_ended(2);
  ASSERT_NE(names.find(3, 0x10), nullptr);
  EXPECT_EQ(*names.find(3, 0x10), "gemm");
  names.process_ended(3);
  EXPECT_EQ(names.find(3, 0x10), nullptr);
  EXPECT_EQ(names.size(), 0U);
  EXPECT_EQ(names.processes(), 0U);
}

TEST(StoreFunctionNames, ProcessesThatComeAndGoTakeNoRoomForEver) {
  FunctionNames names;
  for (int64_t process = 0; process < 100; ++process) {
    for (uint64_t handle = 0; handle < 5000; ++handle) {
      ASSERT_EQ(names.add(process, handle, "kernel " + std::to_string(handle)), Added::kFirst) << process;
    }
    names.process_ended(process);
  }
  EXPECT_EQ(names.size(), 0U);
}

TEST(StoreFunctionNames, WhatLivesIsBounded) {
  FunctionNames names;
  for (uint64_t handle = 0; handle < FunctionNames::kMaxNames; ++handle) names.add(1, handle, "same");
  EXPECT_EQ(names.add(2, 1, "one more"), Added::kNoRoom);
  EXPECT_EQ(names.add(1, 1, "another"), Added::kRenamed) << "takes no more room";
  names.process_ended(1);
  EXPECT_EQ(names.add(2, 1, "one more"), Added::kFirst);
}

}  // namespace
}  // namespace ingero::store::testing
