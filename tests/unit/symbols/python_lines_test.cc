// Line tables by hand: what each byte means, and that tables made up or cut short give no wrong line. Real ones, from
// real interpreters: tests/python.
#include "symbols/python_lines.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ingero::symbols {
namespace {

using Table = std::vector<uint8_t>;

std::optional<int32_t> line(wire_python_table format, const Table& table, uint32_t offset, bool is_cut = false) {
  return executing_line(format, table, 10, offset, is_cut);
}

TEST(PythonLines, LnotabStepsForwardAndBack) {
  // 4 bytes of line 10, 6 of line 12, then line 11; more than 255 bytes and 127 lines take two pairs
  const Table table = {4, 2, 6, 0xff, 255, 0, 45, 127, 0, 3};
  EXPECT_EQ(line(WIRE_PYTHON_LNOTAB, table, 0), 10);
  EXPECT_EQ(line(WIRE_PYTHON_LNOTAB, table, 3), 10);
  EXPECT_EQ(line(WIRE_PYTHON_LNOTAB, table, 4), 12);
  EXPECT_EQ(line(WIRE_PYTHON_LNOTAB, table, 10), 11);
  EXPECT_EQ(line(WIRE_PYTHON_LNOTAB, table, 309), 11);
  EXPECT_EQ(line(WIRE_PYTHON_LNOTAB, table, 310), 141);
  EXPECT_EQ(line(WIRE_PYTHON_LNOTAB, table, 5000), 141);
}

TEST(PythonLines, LnotabThatWasCutReportsNothingPastItsEnd) {
  const Table table = {4, 2, 6, 1};
  EXPECT_EQ(line(WIRE_PYTHON_LNOTAB, table, 9, true), 12);
  EXPECT_EQ(line(WIRE_PYTHON_LNOTAB, table, 10, true), std::nullopt);
}

TEST(PythonLines, PairsHaveBytesWithoutALine) {
  const Table table = {4, 1, 2, 0x80, 6, 0xff};
  EXPECT_EQ(line(WIRE_PYTHON_LINES, table, 0), 11);
  EXPECT_EQ(line(WIRE_PYTHON_LINES, table, 4), std::nullopt);
  EXPECT_EQ(line(WIRE_PYTHON_LINES, table, 6), 10);
  EXPECT_EQ(line(WIRE_PYTHON_LINES, table, 12), std::nullopt);
}

TEST(PythonLines, LocationsOfEveryKind) {
  const Table table = {
      0x80 | 0 << 3 | 1,  0x12,                 // short: 2 instructions, same line
      0x80 | 11 << 3 | 0, 1,    2,              // one line further, columns
      0x80 | 13 << 3 | 0, 0x07,                 // no columns: back by 3
      0x80 | 14 << 3 | 0, 0x48, 0x01, 0, 1, 1,  // long: forward by 36
      0x80 | 15 << 3 | 0,                       // none
      0x80 | 12 << 3 | 7, 1,    2,              // two lines further, 8 instructions
  };
  EXPECT_EQ(line(WIRE_PYTHON_LOCATIONS, table, 0), 10);
  EXPECT_EQ(line(WIRE_PYTHON_LOCATIONS, table, 2), 10);
  EXPECT_EQ(line(WIRE_PYTHON_LOCATIONS, table, 4), 11);
  EXPECT_EQ(line(WIRE_PYTHON_LOCATIONS, table, 6), 8);
  EXPECT_EQ(line(WIRE_PYTHON_LOCATIONS, table, 8), 44);
  EXPECT_EQ(line(WIRE_PYTHON_LOCATIONS, table, 10), std::nullopt);
  EXPECT_EQ(line(WIRE_PYTHON_LOCATIONS, table, 12), 46);
  EXPECT_EQ(line(WIRE_PYTHON_LOCATIONS, table, 27), 46);
  EXPECT_EQ(line(WIRE_PYTHON_LOCATIONS, table, 28), std::nullopt);
}

TEST(PythonLines, NoLineIsNegative) {
  EXPECT_EQ(line(WIRE_PYTHON_LNOTAB, {0, 0x80, 0, 0x80}, 0), std::nullopt);
  EXPECT_EQ(line(WIRE_PYTHON_LINES, {2, 0x81}, 0), std::nullopt);
  EXPECT_EQ(line(WIRE_PYTHON_LOCATIONS, {0x80 | 13 << 3, 0x7f, 0x3f}, 0), std::nullopt);
}

TEST(PythonLines, AnEmptyTableSaysNothing) {
  EXPECT_EQ(line(WIRE_PYTHON_LNOTAB, {}, 0), 10);  // everything is on the first line
  EXPECT_EQ(line(WIRE_PYTHON_LINES, {}, 0), std::nullopt);
  EXPECT_EQ(line(WIRE_PYTHON_LOCATIONS, {}, 0), std::nullopt);
}

TEST(PythonLines, AnyBytesEndSomewhere) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    Table table(random() % 64);
    for (uint8_t& byte : table) byte = static_cast<uint8_t>(random());
    for (const auto format : {WIRE_PYTHON_LNOTAB, WIRE_PYTHON_LINES, WIRE_PYTHON_LOCATIONS}) {
      const auto found = executing_line(format, table, static_cast<int32_t>(random()), random() % 4096, false);
      EXPECT_GE(found.value_or(0), 0);
    }
  }
}

}  // namespace
}  // namespace ingero::symbols
