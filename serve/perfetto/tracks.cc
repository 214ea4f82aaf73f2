// Creates tracks on first use, and gives processes and threads numbers that are unique within the trace.
#include "serve/perfetto/tracks.h"

#include <fmt/format.h>

namespace ingero::serve::perfetto {

bool StackedTrack::put(Slice slice) {
  // An instant fits on any row: it contains no slice and ends none.
  const auto place = slice.duration_ns
                         ? rows_.place(slice.start_ns, slice.start_ns + static_cast<int64_t>(*slice.duration_ns))
                         : SliceRows::Place{};
  while (tracks_.size() <= place.row) {
    tracks_.push_back(++last_);
    writer_.track(last_, parent_, name_);
  }
  slice.track = tracks_[place.row];
  if (slice.duration_ns) slice.duration_ns = static_cast<uint64_t>(place.end_ns - slice.start_ns);
  writer_.slice(slice);
  return !place.is_shortened;
}

int32_t Tracks::unique(std::unordered_set<int32_t>& used, uint32_t wanted) {
  if (wanted > 0 && wanted < (1U << 22) && used.insert(static_cast<int32_t>(wanted)).second) {
    return static_cast<int32_t>(wanted);
  }
  return ++made_up_;
}

TrackId Tracks::node(const std::string& name) {
  TrackId& track = nodes_[name];
  if (track == 0) {
    track = ++last_;
    writer_.group(track, name.empty() ? "host" : "node " + name);
  }
  return track;
}

TrackId Tracks::process(size_t index) {
  if (processes_.size() <= index) processes_.resize(index + 1);
  Process& process = processes_[index];
  if (process.track != 0) return process.track;
  const RecordedProcess& recorded = recording_.process(index);
  process.track = ++last_;
  process.pid = unique(pids_, recorded.pid);
  std::string name = recorded.comm.empty() ? "process" : recorded.comm;
  if (recorded.rank && *recorded.rank >= 0) name += fmt::format(" (rank {})", *recorded.rank);
  std::string label = recording_.nodes().size() > 1 ? recorded.node : std::string();
  if (static_cast<uint32_t>(process.pid) != recorded.pid) {
    label += fmt::format("{}pid {}", label.empty() ? "" : " ", recorded.pid);
  }
  writer_.process(process.track, process.pid, name, label);
  return process.track;
}

Tracks::Thread& Tracks::thread(size_t index) {
  if (threads_.size() <= index) threads_.resize(index + 1);
  Thread& thread = threads_[index];
  if (thread.track != 0) return thread;
  const RecordedThread& recorded = recording_.thread(index);
  const TrackId process_track = process(recorded.process);
  thread.track = ++last_;
  const std::string name = recorded.comm.empty() ? recording_.process(recorded.process).comm : recorded.comm;
  // The first thread's number is its process's, made up or not.
  const bool is_first = recorded.tid == recording_.process(recorded.process).pid;
  const int32_t pid = processes_[recorded.process].pid;
  const int32_t tid = is_first && tids_.insert(pid).second ? pid : unique(tids_, recorded.tid);
  writer_.thread(thread.track, process_track, tid, name);
  thread.calls = stacked(thread.track, name);
  thread.calls->begin_with(thread.track);
  thread.host = stacked(thread.track, name.empty() ? "host" : name + ": host");
  return thread;
}

StackedTrack& Tracks::calls_of(size_t index) { return *thread(index).calls; }
StackedTrack& Tracks::host_of(size_t index) { return *thread(index).host; }

StackedTrack& Tracks::stream(size_t index, int64_t stream) {
  auto& track = streams_[{index, stream}];
  if (!track) {
    track = stacked(process(index), stream == 0 ? std::string("default stream")
                                                : fmt::format("stream 0x{:x}", static_cast<uint64_t>(stream)));
  }
  return *track;
}

StackedTrack& Tracks::rank(size_t index, int64_t communicator, std::optional<int64_t> rank,
                           std::optional<int64_t> ranks) {
  auto& track = ranks_[{index, communicator}];
  if (!track) {
    std::string name = rank ? fmt::format("rank {}", *rank) : std::string("rank not known");
    if (ranks) name += fmt::format(" of {}", *ranks);
    if (communicator >= 0) name += fmt::format(", communicator {}", communicator);
    track = stacked(process(index), std::move(name));
  }
  return *track;
}

StackedTrack& Tracks::of_node(const std::string& name, const std::string& track_name) {
  auto& track = of_nodes_[{name, track_name}];
  if (!track) track = stacked(node(name), recording_.nodes().size() > 1 ? name + ": " + track_name : track_name);
  return *track;
}

TrackId Tracks::counter(TrackId parent, const std::string& name, Unit unit) {
  TrackId& track = counters_[{parent, name}];
  if (track == 0) {
    track = ++last_;
    writer_.counter_track(track, parent, name, unit);
  }
  return track;
}

}  // namespace ingero::serve::perfetto
