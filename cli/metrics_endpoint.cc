// The flags of the page for Prometheus, and its server.
#include "cli/metrics_endpoint.h"

#include <CLI/CLI.hpp>

namespace ingero::cli {

void add_metrics_options(CLI::App& command, MetricsOptions& options) {
  command.add_option("--prometheus", options.server.address,
                     "Serve metrics for Prometheus here, at /metrics (:PORT binds to this machine only)");
  command.add_option("--prometheus-cert", options.server.certificate,
                     "Serve them over TLS with this certificate (PEM)");
  command.add_option("--prometheus-key", options.server.key, "The certificate's key (PEM)");
  command.add_option("--prometheus-auth", options.server.auth_file,
                     "Ask for a secret of this file: lines 'bearer TOKEN' or 'basic USER:PASSWORD'");
  command.add_flag("--prometheus-earlier-names", options.earlier_names,
                   "Also serve the earlier agent's names that are in no base unit");
  command.add_flag("--prometheus-probe-cost", options.probe_cost,
                   "Also let the kernel time the probes' programs (costs some tens of nanoseconds a call)");
}

Result<std::unique_ptr<MetricsEndpoint>> MetricsEndpoint::open(const MetricsOptions& options, LiveMetrics& metrics) {
  auto server = serve::prometheus::Server::bind(options.server);
  if (!server.ok()) return server.error().in("--prometheus");
  return std::unique_ptr<MetricsEndpoint>(new MetricsEndpoint(std::move(*server), metrics, options.earlier_names));
}

void MetricsEndpoint::serve(const Recorder& recorder) {
  server_->start([this, &recorder] {
    serve::prometheus::Page page;
    metrics_.fill(page, recorder, earlier_names_);
    return page.text();
  });
}

}  // namespace ingero::cli
