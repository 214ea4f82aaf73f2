// The answer to a request of HTTP/1.1, read with every byte counted: nothing a peer sends can hold more memory or time
// than it is given. (The HTTP library that the servers use bounds neither the headers of an answer nor its whole time.)
//
// Redirects are not followed. Everything in an answer is from the network: bounded, and hostile until checked.
#pragma once

#include <string>

#include "serve/net/connection.h"

namespace ingero::serve::net {

struct HttpAnswer {
  int status = 0;  // 200 to 599
  std::string retry_after = {};
  std::string body = {};  // at most the bytes that were allowed
  bool is_whole = false;  // the body ended where its headers, its chunks or the connection said so
  bool is_over = false;   // it is longer than was allowed
};

// kCorrupt: no HTTP, or too many headers (16 KiB). kIo: closed or late before the headers ended; a body that stops
// early is an answer that is not whole. Interim answers (1xx) are skipped.
Result<HttpAnswer> read_http_answer(Connection& connection, size_t most_body_bytes);

}  // namespace ingero::serve::net
