// What the cluster knew before a restart, made again from the store: see cluster.h.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "fleet/server/cluster.h"
#include "fleet/server/incident_rows.h"

namespace ingero::fleet::server {
namespace {

constexpr uint64_t kRestored_ns = 600'000'000'000;
static_assert(kRestored_ns < store::kWindowsKept_ns);
constexpr uint64_t kFoundAgain_ns = 300'000'000'000;  // after a restart, where windows do not say
constexpr uint64_t kAwaited_ns = 50'000'000'000;      // what was there before one

}  // namespace

// What the detectors knew is made again from the windows; an incident that was open and is found again keeps its id,
// and one that is not is silent: nothing says that it is over. Health scores are not replayed: those incidents stay
// open until there was time to find them again.
Status Cluster::restore() {
  const uint64_t now_ns = clock_.wall_ns();
  const uint64_t from_ns = now_ns > kRestored_ns ? now_ns - kRestored_ns : 0;
  const auto rows = store_->open_incidents();
  INGERO_TRY(rows);
  for (const auto& row : *rows) open_[incident_name(row)] = row;
  const auto before = open_;
  replay_.emplace();
  // Where the store cannot be asked now, what has ended may be written again.
  if (const auto ended = store_->ended_incidents("", from_ns, store::kMaxOpenIncidents); ended.ok()) {
    for (const auto& row : *ended) {
      replay_->stored.emplace(incident_name(row), row);
      replay_->ended.insert(row.id);
    }
  }
  restore_reports(from_ns);
  INGERO_TRY(replay(from_ns));
  return end_replay(before);
}

Status Cluster::replay(uint64_t from_ns) {
  uint64_t last_ns = 0;
  Status advanced;
  INGERO_TRY(store_->each_window(from_ns, [&](wire::Window window, uint32_t node) {
    if (window.start_ns != last_ns && advanced.ok()) {
      advanced = advance(last_ns + detect::kWaitForWindow_ns);
      note_held();
    }
    last_ns = window.start_ns;
    remember_node(window.sender.cluster, window.sender.node, node);
    compare(window, node, window.start_ns, "");
  }));
  INGERO_TRY(advanced);
  return advance(last_ns + detect::kMaxWaitForWindow_ns);
}

Status Cluster::end_replay(const std::map<std::string, store::IncidentRow>& before) {
  std::set<std::string> named;
  const uint64_t now_ns = clock_.mono_ns();
  for (auto& [key, job] : jobs_) {
    job.heard_ns = now_ns;
    job.settled_ns = now_ns + kSettles_ns;
    job.awaited_until_ns = now_ns + kAwaited_ns;
    job.is_restored = true;
    for (const detect::Hang& hang : job.hangs.open()) named.insert(incident_name(row_of(key, job, hang)));
    if (const auto slow = job.pace.open()) named.insert(incident_name(row_of(key, job, *slow)));
    for (const auto& one : job.detector.named()) named.insert(incident_name(row_of(key, job, one)));
  }
  // Of what had ended before the restart nothing is new.
  std::erase_if(unwritten_, [&](const auto& one) {
    return one.second.state != detect::name_of(detect::State::kOpen) && replay_->ended.contains(one.first);
  });
  replay_.reset();
  unconfirmed_until_ns_ = now_ns + kFoundAgain_ns;
  std::vector<store::IncidentRow> gone;
  for (const auto& [name, row] : before) {
    if (named.contains(name)) continue;
    if (row.kind == kLowScore) {
      unconfirmed_.insert(name);
      continue;
    }
    if (open_.erase(name) == 0) continue;
    gone.push_back(row);
    gone.back().state = detect::name_of(detect::State::kSilent);
  }
  return write_incidents(std::move(gone));
}

void Cluster::end_unconfirmed(uint64_t now_ns, std::vector<store::IncidentRow>& rows) {
  if (unconfirmed_.empty() || now_ns < unconfirmed_until_ns_) return;
  for (const std::string& name : unconfirmed_) {
    const auto found = open_.find(name);
    if (found == open_.end()) continue;
    rows.push_back(found->second);
    rows.back().state = detect::name_of(detect::State::kSilent);
    open_.erase(found);
  }
  unconfirmed_.clear();
}

// Those that came before a restart; without them ranks are named, too.
void Cluster::restore_reports(uint64_t from_ns) {
  store::HistoryQuery query;
  query.metric = kChainMetric;
  query.from_ns = from_ns;
  query.limit = store::kMaxHistoryRows;
  const auto found = store_->history(query);
  if (!found.ok()) return;
  for (auto event = found->events.rbegin(); event != found->events.rend(); ++event) {
    wire::Point point;
    point.metric = kChainMetric;
    point.sender.cluster = text_member(*event, "cluster_id");
    point.sender.node = text_member(*event, "node_id");
    point.time_ns = event->at("timestamp_ns").get<uint64_t>();
    if (event->at("rank").is_number_integer()) point.rank = event->at("rank").get<int64_t>();
    if (event->at("value_double").is_number()) point.value_double = event->at("value_double").get<double>();
    point.attributes = dump(event->at("attrs"));
    (void)reports_.take(point);
  }
}

}  // namespace ingero::fleet::server
