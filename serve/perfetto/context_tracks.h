// What a timeline shows besides the events: runs of the agent, causal chains, annotations, and samples as counters.
// For timeline.cc.
#pragma once

#include "serve/perfetto/timeline.h"
#include "serve/perfetto/tracks.h"

namespace ingero::serve::perfetto {

// Where the timeline begins and ends: nothing is drawn outside.
struct Extent {
  int64_t first_ns = 0, last_ns = 0;
};
Result<Extent> extent_of(const Recording& recording, const store::Selection& selection);
// About the first time that is drawn, by the clock that is drawn by.
Result<int64_t> begin_of(const Recording& recording, const TimelineOptions& options, const Extent& extent);

Status write_context_tracks(const Recording& recording, const TimelineOptions& options, const Extent& extent,
                            TraceWriter& writer, Tracks& tracks, TimelineTotals& totals);

}  // namespace ingero::serve::perfetto
