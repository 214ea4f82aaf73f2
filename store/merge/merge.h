// Recordings of several nodes, or several recordings of one, as one file.
//
// Every row of every source is there once and means what it meant: sessions, clocks and processes stay apart, events
// and causal chains keep their ids (the events of a node's second recording are counted on). What only one node can
// have in a file, as pid to name or cgroup to path, is kept from one and reported in `left_out`. Sources are only read;
// one that is still being recorded is merged as it is at that moment. Legacy recordings merge into a legacy recording,
// and not with ours.
//
// The output appears when it is whole, readable by its owner and the group; a file that is there is never touched.
// Threads: one. Failure: as Reader's for a source; kInvalid: the output exists, a source does not say its node, two
// hold the same run; kBusy: cancelled.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/db/location.h"
#include "store/read/node_clocks.h"

namespace ingero::store {

struct MergeOptions {
  std::vector<std::string> sources;
  std::string output;
  std::string node;                                           // of what does not say its own; empty: that is refused
  std::optional<Owner> owner;                                 // of the output
  std::optional<uint32_t> group;                              // whose members may read the output
  uint64_t wall_ns = 0;                                       // now
  std::function<void(uint64_t rows, uint64_t all)> progress;  // of one source
  const std::atomic<bool>* cancel = nullptr;                  // set by another thread, or a signal's handler
};

struct MergedSource {
  std::string path;
  std::vector<std::string> nodes;
  uint64_t events = 0, chains = 0;
  bool is_live = false;
};

struct Merged {
  std::vector<MergedSource> sources;
  NodeClocks clocks;
  std::vector<std::string> left_out;  // sentences
};

Result<Merged> merge(const MergeOptions& options);

}  // namespace ingero::store
