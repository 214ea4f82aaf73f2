// `trace --otlp`: the sender of a running recording. Puts together the exporter, the metrics, and what becomes a span.
//
// open() before privileges are given up; start() once there is a recorder, which must outlive stop(). add() is the
// recorder's capture thread. A chain is told by the store thread. Nothing here waits for the network but stop().
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/app.h"
#include "cli/live_metrics.h"
#include "cli/otlp_options.h"
#include "cli/otlp_spans.h"
#include "cli/recorder.h"
#include "serve/otlp/exporter.h"

namespace ingero::cli {

class OtlpSender {
 public:
  // `calls` must outlive this.
  static Result<std::unique_ptr<OtlpSender>> open(const OtlpOptions& options, const Context& context,
                                                  const std::string& node, const hal::CallTable& calls);
  void add(const Parcel& parcel, const Recorder& recorder);
  // A causal chain was found, changed, or is over (store thread).
  void tell(const correlate::Chain& chain);
  // A step of inference was slow (store thread).
  void tell(const correlate::JudgedStep& step, const std::optional<EngineFound>& engine);
  void start(Recorder& recorder, LiveMetrics& metrics);
  void stop();

  std::string url() const { return exporter_->url(); }
  void write(serve::prometheus::Page& page) const { exporter_->write(page); }
  // What became of what was sent, in a line.
  std::string summary() const;

 private:
  explicit OtlpSender(std::unique_ptr<serve::otlp::Exporter> exporter) : exporter_(std::move(exporter)) {}

  std::unique_ptr<serve::otlp::Exporter> exporter_;
  std::string run_;                             // names this recording in ids; empty without --otlp-traces
  std::optional<CollectiveSpans> collectives_;  // none without --otlp-traces; the capture thread's
  std::mutex mutex_;
  std::optional<IncidentSpans> incidents_;  // guarded by mutex_
};

}  // namespace ingero::cli
