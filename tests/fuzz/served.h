// The HTTP server under a harness: the real one, on a port of loopback, with every check that a request can fail; and
// what one client's connection brings. The client ends its side when it has sent all, so nothing waits for a deadline.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>

#include "base/fd.h"
#include "base/json.h"
#include "serve/http/server.h"

namespace ingero::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

constexpr size_t kBodyBytes = 4096;

// What a handler sees keeps the server's bounds.
inline serve::http::Response answer(const serve::http::Request& request) {
  require(request.body.size() <= kBodyBytes && request.path.size() <= 512 && request.method.size() <= 16);
  const std::string wanted = request.parameter("bytes") + request.header("X-Bytes");
  serve::http::Response response;
  response.body = Json{{"json", serve::http::has_json_type(request)}, {"body", request.body.size()}}.dump();
  if (request.path == "/none") response = {204, "", ""};
  if (request.path == "/throws") throw std::runtime_error(request.body);
  response.body += std::string(std::min<size_t>(wanted.size() * 100, 100'000), 'x');
  return response;
}

inline std::unique_ptr<serve::http::Server> serve_here(bool has_tls, bool is_guarded) {
  require(OPENSSL_init_ssl(0, nullptr) == 1);  // so that it ends after the server's threads
  serve::http::ServerOptions options;
  options.address = "127.0.0.1:0";
  options.makes_certificate = has_tls;
  options.body_bytes = kBodyBytes;
  options.seconds = 30;
  options.at_once = 1;
  options.takes_packed = !is_guarded;
  if (is_guarded) {
    require(options.secrets.add_token("a-secret-of-the-harness-0123456789", "the harness").ok());
    options.open_paths = {"/open"};
    options.guards_host = true;
    options.hosts = {"name.example"};
    // A line for each answer, which is JSON whatever was sent.
    options.audit = [](const std::string& line) { require(!parse_json(line).is_discarded()); };
  }
  auto server = serve::http::Server::bind(std::move(options));
  require(server.ok());
  (*server)->start(answer);
  return *std::move(server);
}

// Until there is something to read, the other side has ended, or there is room. A server that does none of it hangs.
inline void await(const Fd& client, short events = POLLIN) {
  pollfd wanted{client.get(), events, 0};
  int ready = 0;
  while ((ready = ::poll(&wanted, 1, 20'000)) < 0 && errno == EINTR) {
  }
  require(ready == 1);
}

// From an address that was not there yet: wrong secrets of one are braked, and its ports may all be in use.
inline Fd connected(const serve::http::Server& server) {
  static uint32_t count = 0;
  Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in from{}, to{};
  from.sin_family = to.sin_family = AF_INET;
  from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + ++count % 0xffff00);
  require(::bind(client.get(), reinterpret_cast<const sockaddr*>(&from), sizeof(from)) == 0);
  to.sin_port = htons(server.address().port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(client.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0) return client;
  require(errno == EINTR);  // a signal came, the fuzzer's own clock: it goes on by itself
  await(client, POLLOUT);
  int failure = 0;
  socklen_t size = sizeof(failure);
  require(::getsockopt(client.get(), SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0);
  return client;
}

// What came is answers, one after the other, each with a length that holds; after "HEAD" or an interim one nothing can
// be said of the rest. The last may be cut short: the server closes on a client that sends on.
inline void check_answers(std::string_view text) {
  while (!text.empty()) {
    constexpr std::string_view kStart = "HTTP/1.1 ";
    require(text.substr(0, kStart.size()) == kStart.substr(0, text.size()));
    const size_t end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) return;
    const int status = std::atoi(std::string(text.substr(kStart.size(), 3)).c_str());
    const std::string_view head = text.substr(0, end);
    text.remove_prefix(end + 4);
    if (status == 100) continue;
    require(status >= 200 && status <= 505);
    const size_t length = head.find("Content-Length: ");
    require(length != std::string_view::npos);
    const size_t bytes = std::strtoull(std::string(head.substr(length + 16, 20)).c_str(), nullptr, 10);
    if (text.starts_with(kStart)) continue;  // the answer to a HEAD, which has no body
    text.remove_prefix(std::min(bytes, text.size()));
  }
}

}  // namespace ingero::fuzz
