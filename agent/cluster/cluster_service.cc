// Connects the recorder to the sender of the ranks' windows: opens it, feeds it, stops it.
#include "agent/cluster/cluster_service.h"

#include <algorithm>

#include "base/log.h"
#include "base/private_file.h"
#include "base/text.h"
#include "serve/metrics/operation_names.h"

namespace ingero::agent {
namespace {

namespace otlp = serve::otlp;

constexpr const char* kFleetTokenVariable = "INGERO_FLEET_TOKEN";
constexpr size_t kMaxNameBytes = 128;  // as the server keeps them

Status check_name(const std::string& name, const char* flag) {
  if (!name.empty() && name.size() <= kMaxNameBytes && printable(name, kMaxNameBytes) == name) return {};
  return Error(Errc::kInvalid, fmt::format("{} \"{}\": not a name of 1 to {} printable bytes", flag,
                                           printable(name, kMaxNameBytes), kMaxNameBytes));
}

Result<std::string> token_of(const ClusterOptions& options, const Environment& environment) {
  if (options.token_file.empty()) return environment.variable(kFleetTokenVariable).value_or("");
  const auto text = read_private(options.token_file);
  if (!text.ok()) return text.error().in("--fleet-token-file");
  std::string token(trim(*text));
  if (token.empty())
    return Error(Errc::kInvalid, fmt::format("--fleet-token-file {}: no token in it", printable(options.token_file)));
  return token;
}

Result<otlp::Receiver> receiver_of(const ClusterOptions& options, const Environment& environment) {
  otlp::EndpointRules rules;
  rules.is_plain = rules.is_plain_allowed = options.is_plain;
  rules.flag = "--fleet-endpoint";
  rules.secret_remedy = "put a token into a file for --fleet-token-file";
  rules.plain_flag = "--fleet-insecure";
  auto endpoint = otlp::parse_endpoint(options.endpoint, rules);
  INGERO_TRY(endpoint);
  auto token = token_of(options, environment);
  INGERO_TRY(token);
  if (std::any_of(token->begin(), token->end(), [](char c) { return c < ' ' || c > '~'; })) {
    return Error(Errc::kInvalid, "the token for --fleet-endpoint has a byte that no HTTP header can have");
  }
  otlp::Receiver receiver;
  receiver.endpoint = std::move(*endpoint);
  receiver.agent = "ingero/" INGERO_VERSION;
  if (!token->empty()) receiver.metrics_headers.emplace_back("authorization", "Bearer " + *token);
  return receiver;
}

}  // namespace

Result<std::unique_ptr<ClusterService>> ClusterService::open(const ClusterOptions& options,
                                                             const Environment& environment, const Clock& clock,
                                                             const std::string& node, const hal::CallTable& calls) {
  if (options.endpoint.empty()) return std::unique_ptr<ClusterService>();
  if (options.cluster.empty()) {
    return Error(Errc::kInvalid, "--fleet-endpoint: the cluster has no name", "give it with --fleet-cluster-id");
  }
  const std::string& name = options.node.empty() ? node : options.node;
  INGERO_TRY(check_name(options.cluster, "--fleet-cluster-id"));
  INGERO_TRY(check_name(name, "--fleet-node-id"));
  const bool has_tls_files = !options.authorities.empty() || !options.certificate.empty() || !options.key.empty();
  if (options.is_plain && has_tls_files) {
    return Error(Errc::kInvalid, "--fleet-insecure and --fleet-tls-ca, -cert and -key exclude each other");
  }
  auto receiver = receiver_of(options, environment);
  INGERO_TRY(receiver);
  const auto timeout = parse_duration_ns(options.timeout);
  if (!timeout.ok()) return timeout.error().in("--fleet-timeout");
  fleet::send::SenderOptions made;
  made.receiver = std::move(*receiver);
  made.tls = {options.authorities, options.certificate, options.key, false, "--fleet-tls-cert and --fleet-tls-key"};
  made.cluster = options.cluster;
  made.node = name;
  made.recording_node = node;
  if (*timeout > 0) made.timeout_ns = *timeout;
  auto sender = fleet::send::Sender::open(std::move(made), clock);
  if (!sender.ok()) return sender.error().in("--fleet-endpoint");
  return std::unique_ptr<ClusterService>(new ClusterService(std::move(*sender), name, clock, calls));
}

ClusterService::ClusterService(std::unique_ptr<fleet::send::Sender> sender, std::string node, const Clock& clock,
                               const hal::CallTable& calls)
    : sender_(std::move(sender)),
      node_(std::move(node)),
      calls_(calls),
      feed_(calls, clock, [this](std::vector<correlate::RankWindow> windows) { sender_->add(std::move(windows)); }) {}

void ClusterService::start(Recorder& recorder) {
  feed_.set_recorder(&recorder);
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
