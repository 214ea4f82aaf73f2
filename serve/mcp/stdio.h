// MCP over standard input and output: one message per line.
//
// Requests are answered by a few threads, so that a slow one does not hold up the others and can be cancelled. A line
// has at most 1 MiB; at most 64 requests wait, more are refused; while 16 MiB of answers are unread, no input is read.
// A request that asks for progress gets a notification every second. Ends when the input does, after the last answer.
// Owns its threads and joins them before it returns.
#pragma once

#include "serve/mcp/protocol.h"

namespace ingero::serve::mcp {

// kIo: the output does not take any more. `input` and `output` are file descriptors and stay open.
Status serve_stdio(Protocol& protocol, int input, int output);

}  // namespace ingero::serve::mcp
