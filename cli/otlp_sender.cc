// The sender of a recording: see otlp_sender.h.
#include "cli/otlp_sender.h"

#include "base/log.h"
#include "base/text.h"
#include "cli/otlp_resource.h"

namespace ingero::cli {

Result<std::unique_ptr<OtlpSender>> OtlpSender::open(const OtlpOptions& options, const Context& context,
                                                     const std::string& node, const hal::CallTable&) {
  auto settings = exporter_options(options, context.environment);
  INGERO_TRY(settings);
  auto resource = resource_attributes({context.environment, "", node});
  INGERO_TRY(resource);
  settings->resource = std::move(*resource);
  auto exporter = serve::otlp::Exporter::open(std::move(*settings));
  if (!exporter.ok()) return exporter.error().in("--otlp");
  return std::unique_ptr<OtlpSender>(new OtlpSender(std::move(*exporter)));
}

void OtlpSender::add(const Parcel&, const Recorder&) {}

void OtlpSender::start(Recorder& recorder, LiveMetrics& metrics) {
  exporter_->start({.fill = [&](serve::prometheus::Page& page) { metrics.fill(page, recorder); },
                    .lose = [&](hal::Loss loss, uint64_t count) { recorder.add_loss(loss, count); },
                    .say = [](const std::string& sentence) { log_warning("{}", sentence); }});
}

void OtlpSender::stop() { exporter_->stop(); }

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
