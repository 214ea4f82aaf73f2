// Device memory of a recording by call site: what was obtained where, what was given back, what was held at most.
//
// The allocations and releases of the selected time are followed in the order in which they ended. What was obtained
// before is not seen; a caching allocator's blocks are those it got from the driver. A process that ends gives back all
// that it holds. Threads: one. Failure: the store's. Owns what it returns; the reader is the caller's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::report {

// What was held over time, as it changed: a level for each bin in which it did.
class HeldOverTime {
 public:
  void note(uint32_t bin, uint64_t held);
  // The most held in each of `bins`.
  std::vector<uint64_t> most(uint32_t bins) const;

 private:
  struct Level {
    uint32_t bin;
    uint64_t most, last;
  };
  std::vector<Level> levels_;
};

// The calls of one function by one process with one stack.
struct MemorySite {
  std::string node;
  int64_t pid = 0;
  std::string op;
  std::optional<int64_t> stack_hash;
  uint64_t calls = 0, bytes = 0, freed_bytes = 0, held_bytes = 0, peak_bytes = 0, failed = 0;
  HeldOverTime over_time;
};

struct DeviceMemory {
  uint64_t held_bytes = 0, peak_bytes = 0, held_allocations = 0;
  // Releases of what was not seen obtained; allocations whose address is not known, and those beyond what is followed.
  uint64_t frees_of_unseen = 0, address_unknown = 0, unfollowed = 0;
  HeldOverTime over_time;
  uint64_t from_wall_ns = 0, bin_ns = 0;  // of the bins; bin_ns is 0 where there are none
  uint32_t bins = 0;
  std::vector<MemorySite> sites;  // most held first
};

// `bins`: in how many parts of equal length the selected time is divided for what was held over time; 0: not asked for.
Result<DeviceMemory> gather_device_memory(const store::Reader& reader, const store::Selection& selection,
                                          const store::QueryLimits& limits, uint32_t bins);

}  // namespace ingero::report
