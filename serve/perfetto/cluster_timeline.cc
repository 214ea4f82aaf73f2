// Puts windows and incidents on tracks: see cluster_timeline.h.
#include "serve/perfetto/cluster_timeline.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace ingero::serve::perfetto {
namespace {

// Cells of a row, after the name of the server.
enum Cell : size_t { kServer, kCluster, kNode, kRank, kCommunicator, kOperation, kStart, kEnd, kFirstFigure };
constexpr const char* kFigures[] = {"collectives", "blocked",      "work_s",    "wait_s",
                                    "bytes",       "last_entered", "last_left", "nranks"};
constexpr size_t kNodeNumber = kFirstFigure + std::size(kFigures), kJob = kNodeNumber + 1, kCells = kJob + 1;

std::optional<int64_t> integer(const Json& cell) {
  if (!cell.is_number_integer() || (cell.is_number_unsigned() && cell.get<uint64_t>() > INT64_MAX)) return std::nullopt;
  return cell.get<int64_t>();
}
std::optional<std::string> text(const Json& cell) {
  if (!cell.is_string()) return std::nullopt;
  return printable(cell.get_ref<const std::string&>(), 256);
}
bool is_hex(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); });
}
Json member(const Json& object, const char* name) { return object.contains(name) ? object[name] : Json(nullptr); }
Json incident_of(const Json& chain) { return chain.is_object() ? member(chain, "incident") : Json(nullptr); }

}  // namespace

struct ClusterTimeline::Span {
  std::string name;
  int64_t start_ns = 0;
  uint64_t duration_ns = 0;
  std::vector<std::pair<std::string, Json>> figures = {};

  static std::optional<Span> of(const std::optional<int64_t>& from_ns, const std::optional<int64_t>& to_ns) {
    if (!from_ns || !to_ns || *from_ns < 0 || *to_ns < *from_ns) return std::nullopt;
    return Span{"", *from_ns, static_cast<uint64_t>(*to_ns - *from_ns)};
  }
};

ClusterTimeline::ClusterTimeline(TimelineFormat format, Sink sink, const Json& chains, uint64_t from_wall_ns,
                                 uint64_t to_wall_ns, std::string cluster)
    : format_(format),
      sink_(std::move(sink)),
      chains_(chains),
      from_ns_(from_wall_ns),
      to_ns_(to_wall_ns),
      cluster_(std::move(cluster)) {}

// By a key that no two rows share, so that none is given twice and none is missed. SQLite and ClickHouse write the
// bytes of a text alike.
std::string ClusterTimeline::next() const {
  if (is_over_) return {};
  std::string also = cluster_.empty() ? "" : fmt::format(" AND n.cluster_id = '{}'", cluster_);
  if (after_) {
    const auto& [start, node, rank, communicator, job] = *after_;
    also += fmt::format(" AND (w.start_ns, w.node, w.rank, w.comm_id_hash, hex(w.job_id)) > ({}, {}, {}, {}, '{}')",
                        start, node, rank, communicator, job);
  }
  return fmt::format(
      "SELECT n.cluster_id AS cluster_id, n.node_id AS node_id, w.rank AS rank, w.comm_id_hash AS communicator, "
      "w.op_type AS op_type, w.start_ns AS start_ns, w.end_ns AS end_ns, w.collectives AS collectives, w.blocked AS "
      "blocked, w.work_s AS work_s, w.wait_s AS wait_s, w.bytes AS bytes, w.last_entered AS last_entered, w.last_left "
      "AS last_left, w.nranks AS nranks, w.node AS node_number, hex(w.job_id) AS job FROM windows w JOIN nodes n ON "
      "n.id = w.node WHERE w.start_ns >= {} AND w.start_ns <= {}{} ORDER BY w.start_ns, w.node, w.rank, "
      "w.comm_id_hash, hex(w.job_id) LIMIT {}",
      after_ ? static_cast<uint64_t>(std::get<0>(*after_)) : from_ns_, to_ns_, also, kRowsOfPage);
}

std::optional<ClusterTimeline::Key> ClusterTimeline::key_of(const Json& row) {
  if (!row.is_array() || row.size() != kCells || !row[kServer].is_string() || !row[kJob].is_string()) {
    return std::nullopt;
  }
  const auto start = integer(row[kStart]), node = integer(row[kNodeNumber]), rank = integer(row[kRank]);
  const auto communicator = integer(row[kCommunicator]);
  const auto& job = row[kJob].get_ref<const std::string&>();
  if (!start || *start < 0 || !node || !rank || !communicator || !is_hex(job)) return std::nullopt;
  return Key{*start, *node, *rank, *communicator, job};
}

// Servers go on from the same key: of one whose page goes further, what is beyond the shortest page comes again.
Status ClusterTimeline::add(const Json& rows) {
  struct Page {
    size_t rows = 0;
    std::optional<Key> last;
  };
  std::map<std::string, Page> pages;
  for (const Json& row : rows) {
    const auto key = key_of(row);
    if (!key) continue;
    Page& page = pages[row[kServer].get_ref<const std::string&>()];
    ++page.rows;
    page.last = std::max(page.last.value_or(*key), *key);
  }
  std::optional<Key> until;
  for (const auto& [server, page] : pages) {
    if (page.rows >= kRowsOfPage) until = std::min(until.value_or(*page.last), *page.last);
  }
  if (until && after_ && *until <= *after_) {
    return Error(Errc::kCorrupt, "a server gave windows that were not asked for");
  }
  for (const Json& row : rows) {
    const auto key = key_of(row);
    if (key && until && *key > *until) continue;
    if (!key || !add_window(row)) ++totals_.left_out;
  }
  after_ = until;
  is_over_ = !until;
  return writer_ == nullptr ? Status() : writer_->flush();
}

