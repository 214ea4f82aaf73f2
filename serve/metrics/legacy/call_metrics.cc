// Calls and copies under the names of the legacy agent: see legacy/metric_names.h.
#include "serve/metrics/call_metrics.h"

#include "serve/metrics/metric_names.h"

namespace ingero::serve::metrics {

void CallMetrics::write_legacy_call(MetricSet& metrics, const hal::Call& call, const CallRow& row,
                                    bool with_all_names) {
  constexpr double kMicrosecondNs = 1e3;
  const Labels labels = {{"source", std::string(call.layer)}, {"operation", std::string(call.op_name)}};
  metrics.add(kLegacyOperations, labels, static_cast<double>(row.count));
  if (!with_all_names || row.percentiles.total() == 0) return;
  const std::pair<const char*, double> wanted[] = {{"p50", 0.50}, {"p95", 0.95}, {"p99", 0.99}};
  for (const auto& [name, share] : wanted) {
    Labels with_percentile = labels;
    with_percentile.emplace_back("percentile", name);
    const auto ns = static_cast<double>(row.percentiles.percentile(share));
    metrics.add(kLegacyDuration, std::move(with_percentile), ns / kMicrosecondNs);
  }
}

// Of all vendors together.
void CallMetrics::write_legacy_copies(MetricSet& metrics, bool with_all_names) const {
  constexpr double kMillisecondNs = 1e6;
  std::map<hal::Direction, CopyRow> sums;
  for (const auto& [key, row] : copies_) {
    CopyRow& sum = sums[key.second];
    sum.bytes += row.bytes;
    for (size_t i = 0; i < kDurationBuckets; ++i) sum.durations.counts[i] += row.durations.counts[i];
    sum.durations.sum_ns += row.durations.sum_ns;
  }
  for (const auto& [direction, sum] : sums) {
    const Labels labels = {{"direction", std::string(name_of(direction))}};
    metrics.add(kLegacyCopyBytes, labels, sum.bytes);
    if (with_all_names) write_durations(metrics, kLegacyCopyDuration, labels, sum.durations, kMillisecondNs);
  }
}

}  // namespace ingero::serve::metrics
