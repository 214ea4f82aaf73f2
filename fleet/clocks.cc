// Computes the clock offsets of nodes and the pairs that differ too much, because merged times are not corrected.
#include "fleet/clocks.h"

#include <algorithm>

namespace ingero::fleet {

std::optional<ClockOffset> best_of(std::span<const ClockOffset> samples) {
  const auto best = std::min_element(samples.begin(), samples.end(), [](const ClockOffset& a, const ClockOffset& b) {
    return a.within_ns < b.within_ns;
  });
  return best == samples.end() ? std::nullopt : std::optional(*best);
}

std::vector<ClockPair> clocks_apart(const std::vector<std::optional<ClockOffset>>& offsets, uint64_t threshold_ns) {
  std::vector<ClockPair> pairs;
  for (size_t i = 0; i < offsets.size(); ++i) {
    for (size_t j = i + 1; j < offsets.size(); ++j) {
      if (!offsets[i] || !offsets[j]) continue;
      const int64_t a = offsets[i]->offset_ns, b = offsets[j]->offset_ns;
      const uint64_t difference = static_cast<uint64_t>(std::max(a, b)) - static_cast<uint64_t>(std::min(a, b));
      const uint64_t within = offsets[i]->within_ns + offsets[j]->within_ns;
      if (difference > within && difference - within > threshold_ns) pairs.push_back({i, j, difference, within});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ClockPair& a, const ClockPair& b) { return a.difference_ns > b.difference_ns; });
  return pairs;
}

}  // namespace ingero::fleet
