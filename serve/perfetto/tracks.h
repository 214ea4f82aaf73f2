// The tracks of a timeline, made when the first thing is put on them, and the numbers that viewers want to be unique.
//
// Of several nodes, and of a pid that was used twice, the first has its own pid and tids; the others get numbers above
// every real one, and a label says which they are. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "serve/perfetto/recording.h"
#include "serve/perfetto/slice_rows.h"
#include "serve/perfetto/trace_writer.h"

namespace ingero::serve::perfetto {

// A track, and as many more of the same name as its overlapping slices need.
class StackedTrack {
 public:
  StackedTrack(TraceWriter& writer, TrackId& last, TrackId parent, std::string name)
      : writer_(writer), last_(last), parent_(parent), name_(std::move(name)) {}
  // Uses an existing track as the first row.
  void begin_with(TrackId track) { tracks_.push_back(track); }
  // Puts the slice on a row; false if it had to be shortened.
  bool put(Slice slice);

 private:
  TraceWriter& writer_;
  TrackId& last_;
  TrackId parent_;
  std::string name_;
  SliceRows rows_;
  std::vector<TrackId> tracks_;
};

class Tracks {
 public:
  // Both outlive this.
  Tracks(const Recording& recording, TraceWriter& writer) : recording_(recording), writer_(writer) {}

  TrackId node(const std::string& name);
  TrackId process(size_t index);
  // `index` of the recording's threads.
  StackedTrack& calls_of(size_t index);
  StackedTrack& host_of(size_t index);
  // `index` of its processes.
  StackedTrack& stream(size_t index, int64_t stream);
  StackedTrack& rank(size_t index, int64_t communicator, std::optional<int64_t> rank, std::optional<int64_t> ranks);
  // One more track of a node: "IO", "causal chains".
  StackedTrack& of_node(const std::string& name, const std::string& track_name);
  TrackId counter(TrackId parent, const std::string& name, Unit unit);

 private:
  struct Process {
    TrackId track = 0;
    int32_t pid = 0;
  };
  struct Thread {
    TrackId track = 0;
    std::unique_ptr<StackedTrack> calls, host;
  };
  using Key = std::pair<size_t, int64_t>;

  int32_t unique(std::unordered_set<int32_t>& used, uint32_t wanted);
  Thread& thread(size_t index);
  std::unique_ptr<StackedTrack> stacked(TrackId parent, std::string name) {
    return std::make_unique<StackedTrack>(writer_, last_, parent, std::move(name));
  }

  const Recording& recording_;
  TraceWriter& writer_;
  TrackId last_ = 0;
  int32_t made_up_ = 1 << 22;  // Linux gives no pid above this
  std::unordered_set<int32_t> pids_, tids_;
  std::vector<Process> processes_;
  std::vector<Thread> threads_;
  std::map<std::string, TrackId> nodes_;
  std::map<Key, std::unique_ptr<StackedTrack>> streams_, ranks_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<StackedTrack>> of_nodes_;
  std::map<std::pair<TrackId, std::string>, TrackId> counters_;
};

}  // namespace ingero::serve::perfetto
