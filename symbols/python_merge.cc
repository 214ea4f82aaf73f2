// Matches runs of Python frames with the interpreter's C functions in the native stack, from the innermost outwards.
#include "symbols/python_merge.h"

namespace ingero::symbols {

MergedStack merge_python(std::span<const bool> is_eval, std::span<const wire_python_frame> python, bool native_whole,
                         wire_python_outcome python_outcome) {
  MergedStack merged;
  merged.frames.reserve(is_eval.size() + python.size());
  const bool python_whole = python_outcome == WIRE_PYTHON_WHOLE || python_outcome == WIRE_PYTHON_NONE;
  uint32_t next = 0;
  bool fits = true;
  for (uint32_t i = 0; i < is_eval.size(); ++i) {
    if (is_eval[i]) {
      // A function with nothing left to run is outside what was cut off of the Python frames, or a contradiction.
      if (next == python.size() && python_whole && !python.empty()) fits = false;
      bool more = !python.empty();
      while (more && next < python.size()) {
        more = (python[next].place & WIRE_PYTHON_ENTRY) == 0;
        merged.frames.push_back({true, next++});
      }
      if (more && python_whole) fits = false;  // a run without its outermost frame
    }
    merged.frames.push_back({false, i});
  }
  if (next < python.size() && native_whole) fits = false;
  if (fits) {
    for (; next < python.size(); ++next) merged.frames.push_back({true, next});
    return merged;
  }
  merged.placed = false;
  merged.frames.clear();
  for (uint32_t i = 0; i < python.size(); ++i) merged.frames.push_back({true, i});
  for (uint32_t i = 0; i < is_eval.size(); ++i) merged.frames.push_back({false, i});
  return merged;
}

}  // namespace ingero::symbols
