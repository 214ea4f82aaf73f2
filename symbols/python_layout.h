// The offsets at which each version of CPython keeps the parts of a Python stack, in the form that the kernel side uses
// (wire_python_layout).
//
// From 3.13 on the interpreter publishes most of them itself (_Py_DebugOffsets, the first thing in its _PyRuntime).
// Before that it is a table, by minor version: the structures are internal, but their order has not changed within one.
// The table is checked against real interpreters by the tests. The target's Python is never run.
//
// Pure functions, thread-safe. What they are given from a process is untrusted: every offset is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "bpf/wire.h"

namespace ingero::symbols {

struct PythonVersion {
  uint8_t major = 0, minor = 0, micro = 0;
  auto operator<=>(const PythonVersion&) const = default;
};
std::string text_of(PythonVersion version);  // "3.11.7"
// PY_VERSION_HEX: 0x030b07f0.
PythonVersion version_of_hex(uint64_t hex);

// How a thread state says whose it is: by pthread_self(), which is the thread pointer where kPthread is right (x86-64),
// or by the kernel's number for the thread, which CPython keeps from 3.11 on.
enum class ThreadIdentity : uint8_t { kPthread, kNative };

// Bytes of _Py_DebugOffsets that are looked at.
inline constexpr size_t kDebugOffsetsBytes = 768;

// The layout of a stock 64-bit build with a global lock. `runtime_address`: of _PyRuntime in the process. kNotSupported
// for a version that is not in the table, or does not keep `identity`.
Result<wire_python_layout> table_layout(PythonVersion version, uint64_t runtime_address, ThreadIdentity identity);

// The layout that the interpreter's own offsets say; `bytes` as read from its _PyRuntime. kNotSupported for a
// free-threaded build, for a version before 3.13 or one not known yet; kCorrupt when the offsets make no sense.
Result<wire_python_layout> debug_offsets_layout(std::span<const std::byte> bytes, PythonVersion version,
                                                uint64_t runtime_address, ThreadIdentity identity);

// Sets how much of each structure must be read, from the offsets in it.
void set_windows(wire_python_layout& layout);

}  // namespace ingero::symbols
