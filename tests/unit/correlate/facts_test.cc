// What the engine takes from a call's name, in the vendors' own spellings.
#include "correlate/facts.h"

#include <string_view>

#include <gtest/gtest.h>

namespace ingero::correlate {
namespace {

GraphStep step_of(std::string_view name, hal::Kind kind = hal::Kind::kGraph) {
  return make_facts(name, name, "LAYER", "vendor", kind, false, false).graph;
}

TEST(Facts, StepsOfAGraphAreFoundInEveryVendorsNames) {
  EXPECT_EQ(step_of("cudaStreamBeginCapture"), GraphStep::kBegin);
  EXPECT_EQ(step_of("zeCommandListBeginGraphCaptureExt"), GraphStep::kBegin);
  EXPECT_EQ(step_of("zeCommandListBeginCaptureIntoGraphExt"), GraphStep::kBegin);
  EXPECT_EQ(step_of("hipStreamEndCapture"), GraphStep::kEnd);
  EXPECT_EQ(step_of("zeCommandListEndGraphCaptureExt"), GraphStep::kEnd);
  EXPECT_EQ(step_of("zeGraphInstantiateExt"), GraphStep::kInstantiate);
  EXPECT_EQ(step_of("cuGraphLaunch"), GraphStep::kLaunch);
  EXPECT_EQ(step_of("zeCommandListAppendGraphExt"), GraphStep::kLaunch);
  EXPECT_EQ(step_of("zeGraphDestroyExt"), GraphStep::kOther);
}

TEST(Facts, OnlyCallsOfGraphsAreStepsOfOne) {
  EXPECT_EQ(step_of("cudaStreamEndCapture", hal::Kind::kStream), GraphStep::kNone);
}

TEST(Facts, WhatGivesMemoryBackAtOnceMayWaitForTheDevice) {
  const auto frees = [](std::string_view name, bool below_runtime = false, bool is_async = false) {
    return make_facts(name, name, "LAYER", "vendor", hal::Kind::kFree, false, below_runtime, is_async).frees;
  };
  for (const char* name : {"cudaFree", "cudaFreeHost", "cuMemHostUnregister", "hipHostFree"}) EXPECT_TRUE(frees(name));
  EXPECT_FALSE(frees("cudaFree", false, true));
  for (const char* name : {"cudaFreeAsync", "cudaFreeArray", "cuMemUnmap", "cuMemAddressFree", "zeMemFree"}) {
    EXPECT_FALSE(frees(name)) << name;
  }
  EXPECT_TRUE(frees("cuMemFree", true));
}

}  // namespace
}  // namespace ingero::correlate
