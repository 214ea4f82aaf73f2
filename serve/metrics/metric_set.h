// The metrics of one moment, added one by one: for a scrape, as text, or for an OTLP export.
//
// Rules it keeps for every caller: one HELP and TYPE per name; no series twice; label values printable and short; at
// most kMaxSeries series a metric. Beyond that, counters and histograms add up in one series whose labels all say
// "other"; gauges are left out. What is folded or refused is counted (folded()).
// Made and used by one thread. Throws nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/metrics/metric.h"

namespace ingero::serve::metrics {

struct Buckets {
  std::span<const double> upper_bounds;  // ascending, without the infinite one
  std::span<const uint64_t> counts;      // per bucket, not cumulative; one more than bounds: the infinite one
  double sum = 0;
};

// What a page holds, for another form than text. Views last as long as the call they are passed to.
struct FamilyView {
  std::string_view name, help;
  MetricType type = MetricType::kGauge;
};
struct Series {
  std::vector<std::pair<std::string_view, std::string_view>> labels;  // in order of names
  double value = 0;                                                   // not of histograms
  std::vector<double> upper_bounds = {};                              // of histograms: as in Buckets
  std::vector<uint64_t> counts = {};
  double sum = 0;
};

class MetricSet {
 public:
  static constexpr size_t kMaxSeries = 4000;
  static constexpr size_t kMaxLabelBytes = 128;

  MetricSet();
  ~MetricSet();
  MetricSet(const MetricSet&) = delete;
  MetricSet& operator=(const MetricSet&) = delete;

  void add(const Metric& metric, Labels labels, double value);
  void add(const Metric& metric, Labels labels, const Buckets& buckets);
  // For names that are made at run time: the same, the strings are copied.
  void add(const std::string& name, MetricType type, const std::string& help, Labels labels, double value);

  // Series not shown by themselves.
  uint64_t folded() const { return folded_; }
  // The text exposition format 0.0.4, names in order.
  std::string text() const;
  // Each metric with its series, names in order.
  void each(const std::function<void(const FamilyView& family, std::span<const Series> series)>& look) const;

 private:
  struct Family;
  Family& family(std::string_view name, MetricType type, std::string_view help);
  void put(Family& family, Labels&& labels, double value, const Buckets* buckets);

  std::map<std::string, std::unique_ptr<Family>, std::less<>> families_;
  uint64_t folded_ = 0;
};

// A file's or driver's name as part of a metric name: lower case, words joined by '_', nothing else. Empty when nothing
// of it can be used.
std::string metric_word(std::string_view untrusted);

}  // namespace ingero::serve::metrics
