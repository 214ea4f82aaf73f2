// Handles -> names of kernels and functions: those registered or looked up by name, and those of programs that were
// already running when tracing began. A name longer than its record is read to its end when the function is launched:
// a framework registers tens of thousands and launches hundreds.
//
// Used by the capture thread only. Bounded; what is evicted for lack of room is counted (name_table_full).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "agent/batch_queue.h"
#include "agent/stack_table.h"
#include "hal/loss.h"

namespace ingero::agent {

class FunctionNames {
 public:
  // Bytes of a process's memory, or false (kernelside/foreign.h).
  using ReadMemory = std::function<bool(uint32_t pid, uint64_t address, void* out, size_t size)>;
  FunctionNames(hal::LossLedger& ledger, ReadMemory read_memory)
      : ledger_(ledger), read_memory_(std::move(read_memory)) {}

  // Joins the batch's names to its calls: into EventBatch::names, or for a communicator's call into its exchange.
  void join(EventBatch& batch);
  // Launches whose handle has no whole name yet. One whose name was cut gets the rest. Of a program that was already
  // running, which registered its functions before tracing began, the handle is the address of the program's own
  // function of that name: `stacks`, which may be null, looks it up.
  void name_launched(EventBatch& batch, StackTable* stacks);
  void process_ended(uint32_t pid);

 private:
  static constexpr size_t kMaxPending = 65536;
  static constexpr size_t kMaxRegistered = 1 << 20;
  static constexpr size_t kMaxCut = 65536;
  static constexpr size_t kMaxLength = 4096;       // of a name
  using Function = std::pair<uint32_t, uint64_t>;  // process and handle
  struct Cut {
    uint64_t address;
    uint64_t hash;  // of what is known of it: what lies there may be another's by then
  };

  Function& last_launched(const Function& function) {
    return launched_[(function.second >> 4 ^ function.first) % launched_.size()];
  }
  std::optional<std::string> whole_name(uint32_t pid, const Cut& cut) const;

  hal::LossLedger& ledger_;
  ReadMemory read_memory_;
  std::map<std::pair<uint32_t, uint64_t>, wire_name>
      pending_;                            // by tid and start of their call, until its record comes
  std::map<Function, Cut> cut_;            // named in part, and not launched yet
  std::set<Function> registered_;          // named, or asked for
  std::array<Function, 1024> launched_{};  // of those, the ones seen last
};

}  // namespace ingero::agent
