// What users type is read as they meant it or refused with a sentence; what they read is short and safe.
#include "base/text.h"

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "temp_folder.h"

namespace ingero {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(ParseDuration, ReadsGoSyntaxPlusDaysAndWeeks) {
  const std::pair<const char*, uint64_t> cases[] = {
      {"0", 0},
      {"0s", 0},
      {"10s", 10 * kSecond},
      {"500ms", kSecond / 2},
      {"250us", 250'000},
      {"250\xC2\xB5s", 250'000},
      {"250\xCE\xBCs", 250'000},
      {"7ns", 7},
      {"1h30m", 5'400 * kSecond},
      {"1.5h", 5'400 * kSecond},
      {"0.25s", kSecond / 4},
      {"2d", 172'800 * kSecond},
      {"1w", 604'800 * kSecond},
      {"1m0.5s", 60 * kSecond + kSecond / 2},
      {"0.1234567891234567891234s", 123'456'789},
  };
  for (const auto& [text, expected] : cases) {
    const auto got = parse_duration_ns(text);
    ASSERT_TRUE(got.ok()) << text << ": " << got.error().text();
    EXPECT_EQ(*got, expected) << text;
  }
}

TEST(ParseDuration, RefusesWhatIsNotADurationAndSaysWhy) {
  for (const char* text : {"", "5", "s", "-1s", "+1s", " 1s", "1s ", "1 s", "1x", "1.s", ".5s", "1e3s", "1h-30m",
                           "0x1s", "99999999999999999999s", "999999w", "1ss", "1..5s"}) {
    const auto got = parse_duration_ns(text);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_EQ(got.error().code(), Errc::kInvalid) << text;
    EXPECT_NE(got.error().message().find("duration"), std::string::npos) << text;
    EXPECT_FALSE(got.error().hint().empty()) << text;
  }
}

TEST(ParseDuration, AcceptsTheLongestSpanThatFitsAndRefusesOneNanosecondMore) {
  EXPECT_EQ(*parse_duration_ns("9223372036854775807ns"), static_cast<uint64_t>(INT64_MAX));
  EXPECT_FALSE(parse_duration_ns("9223372036854775808ns").ok());
  EXPECT_FALSE(parse_duration_ns("9223372036854775807ns1ns").ok());
}

TEST(ParseSize, CountsInPowersOf1024) {
  EXPECT_EQ(*parse_size_bytes("100"), 100U);
  EXPECT_EQ(*parse_size_bytes("0"), 0U);
  EXPECT_EQ(*parse_size_bytes("4k"), 4096U);
  EXPECT_EQ(*parse_size_bytes("512M"), 512ULL << 20);
  EXPECT_EQ(*parse_size_bytes("10g"), 10ULL << 30);
}

TEST(ParseSize, RefusesSignsUnknownSuffixesAndOverflow) {
  for (const char* text : {"", "g", "-1", "1.5g", "1gb", "1x", "10 g", "99999999999999999999", "9999999999g"}) {
    EXPECT_FALSE(parse_size_bytes(text).ok()) << text;
  }
}

TEST(ParseNumber, TakesTheWholeStringOrNothing) {
  EXPECT_EQ(parse_u64("0"), 0U);
  EXPECT_EQ(parse_u64("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_u64("0xFf"), 255U);
  for (const char* text : {"", "0x", "-1", "+1", "1 ", " 1", "12a", "0xg", "18446744073709551616"}) {
    EXPECT_FALSE(parse_u64(text).has_value()) << text;
  }
  EXPECT_EQ(parse_i64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_i64("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_i64("-0x10"), -16);
  for (const char* text : {"", "-", "--1", "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_FALSE(parse_i64(text).has_value()) << text;
  }
}

TEST(FormatDuration, PrintsThreeSignificantFiguresWithoutTrailingZeros) {
  const std::pair<uint64_t, const char*> cases[] = {
      {0, "0ns"},
      {17, "17ns"},
      {999, "999ns"},
      {1'000, "1us"},
      {73'000, "73us"},
      {73'456, "73.5us"},
      {999'499, "999us"},
      {999'500, "1ms"},
      {25'800'000, "25.8ms"},
      {1'200'000'000, "1.2s"},
      {77 * kSecond, "77s"},
      {9'996, "10us"},
      {99'960, "100us"},
      {125 * kSecond, "2m5s"},
      {3'600 * kSecond, "1h0m"},
      {3 * 86'400 * kSecond, "3d0h"},
  };
  for (const auto& [ns, expected] : cases) EXPECT_EQ(format_duration(ns), expected) << ns;
}

TEST(FormatDuration, StaysShortForTheLargestValue) { EXPECT_LE(format_duration(UINT64_MAX).size(), 10U); }

TEST(FormatBytes, UsesDecimalUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1ULL << 30), "1.07 GB");
  EXPECT_EQ(format_bytes(999'999), "1 MB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "18.4 EB");
}

TEST(FormatPercent, IsNoZeroWhereThereIsSomething) {
  EXPECT_EQ(format_percent(1, 4), "25%");
  EXPECT_EQ(format_percent(0, 4), "0%");
  EXPECT_EQ(format_percent(4, 1000), "<1%");
  EXPECT_EQ(format_percent(5, 1000), "<1%") << "would be rounded to 0";
  EXPECT_EQ(format_percent(4, 1000, 1), "0.4%");
  EXPECT_EQ(format_percent(4, 100'000, 1), "<0.1%");
  EXPECT_EQ(format_percent(3, 2, 1), "150.0%");
  EXPECT_EQ(format_percent(1, 0), "-");
}

TEST(FormatWall, IsRfc3339InUtcWithNanoseconds) {
  EXPECT_EQ(format_wall(0), "1970-01-01T00:00:00.000000000Z");
  EXPECT_EQ(format_wall(1'795'228'000ULL * kSecond + 1), "2026-11-21T02:26:40.000000001Z");
}

TEST(Split, KeepsEmptyFields) {
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Trim, RemovesBlanksAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b \n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(Plural, FollowsTheCountAndTheWord) {
  EXPECT_EQ(plural(1, "chain"), "1 chain");
  EXPECT_EQ(plural(0, "chain"), "0 chains");
  EXPECT_EQ(plural(2, "process"), "2 processes");
  EXPECT_EQ(plural(3, "copy"), "3 copies");
  EXPECT_EQ(plural(4, "child"), "4 children");
}

TEST(ToHex, IsLowerCaseTwoDigitsAByte) {
  const uint8_t bytes[] = {0x00, 0x9A, 0xFF};
  EXPECT_EQ(to_hex(bytes, sizeof bytes), "009aff");
}

TEST(Printable, LeavesNoControlCharacterOrTerminalEscape) {
  EXPECT_EQ(printable("a\x1b[31mred\nb\x7f"), "a?[31mred?b?");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "b"),
            "a?b");  // C1 control introducer
  EXPECT_EQ(printable("safe\xE2\x80\xAE"
                      "txt.exe"),
            "safe?txt.exe");  // right-to-left override
}

TEST(Printable, KeepsGoodUtf8AndReplacesEachBadByte) {
  EXPECT_EQ(printable("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(printable("\xFF\xC3"), "??");
  EXPECT_EQ(printable("\xC0\xAF"), "??");            // overlong '/'
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");       // surrogate
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????");  // beyond U+10FFFF
}

TEST(Printable, CutsBetweenCharactersNeverInside) {
  EXPECT_EQ(printable("ab\xC3\xBC", 3), "ab");
  EXPECT_EQ(printable("abcdef", 3), "abc");
}

class ReadFile : public ::testing::Test {
 protected:
  const TempFolder temp_;
  const std::string& folder_ = temp_.path();
};

TEST_F(ReadFile, GivesTheWholeFileUpToTheLimitAndRefusesOneByteMore) {
  const std::string path = folder_ + "/f";
  const std::string content(200'000, 'x');
  std::ofstream(path) << content;
  EXPECT_EQ(*read_file(path, content.size()), content);
  const auto refused = read_file(path, content.size() - 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), Errc::kFull);
}

TEST_F(ReadFile, ReadsProcFilesWhoseSizeIsReportedAsZero) {
  const auto got = read_file("/proc/self/status");
  ASSERT_TRUE(got.ok()) << got.error().text();
  EXPECT_NE(got->find("Pid:"), std::string::npos);
}

TEST_F(ReadFile, NamesTheFileAndTheReasonWhenItCannot) {
  const auto missing = read_file(folder_ + "/none");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code(), Errc::kNotFound);
  EXPECT_NE(missing.error().message().find("/none"), std::string::npos);
  EXPECT_FALSE(read_file(folder_).ok());
}

TEST_F(ReadFile, DoesNotHangOnANamedPipe) {
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto got = read_file(path);
  EXPECT_TRUE(!got.ok() || got->empty());
}

}  // namespace
}  // namespace ingero
