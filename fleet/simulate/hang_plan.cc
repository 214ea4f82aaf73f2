// Which ranks stop and how, and what all others do then: see hang_plan.h.
#include "fleet/simulate/hang_plan.h"

#include <algorithm>
#include <set>

namespace ingero::fleet::simulate {

HangPlan::HangPlan(std::vector<std::vector<uint32_t>> communicators, uint32_t ranks_of_node, uint64_t step,
                   uint64_t seed)
    : communicators_of_(std::move(communicators)),
      phases_(communicators_of_.front().size()),
      ranks_of_node_(ranks_of_node),
      ranks_(communicators_of_.size()),
      step_(step) {
  for (const auto& of_rank : communicators_of_) {
    for (const uint32_t one : of_rank) {
      if (one >= communicators_.size()) communicators_.resize(one + 1);
      ++communicators_[one].members;
    }
  }
  std::mt19937_64 random(seed);
  choose(random);
}

void HangPlan::choose(std::mt19937_64& random) {
  const auto draw = [&](uint64_t low, uint64_t high) {
    return std::uniform_int_distribution<uint64_t>(low, high)(random);
  };
  kind_ = static_cast<Kind>(draw(0, 4));
  const uint64_t phase = draw(0, phases_ - 1);
  stop_ = step_ * phases_ + phase;
  const auto last = static_cast<uint32_t>(ranks_.size() - 1);
  std::set<uint32_t> chosen;
  if (kind_ == Kind::kMismatch) {
    // Those that are wrong are fewer than the others of one communicator.
    const uint32_t where = communicators_of_[draw(0, last)][phase];
    std::vector<uint32_t> members;
    for (uint32_t rank = 0; rank <= last; ++rank) {
      if (communicators_of_[rank][phase] == where) members.push_back(rank);
    }
    std::shuffle(members.begin(), members.end(), random);
    members.resize(draw(1, std::max<size_t>(1, std::min<size_t>(kMaxStopped, (members.size() - 1) / 2))));
    chosen.insert(members.begin(), members.end());
  } else {
    const uint64_t count = kind_ == Kind::kNodeSilent ? draw(1, 2) : draw(1, kMaxStopped);
    while (chosen.size() < std::min<uint64_t>(count, ranks_.size() / 4)) {
      chosen.insert(static_cast<uint32_t>(draw(0, last)));
    }
  }
  if (kind_ == Kind::kNodeSilent) {
    for (const uint32_t rank : std::set<uint32_t>(chosen)) {
      const uint32_t first = rank / ranks_of_node_ * ranks_of_node_;
      for (uint32_t i = 0; i < ranks_of_node_; ++i) chosen.insert(first + i);
    }
  }
  stopped_.assign(chosen.begin(), chosen.end());
  for (const uint32_t rank : stopped_) ranks_[rank].is_stopped = true;
}

void HangPlan::advance(uint64_t steps) {
  steps_ = std::max(steps_, steps);
  std::vector<uint32_t> ready;
  for (uint32_t rank = 0; rank < ranks_.size(); ++rank) ready.push_back(rank);
  while (!ready.empty()) {
    const uint32_t rank = ready.back();
    ready.pop_back();
    enter(rank, ready);
  }
}

void HangPlan::enter(uint32_t number, std::vector<uint32_t>& ready) {
  Rank& rank = ranks_[number];
  if (rank.is_inside || rank.done >= steps_ * phases_) return;
  const bool enters = kind_ == Kind::kMissingExit || kind_ == Kind::kMismatch;
  if (stops(number) && !enters) return;
  Communicator& communicator = communicators_[next(number)];
  rank.is_inside = true;
  communicator.inside.push_back(number);
  communicator.is_mixed = communicator.is_mixed || (stops(number) && kind_ == Kind::kMismatch);
  if (communicator.inside.size() < communicator.members || communicator.is_mixed) return;
  ++communicator.number;
  const std::vector<uint32_t> inside = std::move(communicator.inside);
  communicator.inside.clear();
  for (const uint32_t one : inside) {
    if (stops(one)) continue;  // it stays in it
    ranks_[one].is_inside = false;
    ++ranks_[one].done;
    ready.push_back(one);
  }
}

HangPlan::Place HangPlan::place(uint32_t number, size_t which) const {
  const Rank& rank = ranks_[number];
  const uint64_t phase = rank.done % phases_;
  Place place;
  place.left = static_cast<int64_t>(rank.done / phases_) + (which < phase ? 1 : 0);
  place.entered = place.left + (rank.is_inside && which == phase ? 1 : 0);
  place.has_other_operation = place.entered > place.left && stops(number) && kind_ == Kind::kMismatch;
  return place;
}

bool HangPlan::is_heard(uint32_t rank) const {
  if (kind_ != Kind::kNodeSilent || steps_ <= step_) return true;
  return !ranks_[rank].is_stopped;
}

bool HangPlan::is_gone(uint32_t rank) const { return kind_ == Kind::kProcessGone && steps_ > step_ && stops(rank); }

Json HangPlan::truth() const {
  constexpr const char* kNames[] = {"missing_enter", "missing_exit", "mismatch", "process_gone", "node_silent"};
  return {{"kind", kNames[static_cast<size_t>(kind_)]}, {"ranks", stopped_}, {"step", step_}};
}

}  // namespace ingero::fleet::simulate
