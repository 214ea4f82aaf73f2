// `trace --prometheus`: the recording as it runs, as a page that is scraped.
//
// Owns the server and the counts of calls. open() binds before anything is attached, so that a bad address fails early;
// add() is the recorder's capture thread; serve() starts answering from `recorder`, which must outlive stop().
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/recorder.h"
#include "serve/prometheus/call_metrics.h"
#include "serve/prometheus/collective_metrics.h"
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
  static Result<std::unique_ptr<MetricsEndpoint>> open(const MetricsOptions& options, const hal::CallTable& calls);

  void add(const Parcel& parcel);
  // More of the page: called for each scrape.
  using Part = std::function<void(serve::prometheus::Page&)>;
  void add_part(Part part) { parts_.push_back(std::move(part)); }
  void serve(const Recorder& recorder);
  void stop() { server_->stop(); }
  const serve::prometheus::Server& server() const { return *server_; }

 private:
  MetricsEndpoint(std::unique_ptr<serve::prometheus::Server> server, const hal::CallTable& calls, bool earlier_names)
      : calls_(calls), call_metrics_(calls, earlier_names), collective_metrics_(calls), server_(std::move(server)) {}
  std::string page(const Recorder& recorder);

  const hal::CallTable& calls_;
  serve::prometheus::CallMetrics call_metrics_;
  serve::prometheus::CollectiveMetrics collective_metrics_;
  std::vector<Part> parts_;
  uint64_t folded_ = 0;
  std::unique_ptr<serve::prometheus::Server> server_;  // last: its threads use the rest
};

}  // namespace ingero::cli
