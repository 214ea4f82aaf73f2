// The collective each rank has entered last, and the oldest one that other ranks still wait for: a hang shows there.
#include "correlate/arrivals.h"

#include <algorithm>
#include <limits>

namespace ingero::correlate {

void Arrivals::know(const hal::Communicator& communicator) {
  if (!communicator.comm_id_hash) return;
  const auto [known, is_new] = hash_of_.try_emplace(communicator.id, *communicator.comm_id_hash);
  auto found = groups_.find(known->second);
  if (found == groups_.end()) {
    if (!is_new || communicator.ended_mono_ns || hash_of_.size() > kMaxCommunicators) {
      hash_of_.erase(known);
      return;
    }
    found = groups_.emplace(known->second, Group{}).first;
  }
  Group& group = found->second;
  if (is_new && hash_of_.size() > kMaxCommunicators) {
    hash_of_.erase(known);
    return;
  }
  Member& member = group.members[communicator.id];
  member.rank = communicator.rank;
  member.pid = communicator.pid;
  member.has_ended = communicator.ended_mono_ns.has_value();
  if (communicator.nranks) group.nranks = communicator.nranks;
  const bool all_ended =
      std::all_of(group.members.begin(), group.members.end(), [](const auto& entry) { return entry.second.has_ended; });
  if (!all_ended) return;
  if (group.reported) {
    group.reported->is_over = true;
    over_.push_back(*group.reported);
  }
  for (const auto& [id, ended] : group.members) hash_of_.erase(id);
  groups_.erase(found);
}

void Arrivals::take(const hal::Event& event, const hal::Exchange& exchange) {
  if (event.kind != hal::Kind::kCollective || exchange.is_part || !exchange.communicator_id) return;
  const auto hash = hash_of_.find(*exchange.communicator_id);
  if (hash == hash_of_.end()) return;
  Group& group = groups_.at(hash->second);
  Member& member = group.members.at(*exchange.communicator_id);
  if (!exchange.number) {
    // A call that failed entered nothing; one that counted without a number means that the count is lost.
    if (event.outcome != hal::Outcome::kReturned || !event.failed) member.is_evaluated = false;
    return settle(hash->second, group);
  }
  if (*exchange.number <= member.entered) return;
  member.entered = *exchange.number;
  if (member.entered > group.all_entered) {
    const auto [entry, is_first] = group.ahead.try_emplace(member.entered, First{event.start_mono_ns, event.call});
    First& first = entry->second;
    if (event.start_mono_ns < first.mono_ns) {
      first.mono_ns = event.start_mono_ns;
      first.call = event.call;
    }
    ++first.ranks;
    if (event.start_mono_ns >= first.last_mono_ns) {
      first.before_mono_ns = std::exchange(first.last_mono_ns, event.start_mono_ns);
      first.last_rank = member.rank;
    } else {
      first.before_mono_ns = std::max(first.before_mono_ns, event.start_mono_ns);
    }
    if (group.ahead.size() > kMaxAhead) group.ahead.erase(std::prev(group.ahead.end()));
  }
  settle(hash->second, group);
}

void Arrivals::settle(uint64_t hash, Group& group) {
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (const auto& [id, member] : group.members) {
    if (member.is_evaluated) least = std::min(least, member.entered);
  }
  if (least == std::numeric_limits<uint64_t>::max()) {
    group.ahead.clear();
    return;
  }
  group.all_entered = std::max(group.all_entered, least);
  const auto end = group.ahead.upper_bound(group.all_entered);
  for (auto entry = group.ahead.begin(); entry != end; ++entry) {
    const First& first = entry->second;
    if (first.ranks < 2) continue;
    arrivals_.push_back({hash, entry->first, first.call, first.ranks, first.last_mono_ns - first.mono_ns,
                         first.last_mono_ns - first.before_mono_ns, first.last_rank});
  }
  group.ahead.erase(group.ahead.begin(), end);
}

std::vector<hal::CollectiveHang> Arrivals::evaluate(uint64_t now_mono_ns, uint64_t after_ns) {
  std::vector<hal::CollectiveHang> found = std::move(over_);
  over_.clear();
  for (auto& [hash, group] : groups_) {
    const auto first = group.ahead.begin();
    const auto can_come = [&group = group] {
      return std::any_of(group.members.begin(), group.members.end(), [&](const auto& entry) {
        const Member& member = entry.second;
        return member.is_evaluated && !member.has_ended && member.entered == group.all_entered;
      });
    };
    const bool holds = first != group.ahead.end() && first->first == group.all_entered + 1 &&
                       now_mono_ns > first->second.mono_ns &&
                       now_mono_ns - first->second.mono_ns >= (can_come() ? after_ns : std::min(after_ns, kGoneNs));
    if (group.reported && (!holds || group.reported->number != first->first)) {
      group.reported->is_over = true;
      group.reported->waited_ns = now_mono_ns - group.reported->entered_mono_ns;
      found.push_back(*group.reported);
      group.reported.reset();
    }
    if (!holds) continue;
    hal::CollectiveHang hang;
    hang.comm_id_hash = hash;
    hang.number = first->first;
    hang.call = first->second.call;
    hang.entered_mono_ns = first->second.mono_ns;
    hang.waited_ns = now_mono_ns - first->second.mono_ns;
    hang.nranks = group.nranks;
    for (const auto& [id, member] : group.members) {
      if (!member.is_evaluated) continue;
      (member.entered >= hang.number ? hang.present : hang.missing).push_back({member.rank, member.pid});
    }
    std::sort(hang.present.begin(), hang.present.end());
    std::sort(hang.missing.begin(), hang.missing.end());
    const bool changed =
        !group.reported || group.reported->present != hang.present || group.reported->missing != hang.missing;
    group.reported = hang;
    if (changed) found.push_back(std::move(hang));
  }
  return found;
}

void Arrivals::forget() {
  for (auto& [hash, group] : groups_) {
    if (!group.reported) continue;
    group.reported->is_over = true;
    over_.push_back(*group.reported);
  }
  groups_.clear();
  hash_of_.clear();
}

std::vector<hal::CollectiveHang> Arrivals::hanging(uint64_t now_mono_ns) const {
  std::vector<hal::CollectiveHang> now;
  for (const auto& [hash, group] : groups_) {
    if (!group.reported) continue;
    now.push_back(*group.reported);
    now.back().waited_ns = now_mono_ns - group.reported->entered_mono_ns;
  }
  return now;
}

}  // namespace ingero::correlate
