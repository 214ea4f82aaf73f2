// The part of `ingero explain` on inference: workloads with what is usual for them, the slowest of their slow steps,
// and the last values of the model servers' own metrics.
//
// Threads: one at a time. Failure: the store's. Nanoseconds; metrics in the unit that they name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::report {

struct WorkloadReport {
  int64_t pid = 0;
  std::string process, phase, server, model;
  std::optional<uint64_t> stream, mean_ns, p95_ns;
  uint64_t steps = 0, slow_1_5x = 0, slow_2x = 0, slow_3x = 0, max_ns = 0, idle_ns = 0, relearned = 0;
  uint64_t launches = 0, graph_launches = 0, copied_bytes = 0;  // of all its steps
  uint64_t slow() const { return slow_1_5x + slow_2x + slow_3x; }
};

struct SlowStep {
  int64_t id = 0, pid = 0, tid = 0;
  uint64_t start_wall_ns = 0, duration_ns = 0, wait_ns = 0, launches = 0, graph_launches = 0;
  std::string phase, slow, incident;  // incident: the id of a causal chain of its process at its time
  std::optional<uint64_t> p95_ns;
};

struct ModelServerMetricReport {
  std::string server, model, name, unit;
  int64_t pid = 0;
  std::optional<double> value, mean, p95;  // mean and p95: since the reading before
};

struct InferenceReport {
  std::vector<WorkloadReport> workloads;  // of the whole recording: most slow steps first, then most steps
  std::vector<SlowStep> slow_steps;       // of the selection: the worst first, against what was usual
  std::vector<ModelServerMetricReport> servers;
  bool empty() const { return workloads.empty() && servers.empty(); }
};

// Empty for recordings without `trace --inference`.
Result<InferenceReport> gather_inference(const store::Reader& reader, const store::Selection& selection,
                                         uint64_t time_ns);
std::string inference_text(const InferenceReport& report, bool colour);
// null where there is none.
Json inference_json(const InferenceReport& report);

}  // namespace ingero::report
