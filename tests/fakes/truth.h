// The ground truth's log: what a program really called, written by the program itself.
//
// One file per thread, DIRECTORY/<pid>.<tid>.truth: a header, then records back to back, each followed by its items in
// the order rows.json gives for its row. Little endian, eight-byte aligned. Times are CLOCK_MONOTONIC nanoseconds.
// tests/e2e/compare.py reads it; change both together.
#pragma once

#include <cstdint>

namespace ingero::fakes {

struct TruthHeader {
  char magic[8];  // kTruthMagic
  uint32_t pid;
  uint32_t tid;
};
inline constexpr char kTruthMagic[8] = {'I', 'T', 'R', 'U', 'T', 'H', '0', '1'};

inline constexpr uint32_t kTruthJumps = 1U << 31U;

struct TruthCall {
  uint32_t row;       // index in rows.json; kTruthJumps: recorded as the row it jumps to
  uint32_t readable;  // bit i: item i could be read; an unreadable one must be absent in a recording
  uint64_t start_ns;  // just before the call
  uint64_t end_ns;    // just after it
  uint64_t ret;       // the return register
};

}  // namespace ingero::fakes
