// The tool get_timeline: what ran when, on which track, in as much detail as a picture can show; and the spread of
// calls' durations.
#include <algorithm>
#include <bit>

#include "base/json.h"
#include "base/text.h"
#include "serve/tools/tool_list.h"
#include "store/read/summary.h"
#include "store/read/timeline.h"

namespace ingero::serve::tools {
namespace {

std::string_view name_of(store::TrackGroup group) {
  switch (group) {
    case store::TrackGroup::kRank:
      return "rank";
    case store::TrackGroup::kThread:
      return "thread";
    case store::TrackGroup::kStream:
      return "stream";
    case store::TrackGroup::kHost:
      return "host";
  }
  return "";
}

Json track_json(const store::Track& track) {
  return {{"lane", track.name},
          {"group", name_of(track.group)},
          {"node", track.node},
          {"process", track.process},
          {"pid", track.pid},
          {"tid", json_or_null(track.tid)},
          {"stream", json_or_null(track.stream)},
          {"comm_id_hash", json_or_null(track.comm_id_hash)},
          {"rank", json_or_null(track.rank)},
          {"nranks", json_or_null(track.nranks)},
          {"op", track.op.empty() ? Json(nullptr) : Json(track.op)},
          {"events", track.events}};
}

// Calls named by the answer, numbered as they come: a recording knows more than an answer shows.
class Ops {
 public:
  explicit Ops(const std::vector<store::TimelineOp>& known_ops) : known_(known_ops) {}
  size_t number(size_t op) {
    if (op >= numbers_.size()) numbers_.resize(op + 1, 0);
    if (numbers_[op] == 0) {
      const store::TimelineOp& one = known_[op];
      list_.push_back({{"op", one.op}, {"call", one.call}, {"layer", one.layer}, {"kind", one.kind}});
      numbers_[op] = list_.size();
    }
    return numbers_[op] - 1;
  }
  Json take() { return std::move(list_); }

