// Prototypes of tracepoints, from types made by hand: what other kernels have.
#include "kernelside/tracepoint_types.h"

#include <bpf/btf.h>

#include <vector>

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

enum class Argument { kNumber, kPointer };

// sched_switch as 5.17 and 5.18 declare it, and mark_victim before and after 6.8.
class TracepointTypesTest : public ::testing::Test {
 protected:
  void add(const char* name, const std::vector<Argument>& arguments) {
    const int number = btf__add_int(raw_, "unsigned int", 4, 0);
    const int pointer = btf__add_ptr(raw_, 0);
    const int prototype = btf__add_func_proto(raw_, 0);
    btf__add_func_param(raw_, "__data", pointer);
    for (const Argument argument : arguments) {
      btf__add_func_param(raw_, "argument", argument == Argument::kPointer ? pointer : number);
    }
    const int pointed = btf__add_ptr(raw_, prototype);
    ASSERT_GT(btf__add_typedef(raw_, name, pointed), 0);
  }

  btf* raw_ = btf__new_empty();
  TracepointTypes types_{raw_};
};

TEST_F(TracepointTypesTest, CountsTheArgumentsThatProgramsSee) {
  add("btf_trace_before", {Argument::kNumber, Argument::kPointer, Argument::kPointer});
  add("btf_trace_since", {Argument::kNumber, Argument::kPointer, Argument::kPointer, Argument::kNumber});
  add("btf_trace_alone", {});
  EXPECT_EQ(types_.arguments("before"), 3U);
  EXPECT_EQ(types_.arguments("since"), 4U);
  EXPECT_EQ(types_.arguments("alone"), 0U);
}

TEST_F(TracepointTypesTest, ATracepointThatIsMissingHasNone) {
  add("btf_trace_other", {Argument::kPointer});
  EXPECT_EQ(types_.arguments("missing"), std::nullopt);
  EXPECT_FALSE(types_.is_pointer("missing", 0));
}

TEST_F(TracepointTypesTest, ATypeOfThatNameThatIsNoPrototypeIsNone) {
  const int number = btf__add_int(raw_, "int", 4, 0);
  ASSERT_GT(btf__add_typedef(raw_, "btf_trace_number", number), 0);
  ASSERT_GT(btf__add_typedef(raw_, "btf_trace_pointer", btf__add_ptr(raw_, number)), 0);
  EXPECT_EQ(types_.arguments("number"), std::nullopt);
  EXPECT_EQ(types_.arguments("pointer"), std::nullopt);
}

TEST_F(TracepointTypesTest, KnowsWhichArgumentsArePointers) {
  add("btf_trace_by_number", {Argument::kNumber});
  add("btf_trace_by_task", {Argument::kPointer, Argument::kNumber});
  EXPECT_FALSE(types_.is_pointer("by_number", 0));
  EXPECT_TRUE(types_.is_pointer("by_task", 0));
  EXPECT_FALSE(types_.is_pointer("by_task", 1));
  EXPECT_FALSE(types_.is_pointer("by_task", 2));
}

TEST(TracepointTypes, OfThisKernel) {
  auto types = TracepointTypes::of_this_kernel();
  if (!types.ok()) GTEST_SKIP() << types.error().text();
  ASSERT_TRUE(types->arguments("sched_switch"));
  EXPECT_GE(*types->arguments("sched_switch"), 3U);
  EXPECT_TRUE(types->is_pointer("sched_switch", 1));
}

}  // namespace
}  // namespace ingero::kernelside
