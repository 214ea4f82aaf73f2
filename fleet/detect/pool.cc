// Keeps the effects of a role's last windows, and scores an effect by its rank among them: see pool.h.
#include "fleet/detect/pool.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fleet/detect/normal.h"

namespace ingero::fleet::detect {

double increment(const SumRule& rule, double effect, double z, double floor) {
  const double rare = rule.gain * (z - rule.reference), large = (effect - rule.floor * floor) / rule.floor_scale;
  return std::clamp(std::min(rare, large), -kMaxFall, effect < kLarge ? rule.max_step : rule.max_large);
}

double floor_of(size_t peers) {
  return kFloor * std::sqrt(1 + std::numbers::pi / 2 / static_cast<double>(std::max<size_t>(peers, 1)));
}

void Pool::add(std::vector<double> effects, size_t ranks) {
  const bool is_small = ranks < kSmallRole;
  rules_ = is_small ? &kSmallRoleRules : ranks < kLargeRole ? &kRoleRules : &kLargeRoleRules;
  warm_up_ = is_small ? kSmallRoleWarmUp : kWarmUp;
  std::sort(effects.begin(), effects.end());
  if (effects.size() > kMaxEffectsOfWindow) {
    // Evenly over the sorted ones, first and last included: every share of the sample is that of the window.
    std::vector<double> some(kMaxEffectsOfWindow);
    for (size_t i = 0; i < some.size(); ++i) some[i] = effects[i * (effects.size() - 1) / (some.size() - 1)];
    effects = std::move(some);
  }
  history_.push_back(std::move(effects));
  while (history_.size() > (is_small ? kSmallRoleWindows : kWindows)) history_.pop_front();
  sorted_.clear();
  for (const auto& window : history_) sorted_.insert(sorted_.end(), window.begin(), window.end());
  std::sort(sorted_.begin(), sorted_.end());
}

double Pool::score_of(double effect) const {
  const auto below = std::lower_bound(sorted_.begin(), sorted_.end(), effect) - sorted_.begin();
  // Half a rank from both ends: in a small pool nothing is infinitely rare.
  return normal_quantile((static_cast<double>(below) + 0.5) / (static_cast<double>(sorted_.size()) + 1));
}

double Pool::effect_at(double share) const {
  if (sorted_.empty()) return 0;
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(sorted_.size() - 1);
  return sorted_[static_cast<size_t>(std::lround(at))];
}

double Pool::detectable_effect(double floor) const {
  constexpr std::array<double, kSums> kWanted = {0.6, 0.5};
  constexpr int kSamples = 199, kHalvings = 30;
  // Nine in ten are named in that time: 1.28 standard deviations of the mean of four windows, of which noise that lasts
  // leaves as many that are independent.
  constexpr double kDoubt = 0.64;
  if (sorted_.empty()) return kMaxDetectable;
  // How far the median that it is compared with may be on its side, as floor_of() has it.
  const double off = floor - kFloor;
  const auto is_named = [&](double slow) {
    std::array<double, kSums> sums{}, squares{};
    for (int i = 1; i <= kSamples; ++i) {
      const double effect = effect_at(static_cast<double>(i) / (kSamples + 1)) + slow - off, z = score_of(effect);
      for (size_t sum = 0; sum < kSums; ++sum) {
        const double added = increment(rules()[sum], effect, z, floor);
        sums[sum] += added;
        squares[sum] += added * added;
      }
    }
    const auto is_enough = [&](size_t sum) {
      const double mean = sums[sum] / kSamples, variance = std::max(0.0, squares[sum] / kSamples - mean * mean);
      return mean - kDoubt * std::sqrt(variance) >= kWanted[sum];
    };
    return is_enough(0) || (rules_ != &kSmallRoleRules && is_enough(1));
  };
  if (!is_named(kMaxDetectable)) return kMaxDetectable;
  double low = 0, high = kMaxDetectable;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (is_named(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace ingero::fleet::detect
