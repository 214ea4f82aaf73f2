// Calls, copies and inference under the names of the legacy agent: see legacy/metric_names.h.
#include "serve/metrics/call_metrics.h"

#include "serve/metrics/inference_metrics.h"
#include "serve/metrics/metric_names.h"

namespace ingero::serve::metrics {
namespace {

struct Renamed {
  const Metric& from;
  const Metric& to;
  double scale;
};
constexpr double kNsInSecond = 1e9;
const Renamed kRenamed[] = {{kInferenceDuration, kLegacyStepDuration, kNsInSecond},
                            {kInferenceMean, kLegacyBaselineMean, kNsInSecond},
                            {kInferencePercentile, kLegacyBaselinePercentile, kNsInSecond},
                            {kInferenceWorkloads, kLegacyWorkloads, 1},
                            {kInferenceSlow, kLegacyOutliers, 1}};

struct Copy {
  const Renamed* renamed;
  Labels labels;
  Series series;
};

}  // namespace

void CallMetrics::write_legacy_call(MetricSet& metrics, const hal::Call& call, const CallRow& row,
                                    bool with_all_names) {
  constexpr double kMicrosecondNs = 1e3;
  const Labels labels = {{"source", hal::source_name(call)}, {"operation", std::string(call.op_name)}};
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

void add_legacy_inference(MetricSet& page) {
  std::vector<Copy> copies;
  page.each([&](const FamilyView& family, std::span<const Series> all) {
    for (const Renamed& renamed : kRenamed) {
      if (family.name != renamed.from.name) continue;
      for (const Series& series : all) {
        Labels labels;
        for (const auto& [name, value] : series.labels) {
          labels.emplace_back(name == "slow" ? "bucket" : name == "pid" ? "pid" : "phase", std::string(value));
        }
        copies.push_back(
            {&renamed, std::move(labels), {{}, series.value, series.upper_bounds, series.counts, series.sum}});
      }
    }
  });
  for (Copy& copy : copies) {
    Series& series = copy.series;
    const double scale = copy.renamed->scale;
    if (copy.renamed->to.type != MetricType::kHistogram) {
      page.add(copy.renamed->to, std::move(copy.labels), series.value * scale);
      continue;
    }
    for (double& bound : series.upper_bounds) bound *= scale;
    page.add(copy.renamed->to, std::move(copy.labels), Buckets{series.upper_bounds, series.counts, series.sum * scale});
  }
}

}  // namespace ingero::serve::metrics
