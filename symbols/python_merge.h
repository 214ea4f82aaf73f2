// Merges two stacks: Python frames go where the interpreter's C function that ran them is in the native stack.
//
// Each run of that function has the Python frames from its innermost one to the one marked `entry`. Pure, thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpf/wire.h"

namespace ingero::symbols {

struct StackSlot {
  bool is_python = false;
  uint32_t index = 0;  // of the native or the Python frames
  bool operator==(const StackSlot&) const = default;
};

struct MergedStack {
  std::vector<StackSlot> frames;  // innermost first
  bool placed = true;             // false: the two do not match; the Python frames come before all others
};

// Both innermost first; `is_eval[i]`: native frame i is the interpreter's C function (is_python_eval, in the file
// find_python named). It stays in the stack, after the frames it ran. `native_whole`: the native stack goes down to
// the thread's start; otherwise Python frames for which it ends too early come last. `python_outcome`: of the stack.
MergedStack merge_python(std::span<const bool> is_eval, std::span<const wire_python_frame> python, bool native_whole,
                         wire_python_outcome python_outcome);

}  // namespace ingero::symbols
