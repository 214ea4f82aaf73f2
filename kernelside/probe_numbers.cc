// Hands out the numbers of probes, by user.
#include "kernelside/probe_numbers.h"

#include <algorithm>

namespace ingero::kernelside {

std::optional<std::vector<uint32_t>> ProbeNumbers::take(uint32_t uid, size_t count) {
  const bool is_root = uid == 0;
  const uint32_t least = is_root ? 0 : kReserve;
  if (count > free() || free() - count < least) return std::nullopt;
  // Beyond a share: as long as another user still finds his, beside what is root's.
  const bool is_within = used(uid) + count <= kShare;
  if (!is_root && !is_within && free() - count < kReserve + kShare) return std::nullopt;
  std::vector<uint32_t> numbers;
  numbers.reserve(count);
  while (numbers.size() < count && next_ < kAll) {
    numbers.push_back(next_++);
    owners_.emplace_back();
  }
  while (numbers.size() < count) {
    numbers.push_back(free_.front());
    free_.pop_front();
  }
  for (const uint32_t number : numbers) owners_[number] = uid;
  if (count > 0) used_[uid] += static_cast<uint32_t>(count);
  return numbers;
}

void ProbeNumbers::give_back(std::span<const uint32_t> numbers) {
  for (const uint32_t number : numbers) {
    if (number >= owners_.size() || !owners_[number]) continue;
    const auto used = used_.find(*owners_[number]);
    if (--used->second == 0) used_.erase(used);
    owners_[number].reset();
    free_.push_back(number);
  }
  if (!numbers.empty()) ++returns_;
}

bool ProbeNumbers::is_short(uint32_t uid) const {
  if (uid == 0) return free() < kReserve;
  return free() < (used(uid) > kShare ? 3 * kReserve : 2 * kReserve);
}

uint32_t ProbeNumbers::used(uint32_t uid) const {
  const auto found = used_.find(uid);
  return found == used_.end() ? 0 : found->second;
}

}  // namespace ingero::kernelside
