// MCP over HTTP: one message a POST, answered with JSON. Keeps no sessions and opens no streams. Owns nothing; the
// protocol outlives the call. Failure is the answer's status, with the protocol's error in it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "serve/http/server.h"
#include "serve/mcp/protocol.h"

namespace ingero::serve::mcp {

// What a message asks, as far as it shows without being parsed. `heavy`: tools that take as long as their limit; a name
// that is hidden in escapes counts as one of them.
http::Weight weight_of(const std::string& body, std::span<const std::string_view> heavy);
// Answers a request to the path of the protocol (/mcp). Thread-safe.
http::Response answer_http(Protocol& protocol, const http::Request& request);

}  // namespace ingero::serve::mcp
