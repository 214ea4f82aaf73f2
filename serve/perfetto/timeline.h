// A recording as a timeline: one track per node, process, thread, stream and rank, with what was called there, arrows,
// counters, causal chains and annotations. docs/formats/timelines.md specifies the layout.
//
// Streams: memory is that of the names. Threads: one. Failure: the store's and the writer's. Owns nothing that outlives
// the call; the reader is the caller's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "serve/perfetto/trace_writer.h"
#include "store/read/node_clocks.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::serve::perfetto {

enum class TimelineFormat : uint8_t { kPerfetto, kChrome };

struct TimelineOptions {
  store::Selection selection;
  TimelineFormat format = TimelineFormat::kPerfetto;
  // The line of the program that stack_traces.frames says, for people; empty: none.
  std::function<std::string(std::string_view frames)> line_of;
  // Of a recording of several nodes: times are drawn by the clock of one of them, where the others are known.
  store::NodeClocks clocks = {};
  // Called now and then.
  std::function<void(uint64_t done, uint64_t all)> progress;
};

struct TimelineTotals {
  uint64_t events = 0;
  uint64_t unplaced = 0;    // rows that name no call, thread or time
  uint64_t shortened = 0;   // slices that did not fit next to others on their track
  uint64_t unfollowed = 0;  // allocations the memory counter did not follow
  uint64_t chains = 0, annotations = 0, counters = 0;
};

Result<TimelineTotals> write_timeline(const store::Reader& reader, const TimelineOptions& options, Sink sink);

}  // namespace ingero::serve::perfetto
