// Hands out the numbers of probes, by user.
#include "kernelside/probe_numbers.h"

#include <algorithm>

namespace ingero::kernelside {

bool ProbeNumbers::has(uint32_t uid, size_t count) const {
  if (count > free()) return false;
  if (uid == 0) return true;
  // Beyond a share: as long as another user still finds his, besides what is root's.
  const uint32_t left = free() - static_cast<uint32_t>(count);
  return left >= (used(uid) + count <= kShare ? kReserve : kReserve + kShare);
}

std::optional<std::vector<uint32_t>> ProbeNumbers::take(uint32_t uid, size_t count) {
  if (!has(uid, count)) return std::nullopt;
  std::vector<uint32_t> numbers;
  numbers.reserve(count);
  while (numbers.size() < count && !free_.empty()) {
    numbers.push_back(free_.front());
    free_.pop_front();
  }
  while (numbers.size() < count) {
    numbers.push_back(next_++);
    owners_.emplace_back();
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
  return free() < (used(uid) > kShare ? 3 * kReserve : kReserve + kShare / 4);  // another's excess is not his loss
}

uint32_t ProbeNumbers::used(uint32_t uid) const {
  const auto found = used_.find(uid);
  return found == used_.end() ? 0 : found->second;
}

}  // namespace ingero::kernelside
