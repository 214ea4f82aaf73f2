// Times are read as users write them, in their zone, and nonsense is refused.
#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

#include "cli/flags.h"

namespace ingero::cli {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kDay = 1'795'219'200 * kSecond;  // 2026-11-21T00:00:00Z

class ParseTime : public ::testing::Test {
 protected:
  void SetUp() override { zone("UTC"); }
  void TearDown() override {
    unsetenv("TZ");
    tzset();
  }
  static void zone(const char* name) {
    setenv("TZ", name, 1);
    tzset();
  }
};

TEST_F(ParseTime, ReadsDateAndTimeWithBlankOrT) {
  const uint64_t expected = kDay + (2 * 3600 + 26 * 60) * kSecond;
  EXPECT_EQ(*parse_time("2026-11-21 02:26", 0), expected);
  EXPECT_EQ(*parse_time("2026-11-21T02:26:36", 0), expected + 36 * kSecond);
  EXPECT_EQ(*parse_time("2026-11-21T02:26:36.25", 0), expected + 36 * kSecond + kSecond / 4);
  EXPECT_EQ(*parse_time("2026-11-21T02:26:36.000000001Z", 0), expected + 36 * kSecond + 1);
  EXPECT_EQ(*parse_time("2026-11-21", 0), kDay);
  EXPECT_EQ(*parse_time("9999-12-31", 0), static_cast<uint64_t>(INT64_MAX));
}

TEST_F(ParseTime, TakesATimeAloneOnTheGivenDay) {
  EXPECT_EQ(*parse_time("02:26", kDay + 20 * 3600 * kSecond), kDay + (2 * 3600 + 26 * 60) * kSecond);
}

TEST_F(ParseTime, IsLocalUnlessAZoneIsSaid) {
  zone("<+02>-2");
  EXPECT_EQ(*parse_time("2026-11-21 02:00", 0), kDay);
  EXPECT_EQ(*parse_time("2026-11-21 02:00Z", 0), kDay + 7200 * kSecond);
  EXPECT_EQ(*parse_time("2026-11-21 02:00+01:00", 0), kDay + 3600 * kSecond);
  EXPECT_EQ(*parse_time("2026-11-20T22:00-02:00", 0), kDay);
}

TEST_F(ParseTime, RefusesWhatIsNoTime) {
  for (const char* text : {"", "now", "2026-13-01", "2026-02-29", "2026-11-31", "2026-11-21 24:00", "2026-11-21 02:60",
                           "2026-11-21  02:26", "2026-11-21 02:26:", "2026-11-21 02:26:36.", "2026-11-21 02", "02",
                           "1969-12-31", "2026-11-21 02:26Zx", "2026-11-21 02:26+1", "-2026-11-21"}) {
    const auto parsed = parse_time(text, kDay);
    EXPECT_FALSE(parsed.ok()) << text;
    if (!parsed.ok()) {
      EXPECT_EQ(parsed.error().code(), Errc::kInvalid);
    }
  }
}

}  // namespace
}  // namespace ingero::cli
