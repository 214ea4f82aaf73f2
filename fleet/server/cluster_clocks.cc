// Clocks of nodes: how far from this server's, and how far from each other, by the messages of each and by collectives
// of both.
#include <algorithm>

#include "fleet/server/cluster.h"

namespace ingero::fleet::server {
namespace {

using detect::ClockBound;

constexpr uint64_t kSecondOfClock_ns = 1'000'000'000;
constexpr uint64_t kClockForgotten_ns = 600 * kSecondOfClock_ns;
constexpr uint64_t kDriftOf = 1'000'000 / kClockDrift;  // of a clock's age, by which it may be off

}  // namespace

// The node's clock less this server's.
std::optional<ClockBound> Cluster::offset_of(const NodeKey& node, uint64_t now_ns) const {
  const auto found = clocks_.find(node);
  if (found == clocks_.end() || now_ns - found->second.mono_ns > kClockForgotten_ns) return std::nullopt;
  const auto& [offset, mono_ns] = found->second;
  const uint64_t within_ns = std::min<uint64_t>(offset.within_ns, INT64_MAX / 4) + (now_ns - mono_ns) / kDriftOf;
  const int64_t middle = std::clamp<int64_t>(offset.offset_ns, INT64_MIN / 4, INT64_MAX / 4);
  return ClockBound{middle - static_cast<int64_t>(within_ns), middle + static_cast<int64_t>(within_ns), 0};
}

// Of the node's clock less that of each other one: the closest of all jobs in which both take part.
std::map<uint32_t, ClockBound> Cluster::bounds_by_collectives(const std::string& cluster, uint32_t node) const {
  std::map<uint32_t, ClockBound> best;
  for (const auto& [key, job] : jobs_) {
    if (key.cluster != cluster || key.kind != Kind::kWork) continue;
    for (const auto& [other, bound] : job.clocks.differences(node)) {
      const auto known = best.find(other);
      if (known == best.end() || bound.within_ns() < known->second.within_ns()) best[other] = bound;
    }
  }
  return best;
}

// Both bounds where they agree; where they do not, that of the messages, which are newer than a clock that was set.
Json Cluster::clock_difference(const NodeKey& node, const NodeKey& other, std::optional<ClockBound> bound,
                               uint64_t now_ns) const {
  const char* by = bound ? "collectives" : "nothing";
  const auto its = offset_of(node, now_ns), others = offset_of(other, now_ns);
  if (its && others) {
    ClockBound of_messages{its->least_ns - others->most_ns, its->most_ns - others->least_ns, 0};
    const bool agrees = bound && bound->least_ns <= of_messages.most_ns && bound->most_ns >= of_messages.least_ns;
    const bool is_closer = agrees && (bound->least_ns > of_messages.least_ns || bound->most_ns < of_messages.most_ns);
    by = is_closer ? "both" : "messages";
    if (is_closer) {
      of_messages = {std::max(bound->least_ns, of_messages.least_ns), std::min(bound->most_ns, of_messages.most_ns),
                     bound->collectives};
    }
    bound = of_messages;
  }
  return {{"cluster_id", other.first},
          {"node_id", other.second},
          {"difference_ns", bound ? Json(bound->middle_ns()) : Json(nullptr)},
          {"within_ns", bound ? Json(bound->within_ns()) : Json(nullptr)},
          {"by", by},
          {"collectives", bound ? bound->collectives : 0}};
}

Json Cluster::clocks(const std::string& cluster, const std::string& node) {
  Json answer{{"cluster_id", json_or_null(cluster)},
              {"node_id", json_or_null(node)},
              {"clocks", Json::array()},
              {"differences", Json::array()}};
  const std::lock_guard guard(mutex_);
  const uint64_t now_ns = clock_.mono_ns();
  size_t unknown = 0;
  for (const auto& [key, number] : node_numbers_) {
    if (!cluster.empty() && key.first != cluster) continue;
    const auto found = clocks_.find(key);
    if (found == clocks_.end() || now_ns - found->second.mono_ns > kClockForgotten_ns) {
      ++unknown;
      continue;
    }
    const auto& [offset, mono_ns] = found->second;
    answer["clocks"].push_back({{"cluster_id", key.first},
                                {"node_id", key.second},
                                {"offset_ns", offset.offset_ns},
                                {"within_ns", offset.within_ns},
                                {"age_s", (now_ns - mono_ns) / kSecondOfClock_ns}});
  }
  answer["unknown_nodes"] = unknown;
  if (node.empty()) return answer;
  for (const auto& [key, number] : node_numbers_) {
    if (key.second != node || (!cluster.empty() && key.first != cluster)) continue;
    const auto bounds = bounds_by_collectives(key.first, number);
    for (const auto& [other, others_number] : node_numbers_) {
      if (other.first != key.first || other == key) continue;
      const auto bound = bounds.find(others_number);
      answer["differences"].push_back(
          clock_difference(key, other, bound == bounds.end() ? std::nullopt : std::optional(bound->second), now_ns));
    }
  }
  return answer;
}

}  // namespace ingero::fleet::server
