// `trace --inference`: steps of traced processes, classified as they end, into recording, metrics and spans.
//
// take() and finish(): the store thread; the others: see each. Failure: none; what is evicted is counted in the ledger.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/inference/inference_scrape.h"
#include "agent/recorder.h"
#include "agent/service.h"
#include "agent/store_thread.h"
#include "base/result.h"
#include "correlate/workloads.h"
#include "serve/metrics/inference_metrics.h"

namespace ingero::agent {

struct InferenceOptions {
  bool wanted = false;
  uint64_t warmup = 30;
  double slow_ratio = 3.0;
  std::string phase_classifier = "rule";
  correlate::PhaseLimits phases;
  std::string decode_max_copied = "1m", mixed_copied = "10m", prefill_min_mean = "500us";
  bool by_functions = false;
  std::string scrape = "auto", scrape_interval = "10s", scrape_redetect = "30s", scrape_host = "127.0.0.1";
};
// What the flags say of steps; the rest of them is checked too.
Result<correlate::WorkloadOptions> workload_options(const InferenceOptions& options);

class InferenceWatch final : public StoreHook, public Service {
 public:
  // Null when it is not wanted. kInvalid: wanted without a recording. `calls` must outlive this. Every
  // `keep_every`-th healthy step becomes a row.
  static Result<std::unique_ptr<InferenceWatch>> open(const InferenceOptions& options, bool is_recording,
                                                      const hal::CallTable& calls, uint32_t keep_every);
  // Each slow step, and the model server of its process where it is known (store thread). Before the recorder starts.
  using Listener = std::function<void(const correlate::ClassifiedStep&, const std::optional<ModelServer>&)>;
  void set_listener(Listener listener) { listener_ = std::move(listener); }
  // Model servers are looked for from here on; `recorder` must outlive stop().
  void start(Recorder& recorder) override;
  void stop() override;
  void write(serve::metrics::MetricSet& page) const override;

  void take(const EventBatch& batch, store::Writer& writer, hal::LossLedger& ledger) override;
  void finish(store::Writer& writer) override;

 private:
  InferenceWatch(const hal::CallTable& calls, correlate::WorkloadOptions options);
  void write_workloads(store::Writer& writer);

  hal::LossLedger ledger_;  // the part of it that goes to the recorder's
  uint64_t forgotten_ = 0;
  correlate::Steps steps_{ledger_};
  correlate::Workloads workloads_;
  Listener listener_;
  uint64_t now_mono_ns_ = 0, next_write_mono_ns_ = 0;
  uint64_t last_workload_ = 0;  // the newest one's id
  serve::metrics::InferenceMetrics metrics_;
  std::unique_ptr<InferenceScrape> scrape_;  // null: --inference-scrape off
};

// How a step and a workload become rows.
store::InferenceStep row_of(const correlate::ClassifiedStep& evaluated);
store::InferenceWorkload row_of(const correlate::Workload& one);

}  // namespace ingero::agent
