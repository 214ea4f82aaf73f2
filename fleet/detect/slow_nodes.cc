// Counts the suspects of each node: see slow_nodes.h.
#include "fleet/detect/slow_nodes.h"

#include <algorithm>

#include "fleet/detect/pool.h"

namespace ingero::fleet::detect {

// Three quarters. What one or two of many ranks had before, a burst of their node does not make the node's.
bool SlowNodes::is_slow(const Group& group) {
  const bool are_few = group.slow_for_long > 0 && 4 * group.slow_for_long <= group.ranks;
  return group.ranks >= 2 && !group.named.empty() && 4 * group.suspects.size() >= 3 * group.ranks && !are_few;
}

// Of nodes with a named rank, and of those that are slow.
std::map<uint32_t, SlowNodes::Group> SlowNodes::groups_of(const std::vector<NodeMember>& members) const {
  std::map<uint32_t, Group> groups;
  for (const auto& [node, incident] : nodes_) groups.try_emplace(node);
  for (const NodeMember& one : members) {
    if (one.incident != nullptr) groups.try_emplace(one.node);
  }
  for (const NodeMember& one : members) {
    const auto group = groups.find(one.node);
    if (group == groups.end()) continue;
    ++group->second.ranks;
    if (one.score >= kSuspect) group->second.suspects.push_back(one.rank);
    if (one.score >= kSuspect && one.stays_slow) ++group->second.slow_for_long;
    if (one.incident != nullptr) group->second.named.push_back(&one);
  }
  return groups;
}

void SlowNodes::begin(const std::map<uint32_t, Group>& groups, uint64_t window, std::vector<Incident>& changes) {
  for (const auto& [node, group] : groups) {
    if (nodes_.contains(node) || !is_slow(group)) continue;
    Incident& incident = nodes_[node];
    incident = *group.named.front()->incident;
    incident.named_window = window;
    update(incident, group);
    changes.push_back(incident);
    for (const NodeMember* one : group.named) {
      if (own_.erase(one->rank) == 0) continue;
      changes.push_back(*one->incident);
      changes.back().state = State::kMerged;
    }
  }
}

// The mean of those that are named; false: no news.
bool SlowNodes::update(Incident& incident, const Group& group) {
  const Incident before = incident;
  std::set<uint32_t> ranks(incident.ranks.begin(), incident.ranks.end());
  ranks.insert(group.suspects.begin(), group.suspects.end());
  incident.effect = incident.lateness_s = incident.usual_s = 0;
  incident.reasons = {};
  for (const NodeMember* member : group.named) {
    const Incident& one = *member->incident;
    ranks.insert(member->rank);
    incident.from_window = std::min(incident.from_window, one.from_window);
    incident.last_window = std::max(incident.last_window, one.last_window);
    incident.confidence = std::max(incident.confidence, one.confidence);
    const double share = 1 / static_cast<double>(group.named.size());
    incident.effect += share * one.effect;
    incident.lateness_s += share * one.lateness_s;
    incident.usual_s += share * one.usual_s;
    for (const auto reason : kReasons) incident.reasons.*reason += share * one.reasons.*reason;
  }
  incident.ranks.assign(ranks.begin(), ranks.end());
  incident.rank = incident.ranks.front();
  incident.node_ranks = std::max(incident.node_ranks, group.ranks);
  incident.what = class_of(incident);
  return is_news(before, incident);
}

// While all recover, one is the last, and the later the nearer to the floor it always is: that is not one that stays
// slow.
bool SlowNodes::is_one_alone(uint32_t node, const Group& group) {
  const auto is_named = [](const NodeMember* one) { return one->score >= kNamed; };
  size_t& windows = alone_[node];
  windows = group.suspects.size() == 1 && std::ranges::any_of(group.named, is_named) ? windows + 1 : 0;
  return windows >= kAloneFor && std::ranges::any_of(group.named, &NodeMember::stays_slow);
}

void SlowNodes::fold(const std::vector<NodeMember>& members, uint64_t window, const std::vector<Incident>& own,
                     std::vector<Incident>& changes) {
  const auto groups = groups_of(members);
  std::set<uint32_t> silent;  // nodes with a rank that is no longer heard of
  for (const Incident& change : own) {
    if (change.state == State::kSilent) silent.insert(change.node);
    if (!own_.contains(change.rank)) continue;
    changes.push_back(change);
    if (change.state != State::kOpen) own_.erase(change.rank);
  }
  for (auto one = nodes_.begin(); one != nodes_.end();) {
    auto& [node, incident] = *one;
    const Group& group = groups.at(node);
    if (!group.named.empty() && !is_one_alone(node, group)) {
      if (update(incident, group)) changes.push_back(incident);
      ++one;
      continue;
    }
    incident.state = group.named.empty() && silent.contains(node) ? State::kSilent : State::kOver;
    changes.push_back(incident);
    alone_.erase(node);
    one = nodes_.erase(one);
  }
  begin(groups, window, changes);
  for (const NodeMember& one : members) {
    if (one.incident == nullptr || one.score < kNamed || nodes_.contains(one.node)) continue;
    if (own_.insert(one.rank).second) changes.push_back(*one.incident);
  }
}

}  // namespace ingero::fleet::detect
