// Checks what flags say of the cluster, before anything is sent.
#include "fleet/send/settings.h"

#include <algorithm>

#include "base/private_file.h"
#include "base/text.h"

namespace ingero::fleet::send {
namespace {

namespace otlp = serve::otlp;

constexpr const char* kFleetTokenVariable = "INGERO_FLEET_TOKEN";
constexpr size_t kMaxNameBytes = 128;  // as the server keeps them

Status check_name(const std::string& name, const char* flag) {
  if (!name.empty() && name.size() <= kMaxNameBytes && printable(name, kMaxNameBytes) == name) return {};
  return Error(Errc::kInvalid, fmt::format("{} \"{}\": not a name of 1 to {} printable bytes", flag,
                                           printable(name, kMaxNameBytes), kMaxNameBytes));
}

Result<std::string> token_of(const Settings& settings, const Environment& environment) {
  if (settings.token_file.empty()) return environment.variable(kFleetTokenVariable).value_or("");
  const auto text = read_private(settings.token_file);
  if (!text.ok()) return text.error().in("--fleet-token-file");
  std::string token(trim(*text));
  if (token.empty())
    return Error(Errc::kInvalid, fmt::format("--fleet-token-file {}: no token in it", printable(settings.token_file)));
  return token;
}

Result<otlp::Endpoint> endpoint_of(const Settings& settings, const std::string& url, const char* flag) {
  otlp::EndpointRules rules;
  rules.is_plain = rules.is_plain_allowed = settings.is_plain;
  rules.flag = flag;
  rules.secret_remedy = "put a token into a file for --fleet-token-file";
  rules.plain_flag = "--fleet-insecure";
  return otlp::parse_endpoint(url, rules);
}

Result<otlp::Receiver> receiver_of(const Settings& settings, const Environment& environment) {
  auto endpoint = endpoint_of(settings, settings.endpoint, "--fleet-endpoint");
  INGERO_TRY(endpoint);
  auto token = token_of(settings, environment);
  INGERO_TRY(token);
  if (std::any_of(token->begin(), token->end(), [](char c) { return c < ' ' || c > '~'; })) {
    return Error(Errc::kInvalid, "the token for --fleet-endpoint has a byte that no HTTP header can have");
  }
  otlp::Receiver receiver;
  receiver.endpoint = std::move(*endpoint);
  if (!token->empty()) receiver.metrics_headers.emplace_back("authorization", "Bearer " + *token);
  return receiver;
}

}  // namespace

Result<SenderOptions> sender_options(const Settings& settings, const Environment& environment, const std::string& node,
                                     std::string agent) {
  if (settings.cluster.empty()) {
    return Error(Errc::kInvalid, "--fleet-endpoint: the cluster has no name", "give it with --fleet-cluster-id");
  }
  const std::string& name = settings.node.empty() ? node : settings.node;
  INGERO_TRY(check_name(settings.cluster, "--fleet-cluster-id"));
  INGERO_TRY(check_name(name, "--fleet-node-id"));
  if (!settings.job.empty()) INGERO_TRY(check_name(settings.job, "--fleet-job-id"));
  const bool has_tls_files = !settings.authorities.empty() || !settings.certificate.empty() || !settings.key.empty();
  if (settings.is_plain && has_tls_files) {
    return Error(Errc::kInvalid, "--fleet-insecure and --fleet-tls-ca, -cert and -key exclude each other");
  }
  auto receiver = receiver_of(settings, environment);
  INGERO_TRY(receiver);
  const auto timeout = parse_duration_ns(settings.timeout);
  if (!timeout.ok()) return timeout.error().in("--fleet-timeout");
  SenderOptions made;
  made.receiver = std::move(*receiver);
  made.receiver.agent = std::move(agent);
  made.tls = {settings.authorities, settings.certificate, settings.key, false, "--fleet-tls-cert and --fleet-tls-key"};
  made.cluster = settings.cluster;
  made.node = name;
  made.job = settings.job;
  if (*timeout > 0) made.timeout_ns = *timeout;
  if (settings.threshold_url.empty()) return made;
  auto url = endpoint_of(settings, settings.threshold_url, "--fleet-threshold-url");
  INGERO_TRY(url);
  auto source = ThresholdSource::make(std::move(*url), made.receiver, made.tls, made.cluster, made.node);
  INGERO_TRY(source);
  made.threshold = std::move(*source);
  return made;
}

}  // namespace ingero::fleet::send
