// CPython in traced processes: finds each interpreter, gives the kernel side the location of its frames, and names the
// Python frames of stacks.
//
// Any thread. Failure: none; why a process's Python frames are not read is logged, each reason once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "hal/loss.h"
#include "kernelside/foreign.h"
#include "kernelside/objects.h"
#include "symbols/python_names.h"
#include "symbols/python_process.h"

namespace ingero::agent {

class PythonWatch {
 public:
  // The arguments must outlive this.
  PythonWatch(kernelside::Objects& objects, kernelside::Foreign& foreign, hal::LossLedger& ledger);

  using ReadMappings = std::function<std::vector<hal::Mapping>()>;
  // Looks for an interpreter among the process's mappings, unless its current program's one is known. `read` is called
  // while mapped() waits, so that what is mapped after the read is reported there.
  void add_process(uint32_t pid, const ReadMappings& read);
  // A new mapping of the process. An interpreter that had not started yet is examined again at once: it loads a library
  // next, and the first call into that library must find its frames.
  void mapped(uint32_t pid, const hal::Mapping& mapping);
  // Looks again at all that had not started yet. Call it now and then.
  void look_again();
  void process_ended(uint32_t pid);
  // A WIRE_CODE record.
  void add(std::span<const std::byte> record);
  std::optional<symbols::PythonFrame> name(uint32_t pid, const wire_python_frame& frame) const;
  bool knows(uint32_t pid, const wire_python_frame& frame) const;
  // The file whose function runs the process's Python code; none: no Python.
  std::optional<hal::FileId> interpreter_of(uint32_t pid) const;
  // Whether a lock at this address is the process's global interpreter lock (symbols/python_process.h).
  bool is_interpreter_lock(uint32_t pid, uint64_t address) const;

 private:
  struct Process {
    std::vector<hal::Mapping> mappings;  // while it is still to be looked at
    std::optional<hal::FileId> interpreter;
    uint32_t generation = 0;  // of the layout that was set
    uint64_t runtime_address = 0, runtime_bytes = 0;
    uint64_t place = 0;  // where the interpreter's file is mapped
    symbols::PythonDebugLayout debug;
    unsigned attempts = 0;
    bool is_settled = false;
  };
  void look(uint32_t pid, Process& process);
  bool still_holds(uint32_t pid, const Process& process, const std::vector<hal::Mapping>& mappings) const;
  void make_room();
  void forget(uint32_t pid);
  void notify(const std::string& reason);

  kernelside::Objects& objects_;
  kernelside::Foreign& foreign_;
  hal::LossLedger& ledger_;
  mutable std::mutex mutex_;  // of all that follows
  std::map<uint32_t, Process> processes_;
  symbols::PythonNames names_;
  uint32_t generation_ = 0;
  std::set<std::string> reasons_;  // already logged
};

}  // namespace ingero::agent
