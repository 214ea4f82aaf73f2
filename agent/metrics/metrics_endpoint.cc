// Serves the live metric set at /metrics.
#include "agent/metrics/metrics_endpoint.h"

#include "serve/metrics/inference_metrics.h"

namespace ingero::agent {

Result<std::unique_ptr<MetricsEndpoint>> MetricsEndpoint::open(const MetricsOptions& options, LiveMetrics& metrics) {
  auto server = serve::prometheus::Server::bind(options.server);
  if (!server.ok()) return server.error().in("--prometheus");
  return std::unique_ptr<MetricsEndpoint>(new MetricsEndpoint(std::move(*server), metrics, options.legacy_names));
}

std::vector<std::string> MetricsEndpoint::notes() const {
  std::vector<std::string> notes = {"metrics at " + server_->url()};
  if (auto warning = server_->warning(); !warning.empty()) notes.push_back(std::move(warning));
  return notes;
}

void MetricsEndpoint::start(Recorder& recorder) {
  server_->start([this, &recorder] {
    serve::metrics::MetricSet metrics;
    metrics_.fill(metrics, recorder, legacy_names_);
    if (legacy_names_) serve::metrics::add_legacy_inference(metrics);
    return metrics.text();
  });
}

}  // namespace ingero::agent
