// What belongs to no member is used first: see shared_bucket.h.
#include "fleet/server/shared_bucket.h"

#include <algorithm>
#include <cmath>

namespace ingero::fleet::server {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr uint64_t kSumEvery_ns = 10'000'000;  // over all members, however often one asks
constexpr uint64_t kLookEvery_ns = 1'000'000'000;
constexpr uint64_t kOthers = 0;

double refilled(double left, double rate, uint64_t since_ns, uint64_t mono_ns) {
  const uint64_t passed_ns = mono_ns > since_ns ? mono_ns - since_ns : 0;
  return std::min(SharedBucket::kBurst_s * rate, left + static_cast<double>(passed_ns) / kNsPerSecond * rate);
}

}  // namespace

double SharedBucket::share() const { return rate_ / static_cast<double>(std::max<size_t>(1, members_.size())); }

// Times may come a little out of order, from several threads.
void SharedBucket::fill(Member& member, uint64_t mono_ns) const {
  member.left = refilled(member.left, share(), member.filled_ns, mono_ns);
  member.filled_ns = std::max(member.filled_ns, mono_ns);
}

SharedBucket::Member& SharedBucket::find(uint64_t member, uint64_t mono_ns) {
  auto found = members_.find(member);
  if (found == members_.end() && mono_ns >= looked_ns_ + kLookEvery_ns) {
    looked_ns_ = mono_ns;
    std::erase_if(members_, [&](const auto& one) { return mono_ns >= one.second.heard_ns + kForgotten_ns; });
  }
  if (found == members_.end()) {
    const bool has_room = members_.size() < kMaxMembers;
    found = members_.try_emplace(has_room ? member : kOthers, Member{0, mono_ns, mono_ns}).first;
    reserved_ns_ = 0;  // the others keep less from now on
  }
  found->second.heard_ns = std::max(found->second.heard_ns, mono_ns);
  fill(found->second, mono_ns);
  return found->second;
}

// What is there and not reserved for a member.
double SharedBucket::unused(uint64_t mono_ns) {
  left_ = refilled(left_, rate_, filled_ns_, mono_ns);
  filled_ns_ = std::max(filled_ns_, mono_ns);
  if (reserved_ns_ == 0 || mono_ns >= reserved_ns_ + kSumEvery_ns) {
    reserved_ = 0;
    for (auto& [key, member] : members_) {
      fill(member, mono_ns);
      reserved_ += std::max(0.0, member.left);
    }
    reserved_ns_ = std::max<uint64_t>(1, mono_ns);
  }
  return left_ - reserved_;
}

uint64_t SharedBucket::wait_ns(uint64_t member, uint64_t mono_ns) {
  const double own = find(member, mono_ns).left;
  if (own >= 1) return 0;
  const double others = unused(mono_ns);
  if (others >= 1) return 0;
  const double wait_s = std::min((1 - own) / share(), (1 - others) / rate_);
  return static_cast<uint64_t>(std::ceil(wait_s * kNsPerSecond));
}

void SharedBucket::take(uint64_t member, double count, uint64_t mono_ns) {
  Member& own = find(member, mono_ns);
  const double of_own = count - std::clamp(unused(mono_ns), 0.0, count);
  reserved_ -= std::clamp(own.left, 0.0, of_own);
  own.left =
      std::max(own.left - of_own, std::min(own.left, -count));  // one request is paid for later, not all of a flood
  left_ -= count;
}

}  // namespace ingero::fleet::server
