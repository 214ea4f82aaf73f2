// Steps of inference as metrics: how many, how long, how slow, and what is usual.
//
// add() from one thread, write() from any. Bounded: phases are a closed list, and baselines are shown for kMaxProcesses
// processes. Owns its counters. Failure: none.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "correlate/workloads.h"
#include "serve/metrics/metric_set.h"

namespace ingero::serve::metrics {

class InferenceMetrics {
 public:
  static constexpr size_t kMaxProcesses = 64;

  void add(const correlate::ClassifiedStep& step);
  // The workloads' current state; those reported before and not now are kept. `tracked`: how many there are.
  void update(std::span<const correlate::Workload> workloads, size_t tracked);
  void write(MetricSet& metrics) const;

 private:
  static constexpr std::array<double, 16> kBounds = {1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025,
                                                     0.05, 0.1,    0.25, 0.5,  1,      2.5,  5,    10};  // seconds
  struct Row {
    std::array<uint64_t, kBounds.size() + 1> counts{};
    double sum = 0, idle = 0;
    uint64_t total = 0;
    std::array<uint64_t, static_cast<size_t>(correlate::Slow::kCount)> by_slowness{};
  };
  struct Baseline {
    uint64_t steps = 0;
    double mean_ns = 0;
    uint64_t p95_ns = 0;
  };
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  std::array<Row, static_cast<size_t>(correlate::Phase::kCount)> rows_{};
  std::map<std::pair<uint32_t, correlate::Phase>, Baseline> baselines_;  // by pid: its workload with the most steps
  size_t tracked_ = 0;
};

// Repeats those that `page` holds under their legacy names, in nanoseconds: for the page alone, because OTLP names them
// by serve/otlp/names.cc.
void add_legacy_inference(MetricSet& page);  // legacy/call_metrics.cc

}  // namespace ingero::serve::metrics
