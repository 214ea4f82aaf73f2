// How often and how long calls were made from each stack, with the calls that a sampled stack stands for.
//
// Of ordinary calls `trace --stack auto` takes the stack of one in 64 of a call site, and stores with it how many calls
// it stands for. The time of those is known exactly, by process and call; it is shared out among the sampled stacks.
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/read/reader.h"
#include "store/read/selection_sql.h"

namespace ingero::report {

struct StackShare {
  std::string untrusted_process, op;
  int64_t hash = 0;
  uint64_t taken = 0, taken_ns = 0;           // calls whose own stack it is
  uint64_t calls = 0;                         // those, and the ones it stands for
  std::optional<uint64_t> total_ns;           // of `calls`; absent: no duration is known
  std::optional<uint64_t> min_ns, max_ns;     // of `taken`
  std::optional<int64_t> sum_arg0;            // of `calls`, where the call has a size
  uint64_t stands_for = 0, stood_for_ns = 0;  // by the weights alone
};

struct StackShares {
  std::vector<StackShare> stacks;
  uint64_t calls = 0, total_ns = 0;                        // all, with a stack or without
  uint64_t calls_with_stack = 0, total_with_stack_ns = 0;  // with a stack of their own
  uint64_t calls_covered = 0, total_covered_ns = 0;        // those, and the ones that their stacks stand for
};

// `conditions`: on the view `events`, by the name e. Those of calls alone; a time limit that is over: kBusy.
Result<StackShares> gather_stack_shares(const store::Reader& reader, const store::Conditions& conditions,
                                        const store::QueryLimits& limits);

}  // namespace ingero::report
