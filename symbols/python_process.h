// Finds the Python interpreter of a process: its version, and where its frames are.
//
// Found in the files that the process has mapped, by the symbol _PyRuntime; version and layout are checked against the
// process's memory before they are used. Files and memory are the traced process's: untrusted, bounded. Nothing
// of the process is run. Thread-safe: all state is the caller's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "bpf/wire.h"
#include "hal/maps.h"
#include "symbols/python_layout.h"

namespace ingero::symbols {

// What is looked at of a process.
struct ProcessView {
  std::span<const hal::Mapping> mappings;  // executable ones, in address order (hal::executable_mappings)
  // The file behind a mapping, by map_files or the process's root.
  std::function<Result<Fd>(const hal::Mapping&)> open_file;
  // All of [address, address + size) of the process's memory, or false.
  std::function<bool(uint64_t address, void* out, size_t size)> read_memory;
};

struct PythonProcess {
  PythonVersion version;
  wire_python_layout layout{};
  hal::FileId file;  // which has the interpreter's C functions: _PyEval_EvalFrameDefault is in it
  std::string untrusted_path;
  // Of _PyRuntime in the process. The global interpreter lock is within: up to CPython 3.11 its own, from 3.12 on as
  // the lock of the main interpreter, which is within as well.
  uint64_t runtime_address = 0, runtime_bytes = 0;
};

// The layout by the debug information of a process's interpreter, which is long: it is read once for the process.
struct PythonDebugLayout {
  bool is_read = false;
  std::optional<wire_python_layout> layout;
};

// kNotFound: the process has no Python. kBusy: its interpreter has not started yet, or its memory does not match the
// layout; retry, but not for ever. kNotSupported: its frames cannot be read, and why. `generation` distinguishes the
// layouts of one pid (wire_python_layout). `debug` is the process's from one call to the next.
Result<PythonProcess> find_python(const ProcessView& process, uint32_t generation, PythonDebugLayout& debug);

// Whether this file may be a Python interpreter, by its name; decides whether a retry is worthwhile.
bool may_be_python(std::string_view untrusted_path);

// Whether this function of the interpreter's file is the one that runs Python code, or a clone ("... [clone .cold]").
bool is_python_eval(std::string_view function);

}  // namespace ingero::symbols
