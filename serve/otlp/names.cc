// Maps metric names and labels to OTLP: a table of exceptions, and a rule for all others.
#include "serve/otlp/names.h"

#include <algorithm>
#include <utility>

namespace ingero::serve::otlp {
namespace {

using metrics::MetricType;

struct Row {
  std::string_view page_name, name, unit;
  MetricType type;
  double scale = 1;
  bool is_hardware = false;
};

constexpr auto kCounter = MetricType::kCounter;
constexpr auto kGauge = MetricType::kGauge;
constexpr auto kHistogram = MetricType::kHistogram;

constexpr Row kRows[] = {
    // What users of the legacy agent query.
    {"gpu_cuda_operation_duration_microseconds", "gpu.cuda.operation.duration", "us", kGauge},
    {"gpu_cuda_operation_count", "gpu.cuda.operation.count", "", kCounter},
    {"system_cpu_utilization", "system.cpu.utilization", "1", kGauge},
    {"system_memory_utilization", "system.memory.utilization", "1", kGauge},
    {"system_memory_usage_available", "system.memory.usage.available", "By", kGauge},
    {"system_cpu_load_average_1m", "system.cpu.load_average.1m", "{thread}", kGauge},
    {"gpu_collective_duration_seconds", "gpu.collective.duration", "s", kHistogram},
    {"gpu_collective_duration_seconds", "nccl.collective.duration_ms", "ms", kHistogram, 1e3},
    {"gpu_collective_bytes_total", "gpu.collective.size", "By", kCounter},
    {"gpu_collective_bytes_total", "nccl.collective.bytes", "By", kCounter},
    {"gpu_collective_barrier_wait_seconds", "gpu.collective.barrier_wait", "s", kHistogram},
    {"gpu_collective_barrier_wait_seconds", "nccl.collective.barrier_wait_ms", "ms", kHistogram, 1e3},
    {"gpu_nccl_process_loaded", "gpu.nccl.process_loaded", "", kGauge},
    {"gpu_nccl_processes_total", "gpu.nccl.processes_total", "{process}", kGauge},
    {"gpu_nccl_collective_count", "gpu.nccl.collective.count", "", kCounter},
    {"gpu_nccl_collective_bytes_total", "gpu.nccl.collective.bytes_total", "By", kCounter},
    {"gpu_nccl_collective_barrier_events", "gpu.nccl.collective.barrier_events", "", kCounter},
    {"gpu_memory_used_bytes", "gpu.memory.used", "By", kGauge},
    {"gpu_memory_free_bytes", "gpu.memory.free", "By", kGauge},
    {"gpu_memory_total_bytes", "gpu.memory.total", "By", kGauge},
    {"gpu_memory_fragmentation_estimate", "gpu.memory.fragmentation_estimate", "1", kGauge},
    {"gpu_memory_process_allocated_bytes", "gpu.memory.process.allocated_bytes", "By", kGauge},
    {"gpu_memcpy_bytes_total", "gpu.memcpy.bytes_total", "By", kCounter},
    {"gpu_memcpy_duration_ms", "gpu.memcpy.duration_ms", "ms", kHistogram},
    {"gpu_throttle_power_active", "gpu.throttle.power_active", "", kGauge},
    {"gpu_throttle_thermal_active", "gpu.throttle.thermal_active", "", kGauge},
    {"gpu_throttle_sw_active", "gpu.throttle.sw_active", "", kGauge},
    {"gpu_throttle_hw_active", "gpu.throttle.hw_active", "", kGauge},
    {"gpu_throttle_power_event_total", "gpu.throttle.power_event", "", kCounter},
    {"gpu_throttle_thermal_event_total", "gpu.throttle.thermal_event", "", kCounter},
    {"gpu_throttle_sw_event_total", "gpu.throttle.sw_event", "", kCounter},
    {"gpu_throttle_hw_event_total", "gpu.throttle.hw_event", "", kCounter},
    {"gpu_kernel_launch_count", "gpu.kernel.launch.count", "", kCounter},
    {"ingero_inference_step_duration_seconds", "ingero.inference.step.duration", "s", kHistogram},
    {"ingero_inference_step_duration_seconds", "ingero.infer.step_duration_ns", "ns", kHistogram, 1e9},
    {"ingero_inference_baseline_mean_seconds", "ingero.inference.baseline.mean", "s", kGauge},
    {"ingero_inference_baseline_mean_seconds", "ingero.infer.baseline_mean_ns", "ns", kGauge, 1e9},
    {"ingero_inference_baseline_p95_seconds", "ingero.inference.baseline.p95", "s", kGauge},
    {"ingero_inference_baseline_p95_seconds", "ingero.infer.baseline_p95_ns", "ns", kGauge, 1e9},
    {"ingero_inference_workloads", "ingero.infer.workloads_tracked", "", kGauge},
    {"ingero_inference_slow_steps_total", "ingero.inference.slow_steps", "", kCounter},
    {"ingero_inference_slow_steps_total", "ingero.infer.outlier_total", "", kCounter},
    // What model servers say of themselves.
    {"gen_ai_client_operation_time_to_first_token_seconds", "gen_ai.client.operation.time_to_first_token", "s",
     kHistogram},
    {"gen_ai_server_time_per_output_token_seconds", "gen_ai.server.time_per_output_token", "s", kHistogram},
    {"gen_ai_client_operation_duration_seconds", "gen_ai.client.operation.duration", "s", kHistogram},
    {"gen_ai_client_operation_seconds_total", "gen_ai.client.operation.duration.total", "s", kCounter},
    {"gen_ai_server_request_duration_prefill_seconds", "gen_ai.server.request.duration.prefill", "s", kHistogram},
    {"gen_ai_server_request_duration_decode_seconds", "gen_ai.server.request.duration.decode", "s", kHistogram},
    {"gen_ai_server_request_duration_batch_seconds", "gen_ai.server.request.duration.batch", "s", kHistogram},
    {"gen_ai_server_queue_seconds_total", "gen_ai.server.queue.duration.total", "s", kCounter},
    {"gen_ai_server_compute_input_seconds_total", "gen_ai.server.compute_input.duration.total", "s", kCounter},
    {"gen_ai_server_compute_infer_seconds_total", "gen_ai.server.compute_infer.duration.total", "s", kCounter},
    {"gen_ai_server_compute_output_seconds_total", "gen_ai.server.compute_output.duration.total", "s", kCounter},
    {"gen_ai_client_token_usage_input_total", "gen_ai.client.token.usage.input", "{token}", kCounter},
    {"gen_ai_client_token_usage_output_total", "gen_ai.client.token.usage.output", "{token}", kCounter},
    {"gen_ai_client_speculative_accepted_tokens_total", "gen_ai.client.speculative.accepted_tokens", "{token}",
     kCounter},
    {"gen_ai_client_speculative_proposed_tokens_total", "gen_ai.client.speculative.proposed_tokens", "{token}",
     kCounter},
    {"gen_ai_server_batch_size", "gen_ai.server.batch.size", "{request}", kGauge},
    {"gen_ai_server_queue_size", "gen_ai.server.queue.size", "{request}", kGauge},
    {"gen_ai_client_operation_success_total", "gen_ai.client.operation.success_total", "{request}", kCounter},
    {"gen_ai_client_operation_failure_total", "gen_ai.client.operation.failure_total", "{request}", kCounter},
    // What the semantic conventions for hardware and processes name.
    {"gpu_memory_used_bytes", "hw.gpu.memory.usage", "By", kGauge, 1, true},
    {"gpu_memory_total_bytes", "hw.gpu.memory.limit", "By", kGauge, 1, true},
    {"gpu_utilization_ratio", "hw.gpu.utilization", "1", kGauge, 1, true},
    {"gpu_power_watts", "hw.power", "W", kGauge, 1, true},
    {"gpu_energy_joules_total", "hw.energy", "J", kCounter, 1, true},
    {"gpu_temperature_celsius", "hw.temperature", "Cel", kGauge, 1, true},
    {"gpu_ecc_errors_total", "hw.errors", "{error}", kCounter, 1, true},
    {"process_cpu_seconds_total", "process.cpu.time", "s", kCounter},
    {"process_resident_memory_bytes", "process.memory.usage", "By", kGauge},
    {"process_virtual_memory_bytes", "process.memory.virtual", "By", kGauge},
    {"process_open_fds", "process.open_file_descriptor.count", "{file_descriptor}", kGauge},
    {"process_threads", "process.thread.count", "{thread}", kGauge},
    // Words of two parts, and a name that would be the beginning of others.
    {"ingero_otlp_waiting_bytes", "ingero.otlp.waiting.size", "By", kGauge},
    {"gpu_operation_off_cpu_seconds_total", "gpu.operation.off_cpu", "s", kCounter},
    {"gpu_operations_in_flight", "gpu.operations.in_flight", "", kGauge},
    {"gpu_kernel_launch_threads_per_block", "gpu.kernel.launch.threads_per_block", "", kHistogram},
    {"gpu_kernel_launch_grid_blocks", "gpu.kernel.launch.grid_blocks", "", kHistogram},
    {"gpu_collective_last_arrival_lateness_seconds", "gpu.collective.last_arrival.lateness", "s", kHistogram},
    {"gpu_collective_last_arrivals_total", "gpu.collective.last_arrivals", "", kCounter},
};

constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
    {"_bytes_per_second", "By/s"}, {"_seconds", "s"}, {"_bytes", "By"}, {"_ratio", "1"},
    {"_celsius", "Cel"},           {"_watts", "W"},   {"_hertz", "Hz"}, {"_joules", "J"},
};

bool cut(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

}  // namespace

std::vector<MetricName> metric_names(std::string_view page_name, MetricType type) {
  std::vector<MetricName> names;
  for (const Row& row : kRows) {
    if (row.page_name == page_name) {
      names.push_back({std::string(row.name), row.unit, row.type, row.scale, row.is_hardware});
    }
  }
  if (!names.empty()) return names;
  MetricName name;
  // An untyped metric may also fall, so it is exported as a gauge.
  name.type = type == MetricType::kUntyped ? MetricType::kGauge : type;
  if (name.type == MetricType::kCounter) cut(page_name, "_total");
  for (const auto& [suffix, unit] : kUnits) {
    if (!cut(page_name, suffix)) continue;
    name.unit = unit;
    break;
  }
  name.name = page_name;
  std::replace(name.name.begin(), name.name.end(), '_', '.');
  return {name};
}

std::string attribute_name(std::string_view label, const MetricName& metric) {
  if (metric.is_hardware) {
    if (label == "gpu_uuid") return "hw.id";
    if (label == "part") return metric.name == "hw.errors" ? "error.type" : "hw.sensor_location";
  }
  if (metric.name.starts_with("gen_ai.")) {
    if (label == "engine") return "gen_ai.system";
    if (label == "model") return "gen_ai.request.model";
  }
  if (metric.name.starts_with("ingero.infer")) {
    if (label == "phase") return "ingero.infer.phase";
    if (label == "slow") return "ingero.infer.outlier_bucket";
  }
  const bool is_collective = metric.name.starts_with("nccl.");
  if (label == "op_type" && is_collective) return "nccl.op_type";
  if (label == "gpu_uuid") return "gpu.uuid";
  // The legacy agent's own labels stay.
  if (label == "pid" && metric.name != "gpu.nccl.process_loaded") return "process.pid";
  return std::string(label);
}

}  // namespace ingero::serve::otlp
