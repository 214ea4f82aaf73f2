// Hosts and ports as users write them: see peer.h.
#include "serve/net/peer.h"

#include <algorithm>

#include <arpa/inet.h>

#include "base/text.h"

namespace ingero::serve::net {
namespace {

bool is_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  });
}

Error wrong(std::string_view why) { return {Errc::kInvalid, std::string(why)}; }

}  // namespace

bool is_loopback_host(const std::string& host) {
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6) != 0;
  return host == "localhost";
}

std::string Peer::authority() const {
  return fmt::format("{}:{}", host.find(':') == std::string::npos ? host : "[" + host + "]", port);
}

std::string Peer::url() const { return fmt::format("{}://{}", has_tls ? "https" : "http", authority()); }

bool take_scheme(std::string_view& text, Peer& out) {
  constexpr std::string_view kEncrypted = "https://", kPlain = "http://";
  const bool has_tls = text.starts_with(kEncrypted);
  if (!has_tls && !text.starts_with(kPlain)) return false;
  text.remove_prefix((has_tls ? kEncrypted : kPlain).size());
  out.has_tls = has_tls;
  return true;
}

Status parse_authority(std::string_view authority, Peer& out) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    if (end == std::string_view::npos) return wrong("a '[' is not closed");
    out.host = authority.substr(1, end - 1);
    in6_addr address{};
    if (inet_pton(AF_INET6, out.host.c_str(), &address) != 1)
      return wrong("the text in brackets is not an IPv6 address");
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

}  // namespace ingero::serve::net
