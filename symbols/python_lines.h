// The line a Python frame is executing, from the line table of its code object and the instruction's offset.
//
// Three formats: co_lnotab (3.9), co_linetable of PEP 626 (3.10), co_linetable with columns (3.11 and later). Pure,
// thread-safe; the table is a traced process's and may be anything, or only the beginning of one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bpf/wire.h"

namespace ingero::symbols {

// `offset` in bytes from the first instruction. Absent: the instruction has no line, or the table ends before it; with
// `is_cut`, what is left of a longer table, its last line is not trusted beyond the table's end.
std::optional<int32_t> executing_line(wire_python_table format, std::span<const uint8_t> table, int32_t first_line,
                                      uint32_t offset, bool is_cut);

}  // namespace ingero::symbols
