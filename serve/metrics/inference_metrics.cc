// Sums steps by phase as they are classified, so that a scrape only copies totals.
#include "serve/metrics/inference_metrics.h"

#include <algorithm>
#include <string>

#include "serve/metrics/metric_names.h"

namespace ingero::serve::metrics {

using correlate::Phase;
using correlate::Slow;

void InferenceMetrics::add(const correlate::ClassifiedStep& step) {
  const double seconds = static_cast<double>(step.step.duration_ns()) / 1e9;
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  const std::scoped_lock lock(mutex_);
  Row& row = rows_[static_cast<size_t>(step.phase)];
  ++row.counts[static_cast<size_t>(bucket)];
  row.sum += seconds;
  row.idle += static_cast<double>(step.step.idle_ns) / 1e9;
  ++row.total;
  ++row.by_slowness[static_cast<size_t>(step.slow)];
}

void InferenceMetrics::update(std::span<const correlate::Workload> workloads, size_t tracked) {
  const std::scoped_lock lock(mutex_);
  tracked_ = tracked;
  for (const correlate::Workload& one : workloads) {
    if (one.healthy == 0) continue;
    const std::pair key(one.pid, one.phase);
    if (baselines_.size() >= kMaxProcesses * static_cast<size_t>(Phase::kCount) && !baselines_.contains(key)) {
      baselines_.erase(baselines_.begin());
    }
    Baseline& shown = baselines_[key];
    if (one.steps >= shown.steps) shown = {one.steps, one.mean_ns, one.p95_ns};
  }
}

void InferenceMetrics::write(MetricSet& page) const {
  const std::scoped_lock lock(mutex_);
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    if (row.total == 0) continue;
    const std::string phase(name_of(static_cast<Phase>(i)));
    page.add(kInferenceSteps, {{"phase", phase}}, static_cast<double>(row.total));
    page.add(kInferenceDuration, {{"phase", phase}}, Buckets{kBounds, row.counts, row.sum});
    page.add(kInferenceIdle, {{"phase", phase}}, row.idle);
    for (size_t slow = 1; slow < row.by_slowness.size(); ++slow) {
      page.add(kInferenceSlow, {{"phase", phase}, {"slow", std::string(name_of(static_cast<Slow>(slow)))}},
               static_cast<double>(row.by_slowness[slow]));
    }
  }
  page.add(kInferenceWorkloads, {}, static_cast<double>(tracked_));
  for (const auto& [key, baseline] : baselines_) {
    const Labels labels = {{"pid", std::to_string(key.first)}, {"phase", std::string(name_of(key.second))}};
    page.add(kInferenceMean, labels, baseline.mean_ns / 1e9);
    page.add(kInferencePercentile, labels, static_cast<double>(baseline.p95_ns) / 1e9);
  }
}

}  // namespace ingero::serve::metrics
