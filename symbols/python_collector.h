// CPython's garbage collector in an interpreter without a symbol table, as distributions and container images have it:
// the one function that is named there, PyGC_Collect, leads to it, but is not on the stack while it runs by itself.
//
// By the calls in the code of PyGC_Collect: it calls gc_collect_main (<Modules/gcmodule.c> of 3.8 to 3.12,
// <Python/gc.c> from 3.13 on), itself or through a small function, and no other large one that is not exported. Pure;
// bounded by constants, whatever the file holds. Failure: nothing.
#pragma once

#include <optional>

#include "symbols/code_file.h"
#include "symbols/frame_entry.h"
#include "symbols/symbol_table.h"

namespace ingero::symbols {

inline constexpr const char* kCollectorName = "gc_collect_main";

// Its code. Nothing where the table names local functions, or this is not an interpreter. `table`: the file's.
std::optional<CodeRange> find_python_collector(const CodeFile& file, const SymbolTable& table);

}  // namespace ingero::symbols
