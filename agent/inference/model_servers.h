// Programs that serve models: which one a command line starts, where it shows its metrics, and what those mean.
//
// Two tables (model_servers.cc); docs/inference.md is made from the second. Command lines and pages are untrusted:
// bounded, and only looked at. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/metrics/metric.h"

namespace ingero::agent {

struct ModelServer {
  std::string_view name;  // "vllm", "tgi", "sglang", "triton"
  uint16_t port = 0;
  std::string model;  // as its arguments name it; may be empty
};
// `command_line`: arguments joined by blanks.
std::optional<ModelServer> find_model_server(std::string_view command_line);

enum class ModelServerForm : uint8_t { kHistogram, kCounter, kGauge };

// What one of a model server's metrics is called on the page.
struct ModelServerRow {
  std::string_view server;
  std::string_view source;  // the server's name of it; ':' and '_' are one
  std::string_view name;    // on the page and in OTLP
  std::string_view unit;    // after scaling
  ModelServerForm form;     // on the page
  double scale;             // to that unit
  bool is_histogram_sum;    // the server's is a histogram; its sum is on the page
  const serve::metrics::Metric* metric;
};
std::span<const ModelServerRow> model_server_rows();

// A metric, added up over all its series that have the same model.
struct ModelServerReading {
  const ModelServerRow* row = nullptr;
  std::string model;
  double value = 0;                   // of counters and gauges
  std::map<double, uint64_t> counts;  // of histograms: cumulative, by upper bound
  uint64_t count = 0;
  double sum = 0;
};
inline constexpr size_t kMaxModels = 64;  // of a model server; what is beyond is of model "other"
inline constexpr size_t kMaxBounds = 256;

struct ModelServerPage {
  std::vector<ModelServerReading> readings;
  uint64_t refused = 0;  // lines that were not understood, values that make no sense
};
ModelServerPage read_model_server(std::string_view server, std::string_view untrusted_page);

// What was observed between two readings of one metric; absent where nothing was, or it began anew.
struct Interval {
  std::optional<double> mean, p95;  // p95: within its bucket, as if evenly spread
};
Interval between(const ModelServerReading& before, const ModelServerReading& now);

}  // namespace ingero::agent
