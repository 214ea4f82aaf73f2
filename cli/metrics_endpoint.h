// `trace --prometheus`: the recording as it runs, as a page that is scraped.
//
// Owns the server. open() binds before anything is attached, so that a bad address fails early; serve() starts
// answering from `recorder`, which must outlive stop().
#pragma once

#include <memory>

#include "base/result.h"
#include "cli/live_metrics.h"
#include "cli/recorder.h"
#include "serve/prometheus/server.h"

namespace CLI {
class App;
}

namespace ingero::cli {

struct MetricsOptions {
  serve::prometheus::ServerOptions server;  // no address: no metrics
  bool earlier_names = false;
  bool probe_cost = false;
};
void add_metrics_options(CLI::App& command, MetricsOptions& options);

class MetricsEndpoint {
 public:
  // `metrics` must outlive this.
  static Result<std::unique_ptr<MetricsEndpoint>> open(const MetricsOptions& options, LiveMetrics& metrics);

  void serve(const Recorder& recorder);
  void stop() { server_->stop(); }
  const serve::prometheus::Server& server() const { return *server_; }

 private:
  MetricsEndpoint(std::unique_ptr<serve::prometheus::Server> server, LiveMetrics& metrics, bool earlier_names)
      : metrics_(metrics), earlier_names_(earlier_names), server_(std::move(server)) {}

  LiveMetrics& metrics_;
  const bool earlier_names_;
  std::unique_ptr<serve::prometheus::Server> server_;  // last: its threads use the rest
};

}  // namespace ingero::cli
