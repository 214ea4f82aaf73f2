// MCP over HTTP: one message a POST, answered with JSON. Keeps no sessions and opens no streams.
#pragma once

#include "serve/http/server.h"
#include "serve/mcp/protocol.h"

namespace ingero::serve::mcp {

// What a message asks, as far as it shows without being parsed: SQL and questions to nodes are heavy.
http::Weight weight_of(const std::string& body);
// Answers a request to the path of the protocol (/mcp). Thread-safe.
http::Response answer_http(Protocol& protocol, const http::Request& request);

}  // namespace ingero::serve::mcp
