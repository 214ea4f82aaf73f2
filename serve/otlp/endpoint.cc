// Endpoints: see endpoint.h.
#include "serve/otlp/endpoint.h"

#include <algorithm>

#include <arpa/inet.h>

#include "base/text.h"

namespace ingero::serve::otlp {
namespace {

constexpr uint16_t kHttpPort = 4318, kGrpcPort = 4317;
constexpr size_t kMaxBytes = 2048;

Error wrong(std::string_view why) {
  return {Errc::kInvalid, fmt::format("--otlp: {}", why),
          "give a URL such as https://collector:4318, or HOST:PORT with --otlp-protocol"};
}

bool is_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  });
}

// host, [v6], host:port, [v6]:port
Status split_authority(std::string_view authority, Endpoint& out) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    if (end == std::string_view::npos) return wrong("a '[' is not closed");
    out.host = authority.substr(1, end - 1);
    in6_addr address{};
    if (inet_pton(AF_INET6, out.host.c_str(), &address) != 1) return wrong("what is in brackets is no IPv6 address");
    authority.remove_prefix(end + 1);
    if (!authority.empty() && !authority.starts_with(':')) return wrong("only :PORT may follow ']'");
    port = authority.empty() ? authority : authority.substr(1);
    if (!authority.empty() && port.empty()) return wrong("the port is missing after ':'");
  } else {
    const size_t colon = authority.find(':');
    out.host = authority.substr(0, colon);
    if (!is_name(out.host)) return wrong("the host is not a name or an address");
    if (colon != std::string_view::npos) {
      port = authority.substr(colon + 1);
      if (port.empty()) return wrong("the port is missing after ':'");
    }
  }
  if (port.empty()) return {};
  const auto number = port.find_first_not_of("0123456789") == std::string_view::npos ? parse_u64(port) : std::nullopt;
  if (!number || *number == 0 || *number > 65535) return wrong("the port is not a number from 1 to 65535");
  out.port = static_cast<uint16_t>(*number);
  return {};
}

}  // namespace

bool is_loopback_host(const std::string& host) {
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  return host == "::1" || host == "localhost";
}

std::string Endpoint::authority() const {
  return fmt::format("{}:{}", host.find(':') == std::string::npos ? host : "[" + host + "]", port);
}

std::string Endpoint::url() const { return fmt::format("{}://{}{}", has_tls ? "https" : "http", authority(), path); }

std::string Endpoint::path_of(Signal signal) const { return fmt::format("{}/v1/{}", path, name_of(signal)); }

Result<Endpoint> parse_endpoint(const std::string& text, const EndpointRules& rules) {
  if (text.empty()) return wrong("the endpoint is empty");
  if (text.size() > kMaxBytes) return wrong("the endpoint is too long");
  if (std::any_of(text.begin(), text.end(), [](char c) { return c <= ' ' || c > '~'; })) {
    return wrong("the endpoint holds a blank or another character that no URL has");
  }
  if (text.find('@') != std::string::npos) {
    return Error(Errc::kInvalid, "--otlp: a user name or password in the endpoint is visible to every process",
                 "put 'Authorization: ...' into a file for --otlp-headers");
  }
  if (text.find_first_of("?#") != std::string::npos) return wrong("the endpoint has a query or a fragment");
  std::string_view rest(text);
  Endpoint out;
  out.has_tls = !rules.is_plain;
  bool has_scheme = true;
  if (rest.starts_with("https://")) {
    out.has_tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    out.has_tls = false;
    rest.remove_prefix(7);
  } else if (rest.find("://") != std::string_view::npos) {
    return wrong("the scheme is neither https nor http");
  } else {
    has_scheme = false;
  }
  const size_t slash = rest.find('/');
  INGERO_TRY(split_authority(rest.substr(0, slash), out));
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
    if (!is_loopback_host(out.host)) {
      return Error(Errc::kInvalid, fmt::format("--otlp {}: not encrypted, and not on this machine", out.url()),
                   "use https, or add --otlp-insecure-allow-non-loopback");
    }
    out.only_loopback = true;
  }
  return out;
}

}  // namespace ingero::serve::otlp
