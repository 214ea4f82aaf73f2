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

}  // namespace ingero::serve::http