 private:
  const std::vector<store::TimelineOp>& known_;
  std::vector<size_t> numbers_;
  Json list_ = Json::array();
};

Json view_json(const store::TrackView& view, const store::TimelineView& answer, int64_t from_wall_ns, Ops& ops) {
  Json bins = Json::array(), starts = Json::array(), durations = Json::array(), calls = Json::array(),
       depths = Json::array(), failed = Json::array(), rows = Json::array();
  for (const store::TrackBin& bin : view.bins) {
    bins.push_back(bin.position);
    bins.push_back(bin.count);
    bins.push_back(answer.bin_ns == 0 ? 0 : (bin.busy_ns * 1000 + answer.bin_ns / 2) / answer.bin_ns);
    bins.push_back(ops.number(bin.op));
  }
  for (const store::TrackSlice& slice : view.slices) {
    starts.push_back(slice.start_wall_ns - from_wall_ns);
    durations.push_back(json_or_null(slice.duration_ns));
    calls.push_back(ops.number(slice.op));
    depths.push_back(slice.depth);
    if (slice.failed) failed.push_back(slice.seq);
    rows.push_back(slice.seq);
  }
  return {{"lane", answer.tracks[view.track].name},
          {"bins", std::move(bins)},
          {"start_ns", std::move(starts)},
          {"duration_ns", std::move(durations)},
          {"op", std::move(calls)},
          {"depth", std::move(depths)},
          {"seq", std::move(rows)},
          {"failed", std::move(failed)}};
}

Result<Json> timeline(Question& question) {
  const Json& input = question.input;
  const auto selection = selection_of(input, *question.reader, question.clock);
  if (!selection.ok()) return selection.error();
  const auto span = question.reader->time_span();
  if (!span.ok()) return span.error();
  if (!*span) {
    return Json{{"from", nullptr},        {"to", nullptr},          {"bin_ns", nullptr}, {"ops", Json::array()},
                {"lanes", Json::array()}, {"views", Json::array()}, {"is_whole", true}};
  }
  store::TimelineQuestion asked;
  const auto clocks = question.timeline->clocks(*question.reader);
  if (!clocks.ok()) return clocks.error();
  const auto bounded = [](uint64_t wall_ns) { return static_cast<int64_t>(std::min<uint64_t>(wall_ns, INT64_MAX)); };
  // The span is by the clocks of all nodes, the timeline by that of one.
  const auto behind_ns = static_cast<uint64_t>(-clocks->most_behind_ns());
  asked.from_wall_ns = selection->from_wall_ns ? bounded(*selection->from_wall_ns)
                                               : bounded((*span)->first_wall_ns) - clocks->most_ahead_ns();
  asked.to_wall_ns = bounded(selection->to_wall_ns.value_or((*span)->last_wall_ns + 1 + behind_ns));
  if (asked.to_wall_ns <= asked.from_wall_ns) {
    return Error(Errc::kInvalid,
                 fmt::format("from {} is not before to {}", format_wall(static_cast<uint64_t>(asked.from_wall_ns)),
                             format_wall(static_cast<uint64_t>(asked.to_wall_ns))));
  }
  asked.bins = input["bins"].get<uint32_t>();
  asked.pid = selection->pid;
  if (question.reader->is_live()) asked.most_rows = kScannedRows;
  if (input.contains("lanes")) asked.tracks = input["lanes"].get<std::vector<std::string>>();
  const auto found = question.timeline->view(*question.reader, asked);
  if (!found.ok()) return found.error();
  Json tracks = Json::array(), views = Json::array();
  for (const store::Track& track : found->tracks) tracks.push_back(track_json(track));
  Ops ops(found->ops);
  for (const store::TrackView& view : found->views) views.push_back(view_json(view, *found, asked.from_wall_ns, ops));
  if (found->tracks_in_all > found->tracks.size()) {
    question.cuts.push_back(
        fmt::format("{} of {} tracks are listed, the busiest", found->tracks.size(), found->tracks_in_all));
  }
  if (found->has_other_tracks) {
    question.cuts.push_back(
        fmt::format("the recording has more tracks than the first {}: the others are not shown", found->tracks_in_all));
  }
  if (found->rows_unread > 0) {
    question.cuts.push_back(fmt::format(
        "the recording is being written: {} older events are not shown yet; ask again, each answer reads more "
        "of them",
        found->rows_unread));
  }
  if (asked.tracks.empty() && found->views.size() < found->tracks.size()) {
    question.cuts.push_back(
        fmt::format("{} of {} tracks are shown: name others in `lanes`", found->views.size(), found->tracks.size()));
  }
  Json answer{{"from", format_wall(static_cast<uint64_t>(asked.from_wall_ns))},
              {"to", format_wall(static_cast<uint64_t>(asked.to_wall_ns))},
              {"bin_ns", found->bin_ns},
              {"ops", ops.take()},
              {"lanes", std::move(tracks)},
              {"views", std::move(views)},
              {"is_whole", found->is_whole}};
  if (clocks->are_several()) {
    answer["clocks"] = store::clocks_json(*clocks);
    answer["notes"] = Json::array({store::order_sentence(*clocks)});
  }
  return answer;
}

Result<Json> distributions(Question& question) {
  auto selection = selection_of(question.input, *question.reader, question.clock);
  if (selection.ok() && !selection->whole()) {  // otherwise histograms answer, however many rows there are
    selection = rows_selection(question, question.input, *question.reader, kScannedRows, "the distributions");
  }
  if (!selection.ok()) return selection.error();
  const auto per_octave = question.input["per_octave"].get<uint32_t>();
  if (!std::has_single_bit(per_octave)) return Error(Errc::kInvalid, "\"per_octave\" must be a power of two");
  const auto found = store::distributions(*question.reader, *selection, per_octave);
  if (!found.ok()) return found.error();
  Json calls = Json::array();
  for (const store::Distribution& one : *found) {
    Json from = Json::array(), counts = Json::array();
    for (const auto& [least, count] : one.buckets) {
      from.push_back(least);
      counts.push_back(count);
    }
    calls.push_back({{"op", one.op},
                     {"call", one.call},
                     {"layer", one.layer},
                     {"kind", one.kind},
                     {"count", one.count},
                     {"from_ns", std::move(from)},
                     {"counts", std::move(counts)}});
  }
  return Json{{"per_octave", per_octave}, {"calls", std::move(calls)}};
}

Tool distributions_tool() {
  Json properties = range_properties();
  properties["pid"] = property("integer", "Only this process", {{"minimum", 1}, {"maximum", 4294967295U}});
  properties["op"] = property("string", "Only this call, upper or lower case", {{"minLength", 1}, {"maxLength", 128}});
  properties["per_octave"] =
      property("integer", "Number of buckets from each power of two to the next: 1, 2, 4, ... 64",
               {{"default", 4}, {"minimum", 1}, {"maximum", 64}});
  Json output = object_of("per_octave:integer");
  output["properties"]["calls"] =
      list_of(object_of("op:string call:string layer:string kind:string count:integer from_ns:array counts:array"));
  output["required"].push_back("calls");
  return {
      "get_distributions",
      "Distributions of durations",
      "How long calls took: per call, most total time first, buckets by their least duration (from_ns) and how many "
      "calls took so long (counts). Within 0.8 %.",
      input_of(std::move(properties)),
      std::move(output),
      true,
      true,
      distributions,
      nullptr};
}

}  // namespace

std::vector<Tool> timeline_tools() {
  Json properties = range_properties();
  properties["pid"] = property("integer", "Only this process", {{"minimum", 1}, {"maximum", 4294967295U}});
  properties["bins"] =
      property("integer", "In this many parts of equal length", {{"default", 300}, {"minimum", 10}, {"maximum", 1000}});
  properties["lanes"] =
      property("array", "Only these tracks, by name; absent: the first of the list",
               {{"maxItems", 48}, {"items", {{"type", "string"}, {"minLength", 1}, {"maxLength", 128}}}});
  Json output = object_of("from:string? to:string? bin_ns:integer? is_whole:boolean");
  output["properties"]["ops"] = list_of(object_of("op:string call:string layer:string kind:string"));
  output["properties"]["lanes"] =
      list_of(object_of("lane:string group:string node:string process:string pid:integer tid:integer? stream:integer? "
                        "comm_id_hash:integer? rank:integer? nranks:integer? op:string? events:integer"));
  output["properties"]["views"] = list_of(
      object_of("lane:string bins:array start_ns:array duration_ns:array op:array depth:array seq:array failed:array"));
  for (const char* list : {"ops", "lanes", "views"}) output["required"].push_back(list);
  output["properties"]["clocks"] = clocks_schema();  // of several nodes, as `notes`
  output["properties"]["notes"] = list_of({{"type", "string"}});
  return {
      distributions_tool(),
      {"get_timeline", "Timeline",
       "What ran when: tracks (`lanes`) of threads, streams, ranks of communicators and host events, on each either "
       "its "
       "calls (start_ns from the part's beginning, duration_ns, op as a place in \"ops\", depth, row seq of the view "
       "events; failed lists the rows that failed) or, where there are many, bins: four numbers each, position, "
       "calls begun, busy per mille, op of the longest. A track can have long calls and bins at once.",
       input_of(std::move(properties)), std::move(output), true, true, timeline, nullptr}};
}

}  // namespace ingero::serve::tools
