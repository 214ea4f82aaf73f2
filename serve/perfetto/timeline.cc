// Turns the events of a recording into slices, arrows and the memory counter of a timeline.
#include "serve/perfetto/timeline.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "serve/perfetto/context_tracks.h"
#include "serve/perfetto/flows.h"
#include "serve/perfetto/tracks.h"

namespace ingero::serve::perfetto {
namespace {

constexpr size_t kMaxHeld = 1'000'000;  // allocations followed at once
constexpr size_t kMaxLines = 200'000;   // stacks whose line is known
constexpr size_t kMaxLine = 160;
constexpr uint64_t kProgressEvery = 1 << 14;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

class Timeline {
 public:
  Timeline(const Recording& recording, TraceWriter& writer, Tracks& tracks, TimelineTotals& totals)
      : recording_(recording), writer_(writer), tracks_(tracks), totals_(totals) {}

  Status load(const TimelineOptions& options) {
    store::QueryLimits limits;
    limits.time_ns = 0;
    bool is_complete = recording_.reader().holds().losses;
    if (is_complete) {
      const auto outcome =
          recording_.reader().query("SELECT count(*) FROM sessions WHERE policy <> 'all'", limits, [&](auto row) {
            is_complete = row[0].integer == 0;
            return true;
          });
      if (!outcome.ok()) return outcome.error();
    }
    // Sampled rows, or a part of the recording, give no correct balance of memory.
    follows_memory_ = is_complete && options.selection.whole();
    if (!options.line_of) return {};
    limits.rows = kMaxLines;
    const auto outcome = recording_.reader().query("SELECT hash, frames FROM stack_traces", limits, [&](auto row) {
      if (row[1].type == store::Value::Type::kText) {
        std::string line = printable(options.line_of(row[1].text), kMaxLine);
        if (!line.empty()) lines_[row[0].integer] = std::move(line);
      }
      return true;
    });
    return outcome.ok() ? Status{} : Status{outcome.error()};
  }

  void take(const RecordedEvent& event) {
    const RecordedThread& thread = recording_.thread(event.thread);
    describe(event);
    Slice slice;
    slice.start_ns = event.start_ns;
    slice.duration_ns = event.duration_ns;
    slice.name = event.call->op;
    slice.category = category(*event.call);
    slice.arguments = arguments_;
    if (event.call->kind == hal::Kind::kHost) {
      // Next to the thread's calls, or on a track of the node.
      put(event.call->layer == hal::kThreadLayer
              ? tracks_.host_of(event.thread)
              : tracks_.of_node(recording_.process(thread.process).node, event.call->layer),
          slice);
    } else {
      slice.flows = flows_.of_call(event, thread.process);
      put(tracks_.calls_of(event.thread), slice);
      also(event, thread.process, slice);
    }
    if (follows_memory_) memory(event, thread.process);
    ++totals_.events;
  }

 private:
  void put(StackedTrack& track, const Slice& slice) { totals_.shortened += track.put(slice) ? 0 : 1; }

  // The same call on its stream's track, where it is only marked: slices of one duration on two tracks would count
  // double in every sum. And on its rank's, until the wait for it was over.
  void also(const RecordedEvent& event, size_t process, Slice slice) {
    slice.flows = {};
    const Argument row[] = {{"seq", event.seq}};
    if (const auto& stream = event[Number::kStream]) {
      Slice mark = slice;
      mark.category = "stream";
      mark.arguments = row;
      mark.duration_ns.reset();
      put(tracks_.stream(process, *stream), mark);
    }
    const auto& communicator = event[Number::kCommunicator];
    const auto kind = event.call->kind;
    if (!communicator || (kind != hal::Kind::kCollective && kind != hal::Kind::kP2p)) return;
    slice.category = "rank";
    slice.arguments = arguments_;
    // Until the wait for it was over: how long the rank had to do with it.
    const auto& wait = event[Number::kWait];
    if (slice.duration_ns && wait && *wait > 0 && *wait < INT64_MAX / 4) {
      slice.duration_ns = *slice.duration_ns + static_cast<uint64_t>(*wait);
    }
    if (kind == hal::Kind::kCollective) slice.flows = flows_.of_collective(event);
    put(tracks_.rank(process, *communicator, event[Number::kRank], event[Number::kRanks]), slice);
  }

  std::string_view category(const RecordedCall& call) {
    std::string& name = categories_[&call];
    if (name.empty()) name = call.kind == hal::Kind::kGraph ? std::string("graph") : lower(call.layer);
    return name;
  }

