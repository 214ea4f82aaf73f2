// Where the time of calls was spent, by the stacks they were made from: folded lines and a flame graph.
//
// A stack's width is the time of the calls that have it and of those that it stands for (stack_shares.h). Not every
// call is covered (trace --stack), so each picture says of how much of the calls' time it speaks. Threads: one at a
// time. Owns what it returns; the reader is the caller's. Failure: the store's, kBusy when the time is over.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::report {

struct Flames {
  // "python3;main (train.py);...;the call", outermost first, to nanoseconds.
  std::map<std::string, uint64_t> folded;
  uint64_t calls = 0, calls_with_stack = 0;
  uint64_t total_ns = 0, total_with_stack_ns = 0;
  uint64_t calls_covered = 0, total_covered_ns = 0;  // those with a stack, and those that their stacks stand for
};

Result<Flames> gather_flames(const store::Reader& reader, const store::Selection& selection, uint64_t time_ns);

// One line a stack: frames joined by ';', a blank, microseconds (at least 1). What flame graph programs read.
std::string folded_text(const Flames& flames);
// A picture of its own: no script, nothing fetched; names and shares appear where the pointer rests.
std::string flame_svg(const Flames& flames, const std::string& title);
// "stacks of 2,521 of 17,785 calls, 63% of their time; 98% with the calls that sampled stacks stand for".
std::string coverage_text(const Flames& flames);

}  // namespace ingero::report
