// Own work of healthy ranks as it is on real machines, for tests of the detector: one-sided noise, correlated in time,
// ranks that differ a little for ever, and rare hiccups. Knows nothing of the detector.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace ingero::fleet {

struct Noise {
  double middle = 0.02, sigma = 1.0;       // of a step's lognormal delay, as a share of the step
  double correlation = 0.3;                // of its logarithm, from one step to the next
  double hiccup = 0.002, hiccup_of = 0.5;  // how often a step has one; of which length
  double spread = 0.01;                    // standard deviation of what a rank is for ever
};
inline constexpr Noise kUsualNoise{};
inline constexpr Noise kNoisyNoise{0.03, 1.2, 0.5, 0.005, 1, 0.015};

class Workload {
 public:
  Workload(size_t ranks, const Noise& noise, uint64_t seed) : noise_(noise), random_(seed), ranks_(ranks) {
    for (auto& rank : ranks_) rank = {noise_.spread * normal_(random_), normal_(random_)};
  }
  // The median of the work of `steps` steps, seconds a step; `slow`: how much longer than usual.
  double window(size_t rank, double slow = 0, size_t steps = 5) {
    std::vector<double> work(steps);
    for (double& one : work) {
      auto& [bias, state] = ranks_[rank];
      const double c = noise_.correlation;
      state = c * state + std::sqrt(1 - c * c) * normal_(random_);
      one = (1 + bias + slow + noise_.middle * std::exp(noise_.sigma * state)) * kStep_s;
      if (uniform_(random_) < noise_.hiccup) one += noise_.hiccup_of * kStep_s;
    }
    std::nth_element(work.begin(), work.begin() + static_cast<long>(steps / 2), work.end());
    return work[steps / 2];
  }
  static constexpr double kStep_s = 1;

 private:
  Noise noise_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::vector<std::pair<double, double>> ranks_;  // its own bias; state of its noise
};

}  // namespace ingero::fleet
