// Ranks by time: how each node's worst rank, or each rank of one node, compared with its peers in the last windows.
//
// Numbers are copied while the detectors are held, and written as JSON afterwards. Bounded: kMaxCells numbers, so that
// an answer about as many nodes as a cluster may have is still an answer.
#include <algorithm>

#include "base/text.h"
#include "fleet/server/cluster.h"

namespace ingero::fleet::server {
namespace {

using detect::Course;

constexpr size_t kMaxCells = 131'072;
constexpr uint64_t kNsOfSecond = 1'000'000'000;

struct NodeRow {
  std::string name;
  std::vector<uint32_t> ranks;
  std::vector<int16_t> latest, worst;  // latest: of each rank in the newest window; worst: of each window

  int16_t most() const { return latest.empty() ? Course::kUnknown : *std::max_element(latest.begin(), latest.end()); }
};

struct RankRow {
  uint32_t rank = 0;
  std::vector<int16_t> effects;
};

// Windows, by their numbers.
struct Span {
  uint64_t first = 0, count = 0;
};

// The last `wanted` windows, of those that begin at `from_ns` or later.
Span span_of(uint64_t last, uint64_t period_ns, size_t wanted, uint64_t from_ns) {
  uint64_t first = last + 1 > wanted ? last + 1 - wanted : 0;
  first = std::max(first, from_ns / period_ns + (from_ns % period_ns > 0 ? 1 : 0));
  return {first, last + 1 > first ? last + 1 - first : 0};
}

using Members = std::vector<detect::RankCourse>;

NodeRow node_row(std::string name, const Members& members, Span span, uint64_t last) {
  NodeRow row;
  row.name = std::move(name);
  row.worst.assign(span.count, Course::kUnknown);
  for (const auto& one : members) {
    row.ranks.push_back(one.rank);
    row.latest.push_back(one.course->at(last));
    for (uint64_t i = 0; i < span.count; ++i) row.worst[i] = std::max(row.worst[i], one.course->at(span.first + i));
  }
  return row;
}

std::vector<RankRow> rank_rows(const Members& members, Span span) {
  std::vector<RankRow> rows;
  for (const auto& one : members) {
    RankRow row{one.rank, {}};
    for (uint64_t i = 0; i < span.count; ++i) row.effects.push_back(one.course->at(span.first + i));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json percents(const std::vector<int16_t>& values) {
  Json list = Json::array();
  for (const int16_t value : values) list.push_back(value == Course::kUnknown ? Json(nullptr) : Json(value));
  return list;
}

Json nodes_json(const std::vector<NodeRow>& nodes, bool has_ranks) {
  Json list = Json::array();
  for (const NodeRow& node : nodes) {
    list.push_back({{"node_id", node.name},
                    {"ranks", has_ranks ? Json(node.ranks) : Json::array()},
                    {"latest_percent", percents(node.latest)},
                    {"worst_percent", percents(node.worst)}});
  }
  return list;
}

Json ranks_json(const std::vector<RankRow>& ranks) {
  Json list = Json::array();
  for (const RankRow& one : ranks) list.push_back({{"rank", one.rank}, {"effect_percent", percents(one.effects)}});
  return list;
}

}  // namespace

// Own work before health scores, then the job with most ranks; `others`: how many more there are to choose from.
std::pair<const Cluster::JobKey*, const Cluster::Job*> Cluster::largest_job(const EffectsQuery& query,
                                                                            size_t& others) const {
  std::pair<const JobKey*, const Job*> found{};
  const auto size = [](const JobKey& key, const Job& job) {
    return std::pair(key.kind == Kind::kWork, job.limits.ranks);
  };
  size_t count = 0;
  for (const auto& [key, job] : jobs_) {
    if (!query.cluster.empty() && key.cluster != query.cluster) continue;
    if (query.job && key.job != *query.job) continue;
    ++count;
    if (found.second == nullptr || size(key, job) > size(*found.first, *found.second)) found = {&key, &job};
  }
  others = count > 0 ? count - 1 : 0;
  return found;
}

Json Cluster::effects(const EffectsQuery& query) {
  Json answer{{"cluster_id", json_or_null(query.cluster)},
              {"job_id", nullptr},
              {"compares", nullptr},
              {"window_s", 0},
              {"from_ns", 0},
              {"window_count", 0},
              {"other_jobs", 0},
              {"nodes", Json::array()},
              {"ranks", Json::array()}};
  std::vector<NodeRow> nodes;
  std::vector<RankRow> ranks;
  bool is_work = false;
  {
    const std::lock_guard guard(mutex_);
    (void)advance(clock_.mono_ns());
    size_t others = 0;
    const auto [key, job] = largest_job(query, others);
    if (job == nullptr) return answer;
    is_work = key->kind == Kind::kWork;
    std::map<uint32_t, Members> members;
    for (const auto& one : job->detector.courses()) {
      if (query.node.empty() || node_name(one.node) == query.node) members[one.node].push_back(one);
    }
    const uint64_t last = job->detector.last_window();
    Span span = span_of(last, job->period_ns, query.windows, query.from_ns);
    if (const size_t room = kMaxCells / std::clamp<size_t>(members.size(), 1, query.top_n); span.count > room) {
      answer["cut"] = {fmt::format("the last {} of {} windows are given (windows, top_n)", room, span.count)};
      span = {span.first + span.count - room, room};
    }
    for (const auto& [node, of_node] : members) {
      nodes.push_back(node_row(node_name(node), of_node, span, last));
      if (!query.node.empty() && is_work) ranks = rank_rows(of_node, span);
    }
    answer["cluster_id"] = key->cluster;
    answer["job_id"] = json_or_null(key->job);
    answer["compares"] = is_work ? "own work" : "health score";
    answer["window_s"] = job->period_ns / kNsOfSecond;
    answer["from_ns"] = span.first * job->period_ns;
    answer["window_count"] = span.count;
    answer["other_jobs"] = others;
  }
  std::sort(nodes.begin(), nodes.end(), [](const NodeRow& a, const NodeRow& b) {
    return a.most() != b.most() ? a.most() > b.most() : a.name < b.name;
  });
  if (nodes.size() > query.top_n) nodes.resize(query.top_n);
  answer["nodes"] = nodes_json(nodes, is_work);
  answer["ranks"] = ranks_json(ranks);
  return answer;
}

}  // namespace ingero::fleet::server
