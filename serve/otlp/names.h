// How metrics and labels of the page for Prometheus are spelt in OTLP.
//
// A rule for all of them, so that a new metric needs no word here: without "_total" and the unit's suffix, with dots
// for underscores, the unit beside it. A receiver that makes Prometheus names of it comes back to the page's. A table
// (names.cc) has what users of the earlier agent query, what the semantic conventions name, and words of two parts.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/prometheus/metric.h"

namespace ingero::serve::otlp {

struct MetricName {
  std::string name;
  std::string_view unit;                                         // UCUM; empty: a plain number
  prometheus::MetricType type = prometheus::MetricType::kGauge;  // never kUntyped
  double scale = 1;                                              // from the page's unit to this one
  bool is_hardware = false;  // named by the conventions for hardware: labels are theirs
};

// At least one; a metric that both the earlier agent and the conventions name has several.
std::vector<MetricName> metric_names(std::string_view page_name, prometheus::MetricType type);
std::string attribute_name(std::string_view label, const MetricName& metric);

}  // namespace ingero::serve::otlp