  void describe(const RecordedEvent& event) {
    arguments_.clear();
    arguments_.push_back({"seq", event.seq});
    const auto number = [&](const char* name, Number which) {
      if (const auto& value = event[which]) arguments_.push_back({name, *value});
    };
    const auto hex = [&](const char* name, Number which) {
      if (const auto& value = event[which]) arguments_.push_back({name, Hex{static_cast<uint64_t>(*value)}});
    };
    const auto text = [&](const char* name, std::string_view value) {
      if (!value.empty()) arguments_.push_back({name, value});
    };
    number("return_code", Number::kReturn);
    if (event.failed) arguments_.push_back({"failed", int64_t{1}});
    text("outcome", event.outcome);
    if (const auto& id = event[Number::kDevice]) {
      if (const auto device = recording_.device(*id)) arguments_.push_back({"gpu_id", *device});
    }
    hex("stream", Number::kStream);
    number("bytes", Number::kBytes);
    if (event.direction != hal::Direction::kUnknown) text("direction", hal::name_of(event.direction));
    hex("address", Number::kAddress);
    hex("handle", Number::kHandle);
    if (const auto& id = event[Number::kFunction]) text("kernel", recording_.kernel(*id));
    if (const auto& id = event[Number::kGeometry]) text("geometry", recording_.geometry(*id));
    // Where nothing of it was lost there is nothing to say.
    for (const auto& [name, which] : {std::pair("preempted_ns", Number::kPreempted),
                                      {"runqueue_ns", Number::kRunqueue},
                                      {"blocked_ns", Number::kBlocked},
                                      {"io_ns", Number::kIo}}) {
      if (event[which].value_or(0) != 0) number(name, which);
    }
    if (const auto& id = event[Number::kPreemptedBy]) {
      text("culprit", recording_.preempted_by(*id));
      number("culprit_ns", Number::kPreemptedByNs);
    }
    number("arg0", Number::kArg0);
    number("arg1", Number::kArg1);
    if (const auto& id = event[Number::kParent]) {
      if (const RecordedCall* parent = recording_.call(*id)) text("parent_call", parent->name);
    }
    if (const auto& id = event[Number::kStack]) {
      if (const auto hash = recording_.stack_hash(*id)) {
        arguments_.push_back({"stack_hash", *hash});
        const auto line = lines_.find(*hash);
        if (line != lines_.end()) text("line", line->second);
      }
    }
    hex("comm_id_hash", Number::kHash);
    number("rank", Number::kRank);
    number("nranks", Number::kRanks);
    number("number", Number::kSequence);
    number("peer", Number::kPeer);
    number("barrier_wait_ns", Number::kWait);
  }

  // What is obtained and not given back, by process. Calls made inside another one are the same memory once more.
  void memory(const RecordedEvent& event, size_t process) {
    const bool is_alloc = event.call->kind == hal::Kind::kAlloc, is_free = event.call->kind == hal::Kind::kFree;
    const auto& address = event[Number::kAddress];
    if ((!is_alloc && !is_free) || event[Number::kParent] || event.failed || !event.outcome.empty() || !address) return;
    const auto known = held_.find({process, *address});
    uint64_t& total = totals_held_[process];
    if (known != held_.end()) {
      total -= known->second;
      held_.erase(known);
    } else if (is_free) {
      return;
    }
    if (is_alloc) {
      const auto& bytes = event[Number::kBytes];
      if (!bytes || *bytes <= 0 || held_.size() >= kMaxHeld) {
        ++totals_.unfollowed;
        return;
      }
      held_[{process, *address}] = static_cast<uint64_t>(*bytes);
      total += static_cast<uint64_t>(*bytes);
    }
    writer_.counter(tracks_.counter(tracks_.process(process), "memory obtained", Unit::kBytes),
                    event.start_ns + static_cast<int64_t>(event.duration_ns.value_or(0)), static_cast<double>(total));
    ++totals_.counters;
  }

  struct HashHeld {
    size_t operator()(const std::pair<size_t, int64_t>& key) const {
      return std::hash<uint64_t>()(static_cast<uint64_t>(key.second) * 31 + key.first);
    }
  };

  const Recording& recording_;
  TraceWriter& writer_;
  Tracks& tracks_;
  TimelineTotals& totals_;
  Flows flows_;
  bool follows_memory_ = false;
  std::vector<Argument> arguments_;
  std::unordered_map<const RecordedCall*, std::string> categories_;
  std::unordered_map<int64_t, std::string> lines_;  // by stack hash
  std::unordered_map<std::pair<size_t, int64_t>, uint64_t, HashHeld> held_;
  std::unordered_map<size_t, uint64_t> totals_held_;
};

}  // namespace

Result<TimelineTotals> write_timeline(const store::Reader& reader, const TimelineOptions& options, Sink sink) {
  auto recording = Recording::load(reader, options.clocks);
  if (!recording.ok()) return recording.error();
  const auto extent = extent_of(*recording, options.selection);
  if (!extent.ok()) return extent.error();
  uint64_t all = 0;
  const auto begin = begin_of(*recording, options, *extent);
  if (!begin.ok()) return begin.error();
  int64_t base_ns = *begin;
  if (options.progress || options.selection.from_wall_ns) {
    const auto counted = recording->count(options.selection);
    if (!counted.ok()) return counted.error();
    all = counted->events;
    // What was under way when the part begins began before it.
    base_ns = std::min(base_ns, counted->first_ns.value_or(base_ns));
  }
  const auto writer = options.format == TimelineFormat::kPerfetto ? proto_writer(std::move(sink), base_ns)
                                                                  : chrome_writer(std::move(sink), base_ns);
  TimelineTotals totals;
  Tracks tracks(*recording, *writer);
  Timeline timeline(*recording, *writer, tracks, totals);
  INGERO_TRY(timeline.load(options));
  INGERO_TRY(write_context_tracks(*recording, options, *extent, *writer, tracks, totals));
  INGERO_TRY(recording->each_event(options.selection, [&](const RecordedEvent& event) -> Status {
    timeline.take(event);
    if (options.progress && totals.events % kProgressEvery == 0) options.progress(totals.events, all);
    return writer->flush();
  }));
  totals.unplaced = recording->unplaced();
  INGERO_TRY(writer->finish());
  if (options.progress) options.progress(totals.events, all);
  return totals;
}

}  // namespace ingero::serve::perfetto
