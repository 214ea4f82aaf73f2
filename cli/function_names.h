// Handles -> names of kernels and functions: what was registered or looked up by name, and what was already running
// before anybody looked.
//
// The capture thread's own. Bounded; what is forgotten for want of room is counted (name_table_full).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "cli/batch_queue.h"
#include "cli/stack_book.h"
#include "hal/loss.h"

namespace ingero::cli {

class FunctionNames {
 public:
  explicit FunctionNames(hal::LossLedger& ledger) : ledger_(ledger) {}

  // Puts the parcel's names to its calls: into parcel.names, or with a communicator's call into its exchange.
  void join(Parcel& parcel);
  // Launches of what nobody named: a program that was already running has registered its functions before anybody
  // looked, and the handle is then the address of the program's own function of that name, which `stacks` reads.
  void name_launched(const Parcel& parcel, StackBook& stacks);
  void process_ended(uint32_t pid);

 private:
  static constexpr size_t kMostPending = 65536;
  static constexpr size_t kMostRegistered = 1 << 20;
  using Function = std::pair<uint32_t, uint64_t>;  // process and handle

  hal::LossLedger& ledger_;
  std::map<std::pair<uint32_t, uint64_t>, wire_name>
      pending_;                            // by tid and start of their call, until its record comes
  std::set<Function> registered_;          // named, or asked for
  std::array<Function, 1024> launched_{};  // of those, the ones seen last
};

}  // namespace ingero::cli
