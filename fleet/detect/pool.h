// The effects of all ranks of one role over the last windows: what is usual for this role, whatever shape its noise
// has.
//
// An effect is a rank's own work per step over the median of its cohort, less one: 0.1 is a rank that is 10 % slow.
// Pure; deterministic; used by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <vector>

namespace ingero::fleet::detect {

// The rule's constants. Why these: docs/fleet.md, "The rule".
inline constexpr double kFloor = 0.05;      // an effect that is smaller is never evidence, however large its cohort
inline constexpr double kReference = 1.25;  // normal score of an effect that is rare in one window
inline constexpr double kSuspect = 3.5, kNamed = 7, kMaxScore = 14;

// How a window adds to a rank's sum. Two sums are kept, and either names: scores of one rank are correlated from window
// to window, so a single sum that grows fast enough for large effects is also reached by a burst of noise, and one that
// no burst reaches takes too long where noise hides what is small.
struct SumRule {
  double reference;    // normal score that a healthy rank rarely exceeds in a row
  double gain;         // of what is beyond it
  double floor;        // in kFloor: of an effect that lets the sum grow
  double floor_scale;  // of effect beyond the floor, for one unit
  double max_step;     // what one window adds at most; it takes kMaxFall at most
  double max_large;    // the same of a window in which the rank is slower than kLarge
};
inline constexpr double kLarge = 0.25, kMaxFall = 2;
inline constexpr size_t kSums = 2;
using SumRules = std::array<SumRule, kSums>;
inline constexpr size_t kSmallRole = 64, kLargeRole = 1024;  // ranks
inline constexpr SumRules kLargeRoleRules = {{
    {2.05, 3, 1, 0.02, 1.4, 1.75},       // what is large: in four windows at least, in five below kLarge
    {0.8, 0.9, 1.03, 0.01, 0.55, 0.55},  // what lasts: in thirteen at least
}};
// Of fewer ranks it is as much less likely that one has a burst, so less is evidence enough: six sevenths of a sum.
inline constexpr SumRules kRoleRules = {{
    {2.05, 3.5, 1, 0.017, 1.65, 2},
    {0.7, 1.05, 0.95, 0.0085, 0.64, 0.64},
}};
// Where there are few, scores are not as high, and both sums are one.
inline constexpr SumRules kSmallRoleRules = {{{1.25, 1, 1, 0.02, 2, 2}, {1.25, 1, 1, 0.02, 2, 2}}};
inline constexpr double kMaxDetectable = 10;  // an effect: what is usual is not known
inline constexpr double kOnset = 1;  // a sum that is smaller is noise: what is slow began where it was left last
inline constexpr size_t kWindows = 12, kSmallRoleWindows = 60;  // of history
inline constexpr size_t kWarmUp = 3, kSmallRoleWarmUp = 6;      // windows
inline constexpr size_t kMaxEffectsOfWindow = 4096;

// What one window with this effect and normal score adds to a rank's sum. `floor`: of its cohort.
double increment(const SumRule& rule, double effect, double z, double floor = kFloor);

// The floor in a cohort of `peers` ranks. An effect varies as the rank does and as the median does that it is compared
// with; the median of n values has the variance of one times pi / 2n (for normal ones, asymptotically). With one floor
// for all, a rank that is 4 % slower for ever was accused in 9 of 1,500 healthy jobs with cohorts of 8; with this in
// none.
double floor_of(size_t peers);

class Pool {
 public:
  // Ends a window: the effects of those ranks that are not suspects. `ranks`: of the role, for the length of history.
  void add(std::vector<double> effects, size_t ranks);

  // The normal score of an effect: of the share of the pool that lies below it, so that equal values are never rare.
  double score_of(double effect) const;
  // The effect below which this share of the pool lies; 0 of an empty pool.
  double effect_at(double share) const;
  // How slow a rank must be to be named in about a minute in this noise, nine times in ten: a mean increment of 0.6 of
  // the sum for what is large (60 s), or of 0.5 of the other (70 s). At most 10 (1000 %).
  // `floor`: of the cohort that it is in.
  double detectable_effect(double floor = kFloor) const;
  size_t windows() const { return history_.size(); }
  bool is_warm() const { return windows() >= warm_up_; }
  size_t warm_up() const { return warm_up_; }
  const SumRules& rules() const { return *rules_; }

 private:
  std::deque<std::vector<double>> history_;
  std::vector<double> sorted_;
  size_t warm_up_ = kSmallRoleWarmUp;
  const SumRules* rules_ = &kSmallRoleRules;
};

}  // namespace ingero::fleet::detect
