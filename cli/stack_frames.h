// The frames of a stack as they are shown: stored, read back, said to people.
//
// Pure; thread-safe. Stored frames may come from any recording: what does not have the documented shape
// (docs/formats/store.md, stack_traces) is left out. Text in them is untrusted until printed by the functions below.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::cli {

// One frame. Empty or 0: unknown or not there.
struct StackFrame {
  uint64_t ip = 0;     // in the file's own addresses; only where there is no symbol
  std::string symbol;  // "name+0x1f"; "[unknown]": one or more frames of which nothing is known; "[more]": cut here
  std::string file;    // library or program
  std::string source;  // source file
  uint32_t line = 0;   // in `source`
  bool is_inlined = false;
  std::string python_file, python_function;
  uint32_t python_line = 0;
  bool is_python() const { return !python_file.empty() || !python_function.empty(); }
};

// As `stack_traces` keeps them, and with the long keys of `trace --json`. JSON arrays, innermost first.
std::string stored_frames(const std::vector<StackFrame>& frames);
std::string shown_frames(const std::vector<StackFrame>& frames);
// What stored_frames() wrote, or another agent.
std::vector<StackFrame> parse_frames(std::string_view json);

// Behind the last slash.
std::string_view base_name(std::string_view path);
// "[Python] train.py:8 in train_step()", "[Native] cublasSgemm_v2+0xa6 (libcublas.so.12)".
std::string frame_text(const StackFrame& frame);
// A frame's name in a flame graph: "train_step (train.py)", "cublasSgemm_v2".
std::string frame_name(const StackFrame& frame);
// The frame a reader looks for: the innermost Python frame of the program's own (not of an installed package), else
// the innermost Python frame, else the innermost native one with a source line; null: none of these.
const StackFrame* line_of(const std::vector<StackFrame>& frames);
// "train_step() at train.py:8".
std::string line_text(const StackFrame& frame);

}  // namespace ingero::cli
