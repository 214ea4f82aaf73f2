// Connects the recorder's metrics, chains and slow collectives to the OTLP exporter.
#include "agent/otlp/otlp_sender.h"

#include "agent/otlp/resource.h"
#include "base/log.h"
#include "base/text.h"

namespace ingero::agent {

Result<std::unique_ptr<OtlpSender>> OtlpSender::open(const OtlpSettings& settings, const Environment& environment,
                                                     const Clock& clock, const std::string& node,
                                                     const hal::CallTable& calls, LiveMetrics& metrics) {
  auto exporting = exporter_options(settings, environment);
  INGERO_TRY(exporting);
  auto resource = resource_attributes({environment, "", node, settings.cluster});
  INGERO_TRY(resource);
  exporting->resource = std::move(*resource);
  INGERO_TRY(make_queue_parents(exporting->queue.directory, settings, environment));
  auto exporter = serve::otlp::Exporter::open(std::move(*exporting));
  if (!exporter.ok()) return exporter.error().in("--otlp");
  std::unique_ptr<OtlpSender> sender(new OtlpSender(std::move(*exporter), metrics));
  const auto slow = parse_duration_ns(settings.slow_collective);
  INGERO_TRY(slow);
  if (settings.traces) {
    const std::string run = fmt::format("{} {}", node, clock.wall_ns());
    const TakeSpan take = [exporter = sender->exporter_.get()](serve::otlp::Span span) {
      exporter->add(std::move(span));
    };
    sender->run_ = run;
    sender->collectives_.emplace(calls, run, *slow, take);
    sender->incidents_.emplace(node, run, take);
  }
  return sender;
}

void OtlpSender::add(const EventBatch& batch, const Recorder& recorder) {
  if (collectives_) collectives_->add(batch, [&](uint64_t id) { return recorder.communicator(id); });
}

void OtlpSender::emit(const hal::CausalChain& chain) {
  const std::scoped_lock lock(mutex_);
  if (incidents_) incidents_->emit(chain);
}

void OtlpSender::emit(const correlate::ClassifiedStep& step, const std::optional<ModelServer>& server) {
  if (!run_.empty()) exporter_->add(span_of(step, server, run_));
}

void OtlpSender::start(Recorder& recorder) {
  exporter_->start(
      {.fill = [this, &recorder](serve::metrics::MetricSet& metrics) { metrics_.fill(metrics, recorder, true); },
       .lose = [&recorder](hal::Loss loss, uint64_t count) { recorder.add_loss(loss, count); },
       .say = [](const std::string& sentence) { log_warning("{}", sentence); }});
}

void OtlpSender::stop() {
  {
    const std::scoped_lock lock(mutex_);
    if (incidents_) incidents_->finish();
  }
  exporter_->stop();
}

std::vector<std::string> OtlpSender::notes() const {
  return {fmt::format("metrics{} to {}", run_.empty() ? "" : " and spans", url())};
}

std::string OtlpSender::summary() const {
  const auto health = exporter_->health();
  std::string out = fmt::format("sent {} data points and spans to {}", health.accepted_items, url());
  const auto add = [&](uint64_t count, std::string_view words) {
    if (count > 0) out += fmt::format(", {} {}", count, words);
  };
  add(health.rejected_items + health.refused_items, "rejected by the receiver");
  add(health.dropped_items, "dropped");
  add(health.waiting_requests, "requests queued for the next run");
  if (!health.last_error.empty()) out += fmt::format(" ({})", health.last_error);
  return out;
}

}  // namespace ingero::agent
