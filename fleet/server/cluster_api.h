// The cluster's HTTP API: tools, also over the Model Context Protocol, the threshold that nodes classify themselves by,
// health, versions, its own metrics and its description (docs/fleet.md, "Asking"). Answers are JSON; an error is
// {"error", "class"} as at a node's API. No state of its own; thread-safe.
#pragma once

#include <string>

#include "fleet/server/cluster.h"
#include "serve/http/server.h"

namespace ingero::fleet::server {

inline constexpr const char* kOpenPath = "/api/versions";  // answered without a token

// Statements take as long as their limit.
ingero::serve::http::Weight weight_of(const std::string& path, const std::string& body);

// `version`: of this program, of which the open path shows the first two parts.
ingero::serve::http::Response answer(Cluster& cluster, const ingero::serve::http::Request& request,
                                     const std::string& version);

}  // namespace ingero::fleet::server
