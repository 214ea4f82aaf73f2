// Every metric with a fixed name. docs/formats/metrics.md is made from this table; names that follow a table of another
// room (fabric counters, device readings) are made by fabric_metrics.h and device_metrics.h. A counter of this table
// begins with the trace at 0: OTLP says so (serve/otlp/encode.cc).
//
// Constant data; any thread.
#pragma once

#include "serve/metrics/legacy/metric_names.h"
#include "serve/metrics/metric.h"

namespace ingero::serve::metrics {

// constant, "name", type, "labels", "help"
#define INGERO_METRICS(X)                                                                                              \
  X(kOperationDuration, "gpu_operation_duration_seconds", kHistogram, "vendor, library, kind, operation",              \
    "Time from entry to return of calls that returned; of asynchronous calls the time to enqueue.")                    \
  X(kOperations, "gpu_operations_total", kCounter, "vendor, library, kind, operation",                                 \
    "Calls that ended, however they did.")                                                                             \
  X(kOperationErrors, "gpu_operation_errors_total", kCounter, "vendor, library, kind, operation",                      \
    "Calls whose return code means failure.")                                                                          \
  X(kOperationsUnfinished, "gpu_operations_unfinished_total", kCounter, "vendor, library, kind, operation",            \
    "Calls that ended without a return: unwound, or their thread exited or called exec.")                              \
  X(kOperationsInFlight, "gpu_operations_in_flight", kGauge, "vendor, library, kind, operation",                       \
    "Calls that had not returned a second ago.")                                                                       \
  X(kOffCpu, "gpu_operation_off_cpu_seconds_total", kCounter, "vendor, library, kind, operation, cause",               \
    "Time inside calls in which their thread was not running, by cause.")                                              \
  X(kCopyBytes, "gpu_copy_bytes_total", kCounter, "vendor, direction",                                                 \
    "Bytes of successful copies; a copy inside a copy counts once.")                                                   \
  X(kCopyDuration, "gpu_copy_duration_seconds", kHistogram, "vendor, direction", "Time of copy calls.")                \
  X(kHostOperations, "ingero_host_operations_total", kCounter, "layer, operation", "Host events of traced threads.")   \
  X(kHostDuration, "ingero_host_operation_duration_seconds", kHistogram, "layer, operation",                           \
    "Duration of host events of traced threads.")                                                                      \
  X(kLosses, "ingero_losses_total", kCounter, "name, severity",                                                        \
    "Entries of the loss ledger: what was lost, late or cut, by name.")                                                \
  X(kFolded, "ingero_metric_series_folded_total", kCounter, "",                                                        \
    "Series not shown by themselves, counted at each scrape: beyond a cap, or reported twice.")                        \
  X(kProbes, "ingero_probes", kGauge, "backend, library, state",                                                       \
    "Described calls by state: attached, absent, refused.")                                                            \
  X(kEvents, "ingero_events_total", kCounter, "", "Events captured.")                                                  \
  X(kStored, "ingero_stored_events_total", kCounter, "", "Events committed to the recording.")                         \
  X(kStoreError, "ingero_store_failing", kGauge, "", "1 while the recording cannot be written.")                       \
  X(kProbeRuns, "ingero_probe_program_runs_total", kCounter, "program",                                                \
    "Runs of a BPF program while run statistics were on.")                                                             \
  X(kProbeSeconds, "ingero_probe_program_seconds_total", kCounter, "program",                                          \
    "Time in BPF programs while run statistics were on; divide by ingero_probe_program_runs_total for the mean.")      \
  X(kOtlpItems, "ingero_otlp_items_total", kCounter, "outcome",                                                        \
    "Data points and spans by outcome: accepted, rejected, refused, dropped.")                                         \
  X(kOtlpFailedTries, "ingero_otlp_failed_tries_total", kCounter, "", "Requests that will be sent again.")             \
  X(kOtlpWaiting, "ingero_otlp_waiting_requests", kGauge, "", "Requests on disk that are still to be sent.")           \
  X(kOtlpWaitingBytes, "ingero_otlp_waiting_bytes", kGauge, "", "Their size on disk.")                                 \
  X(kAgentCpu, "process_cpu_seconds_total", kCounter, "", "User and system CPU time of the agent itself.")             \
  X(kAgentResident, "process_resident_memory_bytes", kGauge, "", "Resident memory of the agent itself.")               \
  X(kAgentVirtual, "process_virtual_memory_bytes", kGauge, "", "Virtual memory of the agent itself.")                  \
  X(kAgentFiles, "process_open_fds", kGauge, "", "Open files of the agent itself.")                                    \
  X(kAgentThreads, "process_threads", kGauge, "", "Threads of the agent itself.")                                      \
  X(kAgentStart, "process_start_time_seconds", kGauge, "", "When the agent started, since the Unix epoch.")            \
  X(kBuild, "ingero_build_info", kGauge, "version", "1; which version answers.")                                       \
  X(kCpu, "system_cpu_utilization", kGauge, "", "Share of CPU time in use over the last second, 0 to 1.")              \
  X(kMemory, "system_memory_utilization", kGauge, "", "Share of memory in use, 0 to 1.")                               \
  X(kMemoryAvailable, "system_memory_usage_available", kGauge, "", "Memory available to programs, in bytes.")          \
  X(kLoad, "system_cpu_load_average_1m", kGauge, "", "Load average over one minute.")                                  \
  X(kPressure, "system_pressure_ratio", kGauge, "resource, share",                                                     \
    "Share of the last two seconds in which some or all tasks waited for the resource.")                               \
  X(kAsyncEvents, "ingero_rdma_async_event_total", kCounter, "rdma_event_type, rdma_fabric_error",                     \
    "Asynchronous events that fabric devices reported to traced processes.")                                           \
  X(kFabricDevices, "ingero_rdma_devices", kGauge, "", "Number of fabric adapters.")                                   \
  X(kFabricUnreadable, "ingero_rdma_unreadable_files_total", kCounter, "",                                             \
    "Counter files of fabric adapters that could not be read, counted at each sample.")                                \
  X(kFabricState, "ingero_rdma_port_state", kGauge, "rdma_device, rdma_port, rdma_transport",                          \
    "State of the port: 1 down, 2 initialising, 3 armed, 4 active.")                                                   \
  X(kFabricPhysicalState, "ingero_rdma_port_physical_state", kGauge, "rdma_device, rdma_port, rdma_transport",         \
    "Physical state of the port: 2 polling, 3 disabled, 4 training, 5 link up, 6 recovering.")                         \
  X(kFabricRate, "ingero_rdma_port_rate_bytes_per_second", kGauge, "rdma_device, rdma_port, rdma_transport",           \
    "Signalling rate of the port.")                                                                                    \
  X(kFabricInfo, "ingero_rdma_port_info", kGauge,                                                                      \
    "rdma_device, rdma_port, rdma_transport, driver, firmware, board, netdev, pci_address, numa_node",                 \
    "1; what the port belongs to.")                                                                                    \
  X(kFabricDiscontinuities, "ingero_rdma_discontinuities_total", kCounter, "rdma_device, rdma_port, counter, change",  \
    "Times a counter was reset, wrapped, or came to the end of its width and stuck.")                                  \
  X(kDeviceInfo, "gpu_info", kGauge, "gpu_uuid, vendor, gpu_id, pci_address, name, driver, parent_uuid",               \
    "1; which device it is.")                                                                                          \
  X(kDeviceOperations, "gpu_device_operations_total", kCounter, "vendor, gpu_id, gpu_uuid, pci_address",               \
    "Calls that ended, by device; without calls whose device is unknown; a call inside a call counts once.")           \
  X(kDeviceFailures, "gpu_device_operation_errors_total", kCounter, "vendor, gpu_id, gpu_uuid, pci_address",           \
    "Those of them that failed.")                                                                                      \
  X(kFragmentation, "gpu_memory_fragmentation_estimate", kGauge, "gpu_uuid",                                           \
    "Share of device memory that is neither used nor free, 0 to 1.")                                                   \
  X(kProcessMemory, "gpu_memory_process_allocated_bytes", kGauge, "gpu_uuid, pid",                                     \
    "Device memory of a process, by the driver.")                                                                      \
  X(kThrottlePowerEvents, "gpu_throttle_power_event_total", kCounter, "",                                              \
    "Times a device began to throttle to save power.")                                                                 \
  X(kThrottleThermalEvents, "gpu_throttle_thermal_event_total", kCounter, "",                                          \
    "Times a device began to throttle because of temperature.")                                                        \
  X(kThrottleSwEvents, "gpu_throttle_sw_event_total", kCounter, "",                                                    \
    "Times a device began to be throttled by software.")                                                               \
  X(kThrottleHwEvents, "gpu_throttle_hw_event_total", kCounter, "",                                                    \
    "Times a device began to be throttled by hardware.")                                                               \
  X(kDeviceErrors, "gpu_device_errors_total", kCounter, "vendor, pci_address, kind, code",                             \
    "Errors that device drivers wrote to the kernel log.")                                                             \
  X(kThreadTime, "ingero_thread_time_seconds_total", kCounter, "pid, class",                                           \
    "Time of threads that submit GPU work, by what they did; the classes of a thread sum to its time.")                \
  X(kThreadTimeLost, "ingero_thread_time_lost_seconds_total", kCounter, "pid, class, bound",                           \
    "The part of it for which the device had nothing to do: at least (low) and at most (high).")                       \
  X(kSteps, "ingero_steps_total", kCounter, "pid, slow", "Steps that ended; slow ones took far longer than usual.")    \
  X(kStepTime, "ingero_step_seconds_total", kCounter, "pid, slow", "Their time.")                                      \
  X(kInferenceSteps, "ingero_inference_steps_total", kCounter, "phase", "Steps of inference that ended.")              \
  X(kInferenceSlow, "ingero_inference_slow_steps_total", kCounter, "phase, slow",                                      \
    "Steps that took 1.5, 2 or 3 times the 95th percentile of their workload; each counts in one class.")              \
  X(kInferenceDuration, "ingero_inference_step_duration_seconds", kHistogram, "phase",                                 \
    "Time of a step, from its first work to the end of the synchronisation that waited for it, without idle time.")    \
  X(kInferenceIdle, "ingero_inference_idle_seconds_total", kCounter, "phase",                                          \
    "Idle time between work of one step that is not counted as the step's.")                                           \
  X(kInferenceWorkloads, "ingero_inference_workloads", kGauge, "", "Workloads of inference whose baselines are kept.") \
  X(kInferenceMean, "ingero_inference_baseline_mean_seconds", kGauge, "pid, phase",                                    \
    "Exponential mean of healthy steps, of the process's workload of that phase with the most steps.")                 \
  X(kInferencePercentile, "ingero_inference_baseline_p95_seconds", kGauge, "pid, phase",                               \
    "95th percentile of healthy steps, of the same workload.")                                                         \
  X(kEngineReads, "ingero_inference_engine_reads_total", kCounter, "outcome",                                          \
    "Times that a model server's metrics were requested: read, failed.")                                               \
  X(kFirstToken, "gen_ai_client_operation_time_to_first_token_seconds", kHistogram, "engine, model",                   \
    "Time to the first token, as the model server measures it.")                                                       \
  X(kTokenTime, "gen_ai_server_time_per_output_token_seconds", kHistogram, "engine, model",                            \
    "Time for a token after the first, as the model server measures it.")                                              \
  X(kRequestDuration, "gen_ai_client_operation_duration_seconds", kHistogram, "engine, model",                         \
    "Time of a request, as the model server measures it.")                                                             \
  X(kRequestTime, "gen_ai_client_operation_seconds_total", kCounter, "engine, model",                                  \
    "The same where the model server only adds it up.")                                                                \
  X(kPrefillDuration, "gen_ai_server_request_duration_prefill_seconds", kHistogram, "engine, model",                   \
    "Time of a request in prefill.")                                                                                   \
  X(kDecodeDuration, "gen_ai_server_request_duration_decode_seconds", kHistogram, "engine, model",                     \
    "Time of a request in decode.")                                                                                    \
  X(kBatchDuration, "gen_ai_server_request_duration_batch_seconds", kHistogram, "engine, model",                       \
    "Time of a forward pass of a batch.")                                                                              \
  X(kQueueDuration, "gen_ai_server_queue_duration_seconds", kHistogram, "engine, model",                               \
    "Time of a request in the model server's queue.")                                                                  \
  X(kQueueTime, "gen_ai_server_queue_seconds_total", kCounter, "engine, model",                                        \
    "The same where the model server only adds it up.")                                                                \
  X(kValidationDuration, "gen_ai_server_validation_duration_seconds", kHistogram, "engine, model",                     \
    "Time to check a request.")                                                                                        \
  X(kInputCopyTime, "gen_ai_server_compute_input_seconds_total", kCounter, "engine, model",                            \
    "Time to move inputs to the device (not prefill).")                                                                \
  X(kInferTime, "gen_ai_server_compute_infer_seconds_total", kCounter, "engine, model", "Time in the model itself.")   \
  X(kOutputCopyTime, "gen_ai_server_compute_output_seconds_total", kCounter, "engine, model",                          \
    "Time to move outputs from the device (not decode).")                                                              \
  X(kInputTokens, "gen_ai_client_token_usage_input_total", kCounter, "engine, model", "Tokens of prompts.")            \
  X(kOutputTokens, "gen_ai_client_token_usage_output_total", kCounter, "engine, model", "Tokens generated.")           \
  X(kDraftsAccepted, "gen_ai_client_speculative_accepted_tokens_total", kCounter, "engine, model",                     \
    "Draft tokens accepted.")                                                                                          \
  X(kDraftsProposed, "gen_ai_client_speculative_proposed_tokens_total", kCounter, "engine, model",                     \
    "Draft tokens proposed.")                                                                                          \
  X(kEngineBatch, "gen_ai_server_batch_size", kGauge, "engine, model", "Requests in the current batch.")               \
  X(kEngineQueue, "gen_ai_server_queue_size", kGauge, "engine, model", "Requests in the engine's queue.")              \
  X(kRequestsDone, "gen_ai_client_operation_success_total", kCounter, "engine, model", "Requests that succeeded.")     \
  X(kRequestsFailed, "gen_ai_client_operation_failure_total", kCounter, "engine, model", "Requests that failed.")      \
  X(kDatabaseBytes, "ingero_trace_db_bytes", kGauge, "", "Size of the recording on disk, its log included.")           \
  X(kDatabasePruned, "ingero_trace_db_pruned_rows_total", kCounter, "",                                                \
    "Stored events deleted to keep the recording under its limit.")                                                    \
  X(kCollectivesLoaded, "gpu_nccl_process_loaded", kGauge, "pid, comm, libnccl_path, libnccl_version",                 \
    "1 for each process that holds a collectives library.")                                                            \
  X(kCollectivesProcesses, "gpu_nccl_processes_total", kUntyped, "", "Processes that hold a collectives library.")     \
  X(kCollectives, "gpu_nccl_collective_count", kUntyped, "op_type",                                                    \
    "Collective and point-to-point calls that ended, by operation.")                                                   \
  X(kCollectiveBytes, "gpu_nccl_collective_bytes_total", kCounter, "op_type",                                          \
    "Bytes of collective and point-to-point calls, where they are known.")                                             \
  X(kCollectiveBarriers, "gpu_nccl_collective_barrier_events", kUntyped, "op_type",                                    \
    "Collectives that a synchronisation was seen to wait for, by operation.")                                          \
  X(kCollectiveCalls, "gpu_collectives_total", kCounter, "vendor, op_type",                                            \
    "Collective and point-to-point calls that ended; one that another makes is part of that one.")                     \
  X(kCollectiveErrors, "gpu_collective_errors_total", kCounter, "vendor, op_type", "Those of them that failed.")       \
  X(kCollectiveSize, "gpu_collective_bytes_total", kCounter, "vendor, op_type",                                        \
    "Bytes of successful collective calls, where known.")                                                              \
  X(kCollectiveDuration, "gpu_collective_duration_seconds", kHistogram, "vendor, op_type",                             \
    "Time of their calls, from entry to return: to enqueue, where they are asynchronous.")                             \
  X(kCollectiveWait, "gpu_collective_barrier_wait_seconds", kHistogram, "vendor, op_type",                             \
    "From a collective's return to the end of the synchronisation that waited for it.")                                \
  X(kCollectiveLateness, "gpu_collective_last_arrival_lateness_seconds", kHistogram, "vendor, op_type",                \
    "Delay of the last local rank behind the one before it.")                                                          \
  X(kCollectiveLast, "gpu_collective_last_arrivals_total", kCounter, "rank",                                           \
    "Collectives that this local rank entered last.")                                                                  \
  X(kCollectiveHangs, "gpu_collective_hangs_total", kCounter, "vendor, op_type",                                       \
    "Collectives that some ranks of this host had entered and others had not for longer than --hang-after.")           \
  X(kCollectivesHanging, "gpu_collectives_hanging", kGauge, "", "Those of them that others have not entered yet.")     \
  X(kLaunches, "gpu_kernel_launch_count", kUntyped, "pid", "Kernel launches by process; a nested launch counts once.") \
  X(kLaunchThreads, "gpu_kernel_launch_threads_per_block", kHistogram, "pid",                                          \
    "Threads per block of launches. Only with --prometheus-launch-sizes.")                                             \
  X(kLaunchBlocks, "gpu_kernel_launch_grid_blocks", kHistogram, "pid",                                                 \
    "Blocks per launch. Only with --prometheus-launch-sizes.")                                                         \
  INGERO_LEGACY_METRICS(X)

#define X(constant, name, type, labels, help) inline constexpr Metric constant{name, MetricType::type, labels, help};
INGERO_METRICS(X)
#undef X

}  // namespace ingero::serve::metrics
