// Puts windows and incidents on tracks: see cluster_timeline.h.
#include "serve/perfetto/cluster_timeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/text.h"

namespace ingero::serve::perfetto {
namespace {

// Cells of a row, after the name of the server.
enum Cell : size_t { kServer, kCluster, kNode, kRank, kCommunicator, kOperation, kStart, kEnd, kFirstFigure };
constexpr const char* kFigures[] = {"collectives", "blocked",      "work_s",    "wait_s",
                                    "bytes",       "last_entered", "last_left", "nranks"};

struct Span {
  std::string name;
  int64_t start_ns = 0;
  uint64_t duration_ns = 0;
  std::vector<std::pair<std::string, Json>> figures;
};
struct Track {
  int32_t rank = -1;
  std::string name;
  const char* category = "window";
  std::vector<Span> spans;
};
using NodeName = std::tuple<std::string, std::string, std::string>;  // server, cluster, node

std::optional<int64_t> integer(const Json& cell) {
  if (!cell.is_number_integer() || (cell.is_number_unsigned() && cell.get<uint64_t>() > INT64_MAX)) return std::nullopt;
  return cell.get<int64_t>();
}
std::optional<std::string> text(const Json& cell) {
  if (!cell.is_string()) return std::nullopt;
  return printable(cell.get_ref<const std::string&>(), 256);
}
// 64 bits, whichever sign they were given with.
uint64_t bits(const Json& cell) {
  return cell.is_number_unsigned() ? cell.get<uint64_t>() : static_cast<uint64_t>(integer(cell).value_or(0));
}

std::optional<Span> span_of(const std::optional<int64_t>& from_ns, const std::optional<int64_t>& to_ns) {
  if (!from_ns || !to_ns || *from_ns < 0 || *to_ns < *from_ns) return std::nullopt;
  Span span;
  span.start_ns = *from_ns;
  span.duration_ns = static_cast<uint64_t>(*to_ns - *from_ns);
  return span;
}

class Drawing {
 public:
  void add_windows(const Json& rows) {
    for (const Json& row : rows) {
      if (!add_window(row)) ++totals_.left_out;
    }
  }
  void add_incidents(const Json& chains) {
    for (const Json& chain : chains) {
      if (!add_incident(chain)) ++totals_.left_out;
    }
  }
  Result<ClusterTotals> write(TimelineFormat format, Sink sink);

 private:
  bool add_window(const Json& row);
  bool add_incident(const Json& chain);
  std::string name_of(const NodeName& node) const;

