// The metrics of a running recording: one metric set for Prometheus's scrapes and for the OTLP exporter.
//
// add(): the recorder's capture thread; hear(): its store thread; fill(): any thread, one at a time, while `recorder`
// lives. Owns its counters; what it only refers to outlives it. Failure: none, what does not fit is folded and counted.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "agent/budget_feed.h"
#include "agent/recorder.h"
#include "base/clock.h"
#include "serve/metrics/budget_metrics.h"
#include "serve/metrics/call_metrics.h"
#include "serve/metrics/collective_metrics.h"
#include "serve/metrics/metric_set.h"

namespace ingero::agent {

class LiveMetrics : public BudgetListener {
 public:
  // `calls` must outlive this. With `legacy_names`, metrics that are not in base units are counted too; each fill()
  // says whether they are shown. With `launch_sizes`, histograms of grids and blocks by process, too.
  LiveMetrics(const hal::CallTable& calls, bool legacy_names, bool launch_sizes, const Clock& clock = system_clock())
      : calls_(calls), clock_(clock), call_metrics_(calls, legacy_names, launch_sizes), collective_metrics_(calls) {}

  void add(const EventBatch& batch);
  void hear(const correlate::BudgetSecond& second) override { budget_metrics_.add(second); }
  void hear(const correlate::BudgetStep& step, bool is_slow) override { budget_metrics_.add(step, is_slow); }
  // More of the page: called each time. Before the first fill().
  using Part = std::function<void(serve::metrics::MetricSet&)>;
  void add_part(Part part) { parts_.push_back(std::move(part)); }
  void fill(serve::metrics::MetricSet& page, const Recorder& recorder, bool with_legacy_names);

 private:
  const hal::CallTable& calls_;
  const Clock& clock_;
  serve::metrics::CallMetrics call_metrics_;
  serve::metrics::CollectiveMetrics collective_metrics_;
  serve::metrics::BudgetMetrics budget_metrics_;
  std::vector<Part> parts_;
  std::mutex mutex_;
  uint64_t folded_ = 0;  // guarded by mutex_
};

}  // namespace ingero::agent
