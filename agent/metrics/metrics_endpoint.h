// `trace --prometheus`: the recording as it runs, as a page that is scraped.
//
// Owns the server. open() binds before anything is attached, so that a bad address fails early; start() begins
// answering from `recorder`, which must outlive stop().
#pragma once

#include <memory>

#include "agent/metrics/live_metrics.h"
#include "agent/recorder.h"
#include "agent/service.h"
#include "base/result.h"
#include "serve/prometheus/server.h"

namespace ingero::agent {

struct MetricsOptions {
  serve::prometheus::ServerOptions server;  // no address: no metrics
  bool legacy_names = false;
  bool launch_sizes = false;
  bool probe_cost = false;
};

class MetricsEndpoint final : public Service {
 public:
  // `metrics` must outlive this.
  static Result<std::unique_ptr<MetricsEndpoint>> open(const MetricsOptions& options, LiveMetrics& metrics);

  void start(Recorder& recorder) override;
  void stop() override { server_->stop(); }
  std::vector<std::string> notes() const override;
  const serve::prometheus::Server& server() const { return *server_; }

 private:
  MetricsEndpoint(std::unique_ptr<serve::prometheus::Server> server, LiveMetrics& metrics, bool legacy_names)
      : metrics_(metrics), legacy_names_(legacy_names), server_(std::move(server)) {}

  LiveMetrics& metrics_;
  const bool legacy_names_;
  std::unique_ptr<serve::prometheus::Server> server_;  // last: its threads use the rest
};

}  // namespace ingero::agent
