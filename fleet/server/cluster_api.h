// The cluster's HTTP API: tools, also over the Model Context Protocol, the threshold that nodes classify themselves by,
// health, versions, its own metrics and its description (docs/fleet.md, "Asking"), and the page at / that asks these.
// Answers are JSON; an error is
// {"error", "class"} as at a node's API. No state of its own; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "fleet/server/cluster.h"
#include "fleet/server/interface_refusals.h"
#include "serve/http/server.h"

namespace ingero::fleet::server {

inline constexpr const char* kOpenPath = "/api/versions";
// What is answered without a token: that path, and the page's files.
std::vector<std::string> open_paths();

// Statements take as long as their limit.
ingero::serve::http::Weight weight_of(const std::string& path, const std::string& body);

struct ApiFacts {
  std::string version;        // of this program, of which the open path shows the first two parts
  bool asks_token = false;    // so that the page asks for it
  std::string dashboard_url;  // as in ListenOptions
  InterfaceRefusals refusals = {};
};
ingero::serve::http::Response answer(Cluster& cluster, const ingero::serve::http::Request& request,
                                     const ApiFacts& facts);

}  // namespace ingero::fleet::server
