// The only HTTP server of this program: an address, TLS, secrets, and the checks that every request must pass before it
// is answered: Host and Origin, authorization, size and rate.
//
// Requests are bounded: `connections` at a time, `at_once` of them answered, a few waiting, some seconds to send one,
// `body_bytes` of body, 8 KiB of headers, 512 bytes of path. Handlers are called by the server's threads, several at
// once. Every request goes to the audit log, refused ones too. Created, started and stopped by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "serve/http/address.h"
#include "serve/http/secrets.h"

namespace ingero::serve::http {

struct Request {
  std::string method, path, body;
  std::function<std::string(const char* name)> header;     // empty: not there
  std::function<std::string(const char* name)> parameter;  // of the query string; empty: not there
};

struct Response {
  int status = 200;
  std::string type = "application/json", body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string note = {};  // for the audit: what was asked, or why it was refused
};

using Handler = std::function<Response(const Request&)>;
// One line of JSON for each request.
using Audit = std::function<void(const std::string& line)>;

struct ServerOptions {
  std::string address;
  std::string certificate = {}, key = {};  // PEM files; both or none
  bool makes_certificate = false;          // without files: a self-signed one, and TLS 1.3 only
  Secrets secrets = {};
  std::vector<std::string> open_paths = {};  // answered without a secret
  bool guards_host = false;                  // Host and Origin must be this machine's, the address's, or one of:
  std::vector<std::string> hosts = {};       // further names
  size_t connections = 4, waiting = 16;      // each holds a thread, idle ones too; further ones wait
  size_t at_once = 4;                        // calls of the handler; further ones wait
  size_t body_bytes = 0;
  int seconds = 2;        // to send a request, or take an answer
  int keep_alive = 8;     // requests on one connection
  double per_second = 0;  // requests of one client address, on average; bursts are twice that. 0: no limit
  Audit audit = {};
  std::string realm = "ingero";
};

class Server {
 public:
  // Binds; an error says why not. Answers come from start() on.
  static Result<std::unique_ptr<Server>> bind(ServerOptions options, const Clock& clock = system_clock());
  ~Server();  // as stop()
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // `handler` is not called any more once stop() has returned. It ends idle connections at once, and waits for the
  // handler's open calls and a second at most for their answers to be taken.
  void start(Handler handler);
  void stop();

  std::string url() const;  // "https://127.0.0.1:8080"
  const Address& address() const;
  bool has_tls() const;
  bool has_secret() const;
  const std::string& fingerprint() const;  // of the certificate that it made itself; else empty

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::serve::http
