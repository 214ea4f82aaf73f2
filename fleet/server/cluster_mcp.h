// The cluster's tools for models: the Model Context Protocol over HTTP, with the questions, answers and errors that the
// HTTP API has. No state of its own; thread-safe.
#pragma once

#include <string>

#include "fleet/server/cluster.h"
#include "serve/http/server.h"

namespace ingero::fleet::server {

inline constexpr const char* kMcpPath = "/mcp";

// A request to the path. Tools are listed by their names, with "?names=plain" by those without dots; both are known.
serve::http::Response answer_mcp(Cluster& cluster, const serve::http::Request& request, const std::string& version);

}  // namespace ingero::fleet::server
