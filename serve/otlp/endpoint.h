// Where telemetry goes, as users write it: URL or HOST:PORT. Pure; thread-safe.
//
// Rules: no secret in it (user:password@ is refused, headers come from a file); plain text to this machine only, unless
// that is asked for by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "serve/net/peer.h"
#include "serve/otlp/model.h"

namespace ingero::serve::otlp {

struct Endpoint : net::Peer {
  std::string path;  // before "/v1/metrics": empty, or "/x" without a slash at the end

  std::string url() const;  // without the signal's path
  std::string path_of(Signal signal) const;
};

struct EndpointRules {
  Protocol protocol = Protocol::kHttpProtobuf;
  bool is_plain = false;          // --otlp-insecure: no TLS where no scheme says
  bool is_plain_allowed = false;  // also to other machines
  // The flags that errors name: the endpoint's, where a secret belongs, and what lifts the last bound.
  std::string_view flag = "--otlp", secret_remedy = "put 'Authorization: ...' into a file for --otlp-headers";
  std::string_view plain_flag = "--otlp-insecure-allow-non-loopback";
  std::string_view example = "https://collector:4318, or HOST:PORT";
};

// "https://host/prefix", "http://127.0.0.1:4318", "host:4317", "[::1]:4318". A path that ends with "/v1/metrics" or
// "/v1/traces" is taken as written in full. kInvalid with what is wrong; the text is not in the error where it may hold
// a secret.
Result<Endpoint> parse_endpoint(const std::string& text, const EndpointRules& rules);

}  // namespace ingero::serve::otlp
