// Names of the legacy dashboard's answers that spell a vendor: its users' scripts read them. For this folder only.
#pragma once

#include <string>

namespace ingero::serve::api {

inline constexpr const char* kChainOp = "cuda_op";
inline constexpr const char* kChainP99 = "cuda_p99_us";
inline constexpr const char* kChainP50 = "cuda_p50_us";
inline constexpr const char* kStoredChain =
    "id, detected_at, severity, summary, root_cause, explanation, recommendations, timeline, cuda_op, cuda_p99_us, "
    "cuda_p50_us, tail_ratio, node";
inline constexpr const char* kRuntimeVersion = "cuda_version";
inline constexpr const char* kRuntimeVersionColumn = "cuda_ver";

// What it called the layers.
inline std::string layer_name(const std::string& layer, const std::string& kind) {
  if (layer == "CUDA") return kind == "graph" ? "CUDAGraph" : "CUDA";
  if (layer == "HOST") return "Host";
  if (layer == "DRIVER") return "Driver";
  if (layer == "NET") return "Net";
  return layer;  // IO, TCP, and layers that it did not know
}

struct Capability {
  const char *id, *label;
  const char* sql;            // one number: there is something of it when it is not 0. Null: never
  const char* required_tool;  // what would have it
};
inline constexpr Capability kCapabilities[] = {
    {"cpu_util", "CPU utilisation", "SELECT count(*) FROM system_snapshots WHERE cpu_pct IS NOT NULL", ""},
    {"mem_util", "Memory utilisation", "SELECT count(*) FROM system_snapshots WHERE mem_pct IS NOT NULL", ""},
    {"load_avg", "Load average", "SELECT count(*) FROM system_snapshots WHERE load_avg IS NOT NULL", ""},
    {"swap", "Swap", "SELECT count(*) FROM system_snapshots WHERE swap_mb IS NOT NULL", ""},
    {"cuda_ops", "Runtime calls", "SELECT EXISTS (SELECT 1 FROM events WHERE source = 1)", ""},
    {"driver_ops", "Driver calls", "SELECT EXISTS (SELECT 1 FROM events WHERE source = 4)", ""},
    {"host_events", "Scheduling and memory", "SELECT EXISTS (SELECT 1 FROM events WHERE source = 3)", ""},
    {"block_io", "Block I/O", "SELECT EXISTS (SELECT 1 FROM events WHERE source = 5)", ""},
    {"tcp_retransmit", "TCP retransmissions", "SELECT EXISTS (SELECT 1 FROM events WHERE source = 6)", ""},
    {"net_io", "Socket I/O", "SELECT EXISTS (SELECT 1 FROM events WHERE source = 7)", ""},
    {"causal_chains", "Causal chains", "SELECT 1", ""},
    {"stack_traces", "Stacks", "SELECT EXISTS (SELECT 1 FROM stack_traces)", ""},
    {"cuda_graph", "Graphs", "SELECT EXISTS (SELECT 1 FROM events WHERE kind = 'graph')", ""},
    {"gpu_util", "Device utilisation", "SELECT EXISTS (SELECT 1 FROM device_samples WHERE name LIKE '%utilization%')",
     "NVML"},
    {"hbm_occupancy", "Device memory", "SELECT EXISTS (SELECT 1 FROM device_samples WHERE name LIKE 'memory_used%')",
     "NVML"},
    {"power_draw", "Power", "SELECT EXISTS (SELECT 1 FROM device_samples WHERE name = 'power_watts')", "NVML"},
    {"cost_waste", "Cost of waiting", nullptr, "NVML"},
    {"sm_efficiency", "Multiprocessor efficiency", nullptr, "CUPTI"},
    {"stall_breakdown", "Stall reasons", nullptr, "CUPTI"},
    {"nvlink_util", "Device links", "SELECT EXISTS (SELECT 1 FROM device_samples WHERE name LIKE '%link%')", "DCGM"},
    {"pcie_util", "PCIe traffic", "SELECT EXISTS (SELECT 1 FROM device_samples WHERE name LIKE 'pcie%')", "DCGM"},
    {"ib_util", "Fabric counters", "SELECT EXISTS (SELECT 1 FROM fabric_samples)", "RDMA"},
    {"nvtx_phases", "Annotated phases", nullptr, "libnvToolsExt"},
    {"what_if", "What if", nullptr, "NVML/DCGM"},
    {"pipeline_flow", "Pipeline flow", nullptr, "NVML/DCGM"},
    {"storage_io", "Storage I/O", nullptr, ""},
};

}  // namespace ingero::serve::api
