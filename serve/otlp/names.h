// How Prometheus metrics and labels are named in OTLP.
//
// One rule, so that a new metric needs no entry here: the name without "_total" and the unit's suffix, with dots for
// underscores, and the unit as its own field. A receiver that converts it to a Prometheus name gets the original one. A
// table (names.cc) has what users of the legacy agent query, what the semantic conventions name, and words of two
// parts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/metrics/metric.h"

namespace ingero::serve::otlp {

struct MetricName {
  std::string name;
  std::string_view unit;                                   // UCUM; empty: a plain number
  metrics::MetricType type = metrics::MetricType::kGauge;  // never kUntyped
  double scale = 1;                                        // from the page's unit to this one
  bool is_hardware = false;                                // named by the conventions for hardware: labels are theirs
};

// At least one; several for a metric that both the legacy agent and the conventions name.
std::vector<MetricName> metric_names(std::string_view page_name, metrics::MetricType type);
std::string attribute_name(std::string_view label, const MetricName& metric);

}  // namespace ingero::serve::otlp