// It begins with what is first of the incidents and the windows, which come by time.
TraceWriter& ClusterTimeline::writer(int64_t begin_ns) {
  if (writer_ != nullptr) return *writer_;
  for (const Json& chain : chains_) {
    const Json incident = incident_of(chain);
    const auto from_ns = incident.is_object() ? integer(member(incident, "from_ns")) : std::nullopt;
    if (from_ns && *from_ns >= 0) begin_ns = std::min(begin_ns, *from_ns);
  }
  if (begin_ns == INT64_MAX) begin_ns = 0;
  writer_ = format_ == TimelineFormat::kPerfetto ? proto_writer(std::move(sink_), begin_ns)
                                                 : chrome_writer(std::move(sink_), begin_ns);
  for (const Json& chain : chains_) {
    if (!add_incident(chain)) ++totals_.left_out;
  }
  return *writer_;
}

bool ClusterTimeline::add_window(const Json& row) {
  const auto cluster = text(row[kCluster]), node = text(row[kNode]);
  const auto rank = integer(row[kRank]);
  auto span = Span::of(integer(row[kStart]), integer(row[kEnd]));
  if (!cluster || !node || !rank || *rank < 0 || *rank > INT32_MAX || !span) return false;
  const std::string operation = text(row[kOperation]).value_or("");
  span->name = operation.empty() ? "window" : operation;
  for (size_t i = 0; i < std::size(kFigures); ++i) {
    const Json& cell = row[kFirstFigure + i];
    if (cell.is_number()) span->figures.emplace_back(kFigures[i], cell);
  }
  const auto communicator = static_cast<uint64_t>(*integer(row[kCommunicator]));
  const std::string track = fmt::format("rank {} in {:016x}", *rank, communicator);
  const bool is_drawn = draw({printable(row[kServer].get_ref<const std::string&>(), 256), *cluster, *node}, track,
                             track, "window", *span);
  totals_.windows += is_drawn ? 1 : 0;
  return is_drawn;
}

bool ClusterTimeline::add_incident(const Json& chain) {
  const Json incident = incident_of(chain);
  if (!incident.is_object()) return false;
  const auto from_ns = integer(member(incident, "from_ns"));
  auto span = Span::of(from_ns, integer(member(incident, "to_ns")).value_or(from_ns.value_or(0)));
  if (!span) return false;
  span->name = printable(text_member(chain, "summary"), 500);
  for (const char* name : {"root_cause", "severity", "id"}) {
    if (const std::string value = text_member(chain, name); !value.empty())
      span->figures.emplace_back(name, printable(value, 500));
  }
  const std::string node = text(member(incident, "node_id")).value_or("");
  const auto rank = integer(member(incident, "rank"));
  const std::string track =
      fmt::format("{}{}", printable(text_member(incident, "kind"), 64), rank ? fmt::format(" of rank {}", *rank) : "");
  const bool is_drawn =
      draw({printable(text_member(chain, "node"), 256), text(member(incident, "cluster_id")).value_or(""), node},
           fmt::format("{} {}", span->start_ns, text_member(incident, "id")), track, "incident", *span);
  totals_.incidents += is_drawn ? 1 : 0;
  return is_drawn;
}

// Slices of one track never overlap.
bool ClusterTimeline::draw(const NodeName& name, const std::string& key, const std::string& track_name,
                           const char* category, const Span& span) {
  TraceWriter& out = writer(span.start_ns);
  auto found = nodes_.find(name);
  const bool is_known = found != nodes_.end() && found->second.tracks.contains(key);
  if (!is_known && tracks_ >= kMaxTracks) return false;
  if (found == nodes_.end()) {
    const auto& [server, cluster, node] = name;
    found = nodes_.emplace(name, Node{next_id_++, {}}).first;
    out.process(found->second.process, static_cast<int32_t>(nodes_.size()),
                fmt::format("{}/{}", cluster, node.empty() ? "?" : node), server);
  }
  Track& track = found->second.tracks[key];
  if (track.id == 0) {
    ++tracks_;
    track.id = next_id_++;
    out.track(track.id, found->second.process, track_name);
  }
  if (span.start_ns < track.free_from_ns) return false;
  track.free_from_ns = span.start_ns + static_cast<int64_t>(span.duration_ns);
  std::vector<Argument> arguments;
  for (const auto& [figure, value] : span.figures) {
    if (value.is_string()) {
      arguments.push_back({figure, std::string_view(value.get_ref<const std::string&>())});
    } else if (const auto whole = integer(value)) {
      arguments.push_back({figure, *whole});
    } else {
      arguments.push_back({figure, value.get<double>()});
    }
  }
  out.slice({track.id, span.start_ns, span.duration_ns, span.name, category, arguments, {}});
  return true;
}

Result<ClusterTotals> ClusterTimeline::finish() {
  TraceWriter& out = writer(INT64_MAX);
  INGERO_TRY(out.finish());
  return totals_;
}

}  // namespace ingero::serve::perfetto
