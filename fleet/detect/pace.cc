// One number a window, and what it was before: see pace.h.
#include "fleet/detect/pace.h"

#include <algorithm>
#include <cmath>

namespace ingero::fleet::detect {
namespace {

constexpr uint64_t kStepsForPace = 2;  // a window with fewer says nothing of the pace
constexpr double kEffectStep = 0.02, kMaxPaceIncrement = 2, kMaxPaceScore = 14, kMaybeSlower = 3.5;
constexpr double kLittle = 0.1;      // of the ranks work less: in noise the least one says nothing
constexpr double kShareOfAll = 0.5;  // of the additional time, that all wait for or work
constexpr size_t kSameWithin = 10;   // J2: by a tenth more or fewer are the same job

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <typename Range, typename Of>
double median_of(const Range& range, const Of& of) {
  std::vector<double> values;
  values.reserve(range.size());
  for (const auto& one : range) values.push_back(of(one));
  return median_of(std::move(values));
}

}  // namespace

void Pace::add(const PaceSample& sample) {
  if (pending_.size() >= kMaxOpenWindows && !pending_.contains(sample.window)) return;
  auto& samples = pending_[sample.window].samples;
  if (samples.size() < kMaxSamplesOfWindow) samples.push_back(sample);
}

void Pace::begin_anew() {
  history_.clear();
  score_ = 0;
  windows_ = 0;
  sum_ = {};
}

// Of the largest communicator that a rank has, with its waits in all of them.
std::optional<Pace::Measured> Pace::measure(const std::vector<PaceSample>& samples) {
  uint32_t largest = 0;
  for (const PaceSample& one : samples) largest = std::max(largest, one.nranks);
  std::map<uint32_t, PaceSample> ranks;
  for (const PaceSample& one : samples) {
    PaceSample& of = ranks[one.rank];
    const double wait_s = of.wait_s + one.wait_s;
    if (one.nranks == largest && one.count > of.count) of = one;
    of.wait_s = wait_s;
  }
  std::erase_if(ranks, [&](const auto& entry) { return entry.second.count < kStepsForPace; });
  if (ranks.empty()) return std::nullopt;
  const auto of_each = [&](const auto& value) {
    return median_of(ranks, [&](const auto& entry) { return value(entry.second); });
  };
  const double bytes = of_each([](const PaceSample& one) { return one.bytes; });
  const int64_t octaves = bytes >= 1 ? std::lround(2 * std::log2(bytes)) : 0;
  const size_t differ = ranks.size() > ranks_ ? ranks.size() - ranks_ : ranks_ - ranks.size();
  if (octaves != octaves_ || kSameWithin * differ > ranks_) begin_anew();  // (J2)
  octaves_ = octaves;
  ranks_ = ranks.size();
  Measured now;
  now.pace_s = of_each([](const PaceSample& one) { return one.work_s + one.wait_s / static_cast<double>(one.count); });
  std::vector<double> works;
  for (const auto& [rank, one] : ranks) works.push_back(one.work_s);
  const auto little = works.begin() + static_cast<ptrdiff_t>(static_cast<double>(works.size()) * kLittle);
  std::nth_element(works.begin(), little, works.end());
  now.little_work_s = *little;
  now.least_wait_s = INFINITY;
  for (const auto& [rank, one] : ranks) {
    now.least_wait_s = std::min(now.least_wait_s, one.wait_s / static_cast<double>(one.count));
  }
  return now;
}

Pace::Measured Pace::usual() const {
  return {median_of(history_, [](const Measured& one) { return one.pace_s; }),
          median_of(history_, [](const Measured& one) { return one.little_work_s; }),
          median_of(history_, [](const Measured& one) { return one.least_wait_s; })};
}

std::optional<PaceChange> Pace::evaluate(uint64_t window, const Measured& now, bool has_suspects) {
  if (history_.size() < kMinHistory) {
    history_.push_back(now);
    return std::nullopt;
  }
  const Measured usual = this->usual();
  if (!(usual.pace_s > 0)) {
    history_.pop_front();  // of nothing, nothing is more
    history_.push_back(now);
    return std::nullopt;
  }
  const double effect = now.pace_s / usual.pace_s - 1;
  const double more_s = now.pace_s - usual.pace_s;
  const bool is_alike = now.least_wait_s - usual.least_wait_s >= kShareOfAll * more_s ||
                        now.little_work_s - usual.little_work_s >= kShareOfAll * more_s;
  double increment = std::clamp((effect - kPaceFloor) / kEffectStep, -kMaxPaceIncrement, kMaxPaceIncrement);
  if (increment > 0 && (!is_alike || has_suspects)) increment = open_ ? 0 : -kMaxPaceIncrement;  // (J1)
  if (score_ <= 0) {
    from_window_ = window;
    windows_ = 0;
    sum_ = {};
  }
  score_ = std::clamp(score_ + increment, 0.0, kMaxPaceScore);
  if (increment > 0) {
    ++windows_;
    sum_ = {sum_.pace_s + now.pace_s, sum_.little_work_s + now.little_work_s, sum_.least_wait_s + now.least_wait_s};
  }
  if (score_ < kMaybeSlower && !open_) {  // (J3)
    history_.push_back(now);
    if (history_.size() > kHistory) history_.pop_front();
  }
  if (!open_ && score_ < kSlower) return std::nullopt;
  const bool is_usual = open_ && window - open_->from_window >= kHistory;  // (J3)
  PaceChange change = open_.value_or(PaceChange());
  if (!open_) change.from_window = from_window_;
  change.is_over = score_ <= 0 || is_usual;
  if (windows_ > 0) {
    const auto mean = [&](double sum) { return sum / static_cast<double>(windows_); };
    change.last_window = change.is_over ? change.last_window : window;
    change.pace_s = mean(sum_.pace_s);
    change.usual_pace_s = usual.pace_s;
    change.effect = change.pace_s / usual.pace_s - 1;
    change.more_work_s = mean(sum_.little_work_s) - usual.little_work_s;
    change.more_wait_s = mean(sum_.least_wait_s) - usual.least_wait_s;
  }
  open_ = change;
  if (!change.is_over) return change;
  open_.reset();
  if (is_usual) begin_anew();
  return change;
}

std::optional<PaceChange> Pace::advance(uint64_t window, bool has_suspects) {
  std::optional<PaceChange> last;
  while (!pending_.empty() && pending_.begin()->first <= window) {
    const uint64_t number = pending_.begin()->first;
    const auto measured = measure(pending_.begin()->second.samples);
    pending_.erase(pending_.begin());
    if (!measured) continue;
    if (const auto change = evaluate(number, *measured, has_suspects)) last = change;
  }
  return last;
}

std::optional<PaceChange> Pace::end() {
  pending_.clear();
  begin_anew();
  return std::exchange(open_, std::nullopt);
}

}  // namespace ingero::fleet::detect
