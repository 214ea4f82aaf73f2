// The only HTTP server of this program: an address, TLS, secrets, and the checks that every request must pass before it
// is answered: Host and Origin, authorization, size and rate.
//
// Bounded: `connections` at a time, one thread for all of them (listener.h), so that slow clients hold none of those
// that answer; `seconds` for a whole request, handshake included; 16 KiB and 100 lines of headers, 512 bytes of path,
// `body_bytes` of body. Ranges are not answered. Handlers are called by `at_once` threads, heavy requests by half of
// them (weight.h). Every request goes to the audit log, refused ones too, and these are counted. Created, started and
// stopped by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "serve/http/address.h"
#include "serve/http/refusals.h"
#include "serve/http/secrets.h"
#include "serve/http/weight.h"

namespace ingero::serve::http {

struct Request {
  std::string method, path, body;
  std::function<std::string(const char* name)> header;     // empty: not there
  std::function<std::string(const char* name)> parameter;  // of the query string; empty: not there
  std::string network = {};                                // the client's address, of IPv6 the /64 of it
};

// Whether its body is called JSON: what another site's form cannot send unasked (a browser asks before it sends this
// type across sites, and not for a form's own types).
bool has_json_type(const Request& request);

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
  bool guards_host = false;                  // Host must be this machine's, the address's, or one of:
  std::vector<std::string> hosts = {};       // further names, with or without a port; Origins too
  bool guards_loopback = false;              // guards Host if the address is loopback, where no other name is usual
  size_t connections = 256;                  // a further one displaces the one that waits longest
  size_t at_once = 4;                        // calls of the handler; further ones wait
  // None: all are light. Called by the thread that reads requests.
  std::function<Weight(const std::string& path, const std::string& body)> weight = {};
  size_t body_bytes = 0;
  bool takes_packed = false;  // a body with a Content-Encoding reaches the handler as it is; else it is refused
  int seconds = 2;            // to send a request; to take an answer, and a second more for each 32 KiB of it
  int keep_alive = 8;         // requests on one connection
  int idle_seconds = 1;       // between them
  double per_second = 0;      // requests of one client address, wrong ones too; bursts are twice that. 0: no limit
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
  const Refusals& refusals() const;
  const std::string& fingerprint() const;  // of the certificate that it made itself; else empty

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::serve::http
