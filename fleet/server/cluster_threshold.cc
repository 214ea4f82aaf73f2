// What nodes classify themselves by, and their scores: see Cluster::threshold().
#include <algorithm>

#include "fleet/server/cluster.h"
#include "fleet/wire/threshold.h"

namespace ingero::fleet::server {
namespace {

double score_of(double effect) { return 1 / (1 + std::max(0.0, effect)); }

}  // namespace

void Cluster::Job::note_compared() {
  limits = detector.limits();
  slowest.clear();
  if (!scored.empty()) return note_usual_scores();
  const auto note = [&](uint32_t node, Slowest one) {
    const auto [known, is_new] = slowest.try_emplace(node, one);
    if (std::pair(one.is_named, one.effect) > std::pair(known->second.is_named, known->second.effect)) {
      known->second = one;
    }
  };
  const uint64_t last = detector.last_window();
  for (const detect::RankCourse& one : detector.courses()) {
    bool is_heard = false;
    for (uint64_t back = 0; back < detect::kSilentAfter && back <= last; ++back) {
      is_heard = is_heard || one.course->at(last - back) != detect::Course::kUnknown;
    }
    if (is_heard) note(one.node, {one.course->median_of(kScoreWindows) / 100.0, false});
  }
  for (const detect::Incident& one : detector.named()) note(one.node, {one.effect, true});
}

// A node has one threshold, for the score that it gives itself: of several groups the one that accuses no healthy one.
void Cluster::Job::note_usual_scores() {
  usual_scores.clear();
  for (const detect::Standing& one : detector.standings()) {
    const auto its = scored.find(one.rank);
    if (its == scored.end() || one.usual_s <= 0) continue;
    const auto [known, is_new] = usual_scores.try_emplace(its->second.node, one.usual_s);
    known->second = std::min(known->second, one.usual_s);
  }
}

Threshold Cluster::threshold(const std::string& cluster, const std::string& node) {
  const std::lock_guard guard(mutex_);
  const auto number = node_numbers_.find({cluster, node});
  Threshold found;
  size_t ranks = 0;
  bool is_own = false;
  for (const auto& [key, job] : jobs_) {
    const detect::Limits& limits = job.limits;
    if (key.cluster != cluster || limits.ranks == 0) continue;
    const bool is_score = key.kind == Kind::kScore;
    const auto its = is_score || number == node_numbers_.end() ? job.slowest.end() : job.slowest.find(number->second);
    const bool has_node = its != job.slowest.end();
    const size_t worth = is_score ? SIZE_MAX : limits.ranks;
    if (has_node < is_own || (has_node == is_own && worth <= ranks)) continue;
    is_own = has_node;
    ranks = worth;
    double usual = limits.usual;
    if (number != node_numbers_.end() && job.usual_scores.contains(number->second)) {
      usual = job.usual_scores.at(number->second);
    }
    const double value = is_score ? usual * (1 - limits.effect) : score_of(limits.effect);
    found = {std::clamp(value, wire::kMinThreshold, wire::kMaxThreshold), true, limits.has_quorum, {}};
    if (!has_node) continue;
    found.score = score_of(its->second.effect);
    if (!its->second.is_named) found.score = std::max(*found.score, std::min(1.0, found.value + wire::kHysteresis));
  }
  return found;
}

}  // namespace ingero::fleet::server
