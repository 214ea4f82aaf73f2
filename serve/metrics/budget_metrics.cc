// Sums seconds and steps by process, so that a scrape only copies totals.
#include "serve/metrics/budget_metrics.h"

#include <algorithm>

#include "serve/metrics/call_metrics.h"
#include "serve/metrics/metric_names.h"

namespace ingero::serve::metrics {
namespace {

void add_times(correlate::ClassTime& to, const correlate::ClassTime& from) {
  to.ns += from.ns;
  to.low += from.low;
  to.high += from.high;
}

double seconds(uint64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace

void BudgetMetrics::Row::fold(const Row& other) {
  for (size_t i = 0; i < classes.size(); ++i) add_times(classes[i], other.classes[i]);
  usual.count += other.usual.count;
  usual.ns += other.usual.ns;
  slow.count += other.slow.count;
  slow.ns += other.slow.ns;
}

BudgetMetrics::Row& BudgetMetrics::row(uint32_t pid) {
  if (rows_.size() >= kMaxProcesses && !rows_.contains(pid)) {
    const auto oldest = std::ranges::min_element(rows_, {}, [](const auto& one) { return one.second.last_heard; });
    if (!others_) others_.emplace();
    others_->fold(oldest->second);
    rows_.erase(oldest);
  }
  Row& found = rows_[pid];
  found.last_heard = ++heard_;
  return found;
}

void BudgetMetrics::add(const correlate::BudgetSecond& second) {
  const std::scoped_lock lock(mutex_);
  Row& to = row(second.pid);
  for (size_t i = 0; i < to.classes.size(); ++i) add_times(to.classes[i], second.sums.classes[i]);
}

void BudgetMetrics::add(const correlate::BudgetStep& step, bool is_slow) {
  const std::scoped_lock lock(mutex_);
  Row& to = row(step.pid);
  Steps& steps = is_slow ? to.slow : to.usual;
  ++steps.count;
  steps.ns += step.length_ns();
}

void BudgetMetrics::process_ended(uint32_t pid, uint64_t mono_ns) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = rows_.find(pid); found != rows_.end()) found->second.ended_mono_ns = mono_ns;
}

void BudgetMetrics::forget_ended(uint64_t mono_ns) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(rows_, [mono_ns](const auto& one) {
    return one.second.ended_mono_ns && mono_ns >= *one.second.ended_mono_ns + CallMetrics::kEndedKeptNs;
  });
}

void BudgetMetrics::write_row(MetricSet& metrics, const std::string& pid, const Row& row) {
  for (size_t i = 0; i < row.classes.size(); ++i) {
    const correlate::ClassTime& time = row.classes[i];
    if (time.ns == 0) continue;
    const std::string name(name_of(static_cast<hal::TimeClass>(i)));
    metrics.add(kThreadTime, {{"pid", pid}, {"class", name}}, seconds(time.ns));
    if (time.high == 0) continue;
    metrics.add(kThreadTimeLost, {{"pid", pid}, {"class", name}, {"bound", "low"}}, seconds(time.low));
    metrics.add(kThreadTimeLost, {{"pid", pid}, {"class", name}, {"bound", "high"}}, seconds(time.high));
  }
  if (row.usual.count + row.slow.count == 0) return;
  for (const bool is_slow : {false, true}) {
    const Steps& steps = is_slow ? row.slow : row.usual;
    const Labels labels = {{"pid", pid}, {"slow", is_slow ? "true" : "false"}};
    metrics.add(kSteps, labels, static_cast<double>(steps.count));
    metrics.add(kStepTime, labels, seconds(steps.ns));
  }
}

void BudgetMetrics::write(MetricSet& metrics) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [pid, row] : rows_) write_row(metrics, std::to_string(pid), row);
  if (others_) write_row(metrics, std::string(kOther), *others_);
}

}  // namespace ingero::serve::metrics
