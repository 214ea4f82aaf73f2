// The sender of a recording: see otlp_sender.h.
#include "cli/otlp_sender.h"

#include "base/log.h"
#include "base/text.h"
#include "cli/otlp_resource.h"

namespace ingero::cli {

Result<std::unique_ptr<OtlpSender>> OtlpSender::open(const OtlpOptions& options, const Context& context,
                                                     const std::string& node, const hal::CallTable& calls) {
  auto settings = exporter_options(options, context.environment);
  INGERO_TRY(settings);
  auto resource = resource_attributes({context.environment, "", node});
  INGERO_TRY(resource);
  settings->resource = std::move(*resource);
  auto exporter = serve::otlp::Exporter::open(std::move(*settings));
  if (!exporter.ok()) return exporter.error().in("--otlp");
  std::unique_ptr<OtlpSender> sender(new OtlpSender(std::move(*exporter)));
  const auto slow = parse_duration_ns(options.slow_collective);
  INGERO_TRY(slow);
  if (options.traces) {
    const std::string run = fmt::format("{} {}", node, context.clock->wall_ns());
    const TakeSpan take = [exporter = sender->exporter_.get()](serve::otlp::Span span) {
      exporter->add(std::move(span));
    };
    sender->run_ = run;
    sender->collectives_.emplace(calls, run, *slow, take);
    sender->incidents_.emplace(node, run, take);
  }
  return sender;
}

void OtlpSender::add(const Parcel& parcel, const Recorder& recorder) {
  if (collectives_) collectives_->add(parcel, [&](uint64_t id) { return recorder.communicator(id); });
}

void OtlpSender::tell(const correlate::Chain& chain) {
  const std::scoped_lock lock(mutex_);
  if (incidents_) incidents_->tell(chain);
}

void OtlpSender::tell(const correlate::JudgedStep& step, const std::optional<EngineFound>& engine) {
  if (!run_.empty()) exporter_->add(span_of(step, engine, run_));
}

void OtlpSender::start(Recorder& recorder, LiveMetrics& metrics) {
  exporter_->start({.fill = [&](serve::prometheus::Page& page) { metrics.fill(page, recorder, true); },
                    .lose = [&](hal::Loss loss, uint64_t count) { recorder.add_loss(loss, count); },
                    .say = [](const std::string& sentence) { log_warning("{}", sentence); }});
}

void OtlpSender::stop() {
  {
    const std::scoped_lock lock(mutex_);
    if (incidents_) incidents_->finish();
  }
  exporter_->stop();
}

std::string OtlpSender::summary() const {
  const auto health = exporter_->health();
  std::string out = fmt::format("sent {} data points and spans to {}", health.accepted_items, url());
  const auto add = [&](uint64_t count, std::string_view words) {
    if (count > 0) out += fmt::format(", {} {}", count, words);
  };
  add(health.rejected_items + health.refused_items, "rejected there");
  add(health.dropped_items, "dropped");
  add(health.waiting_requests, "requests wait for the next run");
  if (!health.trouble.empty()) out += fmt::format(" ({})", health.trouble);
  return out;
}

}  // namespace ingero::cli
