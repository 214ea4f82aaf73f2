// The server on cpp-httplib: checks each request's Host, secret and rate before a handler sees it.
#include "serve/http/server.h"

#include <sys/socket.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <semaphore>
#include <thread>

#include <httplib.h>

#include "base/json.h"
#include "base/log.h"
#include "base/private_file.h"
#include "base/text.h"
#include "serve/http/certificate.h"
#include "serve/http/listener.h"
#include "serve/http/pool.h"

namespace ingero::serve::http {
namespace {

constexpr size_t kMaxPathBytes = 512;
constexpr size_t kMaxClients = 1024;

// Tokens by client address: `per_second` come back, twice as many at most.
class Buckets {
 public:
  explicit Buckets(double per_second) : per_second_(per_second) {}

  bool take(const std::string& client, uint64_t mono_ns) {
    if (per_second_ <= 0) return true;
    const std::scoped_lock lock(mutex_);
    if (clients_.size() >= kMaxClients) clients_.clear();  // a flood of addresses: start anew rather than grow
    auto [at, is_new] = clients_.try_emplace(client, Bucket{2 * per_second_, mono_ns});
    Bucket& bucket = at->second;
    const double seconds = static_cast<double>(mono_ns - bucket.mono_ns) / 1e9;
    bucket.tokens = std::min(2 * per_second_, bucket.tokens + seconds * per_second_);
    bucket.mono_ns = mono_ns;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

 private:
  struct Bucket {
    double tokens;
    uint64_t mono_ns;
  };
  double per_second_;
  std::mutex mutex_;
  std::map<std::string, Bucket> clients_;
};

// One of the calls of the handler that may run at once; waits for it.
class Slot {
 public:
  explicit Slot(std::counting_semaphore<>& slots) : slots_(slots) { slots_.acquire(); }
  ~Slot() { slots_.release(); }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

 private:
  std::counting_semaphore<>& slots_;
};

std::string error_text(std::string_view word, std::string_view sentence) {
  return Json{{"error", sentence}, {"class", word}}.dump();
}

// Between the handler and the audit, on the response: not sent.
constexpr const char* kNoteHeader = "X-Ingero-Note";

}  // namespace

struct Server::Impl {
  Impl(ServerOptions given, const Clock& the_clock)
      : options(std::move(given)),
        clock(the_clock),
        buckets(options.per_second),
        slots(static_cast<ptrdiff_t>(options.at_once)) {}

  ServerOptions options;
  const Clock& clock;
  Buckets buckets;
  std::counting_semaphore<> slots;  // of the handler
  std::unique_ptr<Listener> http;
  Handler handler;
  std::thread thread;
  Address address;
  std::string fingerprint;
  bool has_tls = false;

  bool is_for_us(const std::string& header) const {
    const std::string host = host_of(header);
    if (host == "localhost" || host == "127.0.0.1" || host == "::1" || host == address.host) return true;
    return std::find(options.hosts.begin(), options.hosts.end(), host) != options.hosts.end();
  }

  static void refuse(httplib::Response& response, int status, std::string_view word, std::string_view sentence) {
    response.status = status;
    response.set_content(error_text(word, sentence), "application/json");
    response.set_header(kNoteHeader, std::string(sentence));
    response.set_header("Connection", "close");
    Listener::refused();
  }

  // Before the body is read. True: the request may go on.
  bool admit(const httplib::Request& request, httplib::Response& response) {
    if (options.guards_host) {
      const auto origin = request.get_header_value("Origin");
      if (request.get_header_value_count("Host") != 1 || !is_for_us(request.get_header_value("Host"))) {
        refuse(response, 403, "refused", "the Host header names another machine (--allow-host)");
        return false;
      }
      if (!origin.empty() && !is_for_us(origin)) {
        refuse(response, 403, "refused", "the Origin header names another site (allow it with --allow-host)");
        return false;
      }
    }
    if (request.path.size() > kMaxPathBytes) {
      refuse(response, 414, "bad_input", "the path is too long");
      return false;
    }
    const auto& open = options.open_paths;
    if (std::find(open.begin(), open.end(), request.path) == open.end() &&
        !options.secrets.open(request.get_header_value("Authorization"))) {
      refuse(response, 401, "refused", "authentication required");
      response.set_header("WWW-Authenticate", fmt::format("Basic realm=\"{}\", Bearer", options.realm));
      return false;
    }
    if (!buckets.take(request.remote_addr, clock.mono_ns())) {
      refuse(response, 429, "refused", "too many requests");
      response.set_header("Retry-After", "1");
      return false;
    }
    return true;
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    const Request asked{request.method, request.path, request.body,
                        [&](const char* name) { return request.get_header_value(name); },
                        [&](const char* name) { return request.get_param_value(name); }};
    Response given;
    try {
      const Slot slot(slots);
      given = handler(asked);
    } catch (const std::exception& error) {
      given = {500, "application/json", error_text("internal", printable(error.what(), 500)), {}, error.what()};
    }
    response.status = given.status;
    if (!given.body.empty()) response.set_content(given.body, given.type);
    for (const auto& [name, value] : given.headers) response.set_header(name, value);
    if (!given.note.empty()) response.set_header(kNoteHeader, printable(given.note, 300));
  }

