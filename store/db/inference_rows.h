// What a recording holds of inference, as the writer takes it: steps, workloads, model servers and their
// metrics. Plain data; wall and monotonic nanoseconds; absent is unknown. docs/formats/store.md has the columns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace ingero::store {

// Ids count from 1 in each run; in the file they follow those that are there.
struct InferenceStep {
  uint64_t workload = 0;
  uint32_t tid = 0;
  uint64_t start_wall_ns = 0, start_mono_ns = 0, end_mono_ns = 0;
  uint64_t duration_ns = 0, idle_ns = 0, wait_ns = 0;
  uint64_t launches = 0, graph_launches = 0, copies = 0, copied_bytes = 0, sets = 0, collectives = 0;
  std::optional<uint64_t> mean_gap_ns;
  std::string slow;  // "1.5x", "2x", "3x", or empty
  std::optional<uint64_t> baseline_mean_ns, baseline_p95_ns;
  uint32_t weight = 1;
};

// Replaced when the id is added again.
struct InferenceWorkload {
  uint64_t id = 0;
  uint32_t pid = 0;
  std::optional<uint64_t> cgroup_id, stream, functions, server;
  std::string phase;
  uint64_t first_wall_ns = 0, last_wall_ns = 0;
  uint64_t steps = 0, total_ns = 0, min_ns = 0, max_ns = 0, idle_ns = 0;
  uint64_t launches = 0, graph_launches = 0, copied_bytes = 0;
  uint64_t slow_1_5x = 0, slow_2x = 0, slow_3x = 0, relearned = 0, healthy = 0;
  std::optional<uint64_t> mean_ns, p95_ns;  // of healthy steps
  std::string histogram;                    // of healthy steps: Histogram::encode()
};

// A model server, as its command line identifies it.
struct InferenceModelServer {
  uint64_t id = 0;
  uint32_t pid = 0;
  std::string name, model, url;
  uint64_t found_wall_ns = 0;
};

// One of its own metrics, as last read.
struct ModelServerMetric {
  uint64_t server = 0;
  uint64_t wall_ns = 0;
  std::string name;         // of docs/inference.md
  std::string source_name;  // the model server's own
  std::string model;        // as the metric's label says it; may be empty
  std::string unit;         // of value, sum, mean and p95: "s", "{token}", ...
  std::string kind;         // "counter", "gauge", "histogram"
  std::optional<double> value;
  std::optional<uint64_t> count;
  std::optional<double> sum;
  std::optional<double> interval_mean, interval_p95;  // since it was read before
};

}  // namespace ingero::store
