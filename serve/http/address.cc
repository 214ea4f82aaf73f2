// Addresses as users write them: see address.h.
#include "serve/http/address.h"

#include <algorithm>

#include "base/text.h"
#include "serve/net/peer.h"

namespace ingero::serve::http {
Result<Address> parse_address(const std::string& address) {
  const auto wrong = [&] {
    return Error(Errc::kInvalid, fmt::format("{}: not an address to listen on", printable(address)),
                 "give HOST:PORT, [IPV6]:PORT or :PORT");
  };
  Address out;
  std::string port = address;
  if (address.starts_with('[')) {
    const size_t end = address.find("]:");
    if (end == std::string::npos) return wrong();
    out.host = address.substr(1, end - 1);
    port = address.substr(end + 2);
  } else if (const size_t colon = address.rfind(':'); colon != std::string::npos) {
    out.host = address.substr(0, colon);
    port = address.substr(colon + 1);
    if (out.host.find(':') != std::string::npos) return wrong();
  }
  const auto number = parse_u64(port);
  if (!number || *number > 65535) return wrong();
  out.port = static_cast<uint16_t>(*number);
  if (out.host.empty()) out.host = "127.0.0.1";
  out.is_loopback = net::is_loopback_host(out.host);
  return out;
}

std::string host_of(std::string_view header) {
  if (const size_t scheme = header.find("://"); scheme != std::string_view::npos) header.remove_prefix(scheme + 3);
  if (header.find_first_of("/@ \\") != std::string_view::npos) return {};
  if (header.starts_with('[')) {
    const size_t end = header.find(']');
    header = end == std::string_view::npos ? std::string_view() : header.substr(1, end - 1);
  } else {
    header = header.substr(0, header.rfind(':'));
  }
  std::string host(header);
  std::transform(host.begin(), host.end(), host.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return host;
}

std::string authority_of(std::string_view origin) {
  const size_t scheme = origin.find("://");
  const std::string host = host_of(origin);
  if (scheme == std::string_view::npos || host.empty()) return {};
  std::string name(origin.substr(0, scheme));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (name != "http" && name != "https") return {};
  const std::string_view rest = origin.substr(scheme + 3);
  const size_t colon = rest.find(':', rest.starts_with('[') ? rest.find(']') : 0);
  std::string_view port = name == "https" ? "443" : "80";
  if (colon != std::string_view::npos) port = rest.substr(colon + 1);
  if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != std::string_view::npos) return {};
  return fmt::format("{}://{}:{}", name, host.find(':') == std::string::npos ? host : "[" + host + "]", port);
}

bool is_origin(std::string_view header_name) {
  constexpr std::string_view kOrigin = "origin";
  return std::equal(header_name.begin(), header_name.end(), kOrigin.begin(), kOrigin.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace ingero::serve::http
