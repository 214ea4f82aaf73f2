// The composition of the metrics: what each part of the running recording says.
#include "agent/metrics/live_metrics.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "serve/metrics/metric_names.h"
#include "serve/metrics/operation_names.h"
#include "serve/metrics/process_metrics.h"

namespace ingero::agent {
namespace {

namespace prom = serve::metrics;

std::string_view word(hal::Severity severity) {
  return severity == hal::Severity::kInfo ? "info" : severity == hal::Severity::kLoss ? "loss" : "error";
}

std::string_view word(hal::RowState state) {
  return state == hal::RowState::kResolved ? "attached" : state == hal::RowState::kAbsent ? "absent" : "refused";
}

void write_snapshot(prom::MetricSet& metrics, const hal::SystemSnapshot& snapshot) {
  const auto share = [&metrics](const prom::Metric& metric, double percent, prom::Labels labels = {}) {
    if (percent >= 0) metrics.add(metric, std::move(labels), percent / 100);
  };
  share(prom::kCpu, snapshot.cpu_percent);
  share(prom::kMemory, snapshot.mem_percent);
  if (snapshot.mem_available_mb >= 0) {
    metrics.add(prom::kMemoryAvailable, {}, static_cast<double>(snapshot.mem_available_mb) * (1 << 20));
  }
  if (snapshot.load1 >= 0) metrics.add(prom::kLoad, {}, snapshot.load1);
  share(prom::kPressure, snapshot.psi_cpu_some, {{"resource", "cpu"}, {"share", "some"}});
  share(prom::kPressure, snapshot.psi_io_some, {{"resource", "io"}, {"share", "some"}});
  share(prom::kPressure, snapshot.psi_io_full, {{"resource", "io"}, {"share", "full"}});
  share(prom::kPressure, snapshot.psi_mem_some, {{"resource", "memory"}, {"share", "some"}});
  share(prom::kPressure, snapshot.psi_mem_full, {{"resource", "memory"}, {"share", "full"}});
}

void write_losses(prom::MetricSet& metrics, const hal::LossLedger& losses) {
  using hal::Loss;
  for (size_t i = 0; i < static_cast<size_t>(Loss::kCount); ++i) {
    const hal::LossRow& row = hal::kLossTable[i];
    metrics.add(prom::kLosses, {{"name", std::string(row.name)}, {"severity", std::string(word(row.severity))}},
                static_cast<double>(losses.count(static_cast<Loss>(i))));
  }
  metrics.add(prom::kLegacyOverflows, {},
              static_cast<double>(losses.count(Loss::ring_full) + losses.count(Loss::host_ring_full) +
                                  losses.count(Loss::critical_ring_full)));
  metrics.add(prom::kDatabasePruned, {}, static_cast<double>(losses.count(Loss::store_pruned)));
}

void write_probes(prom::MetricSet& metrics, const std::vector<kernelside::FileReport>& files) {
  std::map<std::tuple<std::string, std::string, hal::RowState>, uint64_t> counts;
  for (const auto& file : files) {
    for (const auto& row : file.rows) ++counts[{file.backend, file.library, row.state}];
  }
  for (const auto& [key, count] : counts) {
    const auto& [backend, library, state] = key;
    metrics.add(prom::kProbes, {{"backend", backend}, {"library", library}, {"state", std::string(word(state))}},
                static_cast<double>(count));
  }
}

// Processes that hold a collectives library, by the file. Those that have ended meanwhile are left out.
void write_collective_processes(prom::MetricSet& metrics, const std::vector<kernelside::FileReport>& files) {
  constexpr size_t kMaxProcesses = 256;
  std::set<uint32_t> holders;
  for (const auto& file : files) {
    const bool is_collectives = std::any_of(file.rows.begin(), file.rows.end(), [](const kernelside::RowReport& row) {
      return row.row->kind == hal::Kind::kCollective;
    });
    if (!is_collectives) continue;
    for (const uint32_t pid : file.pids) {
      const auto comm = read_file(fmt::format("/proc/{}/comm", pid), 256);
      if (!comm.ok() || holders.size() >= kMaxProcesses) continue;
      holders.insert(pid);
      metrics.add(prom::kCollectivesLoaded,
                  {{"pid", std::to_string(pid)},
                   {"comm", std::string(trim(*comm))},
                   {prom::kCollectivesPathLabel, file.path},
                   {prom::kCollectivesVersionLabel, file.version}},
                  1);
    }
  }
  metrics.add(prom::kCollectivesProcesses, {}, static_cast<double>(holders.size()));
}

}  // namespace

void LiveMetrics::add(const EventBatch& batch) {
  call_metrics_.add(batch.records.events);
  for (const auto& [pid, start] : batch.ended) {
    call_metrics_.process_ended(pid, clock_.mono_ns());
    budget_metrics_.process_ended(pid, clock_.mono_ns());
  }
  collective_metrics_.add(
      {batch.records.events, batch.records.exchanges, batch.barrier_waits, batch.hangs, batch.arrivals});
}

void LiveMetrics::fill(prom::MetricSet& metrics, const Recorder& recorder, bool with_legacy_names) {
  const std::scoped_lock lock(mutex_);
  call_metrics_.forget_ended(clock_.mono_ns());
  call_metrics_.write(metrics, with_legacy_names);
  collective_metrics_.write(metrics);
  budget_metrics_.forget_ended(clock_.mono_ns());
  budget_metrics_.write(metrics);
  call_metrics_.write_devices(metrics, [&recorder](uint32_t ref) { return recorder.device(ref); });
  for (const auto& [call, count] : recorder.in_flight()) {
    metrics.add(prom::kOperationsInFlight, prom::operation_labels(calls_[call]), static_cast<double>(count));
  }
  write_snapshot(metrics, recorder.snapshot());
  const auto files = recorder.probe_reports();
  write_probes(metrics, files);
  write_collective_processes(metrics, files);
  metrics.add(prom::kStored, {}, static_cast<double>(recorder.stored()));
  metrics.add(prom::kStoreError, {}, recorder.store_error().empty() ? 0 : 1);
  if (recorder.file_bytes() > 0) metrics.add(prom::kDatabaseBytes, {}, static_cast<double>(recorder.file_bytes()));
  metrics.add(prom::kBuild, {{"version", INGERO_VERSION}}, 1);
  for (const auto& cost : recorder.program_costs()) {
    metrics.add(prom::kProbeRuns, {{"program", cost.name}}, static_cast<double>(cost.runs));
    metrics.add(prom::kProbeSeconds, {{"program", cost.name}}, static_cast<double>(cost.run_time_ns) / 1e9);
  }
  prom::write_process(metrics);
  for (const Part& part : parts_) part(metrics);
  folded_ += metrics.folded();
  write_losses(metrics, recorder.losses());
  metrics.add(prom::kFolded, {}, static_cast<double>(folded_));
}

}  // namespace ingero::agent
