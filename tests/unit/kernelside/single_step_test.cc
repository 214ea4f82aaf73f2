// The measurement itself: a step costs something, and not the time of the probes' placing.
#include "kernelside/single_step.h"

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

TEST(SingleStep, TakesLongerThanAnEmulatedInstructionAndLessThanAMillisecond) {
  const auto measured = measure_single_step_ns();
  if (!measured.ok() && measured.error().code() == Errc::kPermission) GTEST_SKIP() << measured.error().text();
  if (!measured.ok() && measured.error().code() == Errc::kNotSupported) GTEST_SKIP() << measured.error().text();
  ASSERT_TRUE(measured.ok()) << measured.error().text();
  EXPECT_GT(*measured, 50U) << "a trap and its return";
  EXPECT_LT(*measured, 1'000'000U);
}

}  // namespace
}  // namespace ingero::kernelside
