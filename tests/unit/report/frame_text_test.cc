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

symbols::StackFrame python(std::string file, std::string function, uint32_t line) {
  symbols::StackFrame frame;
  frame.python_file = std::move(file);
  frame.python_function = std::move(function);
  frame.python_line = line;
  return frame;
}

TEST(LibraryText, NamesTheFunctionAndTheLibrary) {
  symbols::StackFrame native;
  native.symbol = "sqlite3_step+0x1f";
  native.file = "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0.8.6";
  const auto own = python("/srv/job/train.py", "record", 14);
  std::vector<symbols::StackFrame> frames = {native, own};
  EXPECT_EQ(library_text(frames, frames.back(), false), "sqlite3_step() of libsqlite3");
  frames.front().symbol.clear();
  EXPECT_EQ(library_text(frames, frames.back(), true), "libsqlite3");
  frames.front() = python("/usr/lib/python3.11/logging/handlers.py", "rotate", 115);
  EXPECT_EQ(library_text(frames, frames.back(), true), "rotate() at handlers.py:115");
  EXPECT_EQ(library_text(frames, frames.front(), true), "");
}

TEST(CallerText, IsTheNearestLineOfTheProgramsOwn) {
  symbols::StackFrame native;
  native.symbol = "PyObject_Vectorcall";
  std::vector<symbols::StackFrame> frames = {
      native,
      python("/srv/job/tok.py", "<listcomp>", 15),
      native,
      python("/usr/lib/python3/site-packages/torch/nn/module.py", "_call_impl", 1500),
      python("/srv/job/train.py", "step", 31),
      python("/srv/job/train.py", "<module>", 80)};
  EXPECT_EQ(caller_text(frames, frames[1]), "called in step() at train.py:31");
  EXPECT_EQ(caller_text(frames, frames[4]), "called at train.py:80");
  EXPECT_EQ(caller_text(frames, frames[5]), "");
  EXPECT_EQ(caller_text(frames, frames[0]), "") << "native code's callers are too many";
}

}  // namespace
}  // namespace ingero::report
