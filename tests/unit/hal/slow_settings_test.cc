// Whether a value of a setting slows a program down.
#include "hal/slow_settings.h"

#include <gtest/gtest.h>

namespace ingero::hal {
namespace {

TEST(SlowSettings, AnyValueButZeroSlowsWhereNoneIsNamed) {
  constexpr SlowSetting kSwitch{"SWITCH", TimeClass::kSubmit, ""};
  EXPECT_TRUE(is_slow(kSwitch, "1", 0));
  EXPECT_TRUE(is_slow(kSwitch, "yes", 0));
  EXPECT_FALSE(is_slow(kSwitch, "0", 0));
}

TEST(SlowSettings, OnlyTheNamedValuesSlow) {
  constexpr SlowSetting kLevel{"LEVEL", TimeClass::kSubmit, "", "TRACE,ALL"};
  EXPECT_TRUE(is_slow(kLevel, "TRACE", 0));
  EXPECT_TRUE(is_slow(kLevel, "ALL", 0));
  for (const char* value : {"INFO", "1", "", "TRACE,ALL"}) EXPECT_FALSE(is_slow(kLevel, value, 0)) << value;
}

TEST(SlowSettings, ThreadsSlowWhereThereAreMoreThanCpus) {
  const SlowSetting* threads = find_slow_setting("OMP_NUM_THREADS");
  ASSERT_NE(threads, nullptr);
  EXPECT_TRUE(is_slow(*threads, "3", 2));
  EXPECT_FALSE(is_slow(*threads, "2", 2));
  EXPECT_FALSE(is_slow(*threads, "3", 0)) << "not known how many CPUs there are";
  for (const char* value : {"4,2", "-1", "many", ""}) EXPECT_FALSE(is_slow(*threads, value, 2)) << value;
}

TEST(SlowSettings, LaunchesBlockWhereASettingOfTheProgramSaysSo) {
  constexpr SlowSetting kOf[] = {{"ACME_BLOCKING", TimeClass::kDeviceWait, "", {}, false, true}};
  const std::span<const SlowSetting> tables[] = {kOf};
  publish_slow_settings(tables);
  EXPECT_TRUE(makes_launches_block("OMP_NUM_THREADS=4 ACME_BLOCKING=1"));
  for (const char* other : {"", "ACME_BLOCKING=0", "ACME_BLOCKING", "OMP_NUM_THREADS=4", "XACME_BLOCKING=1"}) {
    EXPECT_FALSE(makes_launches_block(other)) << other;
  }
}

TEST(SlowSettings, LaunchesBlockWithTheNamedValuesAlone) {
  constexpr SlowSetting kLevels{"LEVELS", TimeClass::kSubmit, "", "1,2,3", false, true, "2,3"};
  EXPECT_FALSE(blocks_launches(kLevels, "LEVELS=1"));
  EXPECT_TRUE(blocks_launches(kLevels, "LEVELS=2"));
  EXPECT_TRUE(blocks_launches(kLevels, "LEVELS=3"));
}

}  // namespace
}  // namespace ingero::hal
