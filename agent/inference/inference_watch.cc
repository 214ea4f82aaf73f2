// Feeds events to the step detection while a recording runs, and writes steps to recording, metrics and spans.
#include "agent/inference/inference_watch.h"

#include <algorithm>

#include "base/text.h"
#include "serve/net/peer.h"
#include "store/db/histogram.h"

namespace ingero::agent {
namespace {

constexpr uint64_t kWriteEveryNs = 1'000'000'000;

}  // namespace

Result<correlate::WorkloadOptions> workload_options(const InferenceOptions& options) {
  correlate::WorkloadOptions out;
  out.warm = options.warmup;
  out.slow_ratio = options.slow_ratio;
  out.has_phases = options.phase_classifier != "off";
  out.by_functions = options.by_functions;
  out.phases = options.phases;
  const auto decode = parse_size_bytes(options.decode_max_copied);
  INGERO_TRY(decode);
  const auto mixed = parse_size_bytes(options.mixed_copied);
  INGERO_TRY(mixed);
  const auto mean = parse_duration_ns(options.prefill_min_mean);
  INGERO_TRY(mean);
  out.phases.decode_max_bytes = *decode;
  out.phases.mixed_min_bytes = *mixed;
  out.phases.prefill_min_mean_ns = *mean;
  return out;
}

Result<std::unique_ptr<InferenceWatch>> InferenceWatch::open(const InferenceOptions& options, bool is_recording,
                                                             const hal::CallTable& calls, uint32_t keep_every) {
  if (!options.wanted) return std::unique_ptr<InferenceWatch>();
  if (!is_recording) {
    return Error(Errc::kInvalid, "--inference needs a recording", "remove --no-record");
  }
  auto workload = workload_options(options);
  INGERO_TRY(workload);
  workload->keep_every = keep_every;
  std::unique_ptr<InferenceWatch> watch(new InferenceWatch(calls, *workload));
  if (options.scrape == "off") return watch;
  ScrapeOptions scrape;
  const auto interval = parse_duration_ns(options.scrape_interval);
  INGERO_TRY(interval);
  const auto redetect = parse_duration_ns(options.scrape_redetect);
  INGERO_TRY(redetect);
  constexpr uint64_t kLeast = 100'000'000;
  if (*interval < kLeast) {
    return Error(Errc::kInvalid, fmt::format("--inference-scrape-interval {}: must be at least 100ms",
                                             printable(options.scrape_interval, 64)));
  }
  if (*redetect < kLeast) {
    return Error(Errc::kInvalid, fmt::format("--inference-scrape-redetect-interval {}: must be at least 100ms",
                                             printable(options.scrape_redetect, 64)));
  }
  if (!serve::net::is_loopback_host(options.scrape_host)) {
    return Error(
        Errc::kInvalid,
        fmt::format("--inference-scrape-host {}: not this machine's own address", printable(options.scrape_host, 64)),
        "name 127.0.0.1 or ::1");
  }
  scrape.host = options.scrape_host;
  scrape.interval_ns = *interval;
  scrape.redetect_ns = *redetect;
  watch->scrape_ = std::make_unique<InferenceScrape>(std::move(scrape));
  return watch;
}

InferenceWatch::InferenceWatch(const hal::CallTable& calls, correlate::WorkloadOptions options)
    : workloads_(options, ledger_) {
  for (size_t id = 0; id < calls.size(); ++id) {
    steps_.set_call(static_cast<hal::CallId>(id), correlate::make_facts(calls[static_cast<hal::CallId>(id)]));
  }
}

void InferenceWatch::start(Recorder& recorder) {
  if (scrape_) scrape_->start(recorder);
}

void InferenceWatch::stop() {
  if (scrape_) scrape_->stop();
}

void InferenceWatch::write(serve::metrics::MetricSet& page) const {
  metrics_.write(page);
  if (scrape_) scrape_->write(page);
}

void InferenceWatch::take(const EventBatch& batch, store::Writer& writer, hal::LossLedger& ledger) {
  for (const kernelside::NamedProbe& probe : batch.probes) {
    steps_.set_probe(probe.index, correlate::is_per_thread_symbol(probe.probe.symbol));
  }
  for (const hal::Process& process : batch.processes) steps_.add_process(process);
  for (const hal::Event& event : batch.records.events) steps_.add(event);
  bool is_new = false;
  for (const correlate::InferenceStep& step : steps_.take_steps()) {
    const correlate::ClassifiedStep evaluated = workloads_.evaluate(step);
    metrics_.add(evaluated);
    if (evaluated.weight > 0) writer.add_step(row_of(evaluated));
    if (listener_ && evaluated.slow != correlate::Slow::kNo) {
      listener_(evaluated, scrape_ ? scrape_->found(step.pid) : std::nullopt);
    }
    if (scrape_ && !scrape_->know(step.pid)) ledger.add(hal::Loss::model_server_lost);
    now_mono_ns_ = std::max(now_mono_ns_, step.end_mono_ns);
    is_new = is_new || evaluated.workload > last_workload_;
    last_workload_ = std::max(last_workload_, evaluated.workload);
  }
  // A step has a workload, however the agent ends; and that its server, even where its process has ended.
  now_mono_ns_ = std::max(now_mono_ns_, batch.watermark_mono_ns);
  if (is_new || !batch.ended.empty() || now_mono_ns_ >= next_write_mono_ns_) {
    next_write_mono_ns_ = now_mono_ns_ + kWriteEveryNs;
    write_workloads(writer);
  }
  if (scrape_) {
    for (const auto& [pid, start_mono_ns] : batch.ended) scrape_->forget(pid);
  }
  const uint64_t forgotten = ledger_.count(hal::Loss::step_forgotten);
  ledger.add(hal::Loss::step_forgotten, forgotten - std::exchange(forgotten_, forgotten));
}

void InferenceWatch::write_workloads(store::Writer& writer) {
  const auto changes = workloads_.take_changes();
  metrics_.update(changes, workloads_.size());
  for (const correlate::Workload& one : changes) {
    store::InferenceWorkload row = row_of(one);
    if (scrape_) row.server = scrape_->server_of(one.pid);
    writer.add_workload(std::move(row));
  }
}

void InferenceWatch::finish(store::Writer& writer) { write_workloads(writer); }

store::InferenceStep row_of(const correlate::ClassifiedStep& evaluated) {
  const correlate::InferenceStep& step = evaluated.step;
  store::InferenceStep row;
  row.workload = evaluated.workload;
  row.tid = step.tid;
  row.start_wall_ns = step.start_mono_ns + static_cast<uint64_t>(step.wall_offset_ns);
  row.start_mono_ns = step.start_mono_ns;
  row.end_mono_ns = step.end_mono_ns;
  row.duration_ns = step.duration_ns();
  row.idle_ns = step.idle_ns;
  row.wait_ns = step.wait_ns;
  row.launches = step.launches;
  row.graph_launches = step.graph_launches;
  row.copies = step.copies;
  row.copied_bytes = step.copied_bytes;
  row.sets = step.sets;
  row.collectives = step.collectives;
  row.mean_gap_ns = step.mean_gap_ns;
  row.slow = name_of(evaluated.slow);
  row.baseline_mean_ns = evaluated.mean_ns;
  row.baseline_p95_ns = evaluated.p95_ns;
  row.weight = evaluated.weight;
  return row;
}

store::InferenceWorkload row_of(const correlate::Workload& one) {
  using correlate::Slow;
  store::InferenceWorkload row;
  row.id = one.id;
  row.pid = one.pid;
  if (one.cgroup_id != 0) row.cgroup_id = one.cgroup_id;
  row.stream = one.stream;
  row.functions = one.functions;
  row.phase = name_of(one.phase);
  row.first_wall_ns = one.first_mono_ns + static_cast<uint64_t>(one.wall_offset_ns);
  row.last_wall_ns = one.last_mono_ns + static_cast<uint64_t>(one.wall_offset_ns);
  row.steps = one.steps;
  row.total_ns = one.total_ns;
  row.min_ns = one.min_ns;
  row.max_ns = one.max_ns;
  row.idle_ns = one.idle_ns;
  row.launches = one.launches;
  row.graph_launches = one.graph_launches;
  row.copied_bytes = one.copied_bytes;
  row.slow_1_5x = one.by_slowness[static_cast<size_t>(Slow::kHalfMore)];
  row.slow_2x = one.by_slowness[static_cast<size_t>(Slow::kTwice)];
  row.slow_3x = one.by_slowness[static_cast<size_t>(Slow::kThrice)];
  row.relearned = one.relearned;
  row.healthy = one.healthy;
  if (one.healthy > 0) {
    row.mean_ns = static_cast<uint64_t>(one.mean_ns);
    row.p95_ns = one.p95_ns;
  }
  store::Histogram histogram;
  one.baseline.each([&](uint64_t ns, uint64_t count) { histogram.add(ns, count); });
  row.histogram = histogram.encode();
  return row;
}

}  // namespace ingero::agent
