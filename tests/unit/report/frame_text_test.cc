// How the place that a call was made from is written.
#include "report/frame_text.h"

#include <gtest/gtest.h>

namespace ingero::report {
namespace {

std::string line_with(std::string symbol) {
  symbols::StackFrame frame;
  frame.symbol = std::move(symbol);
  frame.file = "/usr/bin/program";
  return line_text(frame);
}

TEST(LineText, NamesAFunctionWithoutItsParameters) {
  EXPECT_EQ(line_with("main+0x12"), "main() in program");
  EXPECT_EQ(line_with("ns::write(ns::handle&, unsigned long, bool)+0x1"), "ns::write() in program");
  EXPECT_EQ(line_with("ns::add(std::allocator<char> const&, std::__cxx11::basic_str"), "ns::add() in program") << "cut";
  EXPECT_EQ(line_with("ns::copy<void (int)>(float*) const"), "ns::copy<void (int)>() in program");
  EXPECT_EQ(line_with("(anonymous namespace)::f(int)"), "(anonymous namespace)::f() in program");
  EXPECT_EQ(line_with("a::operator()(int) const"), "a::operator()() in program");
  EXPECT_EQ(line_with("a::operator<<(int)"), "a::operator<<() in program");
  EXPECT_EQ(line_with("a::operator->() const"), "a::operator->() in program");
  EXPECT_EQ(line_with("my_operator(int)"), "my_operator() in program");
}

}  // namespace
}  // namespace ingero::report
