// The Python of a process: is there one in it, which, and where its frames are.
//
// Found in the files the process has mapped, by the symbol _PyRuntime; what it is said to be is checked against the
// process's memory before anybody believes it. Files and memory are the traced process's: untrusted, bounded. Nothing
// of the process is run. Thread-safe: all state is the caller's.
#pragma once

#include <cstdint>
#include <functional>
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
};

// kNotFound: no Python in it. kBusy: there is one that has not started yet, or is not laid out as it should be; ask
// again, but not for ever. kNotSupported: one whose frames cannot be read, and why. `generation` tells layouts of one
// pid apart (wire_python_layout).
Result<PythonProcess> find_python(const ProcessView& process, uint32_t generation);

// Could this file be a Python interpreter, by its name? For asking again only when it is worth it.
bool may_be_python(std::string_view untrusted_path);

// Is this function of the interpreter's file the one that runs Python code? Its clones ("... [clone .cold]") included.
bool is_python_eval(std::string_view function);

}  // namespace ingero::symbols
