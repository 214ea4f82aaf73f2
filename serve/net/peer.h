// Whom a connection goes to: a host, a port, and whether it is encrypted. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ingero::serve::net {

struct Peer {
  bool has_tls = true;
  bool only_loopback = false;  // whatever the name resolves to
  std::string host;            // without brackets
  uint16_t port = 0;

  std::string url() const;
  std::string authority() const;  // for the Host header: with brackets where it takes them
};

// Takes "https://" or "http://" off the front of `text`, and notes which. False, and nothing is changed: neither is
// there.
bool take_scheme(std::string_view& text, Peer& out);

// "host", "host:8080", "[::1]", "[::1]:8080" into host and port; the port stays where none is written. kInvalid with
// what is wrong, without the text.
Status parse_authority(std::string_view authority, Peer& out);

// 127.0.0.0/8, ::1 (however it is spelled) or localhost: an address of this machine without asking a resolver.
bool is_loopback_host(const std::string& host);

}  // namespace ingero::serve::net
