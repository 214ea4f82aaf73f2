// Parses endpoints strictly, because a wrong guess would send telemetry and headers to the wrong host.
#include "serve/otlp/endpoint.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::serve::otlp {
namespace {

constexpr uint16_t kHttpPort = 4318, kGrpcPort = 4317;
constexpr size_t kMaxUrlBytes = 2048;

Error wrong_at(const EndpointRules& rules, std::string_view why) {
  return {Errc::kInvalid, fmt::format("{}: {}", rules.flag, why), fmt::format("give a URL such as {}", rules.example)};
}

}  // namespace

std::string Endpoint::url() const { return Peer::url() + path; }

std::string Endpoint::path_of(Signal signal) const { return fmt::format("{}/v1/{}", path, name_of(signal)); }

Result<Endpoint> parse_endpoint(const std::string& text, const EndpointRules& rules) {
  const auto wrong = [&](std::string_view why) { return wrong_at(rules, why); };
  if (text.empty()) return wrong("the endpoint is empty");
  if (text.size() > kMaxUrlBytes) return wrong("the endpoint is too long");
  if (std::any_of(text.begin(), text.end(), [](char c) { return c <= ' ' || c > '~'; })) {
    return wrong("the endpoint has a space or another character that is invalid in a URL");
  }
  if (text.find('@') != std::string::npos) {
    return Error(Errc::kInvalid,
                 fmt::format("{}: a user name or password in the endpoint is visible to every process", rules.flag),
                 std::string(rules.secret_remedy));
  }
  if (text.find_first_of("?#") != std::string::npos) return wrong("the endpoint has a query or a fragment");
  std::string_view rest(text);
  Endpoint out;
  out.has_tls = !rules.is_plain;
  const bool has_scheme = net::take_scheme(rest, out);
  if (!has_scheme && rest.find("://") != std::string_view::npos) return wrong("the scheme is neither https nor http");
  const size_t slash = rest.find('/');
  if (const Status parsed = net::parse_authority(rest.substr(0, slash), out); !parsed.ok()) {
    return wrong(parsed.error().message());
  }
  const bool is_grpc = rules.protocol == Protocol::kGrpc;
  if (out.port == 0 && has_scheme && !is_grpc) out.port = out.has_tls ? 443 : 80;
  if (out.port == 0) out.port = is_grpc ? kGrpcPort : kHttpPort;
  if (slash != std::string_view::npos) out.path = rest.substr(slash);
  while (out.path.ends_with('/')) out.path.pop_back();
  for (const Signal signal : {Signal::kMetrics, Signal::kTraces}) {
    const std::string full = fmt::format("/v1/{}", name_of(signal));
    if (!out.path.ends_with(full)) continue;
    out.path.resize(out.path.size() - full.size());
    break;
  }
  if (is_grpc && !out.path.empty()) return wrong("gRPC has no path: give scheme, host and port only");
  if (!out.has_tls && !rules.is_plain_allowed) {
    if (!net::is_loopback_host(out.host)) {
      return Error(Errc::kInvalid, fmt::format("{} {}: not encrypted, and not on this machine", rules.flag, out.url()),
                   fmt::format("use https, or add {}", rules.plain_flag));
    }
    out.only_loopback = true;
  }
  return out;
}

}  // namespace ingero::serve::otlp
