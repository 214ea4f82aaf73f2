// Connects the recorder to the sender of the ranks' windows: opens it, feeds it, stops it.
#include "agent/cluster/cluster_service.h"

#include "agent/recorder.h"
#include "base/log.h"
#include "base/text.h"
#include "serve/metrics/operation_names.h"

namespace ingero::agent {

Result<std::unique_ptr<ClusterService>> ClusterService::open(const ClusterOptions& options,
                                                             const Environment& environment, const Clock& clock,
                                                             const std::string& node, const hal::CallTable& calls) {
  if (options.endpoint.empty()) return std::unique_ptr<ClusterService>();
  auto made = fleet::send::sender_options(options, environment, node, "ingero/" INGERO_VERSION);
  INGERO_TRY(made);
  made->recording_node = node;
  const std::string name = made->node;
  auto sender = fleet::send::Sender::open(std::move(*made), clock);
  if (!sender.ok()) return sender.error().in("--fleet-endpoint");
  return std::unique_ptr<ClusterService>(new ClusterService(std::move(*sender), name, clock, calls));
}

ClusterService::ClusterService(std::unique_ptr<fleet::send::Sender> sender, std::string node, const Clock& clock,
                               const hal::CallTable& calls)
    : sender_(std::move(sender)),
      node_(std::move(node)),
      calls_(calls),
      feed_(calls, clock, [this](std::vector<correlate::RankWindow> windows) { give(std::move(windows)); }) {}

void ClusterService::give(std::vector<correlate::RankWindow> windows) {
  devices_.attach(windows, [this](uint32_t ref) {
    const Recorder* recorder = recorder_;
    return recorder == nullptr ? hal::EventDevice() : recorder->device(ref);
  });
  sender_->add(std::move(windows));
}

void ClusterService::start(Recorder& recorder) {
  feed_.set_recorder(&recorder);
  recorder_ = &recorder;
  fleet::send::Sender::Hooks hooks;
  hooks.operation = [this](hal::CallId call) {
    return call < calls_.size() ? serve::metrics::collective_name(calls_[call].name) : std::string();
  };
  hooks.dropped = [this](uint64_t points) { feed_.lose_dropped(points); };
  hooks.refused = [this](uint64_t points) { feed_.lose_refused(points); };
  hooks.say = [](const std::string& sentence) { log_warning("{}", sentence); };
  sender_->start(std::move(hooks));
}

void ClusterService::stop() {
  feed_.finish();
  sender_->stop();
  feed_.set_recorder(nullptr);
  recorder_ = nullptr;
}

std::vector<std::string> ClusterService::notes() const {
  return {fmt::format("windows of ranks to {}, as node {}", sender_->url(), node_)};
}

std::string ClusterService::summary() const {
  const auto health = sender_->health();
  std::string out = fmt::format("sent {} data points of windows to {}", health.accepted, sender_->url());
  if (health.refused > 0) out += fmt::format(", {} refused by the server", health.refused);
  if (health.dropped > 0) out += fmt::format(", {} dropped", health.dropped);
  if (!health.last_error.empty()) out += fmt::format(" ({})", health.last_error);
  return out;
}

}  // namespace ingero::agent
