// Connects the recorder to the sender of the ranks' windows: opens it, feeds it, stops it.
#include "agent/cluster/cluster_service.h"

#include <map>

#include "agent/recorder.h"
#include "base/log.h"
#include "base/text.h"
#include "report/frame_text.h"
#include "serve/metrics/operation_names.h"

namespace ingero::agent {
namespace {

constexpr size_t kMaxSampled = 4096;  // threads
// Two windows: where ranks work, each sends one. The server takes a node for silent after three.
constexpr uint64_t kHeartbeat_ns = 2 * correlate::RankWindows::kPeriodNs;

}  // namespace

Result<std::unique_ptr<ClusterService>> ClusterService::open(const ClusterOptions& options,
                                                             const Environment& environment, const Clock& clock,
                                                             const std::string& node, const hal::CallTable& calls) {
  if (options.endpoint.empty()) return std::unique_ptr<ClusterService>();
  auto made = fleet::send::sender_options(options, environment, node, "ingero/" INGERO_VERSION);
  INGERO_TRY(made);
  made->recording_node = node;
  made->heartbeat_ns = kHeartbeat_ns;
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

void ClusterService::take(const EventBatch& batch) {
  wall_offset_ns_ = batch.wall_offset_ns;
  for (const hal::CpuSample& sample : batch.records.samples) {
    if (sample.stack_id == 0) continue;
    if (samples_.size() >= kMaxSampled && !samples_.contains(sample.tid)) samples_.clear();
    samples_[sample.tid] = sample;
  }
  feed_.take(batch);
}

// What the thread does since its last call: of its sleep and of its last sample the later one.
void ClusterService::look_at(const Recorder& recorder, correlate::RankActivity& its) const {
  if (its.activity == correlate::Activity::kInCall) {
    for (const LiveCall& call : recorder.hanging()) {
      if (call.event.tid == its.tid && call.stack_id) its.stack_id = *call.stack_id;
    }
    return;
  }
  uint64_t latest_ns = its.since_ns - static_cast<uint64_t>(wall_offset_ns_);
  if (const auto asleep = recorder.asleep_at(its.tid); asleep && asleep->since_ns >= latest_ns) {
    latest_ns = asleep->since_ns;
    its.activity = correlate::Activity::kAsleep;
    its.stack_id = asleep->stack_id;
  }
  if (const auto sample = samples_.find(its.tid); sample != samples_.end() && sample->second.mono_ns >= latest_ns) {
    its.activity = correlate::Activity::kRunning;
    its.stack_id = sample->second.stack_id;
  }
}

void ClusterService::give(std::vector<correlate::RankWindow> windows) {
  const Recorder* recorder = recorder_;
  devices_.attach(
      windows, [recorder](uint32_t ref) { return recorder == nullptr ? hal::EventDevice() : recorder->device(ref); });
  // A rank has a window for each communicator: its thread is looked at once.
  std::map<correlate::RankActivity, correlate::RankActivity> seen;
  for (correlate::RankWindow& window : windows) {
    if (recorder == nullptr || !window.activity) continue;
    const auto [known, is_new] = seen.try_emplace(*window.activity, *window.activity);
    if (is_new) look_at(*recorder, known->second);
    window.activity = known->second;
  }
  sender_->add(std::move(windows));
}

void ClusterService::start(Recorder& recorder) {
  feed_.set_recorder(&recorder);
  recorder_ = &recorder;
  fleet::send::Sender::Hooks hooks;
  hooks.operation = [this](hal::CallId call) {
    return call < calls_.size() ? serve::metrics::collective_name(calls_[call].name) : std::string();
  };
  hooks.name = [this](hal::CallId call) { return call < calls_.size() ? std::string(calls_[call].name) : ""; };
  hooks.stack = [&recorder](uint64_t stack_id) {
    const auto frames = recorder.frames_of(stack_id);
    fleet::send::Stack stack;
    if (const auto* line = symbols::line_of_thread(frames)) stack.line = report::line_text(*line);
    for (const symbols::StackFrame& frame : frames) stack.frames.push_back(report::frame_text(frame));
    return stack;
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
  if (health.node.is_straggler) out += "; this machine called itself a straggler";
  if (!health.last_error.empty()) out += fmt::format(" ({})", health.last_error);
  return out;
}

}  // namespace ingero::agent
