// Where a server listens. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace ingero::serve::http {

// ":9090" and "9090" (loopback), "10.0.0.1:9090", "[::1]:9090", "0.0.0.0:9090"; port 0: any that is free. No host means
// loopback, not every interface.
struct Address {
  std::string host;
  uint16_t port = 0;
  bool is_loopback = false;
};
Result<Address> parse_address(const std::string& address);

// The host of a Host header or of an Origin, lower case, without port and brackets. Empty: it is none.
std::string host_of(std::string_view header);
// The scheme, host and port of an Origin, lower case, the port written out: "http://localhost:80". Empty: it is none.
std::string authority_of(std::string_view origin);
bool is_origin(std::string_view header_name);

}  // namespace ingero::serve::http
