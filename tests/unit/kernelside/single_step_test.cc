// The measurements themselves: a probe costs something, and not the time of its placing.
#include "kernelside/single_step.h"

#include <gtest/gtest.h>

#include "kernelside/mechanism.h"

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

TEST(ProbeCost, IsThatOfTwoTrapsForEachMechanism) {
  size_t measured = 0;
  for (const Mechanism mechanism : kMechanisms) {
    if (!probe_mechanism(mechanism).works) continue;
    const auto cost = measure_probe_ns(mechanism);
    ASSERT_TRUE(cost.ok()) << name_of(mechanism) << ": " << cost.error().text();
    EXPECT_GT(*cost, 100U) << name_of(mechanism) << ": two traps and their returns";
    EXPECT_LT(*cost, 100'000U) << name_of(mechanism);
    RecordProperty(std::string(name_of(mechanism)) + "_ns", static_cast<int>(*cost));
    ++measured;
  }
  if (measured == 0) GTEST_SKIP() << "no probes here: it takes root and a kernel that has them";
}

}  // namespace
}  // namespace ingero::kernelside
