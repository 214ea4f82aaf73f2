// What the server says of itself, in the text format of Prometheus
// (prometheus.io/docs/instrumenting/exposition_formats).
#include <tuple>

#include "fleet/server/cluster.h"

namespace ingero::fleet::server {
namespace {

std::string label_value(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;  // names and reasons are printable: no line ends in them
}

class Exposition {
 public:
  void begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  void add(uint64_t value, std::initializer_list<std::pair<std::string_view, std::string_view>> labels = {}) {
    std::string all;
    for (const auto& [name, of] : labels) {
      all += fmt::format("{}{}=\"{}\"", all.empty() ? "" : ",", name, label_value(of));
    }
    text_ += all.empty() ? fmt::format("{} {}\n", name_, value) : fmt::format("{}{{{}}} {}\n", name_, all, value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string name_, text_;
};

void add_refusals(const InterfaceRefusals& refusals, Exposition& out) {
  out.begin("ingero_fleet_refused_requests_total", "counter",
            "Requests that were answered with an error, and connections that were ended, by interface and reason.");
  for (const auto& [interface, its] : refusals) {
    for (size_t i = 0; i < serve::http::kRefusedCount; ++i) {
      out.add(its->of(serve::http::Refused(i)), {{"interface", interface}, {"reason", serve::http::kRefusedNames[i]}});
    }
  }
}

}  // namespace

Result<std::string> Cluster::metrics(const InterfaceRefusals& refusals) {
  const auto coverage = store_->coverage();
  INGERO_TRY(coverage);
  Exposition out;
  const std::lock_guard guard(mutex_);
  const auto counter = [&](const char* name, const char* help, uint64_t value) {
    out.begin(name, "counter", help);
    out.add(value);
  };
  counter("ingero_fleet_requests_total", "Requests of OTLP metrics, over HTTP and gRPC.", counters_.requests);
  counter("ingero_fleet_undecodable_requests_total", "Those that could not be decoded.", counters_.undecodable);
  counter("ingero_fleet_points_total", "Data points that were stored.", counters_.points);
  counter("ingero_fleet_windows_total", "Windows of ranks that were stored.", counters_.windows);
  counter("ingero_fleet_repeated_total", "Points and windows that had been stored before.", counters_.repeated);
  out.begin("ingero_fleet_refused_points_total", "counter", "Data points that can never be taken, by reason.");
  for (const auto& [reason, count] : counters_.refused) out.add(count, {{"reason", reason}});
  out.begin("ingero_fleet_over_quota_requests_total", "counter",
            "Requests that were answered 429, to be sent again later, by what the token had used up.");
  const auto over = quotas_.refused();
  for (size_t i = 0; i < over.size(); ++i) out.add(over[i], {{"quota", Quotas::kNames[i]}});
  add_refusals(refusals, out);
  uint64_t late = counters_.late, dropped = counters_.dropped, ranks = 0;
  for (const auto& [key, job] : jobs_) {
    late += job.detector.late();
    dropped += job.detector.dropped();
    if (key.kind == Kind::kWork) ranks += job.limits.ranks;
  }
  out.begin("ingero_fleet_windows_not_compared_total", "counter",
            "Windows that were stored and not compared, by reason.");
  out.add(late, {{"reason", "late"}});
  out.add(counters_.ahead, {{"reason", "ahead"}});
  out.add(counters_.other_period, {{"reason", "other_period"}});
  out.add(counters_.no_room, {{"reason", "too_many_jobs"}});
  out.add(counters_.too_many_ranks, {{"reason", "too_many_ranks"}});
  out.add(counters_.ranks_of_node, {{"reason", "ranks_of_node"}});
  out.add(dropped, {{"reason", "too_many_windows"}});
  counter("ingero_fleet_displaced_jobs_total", "Silent jobs that were forgotten early, to make room for new ones.",
          counters_.displaced);
  counter("ingero_fleet_lost_incidents_total",
          "Changes of incidents that no room was left for while the store took none.", counters_.lost_incidents);
  counter("ingero_fleet_refused_writes_total", "Requests that were not stored: the disk is full, the file is busy.",
          counters_.refused_writes);
  const auto gauge = [&](const char* name, const char* help, uint64_t value) {
    out.begin(name, "gauge", help);
    out.add(value);
  };
  gauge("ingero_fleet_jobs", "Jobs whose ranks are compared.", jobs_.size());
  gauge("ingero_fleet_ranks", "Ranks that are heard of.", ranks);
  gauge("ingero_fleet_nodes", "Nodes that are known: 4096 at most.", coverage->nodes);
  gauge("ingero_fleet_shared_node_names", "Names that several nodes have, and are kept apart by their instance.",
        names_.shared().size());
  gauge("ingero_fleet_unwritten_incidents", "Incidents that the store has not taken yet.", unwritten_.size());
  gauge("ingero_fleet_store_bytes", "Size of the cluster's file, or of its tables in ClickHouse.", coverage->bytes);
  if (const auto backlog = store_->backlog()) {
    gauge("ingero_fleet_spool_bytes", "What was acknowledged and ClickHouse has not taken yet.",
          backlog->waiting_bytes);
    gauge("ingero_fleet_spool_limit_bytes", "How much that may be.", backlog->max_bytes);
    gauge("ingero_fleet_store_reachable", "Whether ClickHouse took what it was last given.",
          backlog->last_error.empty() ? 1 : 0);
    gauge("ingero_fleet_due_minutes", "Minutes whose sums do not hold all of their windows yet.", backlog->due_minutes);
    counter("ingero_fleet_spool_refused_total", "Batches that the spool did not take: it was full, or the disk failed.",
            backlog->refused);
    counter("ingero_fleet_stored_rows_total", "Rows that ClickHouse took.", backlog->rows);
    counter("ingero_fleet_expired_windows_total", "Windows that were acknowledged, and too old when their turn came.",
            backlog->expired_windows);
    counter("ingero_fleet_spool_damaged_bytes_total", "Bytes of the spool that could not be read.",
            backlog->damaged_bytes);
  }
  std::map<std::tuple<std::string, std::string, std::string>, uint64_t> open;
  for (const auto& [name, row] : open_) ++open[{row.cluster, row.kind, row.what}];
  out.begin("ingero_fleet_incidents_open", "gauge", "Incidents that last, by cluster, kind and class.");
  for (const auto& [key, count] : open) {
    out.add(count, {{"cluster_id", std::get<0>(key)}, {"kind", std::get<1>(key)}, {"class", std::get<2>(key)}});
  }
  return out.take();
}

}  // namespace ingero::fleet::server
