// Collects series and hands them to prometheus-cpp's serializer.
#include "serve/metrics/metric_set.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "base/text.h"

namespace ingero::serve::metrics {
namespace {

namespace core = ::prometheus;

core::MetricType type_of(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return core::MetricType::Counter;
    case MetricType::kGauge:
      return core::MetricType::Gauge;
    case MetricType::kHistogram:
      return core::MetricType::Histogram;
    case MetricType::kUntyped:
      break;
  }
  return core::MetricType::Untyped;
}

double& value_of(core::ClientMetric& metric, core::MetricType type) {
  switch (type) {
    case core::MetricType::Counter:
      return metric.counter.value;
    case core::MetricType::Gauge:
      return metric.gauge.value;
    default:
      return metric.untyped.value;
  }
}

MetricType type_of(core::MetricType type) {
  switch (type) {
    case core::MetricType::Counter:
      return MetricType::kCounter;
    case core::MetricType::Gauge:
      return MetricType::kGauge;
    case core::MetricType::Histogram:
      return MetricType::kHistogram;
    default:
      return MetricType::kUntyped;
  }
}

void add_buckets(core::ClientMetric::Histogram& to, const Buckets& from) {
  to.bucket.resize(from.upper_bounds.size() + 1);
  uint64_t below = 0;
  for (size_t i = 0; i < to.bucket.size() && i < from.counts.size(); ++i) {
    below += from.counts[i];
    to.bucket[i].cumulative_count += below;
    to.bucket[i].upper_bound =
        i < from.upper_bounds.size() ? from.upper_bounds[i] : std::numeric_limits<double>::infinity();
  }
  to.sample_count += below;
  to.sample_sum += from.sum;
}

}  // namespace

struct MetricSet::Family {
  core::MetricFamily data;
  std::set<std::vector<std::pair<std::string, std::string>>> seen;
  size_t other = SIZE_MAX;  // the folded series' place
};

MetricSet::MetricSet() = default;
MetricSet::~MetricSet() = default;

MetricSet::Family& MetricSet::family(std::string_view name, MetricType type, std::string_view help) {
  const auto known = families_.find(name);
  if (known != families_.end()) return *known->second;
  auto made = std::make_unique<Family>();
  made->data.name = name;
  made->data.help = help;
  made->data.type = type_of(type);
  return *families_.emplace(std::string(name), std::move(made)).first->second;
}

void MetricSet::put(Family& family, Labels&& labels, double value, const Buckets* buckets) {
  std::vector<std::pair<std::string, std::string>> key;
  for (const auto& [name, text] : labels) {
    if (!text.empty()) key.emplace_back(name, printable(text, kMaxLabelBytes));
  }
  std::sort(key.begin(), key.end());
  const bool is_gauge = family.data.type == core::MetricType::Gauge;
  size_t at = family.data.metric.size();
  if (family.seen.contains(key)) {  // a series twice would make the scraper refuse the whole page
    ++folded_;
    return;
  }
  if (family.seen.size() >= kMaxSeries) {
    ++folded_;
    if (is_gauge) return;
    for (auto& [name, text] : key) text = kOther;
    if (family.other == SIZE_MAX && family.seen.contains(key)) return;
    if (family.other != SIZE_MAX) at = family.other;
    family.other = at;
  } else {
    family.seen.insert(key);
  }
  if (at == family.data.metric.size()) {
    auto& made = family.data.metric.emplace_back();
    for (auto& [name, text] : key) made.label.push_back({std::move(name), std::move(text)});
  }
  auto& metric = family.data.metric[at];
  if (buckets != nullptr) {
    add_buckets(metric.histogram, *buckets);
  } else {
    value_of(metric, family.data.type) += value;
  }
}

void MetricSet::add(const Metric& metric, Labels labels, double value) {
  if (!std::isnan(value)) put(family(metric.name, metric.type, metric.help), std::move(labels), value, nullptr);
}

void MetricSet::add(const Metric& metric, Labels labels, const Buckets& buckets) {
  put(family(metric.name, metric.type, metric.help), std::move(labels), 0, &buckets);
}

void MetricSet::add(const std::string& name, MetricType type, const std::string& help, Labels labels, double value) {
  if (!std::isnan(value)) put(family(name, type, help), std::move(labels), value, nullptr);
}

std::string MetricSet::text() const {
  std::vector<core::MetricFamily> families;
  families.reserve(families_.size());
  for (const auto& [name, family] : families_) families.push_back(family->data);
  return core::TextSerializer().Serialize(families);
}

void MetricSet::each(const std::function<void(const FamilyView& family, std::span<const Series> series)>& look) const {
  for (const auto& [name, family] : families_) {
    const core::MetricFamily& data = family->data;
    std::vector<Series> all;
    all.reserve(data.metric.size());
    for (const core::ClientMetric& metric : data.metric) {
      Series& series = all.emplace_back();
      for (const auto& label : metric.label) series.labels.emplace_back(label.name, label.value);
      series.value = data.type == core::MetricType::Counter ? metric.counter.value
                     : data.type == core::MetricType::Gauge ? metric.gauge.value
                                                            : metric.untyped.value;
      uint64_t below = 0;
      for (const auto& bucket : metric.histogram.bucket) {
        if (std::isfinite(bucket.upper_bound)) series.upper_bounds.push_back(bucket.upper_bound);
        series.counts.push_back(bucket.cumulative_count - below);
        below = bucket.cumulative_count;
      }
      series.sum = metric.histogram.sample_sum;
    }
    look({data.name, data.help, type_of(data.type)}, all);
  }
}

std::string metric_word(std::string_view untrusted) {
  std::string word;
  bool was_lower = false;
  for (const char c : untrusted.substr(0, 64)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 && byte < 128) {
      if (std::isupper(byte) != 0 && was_lower) word += '_';
      word += static_cast<char>(std::tolower(byte));
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
    was_lower = std::islower(byte) != 0;
  }
  while (!word.empty() && word.back() == '_') word.pop_back();
  return word;
}

}  // namespace ingero::serve::metrics
