// Answers GET /metrics, and nothing else, on one address.
//
// Security: binds to loopback unless the address names another host; TLS (1.2 and newer) with a certificate; basic or
// bearer authentication from a file, compared in constant time; requests from a browser's page of another origin are
// refused. Requests are bounded: two seconds to send one, no body. Made by one thread; the page is made by the server's
// threads, one at a time. Owns the HTTP server and its threads, and joins them. Failure: bind(), with the address or
// the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "serve/http/server.h"

namespace ingero::serve::prometheus {

struct ServerOptions {
  std::string address =
      {};  // ":9090", "9090" (loopback), "10.0.0.1:9090", "[::1]:9090", "0.0.0.0:9090"; port 0: any free
  std::string certificate = {};  // PEM file with the chain; empty: no TLS
  std::string key = {};          // PEM file
  std::string auth_file = {};  // lines "bearer TOKEN" or "basic USER:PASSWORD"; any one opens. Empty: no authentication
};

class Server {
 public:
  // Binds; an error says why not. Answers come from start() on.
  static Result<std::unique_ptr<Server>> bind(const ServerOptions& options);
  ~Server() { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // `page` makes the answer; it must not be called any more after stop() has returned.
  void start(std::function<std::string()> page);
  void stop();

  std::string url() const;
  // What the user should know: open to the network without authentication or TLS. Empty: nothing.
  std::string warning() const;

 private:
  explicit Server(std::unique_ptr<http::Server> http) : http_(std::move(http)) {}
  std::unique_ptr<http::Server> http_;
  std::mutex page_mutex_;
};

}  // namespace ingero::serve::prometheus
