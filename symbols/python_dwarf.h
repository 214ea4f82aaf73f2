// CPython's layout from debug information, for builds that are not stock ones.
//
// Read from an open file with pread; nothing is mapped. Bounded in work. Thread-safe for different files.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "bpf/wire.h"

namespace ingero::symbols {

// Puts what the debug information of the interpreter's file says in the place of a stock build's offsets
// (table_layout()). `fd` stays the caller's. kNotFound: there is no debug information, or not all that is needed; the
// layout is then as it was.
Status use_dwarf(int fd, uint8_t minor, uint64_t runtime_address, wire_python_layout& layout);

}  // namespace ingero::symbols
