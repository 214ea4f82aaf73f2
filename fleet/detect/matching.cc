// Tries offsets against the last calls and the times of ranks: see matching.h.
#include "fleet/detect/matching.h"

#include <algorithm>
#include <cstdlib>

namespace ingero::fleet::detect {
namespace {

constexpr uint64_t kLately = 6;  // windows; those whose numbers are known say where they are in one of four
constexpr uint64_t kForgotten = 720, kBetweenSweeps = 60;  // windows
constexpr int64_t kFurthest = 12;                          // collectives between two ranks at the ends of their windows
constexpr uint32_t kFailedInARow = 4;                      // windows

}  // namespace

std::optional<Place> Matching::add(const Counted& counted) {
  forget_old(counted.window);
  if (!is_needed(counted)) return std::nullopt;
  Communicator& communicator = communicators_[counted.communicator];
  auto found = communicator.members.find(counted.rank);
  if (found == communicator.members.end()) {
    if (members_ >= kMaxMatched) return std::nullopt;
    ++members_;
    found = communicator.members.emplace(counted.rank, Member()).first;
    found->second.base = counted.base;
  }
  Member& member = found->second;
  if (member.base != counted.base || counted.entered < member.entered) {  // (O1)
    if (communicator.reference == counted.rank) communicator.reference.reset();
    member = Member();
  }
  member.window = counted.window;
  member.base = counted.base;
  member.entered = counted.entered;
  member.left = counted.left;
  member.left_ns = counted.left_ns;
  member.within_ns = counted.within_ns;
  member.recent = counted.recent;
  member.collectives = counted.collectives;
  if (counted.base == 0) member.offset = 0;
  choose_reference(communicator, counted);
  const Member& reference = communicator.members.at(*communicator.reference);
  if (counted.rank != *communicator.reference) {
    if (reference.window == counted.window) compare(communicator, reference, member);
  } else {
    for (auto& [rank, other] : communicator.members) {
      if (rank != counted.rank && other.window == counted.window) compare(communicator, reference, other);
    }
  }
  if (counted.base == 0 || !communicator.has_match || !member.offset) return std::nullopt;
  return Place{counted.entered + *member.offset, counted.left + *member.offset};
}

// Of those whose numbers are known, one is enough, and none where no rank counts.
bool Matching::is_needed(const Counted& counted) const {
  if (counted.base != 0) return true;
  const auto found = communicators_.find(counted.communicator);
  if (found == communicators_.end()) return false;
  const Communicator& communicator = found->second;
  if (!communicator.reference || communicator.members.contains(counted.rank)) return true;
  const Member& reference = communicator.members.at(*communicator.reference);
  return reference.base != 0 || reference.window + kLately < counted.window;
}

// One whose numbers are known, else one whose place is, else the first of all; and it stays while it is heard of.
void Matching::choose_reference(Communicator& communicator, const Counted& counted) {
  auto& members = communicator.members;
  const auto is_heard = [&](const Member& member) { return member.window + kLately >= counted.window; };
  const auto now = communicator.reference ? members.find(*communicator.reference) : members.end();
  const bool stays = now != members.end() && is_heard(now->second) && (now->second.base == 0 || counted.base != 0);
  if (stays) return;
  const auto worth = [&](const auto& one) {
    const Member& member = one.second;
    return std::pair(is_heard(member), member.base == 0 ? 2 : member.offset ? 1 : 0);
  };
  const auto best = std::ranges::max_element(members, {}, worth);
  // Places among counts are none among numbers, and where no place is known, the counts of another one are the numbers.
  if (best->second.base == 0 || !best->second.offset) {
    for (auto& [rank, member] : members) {
      if (member.base != 0) member.offset.reset();
    }
    communicator.has_match = false;
  }
  for (auto& [rank, member] : members) {
    member.votes.clear();
    member.windows = 0;
  }
  communicator.reference = best->first;
  if (!best->second.offset) best->second.offset = 0;
}

// (O3)
void Matching::compare(Communicator& communicator, const Member& reference, Member& member) const {
  if (member.base == 0 || !reference.left_ns || !member.left_ns || reference.collectives == 0) return;
  const std::vector<int64_t> offsets = possible(reference, member);
  if (member.offset) {
    const bool can_be = std::ranges::find(offsets, *member.offset) != offsets.end();
    member.failed = can_be ? 0 : member.failed + 1;
    if (member.failed < kFailedInARow) return;
    member.offset.reset();
    member.failed = 0;
    return;
  }
  for (const int64_t offset : offsets) ++member.votes[offset];
  if (++member.windows < kWindows) return;
  uint32_t most = 0, next = 0;
  int64_t best = 0;
  for (const auto& [offset, votes] : member.votes) {
    if (votes > most) {
      next = most;
      most = votes;
      best = offset;
    } else {
      next = std::max(next, votes);
    }
  }
  const bool holds = 4 * most >= 3 * member.windows && 2 * next < member.windows;
  if (holds) {
    member.offset = best;
    communicator.has_match = true;
  }
  if (holds || member.windows >= kMaxWindows) {
    member.votes.clear();
    member.windows = 0;
  }
}

// (O2) What a rank left last may be some collectives before or after what the reference left last.
std::vector<int64_t> Matching::possible(const Member& reference, const Member& member) const {
  const int64_t between_ns = period_ns_ / static_cast<int64_t>(reference.collectives);
  const int64_t within_ns = between_ns / 2 + reference.within_ns + member.within_ns;
  std::vector<int64_t> offsets;
  if (within_ns > kFurthest * between_ns) return offsets;  // it may be any
  const int64_t later_ns = *member.left_ns - *reference.left_ns;
  for (int64_t later = -kFurthest; later <= kFurthest; ++later) {
    const int64_t offset = reference.left + *reference.offset + later - member.left;
    if (std::abs(later_ns - later * between_ns) > within_ns) continue;
    if (are_alike(reference, member, offset)) offsets.push_back(offset);
  }
  return offsets;
}

bool Matching::are_alike(const Member& reference, const Member& member, int64_t offset) {
  const auto known = [](const Member& one) { return static_cast<int64_t>(one.recent.size() / kDigits); };
  const auto one_of = [&](const Member& of, int64_t back) {
    return std::string_view(of.recent).substr(static_cast<size_t>(known(of) - 1 - back) * kDigits, kDigits);
  };
  // The reference's last one is `ahead` collectives after the member's.
  const int64_t ahead = reference.entered + *reference.offset - (member.entered + offset);
  const int64_t last = std::min(known(reference) - ahead, known(member));
  int64_t alike = 0;
  for (int64_t back = std::max<int64_t>(0, -ahead); back < last; ++back) {
    if (one_of(reference, back + ahead) != one_of(member, back)) return false;
    ++alike;
  }
  return alike >= static_cast<int64_t>(kMinAlike);
}

void Matching::forget_old(uint64_t window) {
  if (window < swept_ + kBetweenSweeps) return;
  swept_ = window;
  for (auto one = communicators_.begin(); one != communicators_.end();) {
    auto& [id, communicator] = *one;
    members_ -= std::erase_if(communicator.members,
                              [&](const auto& member) { return member.second.window + kForgotten < window; });
    if (communicator.reference && !communicator.members.contains(*communicator.reference)) {
      communicator.reference.reset();
    }
    one = communicator.members.empty() ? communicators_.erase(one) : std::next(one);
  }
}

}  // namespace ingero::fleet::detect