  std::map<NodeName, std::map<std::string, Track>> nodes_;  // tracks by a name that sorts them
  ClusterTotals totals_;
};

bool Drawing::add_window(const Json& row) {
  if (!row.is_array() || row.size() != kFirstFigure + std::size(kFigures)) return false;
  const auto server = text(row[kServer]), cluster = text(row[kCluster]), node = text(row[kNode]);
  const auto rank = integer(row[kRank]);
  auto span = span_of(integer(row[kStart]), integer(row[kEnd]));
  if (!server || !cluster || !node || !rank || *rank < 0 || *rank > INT32_MAX || !span) return false;
  const std::string operation = text(row[kOperation]).value_or("");
  span->name = operation.empty() ? "window" : operation;
  for (size_t i = 0; i < std::size(kFigures); ++i) {
    const Json& cell = row[kFirstFigure + i];
    if (cell.is_number()) span->figures.emplace_back(kFigures[i], cell);
  }
  const uint64_t communicator = bits(row[kCommunicator]);
  Track& track = nodes_[{*server, *cluster, *node}][fmt::format("1 {:010} {:016x}", *rank, communicator)];
  track.rank = static_cast<int32_t>(*rank);
  track.name = fmt::format("rank {} in {:016x}", *rank, communicator);
  track.spans.push_back(std::move(*span));
  ++totals_.windows;
  return true;
}

bool Drawing::add_incident(const Json& chain) {
  const auto found = chain.is_object() ? chain.find("incident") : chain.end();
  if (!chain.is_object() || found == chain.end() || !found->is_object()) return false;
  const Json& incident = *found;
  const auto member = [&](const char* name) { return incident.contains(name) ? incident[name] : Json(nullptr); };
  const auto from_ns = integer(member("from_ns"));
  auto span = span_of(from_ns, integer(member("to_ns")).value_or(from_ns.value_or(0)));
  if (!span) return false;
  span->name = printable(text_member(chain, "summary"), 500);
  for (const char* name : {"root_cause", "severity", "id"}) {
    if (const std::string value = text_member(chain, name); !value.empty())
      span->figures.emplace_back(name, printable(value, 500));
  }
  const std::string node = text(member("node_id")).value_or("");
  Track& track = nodes_[{printable(text_member(chain, "node"), 256), text(member("cluster_id")).value_or(""), node}]
                       [fmt::format("0 {} {}", span->start_ns, text_member(incident, "id"))];
  const auto rank = integer(member("rank"));
  track.name =
      fmt::format("{}{}", printable(text_member(incident, "kind"), 64), rank ? fmt::format(" of rank {}", *rank) : "");
  track.category = "incident";
  track.spans.push_back(std::move(*span));
  ++totals_.incidents;
  return true;
}

// The server's name only where there are several.
std::string Drawing::name_of(const NodeName& node) const {
  const auto& [server, cluster, name] = node;
  const bool has_several = std::get<0>(nodes_.begin()->first) != std::get<0>(nodes_.rbegin()->first);
  return fmt::format("{}{}/{}", has_several ? server + " " : "", cluster, name.empty() ? "?" : name);
}

Result<ClusterTotals> Drawing::write(TimelineFormat format, Sink sink) {
  int64_t begin_ns = INT64_MAX;
  for (const auto& [node, tracks] : nodes_) {
    for (const auto& [key, track] : tracks) {
      for (const Span& span : track.spans) begin_ns = std::min(begin_ns, span.start_ns);
    }
  }
  if (nodes_.empty()) begin_ns = 0;
  const auto writer = format == TimelineFormat::kPerfetto ? proto_writer(std::move(sink), begin_ns)
                                                          : chrome_writer(std::move(sink), begin_ns);
  TrackId next = 1;
  int32_t pid = 0;
  for (auto& [node, tracks] : nodes_) {
    const TrackId process = next++;
    writer->process(process, ++pid, name_of(node), {});
    for (auto& [key, track] : tracks) {
      const TrackId id = next++;
      writer->track(id, process, track.name);
      std::sort(track.spans.begin(), track.spans.end(),
                [](const Span& a, const Span& b) { return a.start_ns < b.start_ns; });
      int64_t free_from_ns = 0;
      for (const Span& span : track.spans) {
        if (span.start_ns < free_from_ns) {  // slices of one track never overlap
          ++totals_.left_out;
          continue;
        }
        free_from_ns = span.start_ns + static_cast<int64_t>(span.duration_ns);
        std::vector<Argument> arguments;
        for (const auto& [name, value] : span.figures) {
          if (value.is_string()) {
            arguments.push_back({name, std::string_view(value.get_ref<const std::string&>())});
          } else if (const auto whole = integer(value)) {
            arguments.push_back({name, *whole});
          } else {
            arguments.push_back({name, value.get<double>()});
          }
        }
        writer->slice({id, span.start_ns, span.duration_ns, span.name, track.category, arguments, {}});
      }
      INGERO_TRY(writer->flush());
    }
  }
  INGERO_TRY(writer->finish());
  return totals_;
}

}  // namespace

std::string cluster_windows_sql(uint64_t from_wall_ns, uint64_t to_wall_ns, uint64_t most) {
  return fmt::format(
      "SELECT n.cluster_id AS cluster_id, n.node_id AS node_id, w.rank AS rank, w.comm_id_hash AS communicator, "
      "w.op_type AS op_type, w.start_ns AS start_ns, w.end_ns AS end_ns, w.collectives AS collectives, w.blocked AS "
      "blocked, w.work_s AS work_s, w.wait_s AS wait_s, w.bytes AS bytes, w.last_entered AS last_entered, w.last_left "
      "AS "
      "last_left, w.nranks AS nranks FROM windows w JOIN nodes n ON n.id = w.node WHERE w.start_ns >= {} AND "
      "w.start_ns "
      "<= {} ORDER BY w.start_ns DESC LIMIT {}",
      from_wall_ns, to_wall_ns, most);
}

Result<ClusterTotals> write_cluster_timeline(const Json& rows, const Json& chains, TimelineFormat format, Sink sink) {
  Drawing drawing;
  drawing.add_windows(rows);
  drawing.add_incidents(chains);
  return drawing.write(format, std::move(sink));
}

}  // namespace ingero::serve::perfetto
