// One request of HTTP and its answer, which is read with every byte counted: nothing a peer sends can hold more memory
// or time than it is given. (The HTTP library that the servers use bounds neither the headers of an answer nor its
// whole time.)
//
// Redirects are not followed. Everything in an answer is from the network: bounded, and hostile until checked.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/net/connection.h"

namespace ingero::serve::net {

// The texts are the caller's, and none may hold what ends a line.
struct HttpRequest {
  std::string_view method, path;
  std::string_view agent = "ingero";
  std::vector<std::pair<std::string, std::string>> headers = {};  // beside those of the peer, connection and body
  std::string_view type = {}, body = {};                          // without a type there is no body
  std::string_view version = "HTTP/1.1";                          // HTTP/1.0: the answer comes without chunks
};

struct HttpAnswer {
  int status = 0;  // 200 to 599
  std::string retry_after = {};
  std::string body = {};  // at most the bytes that were allowed
  bool is_whole = false;  // the body ended where its headers, its chunks or the connection said so
  bool is_over = false;   // it is longer than was allowed
  bool is_late = false;   // the time was over before its end
};

// Sends `request`, as the connection's only one, and reads the answer; interim answers (1xx) are skipped. Errors begin
// with the peer's URL. kCorrupt: no HTTP, or too many headers (16 KiB). kBusy: late. kIo: closed without an answer. A
// body that stops early is an answer that is not whole.
Result<HttpAnswer> http_ask(Connection& connection, const HttpRequest& request, size_t most_body_bytes);

}  // namespace ingero::serve::net
