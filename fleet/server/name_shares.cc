// Forgets before it refuses: see name_shares.h.
#include "fleet/server/name_shares.h"

namespace ingero::fleet::server {
bool NameShares::take(const std::string& sender, const std::string& name, uint64_t mono_ns) {
  const auto known = names_.find(name);
  if (known != names_.end()) {
    known->second.heard_ns = mono_ns;
    return true;
  }
  if (sender.empty()) return true;
  const auto has_room = [&] {
    const auto count = counts_.find(sender);
    return names_.size() < most_ && (count == counts_.end() || count->second < kTimes * (most_ - names_.size()));
  };
  if (!has_room()) forget(mono_ns);
  if (!has_room()) return false;
  names_.emplace(name, Name{sender, mono_ns});
  ++counts_[sender];
  return true;
}

void NameShares::forget(uint64_t mono_ns) {
  if (mono_ns < looked_ns_ + kLookEvery_ns) return;
  looked_ns_ = mono_ns;
  std::erase_if(names_, [&](const auto& one) {
    const Name& name = one.second;
    if (mono_ns < name.heard_ns + forgotten_ns_) return false;
    const auto count = counts_.find(name.sender);
    if (--count->second == 0) counts_.erase(count);
    return true;
  });
}

}  // namespace ingero::fleet::server
