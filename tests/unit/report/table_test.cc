// Tables line up, keep hostile text harmless, and use colour only on request.
#include "report/table.h"

#include <gtest/gtest.h>

namespace ingero::report {
namespace {

TEST(Table, AlignsColumnsByCharactersAndLeavesNoBlanksAtLineEnds) {
  Table table({{"NAME", Align::kLeft}, {"COUNT"}, {"NOTE", Align::kLeft}});
  table.add_row({"a", "1", ""});
  table.add_row({"gr\xC3\xBC\xC3\x9F", "12345", "x"});
  EXPECT_EQ(table.render(false),
            "NAME  COUNT  NOTE\n"
            "a         1\n"
            "gr\xC3\xBC\xC3\x9F  12345  x\n");
}

TEST(Table, IndentsEveryLine) {
  Table table({{"A", Align::kLeft}});
  table.add_row({"b"});
  EXPECT_EQ(table.render(false, 2), "  A\n  b\n");
}

TEST(Table, MakesCellsPrintable) {
  Table table({{"A", Align::kLeft}});
  table.add_row({"x\x1b[31m\ny"});
  EXPECT_EQ(table.render(false), "A\nx?[31m?y\n");
}

TEST(Table, ColoursOnlyWhenAskedAndKeepsTheAlignment) {
  Table table({{"A"}, {"B"}});
  table.add_row({{"7", Style::kRed}, "1"});
  EXPECT_EQ(table.render(false).find('\x1b'), std::string::npos);
  EXPECT_NE(table.render(true).find("\x1b[31m7\x1b[0m"), std::string::npos);
}

TEST(Table, FillsMissingCells) {
  Table table({{"A"}, {"B"}});
  table.add_row({"1"});
  EXPECT_EQ(table.render(false), "A  B\n1\n");
}

}  // namespace
}  // namespace ingero::report
