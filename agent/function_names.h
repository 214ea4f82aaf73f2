// Handles -> names of kernels and functions: those registered or looked up by name, and those of programs that were
// already running when tracing began.
//
// Used by the capture thread only. Bounded; what is evicted for lack of room is counted (name_table_full).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "agent/batch_queue.h"
#include "agent/stack_table.h"
#include "hal/loss.h"

namespace ingero::agent {

class FunctionNames {
 public:
  explicit FunctionNames(hal::LossLedger& ledger) : ledger_(ledger) {}

  // Joins the batch's names to its calls: into EventBatch::names, or for a communicator's call into its exchange.
  void join(EventBatch& batch);
  // Launches whose handle has no name yet: a program that was already running registered its functions before tracing
  // began. The handle is then the address of the program's own function of that name, which `stacks` looks up.
  void name_launched(const EventBatch& batch, StackTable& stacks);
  void process_ended(uint32_t pid);

 private:
  static constexpr size_t kMaxPending = 65536;
  static constexpr size_t kMaxRegistered = 1 << 20;
  using Function = std::pair<uint32_t, uint64_t>;  // process and handle

  hal::LossLedger& ledger_;
  std::map<std::pair<uint32_t, uint64_t>, wire_name>
      pending_;                            // by tid and start of their call, until its record comes
  std::set<Function> registered_;          // named, or asked for
  std::array<Function, 1024> launched_{};  // of those, the ones seen last
};

}  // namespace ingero::agent
