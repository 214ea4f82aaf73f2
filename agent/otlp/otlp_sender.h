// `trace --otlp`: exports a running recording. Owns the exporter, and gives it the metrics and what becomes a span.
//
// open() before privileges are dropped; start() once there is a recorder, which must outlive stop(). add(): the
// recorder's capture thread. Chains come from the store thread. Only stop() waits for the network. Failure: open() says
// which setting is wrong; what is not sent later is counted (otlp_dropped, otlp_refused) and in summary().
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "agent/metrics/live_metrics.h"
#include "agent/otlp/settings.h"
#include "agent/otlp/spans.h"
#include "agent/recorder.h"
#include "agent/service.h"
#include "base/clock.h"
#include "base/result.h"
#include "serve/otlp/exporter.h"

namespace ingero::agent {

class OtlpSender final : public Service {
 public:
  // `metrics` (what is sent) and `calls` must outlive this.
  static Result<std::unique_ptr<OtlpSender>> open(const OtlpSettings& settings, const Environment& environment,
                                                  const Clock& clock, const std::string& node,
                                                  const hal::CallTable& calls, LiveMetrics& metrics);
  void add(const EventBatch& batch, const Recorder& recorder);
  // A causal chain was found, changed, or is over (store thread).
  void emit(const hal::CausalChain& chain);
  // A step of inference was slow (store thread).
  void emit(const correlate::ClassifiedStep& step, const std::optional<ModelServer>& server);
  void start(Recorder& recorder) override;
  void stop() override;

  std::string url() const { return exporter_->url(); }
  void write(serve::metrics::MetricSet& metrics) const override { exporter_->write(metrics); }
  std::vector<std::string> notes() const override;
  // What became of what was sent, in a line.
  std::string summary() const;

 private:
  OtlpSender(std::unique_ptr<serve::otlp::Exporter> exporter, LiveMetrics& metrics)
      : exporter_(std::move(exporter)), metrics_(metrics) {}

  std::unique_ptr<serve::otlp::Exporter> exporter_;
  LiveMetrics& metrics_;
  std::string run_;                             // names this recording in ids; empty without --otlp-traces
  std::optional<CollectiveSpans> collectives_;  // none without --otlp-traces; the capture thread's
  std::mutex mutex_;
  std::optional<IncidentSpans> incidents_;  // guarded by mutex_
};

}  // namespace ingero::agent
