// The machines that are asked, as the operator writes them. Pure; thread-safe.
//
// Rules: encrypted, but for this machine's own addresses where neither authorities nor a client certificate are given;
// plain text to other machines only where that is asked for by name. No secret in an address.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "serve/net/peer.h"

namespace ingero::fleet {

inline constexpr size_t kMaxNodes = 256;

struct Node {
  std::string name;  // "gpu-01:8080": what answers and warnings call it
  serve::net::Peer peer;
};

struct NodeRules {
  bool has_tls_files = false;     // --ca-cert or --client-cert: TLS to this machine too
  bool is_plain_allowed = false;  // --fleet-require-tls=false: plain text where no scheme says, to any machine
};

// "gpu-01", "gpu-01:8080,10.0.0.2:9090", "https://[::1]:8080"; the port is 8080 where none is written. kInvalid names
// the entry and what is wrong.
Result<std::vector<Node>> parse_nodes(const std::vector<std::string>& entries, const NodeRules& rules);

}  // namespace ingero::fleet