  // The library's last word before an answer is written: what it refused itself comes by here too.
  void finish(const httplib::Request& request, httplib::Response& response) const {
    const std::string note = response.get_header_value(kNoteHeader);
    response.headers.erase(kNoteHeader);
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Cache-Control", "no-store");
    if (!options.audit) return;
    const Json line{{"time", format_wall(clock.wall_ns())},
                    {"client", printable(request.remote_addr, 64)},
                    {"method", printable(request.method, 16)},
                    {"path", printable(request.path, 200)},
                    {"status", response.status},
                    {"request_bytes", request.body.size()},
                    {"response_bytes", response.body.size()},
                    {"note", printable(note, 300)}};
    options.audit(dump(line));
  }

  Status make_http() {
    const bool has_files = !options.certificate.empty() || !options.key.empty();
    if (options.certificate.empty() != options.key.empty()) {
      return Error(Errc::kInvalid, "TLS needs both a certificate and its key");
    }
    const int version = options.makes_certificate ? TLS1_3_VERSION : TLS1_2_VERSION;
    TlsContext tls;
    if (has_files) {
      INGERO_TRY(read_file(options.certificate, 1 << 20));
      // Users of the metrics endpoint may have keys that a group can read; those stay accepted.
      const auto key = options.makes_certificate ? read_private(options.key) : read_file(options.key, 1 << 20);
      INGERO_TRY(key);
      auto made = make_tls(options.certificate, options.key, *key, version);
      INGERO_TRY(made);
      tls = std::move(*made);
    } else if (options.makes_certificate) {
      const auto certificate = make_certificate(clock.wall_ns());
      INGERO_TRY(certificate);
      fingerprint = certificate->fingerprint;
      auto made = make_tls(*certificate, version);
      INGERO_TRY(made);
      tls = std::move(*made);
    }
    has_tls = tls != nullptr;
    http = std::make_unique<Listener>(
        std::move(tls), ListenerOptions{options.seconds, options.keep_alive > 8 ? 5 : 1, options.keep_alive});
    return {};
  }

  void set_up() {
    http->new_task_queue = [this] {
      return new BoundedPool(options.connections, options.waiting);
    };  // NOLINT: httplib owns it
    http->set_payload_max_length(options.body_bytes);
    http->set_tcp_nodelay(true);
    // The library's default is SO_REUSEPORT: a second agent would take the first one's requests.
    http->set_socket_options([](int socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    http->set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return admit(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                      : httplib::Server::HandlerResponse::Handled;
    });
    const auto all = [this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
    };
    http->Get(".*", all).Post(".*", all).Put(".*", all).Patch(".*", all).Delete(".*", all).Options(".*", all);
    http->set_post_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) { finish(request, response); });
    http->set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty())
        response.set_content(error_text("bad_input", "the request is not understood"), "application/json");
    });
    http->set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) { response.status = 500; });
  }
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { stop(); }

Result<std::unique_ptr<Server>> Server::bind(ServerOptions options, const Clock& clock) {
  auto impl = std::make_unique<Impl>(std::move(options), clock);
  const auto address = parse_address(impl->options.address);
  INGERO_TRY(address);
  impl->address = *address;
  INGERO_TRY(impl->make_http());
  impl->set_up();
  errno = 0;
  const auto listen_error = [&] {
    return errno_error(fmt::format("listen on {}", impl->options.address), errno != 0 ? errno : EADDRNOTAVAIL);
  };
  if (address->port == 0) {
    const int port = impl->http->bind_to_any_port(address->host);
    if (port <= 0) return listen_error();
    impl->address.port = static_cast<uint16_t>(port);
  } else if (!impl->http->bind_to_port(address->host, address->port)) {
    return listen_error();
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

void Server::start(Handler handler) {
  impl_->handler = std::move(handler);
  impl_->thread = std::thread([raw = impl_.get()] {
    if (!raw->http->listen_after_bind()) log_error("the server stopped: {}", errno_error("accept").text());
  });
}

void Server::stop() {
  if (!impl_ || !impl_->thread.joinable()) return;
  // stop() before the thread has begun to listen would be forgotten.
  while (!impl_->http->is_running()) std::this_thread::yield();
  impl_->http->end();
  impl_->thread.join();
}

std::string Server::url() const {
  const bool v6 = impl_->address.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", impl_->has_tls ? "https" : "http", v6 ? "[" : "", impl_->address.host,
                     v6 ? "]" : "", impl_->address.port);
}

const Address& Server::address() const { return impl_->address; }
bool Server::has_tls() const { return impl_->has_tls; }
bool Server::has_secret() const { return !impl_->options.secrets.empty(); }
const std::string& Server::fingerprint() const { return impl_->fingerprint; }

}  // namespace ingero::serve::http
