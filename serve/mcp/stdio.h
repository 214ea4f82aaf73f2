// MCP over standard input and output: one message a line.
//
// Requests are answered by a few threads, so that a slow one does not hold up the others and can be cancelled. A line
// has at most 1 MiB; at most 64 requests wait, more are refused; with 16 MiB of
// answers unread no more is read. Requests that ask for progress and take more than a
// second are told about each. Ends when the input does, after the last answer.
#pragma once

#include "serve/mcp/protocol.h"

namespace ingero::serve::mcp {

// kIo: the output does not take any more. `input` and `output` are file descriptors and stay open.
Status serve_stdio(Protocol& protocol, int input, int output);

}  // namespace ingero::serve::mcp
