// Metrics and spans as the requests that OTLP sends: protobuf or JSON, compressed where asked for.
//
// One list of metrics drives this and the page for Prometheus (serve/metrics/metric_names.h): names.h says only how
// they are spelt here. Pure; thread-safe. Failure: none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "serve/metrics/metric_set.h"
#include "serve/otlp/model.h"

namespace ingero::serve::otlp {

// Data points of one request: receivers limit requests to a few MiB.
inline constexpr size_t kMaxPoints = 2000;
inline constexpr size_t kMaxSpansARequest = 500;

struct Encoding {
  bool is_json = false;
  bool is_gzip = false;
  Attributes resource = {};
  std::string version = {};  // of this program
};

// Everything on the page, as of `wall_ns`. Counters and histograms are cumulative since `start_wall_ns`; those that
// other parts of the machine keep (devices, ports) began at a time that is not known, and say none.
std::vector<Payload> encode_metrics(const metrics::MetricSet& metrics, const Encoding& encoding, uint64_t start_wall_ns,
                                    uint64_t wall_ns);
std::vector<Payload> encode_spans(std::span<const Span> spans, const Encoding& encoding);

}  // namespace ingero::serve::otlp
