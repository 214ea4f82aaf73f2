// The runs of a recording: one for each time an agent wrote into the file (table `sessions`), and whether each has
// ended properly. What a run lost is known only when it has, or while it is still being written: the agent counts it,
// and writes the last counts at the end.
//
// Plain data. Threads: as the reader. Failure: the reader's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::store {

struct Run {
  int64_t id = 0;
  uint64_t started_wall_ns = 0;
  std::optional<uint64_t> stopped_wall_ns;  // absent: not ended, or not properly
  std::string node;
};

// In the order in which they began.
Result<std::vector<Run>> runs(const Reader& reader);

enum class Ending : uint8_t {
  kUnknown,   // the recording does not say
  kLive,      // the last run is being written
  kProper,    // every run wrote its last counts
  kMissing,   // a run was killed, its disk was full, or its machine stopped
  kLogIsLost  // the same, and the write-ahead log is not next to the file: a copy of one file of two
};

// Of the run with this id, or of all.
Ending ending_of(const Reader& reader, const std::vector<Run>& runs, std::optional<int64_t> run = {});

// losses() (summary.h) of one run.
Result<std::vector<LossCount>> losses_of_run(const Reader& reader, int64_t run);

// The sentence for kMissing and kLogIsLost; empty for the others. `file` names the recording as its reader knows it.
std::string ending_sentence(Ending ending, const std::string& file);

}  // namespace ingero::store
