// What a timeline shows of a recording: calls on tracks (threads, streams, ranks of communicators, the host's events of
// a process), in the detail that a picture of some hundred columns can show.
//
// A Timeline keeps how busy each track was, in bins of equal length; the length doubles whenever there are
// more than kMaxBins, so that its memory is bounded (about 32 MiB) however long the recording is. Calls longer than
// kLongBins bins are kept one by one. A part with few rows is answered from the rows themselves, call by call;
// any other from the bins, without reading the file. What a recording gained since the last question is read first: the
// first question about a million events takes the time to read them once, later ones some milliseconds. A question may
// limit how many rows are read for it: the newest first; later questions read on from there.
//
// Of several nodes, times are by the clock of one, where those of the others are known (node_clocks.h).
//
// Calls made inside others are counted, but add nothing to how busy a track was. Units: wall nanoseconds.
// Thread-safe; a Reader is used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/read/node_clocks.h"
#include "store/read/reader.h"

namespace ingero::store {

enum class TrackGroup : uint8_t { kRank, kThread, kStream, kHost };

struct Track {
  std::string name;  // the same in every answer about this recording: "thread:7:4321:4322"
  TrackGroup group = TrackGroup::kThread;
  std::string node, process, op;  // op: of the host's events
  uint32_t pid = 0;
  std::optional<uint32_t> tid;
  std::optional<uint64_t> stream, comm_id_hash;
  std::optional<int32_t> rank, nranks;
  uint64_t events = 0;  // of the whole recording
};

struct TrackBin {
  uint32_t position = 0;  // index of the bin in the part, from 0
  uint64_t count = 0;     // calls that began in it
  uint64_t busy_ns = 0;   // at most the bin's length
  size_t op = 0;          // whose call took longest
};

struct TrackSlice {
  int64_t start_wall_ns = 0;
  std::optional<uint64_t> duration_ns;  // absent: it has not returned
  size_t op = 0;
  unsigned depth = 0;  // described calls around it
  bool failed = false;
  int64_t seq = 0;  // the row in the view `events`
};

struct TrackView {
  size_t track = 0;  // in TimelineView::tracks
  std::vector<TrackBin> bins;
  std::vector<TrackSlice> slices;  // in the order of time
};

struct TimelineOp {
  std::string op, call, layer, kind;
};

struct TimelineView {
  std::vector<TimelineOp> ops;
  std::vector<Track> tracks;      // ranks first, then process by process, busiest first
  size_t tracks_in_all = 0;       // more than are listed
  bool has_other_tracks = false;  // more tracks than are kept: calls on the others are on none
  std::vector<TrackView> views;   // of the requested tracks
  uint64_t bin_ns = 0;
  uint64_t rows_unread = 0;  // of the recording: calls in them are on no track yet
  bool is_whole = false;     // every call of these tracks in this part is among the slices
};

struct TimelineQuestion {
  int64_t from_wall_ns = 0, to_wall_ns = 0;
  uint32_t bins = 500;              // of the part; fewer where that many are not known
  std::optional<uint32_t> pid;      // only tracks of this process
  std::vector<std::string> tracks;  // names; empty: the first of the list
  size_t max_tracks = 500;          // in the list
  size_t most_views = 48;           // tracks whose bins and slices are given
  size_t most_slices = 6000;        // of all of them together
  uint64_t most_rows = UINT64_MAX;  // that are read for this answer
};

class Timeline {
 public:
  Timeline();
  ~Timeline();
  // Of one recording: always the same, through whichever reader.
  Result<NodeClocks> clocks(const Reader& reader);
  Result<TimelineView> view(const Reader& reader, const TimelineQuestion& asked);

  static constexpr size_t kMaxBins = size_t{1} << 19;
  // One call of its own takes less memory than bins from its start to its end.
  static constexpr int64_t kLongBins = 2;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::store
