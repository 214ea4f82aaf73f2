// CPython's layout from debug information, for builds that are not stock ones.
//
// Bounded in work and in memory. Thread-safe for different files.
#pragma once

#include <cstdint>

#include "base/fd.h"
#include "base/result.h"
#include "bpf/wire.h"

namespace ingero::symbols {

// Replaces the offsets of a stock build (table_layout()) with those from the debug information of the interpreter's
// file. `fd` stays the caller's. kNotFound: the debug information is missing or incomplete, and the layout is
// unchanged.
Status use_dwarf(const Fd& fd, uint8_t minor, uint64_t runtime_address, wire_python_layout& layout);

}  // namespace ingero::symbols
