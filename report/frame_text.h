// Formats a stack frame for the terminal.
//
// Pure; thread-safe. Text of a traced process comes out printable. Failure: none; what cannot be read as frames gives
// no lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "symbols/frame.h"

namespace ingero::report {

// "[Python] train.py:8 in train_step()", "[Native] cublasSgemm_v2+0xa6 (libcublas.so.12)".
std::string frame_text(const symbols::StackFrame& frame);
// A frame's name in a flame graph: "train_step (train.py)", "cublasSgemm_v2", "clpeak+0x4a31".
std::string frame_name(const symbols::StackFrame& frame);
// "train_step() at train.py:8"; "clpeak+0x4a31" of a file without symbols.
std::string line_text(const symbols::StackFrame& frame);
// "called in step() at train.py:31", of the program's own line that called `line`, one of `frames`; empty: none.
std::string caller_text(const std::vector<symbols::StackFrame>& frames, const symbols::StackFrame& line);

// "sqlite3_step() of libsqlite3", "rotate() at train.py:115", of the library that `line` called
// (symbols::library_of); empty: none.
std::string library_text(const std::vector<symbols::StackFrame>& frames, const symbols::StackFrame& line,
                         bool is_running);

// Of the frames that `stored` holds (stack_traces.frames), innermost first.
std::vector<std::string> frame_texts(std::string_view stored);
// Of the same, the line that a reader looks for (symbols::line_of_thread), as line_text(); empty: none.
std::string line_of_stored(std::string_view stored);

}  // namespace ingero::report
