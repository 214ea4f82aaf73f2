// Names and labels by which dashboards of the legacy agent ask: they are written next to those of metric_names.h, whose
// list this one is a part of. Constant data; any thread.
#pragma once

#include <string_view>

// constant, "name", type, "labels", "help"
#define INGERO_LEGACY_METRICS(X)                                                                              \
  X(kLegacyOperations, "gpu_cuda_operation_count", kUntyped, "source, operation",                             \
    "Earlier name of gpu_operations_total and ingero_host_operations_total: events by source and operation.") \
  X(kLegacyOverflows, "ingero_ringbuf_overflows_total", kCounter, "", "Events lost to full ring buffers.")    \
  X(kLegacyCopyBytes, "gpu_memcpy_bytes_total", kCounter, "direction",                                        \
    "Bytes of successful copies by direction, all vendors.")                                                  \
  X(kLegacyDuration, "gpu_cuda_operation_duration_microseconds", kGauge, "source, operation, percentile",     \
    "Percentiles since the trace began. Only with --prometheus-earlier-names: not a base unit.")              \
  X(kLegacyCopyDuration, "gpu_memcpy_duration_ms", kHistogram, "direction",                                   \
    "Time of copy calls. Only with --prometheus-earlier-names: not a base unit.")                             \
  X(kLegacyStepDuration, "ingero_infer_step_duration_ns", kHistogram, "phase",                                \
    "Earlier name of ingero_inference_step_duration_seconds. Only with --prometheus-earlier-names.")          \
  X(kLegacyBaselineMean, "ingero_infer_baseline_mean_ns", kGauge, "pid, phase",                               \
    "Earlier name of ingero_inference_baseline_mean_seconds. Only with --prometheus-earlier-names.")          \
  X(kLegacyBaselinePercentile, "ingero_infer_baseline_p95_ns", kGauge, "pid, phase",                          \
    "Earlier name of ingero_inference_baseline_p95_seconds. Only with --prometheus-earlier-names.")           \
  X(kLegacyWorkloads, "ingero_infer_workloads_tracked", kGauge, "",                                           \
    "Earlier name of ingero_inference_workloads. Only with --prometheus-earlier-names.")                      \
  X(kLegacyOutliers, "ingero_infer_outlier_total", kCounter, "phase, bucket",                                 \
    "Earlier name of ingero_inference_slow_steps_total. Only with --prometheus-earlier-names.")

namespace ingero::serve::metrics {

inline constexpr std::string_view kCollectivesPathLabel = "libnccl_path";
inline constexpr std::string_view kCollectivesVersionLabel = "libnccl_version";

}  // namespace ingero::serve::metrics
