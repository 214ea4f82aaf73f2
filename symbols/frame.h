// One entry of a stack, and stacks as JSON: as they are stored, read back, and shown to programs.
//
// Pure; thread-safe. Stored frames may come from any recording: what does not have the documented shape
// (docs/formats/store.md, stack_traces) is left out. Text in them is untrusted until printed by report/frame_text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::symbols {

// One frame. Empty or 0: unknown or not there.
struct StackFrame {
  uint64_t ip = 0;     // in the file's own addresses; only if the symbol is unknown
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

// Where a thread or a program starts, in the C library or in what the linker adds to a program: never what was asked
// for.
bool is_start_up(const StackFrame& frame);

// Code that comes with the system, the compiler or the interpreter: a user does not look there for his own line.
bool is_of_system(const StackFrame& frame);

// The frame a reader looks for: the innermost Python frame of the program's own (not of an installed package), else
// the innermost Python frame, else the innermost native function with a source line of the program's own, else the
// innermost of the program's own file. A function rather than what is inlined in it. Never the call itself, nor where
// the C library starts a program or a thread. Null: none of these.
const StackFrame* line_of(const std::vector<StackFrame>& frames);
// The same of a thread that was not in a call: its innermost frame may be the very line.
const StackFrame* line_of_thread(const std::vector<StackFrame>& frames);
// Where `line`, one of `frames`, was in a library that it called: of a native one the outermost of the functions that
// follow each other there, which is what it was called for; else of Python's what `line` called, or where that runs the
// innermost line. Null: it called none, but for the system, the interpreter and what comes with that.
const StackFrame* library_of(const std::vector<StackFrame>& frames, const StackFrame& line, bool is_running);
// Whether `line`, one of `frames`, waits for a lock that it takes itself: Python's by nothing but the interpreter,
// native code's by a function of POSIX's for that. A queue, a condition or a future has code of its own in between.
bool waits_for_own_lock(const std::vector<StackFrame>& frames, const StackFrame& line);
// Whose line called `line`'s, one of `frames`: the nearest of the program's own, of Python's that of a Python line; of
// native code's that of another function with a source line, also of one that a library called back.
const StackFrame* caller_of(const std::vector<StackFrame>& frames, const StackFrame& line);

}  // namespace ingero::symbols
