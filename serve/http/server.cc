// Checks each request's Host, Origin, rate and secret before its body is read and a handler sees it: see server.h.
#include "serve/http/server.h"

#include <algorithm>
#include <utility>

#include <openssl/ssl.h>

#include "base/json.h"
#include "base/private_file.h"
#include "base/text.h"
#include "serve/http/buckets.h"
#include "serve/http/certificate.h"
#include "serve/http/listener.h"
#include "serve/http/wrong_secrets.h"

namespace ingero::serve::http {
namespace {

// Wrong secrets of one client address: twenty at once, then ten a second. From then on none is compared, or the answer
// would still say which guess is right; connections that have shown the secret go on.
constexpr double kWrongPerSecond = 10;
constexpr size_t kBodiesAtOnce = 16, kLeastForBodies = 8 << 20;  // of the longest, of all connections together

std::string error_text(std::string_view word, std::string_view sentence) {
  return Json{{"error", sentence}, {"class", word}}.dump();
}

std::string_view phrase_of(int status) {
  static constexpr std::pair<int, std::string_view> kPhrases[] = {{200, "OK"},
                                                                  {202, "Accepted"},
                                                                  {204, "No Content"},
                                                                  {400, "Bad Request"},
                                                                  {401, "Unauthorized"},
                                                                  {403, "Forbidden"},
                                                                  {404, "Not Found"},
                                                                  {405, "Method Not Allowed"},
                                                                  {408, "Request Timeout"},
                                                                  {409, "Conflict"},
                                                                  {413, "Content Too Large"},
                                                                  {414, "URI Too Long"},
                                                                  {415, "Unsupported Media Type"},
                                                                  {417, "Expectation Failed"},
                                                                  {429, "Too Many Requests"},
                                                                  {431, "Request Header Fields Too Large"},
                                                                  {500, "Internal Server Error"},
                                                                  {501, "Not Implemented"},
                                                                  {503, "Service Unavailable"},
                                                                  {504, "Gateway Timeout"},
                                                                  {505, "HTTP Version Not Supported"}};
  const auto* found =
      std::find_if(std::begin(kPhrases), std::end(kPhrases), [&](const auto& one) { return one.first == status; });
  return found == std::end(kPhrases) ? "Answer" : found->second;
}

Response refusal(int status, std::string_view word, std::string_view sentence) {
  return {status, "application/json", error_text(word, sentence), {}, std::string(sentence)};
}

Request request_of(const Head& head, std::string body, const std::string& network) {
  return {head.method,
          head.path,
          std::move(body),
          [&head](const char* name) { return head.header(name); },
          [&head](const char* name) { return head.parameter(name); },
          network};
}

}  // namespace

bool has_json_type(const Request& request) {
  const std::string type = request.header("Content-Type");
  const std::string_view name = trim(std::string_view(type).substr(0, type.find(';')));
  constexpr std::string_view kJson = "application/json";
  return std::equal(name.begin(), name.end(), kJson.begin(), kJson.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

struct Server::Impl {
  Impl(ServerOptions given, const Clock& the_clock)
      : options(std::move(given)), clock(the_clock), buckets(options.per_second), wrong(kWrongPerSecond) {}

  ServerOptions options;
  const Clock& clock;
  Buckets buckets;
  WrongSecrets wrong;
  std::unique_ptr<Listener> listener;
  Handler handler;
  Address address;
  std::string fingerprint;
  bool has_tls = false;
  TlsContext context;  // until the listener is made

  bool names_us(const std::string& host) const {
    if (host == "localhost" || host == "127.0.0.1" || host == "::1" || host == address.host) return true;
    return std::find(options.hosts.begin(), options.hosts.end(), host) != options.hosts.end();
  }

  // A page may ask if it came from this very server: the same scheme, name and port. A name of --allow-host may also
  // be that of another server, on its scheme's own port.
  bool is_for_us(const Head& head, const std::string& origin) const {
    const std::string host = head.header("Host");
    const std::string scheme = has_tls ? "https" : "http";
    if (authority_of(origin) == authority_of(scheme + "://" + host) && names_us(host_of(host))) return true;
    const std::string name = host_of(origin);
    const std::string authority = authority_of(origin);
    return std::any_of(options.hosts.begin(), options.hosts.end(), [&](const std::string& allowed) {
      return authority == "https://" + allowed || authority == "http://" + allowed ||
             (name == allowed &&
              (authority == fmt::format("https://{}:443", name) || authority == fmt::format("http://{}:80", name)));
    });
  }

  // Before the body is read. Nothing: the request may go on.
  std::optional<Response> why_not(const Head& head, Client& client) {
    const bool guards = options.guards_host || (options.guards_loopback && address.is_loopback);
    // HTTP/1.0 may name none; no browser does so.
    if (guards && head.count("Host") > 0 && !names_us(host_of(head.header("Host")))) {
      return refusal(403, "refused", "the Host header names another machine (--allow-host)");
    }
    for (const auto& [name, value] : head.fields) {
      if (!is_origin(name) || is_for_us(head, value)) continue;
      return refusal(403, "refused", "the Origin header names another site (allow it with --allow-host)");
    }
    const uint64_t now = clock.mono_ns();
    const auto too_many = [](const char* sentence) {
      Response response = refusal(429, "refused", sentence);
      response.headers.emplace_back("Retry-After", "1");
      return response;
    };
    if (!buckets.has(client.network, now, true)) return too_many("too many requests");
    const auto& open = options.open_paths;
    if (options.secrets.empty() || std::find(open.begin(), open.end(), head.path) != open.end()) return std::nullopt;
    const std::string shown = head.header("Authorization");
    if (!client.is_trusted && !shown.empty() && !wrong.may_try(client.network, shown, now)) {
      return too_many("too many wrong secrets");
    }
    if (options.secrets.open(shown)) {
      client.is_trusted = true;
      return std::nullopt;
    }
    if (!shown.empty()) wrong.was_wrong(client.network, shown, now);
    client.is_trusted = false;
    Response response = refusal(401, "refused", "authentication required");
    response.headers.emplace_back("WWW-Authenticate", fmt::format("Basic realm=\"{}\", Bearer", options.realm));
    return response;
  }

  Raw answer(const Head& head, std::string body, const Client& client, bool goes_on) const {
    const size_t bytes = body.size();
    const Request asked = request_of(head, std::move(body), client.network);
    Response given;
    try {
      given = handler(asked);
    } catch (const std::exception& error) {
      given = {500, "application/json", error_text("internal", printable(error.what(), 500)), {}, error.what()};
    }
    return raw(head, given, client, bytes, goes_on && head.keeps_alive);
  }

  // The answer as bytes; every one comes by here, and goes to the audit.
  Raw raw(const Head& head, const Response& response, const Client& client, size_t request_bytes, bool goes_on) const {
    std::string text = fmt::format("HTTP/1.1 {} {}\r\n", response.status, phrase_of(response.status));
    for (const auto& [name, value] : response.headers) text += fmt::format("{}: {}\r\n", name, value);
    if (!response.body.empty()) text += fmt::format("Content-Type: {}\r\n", response.type);
    text += fmt::format("Content-Length: {}\r\n", response.body.size());
    // A range is never answered: many small ones would make a large answer of a short request.
    text += "Accept-Ranges: none\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n";
    text += goes_on ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
    if (head.method != "HEAD") text += response.body;
    if (response.status >= 400) listener->refusals().count(reason_of(response.status));
    if (options.audit) {
      const Json line{{"time", format_wall(clock.wall_ns())},
                      {"client", printable(client.address, 64)},
                      {"method", printable(head.method, 16)},
                      {"path", printable(head.path, 200)},
                      {"status", response.status},
                      {"request_bytes", request_bytes},
                      {"response_bytes", response.body.size()},
                      {"note", printable(response.note, 300)}};
      options.audit(dump(line));
    }
    return {std::move(text), !goes_on};
  }

  Status make_context() {
    const bool has_files = !options.certificate.empty() || !options.key.empty();
    if (options.certificate.empty() != options.key.empty()) {
      return Error(Errc::kInvalid, "TLS needs both a certificate and its key", "give both files, or none");
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
    context = std::move(tls);
    return {};
  }

  void make_listener(Fd socket) {
    ListenerOptions bounds;
    bounds.connections = options.connections;
    bounds.body_bytes = options.body_bytes;
    bounds.all_body_bytes = std::clamp(kBodiesAtOnce * options.body_bytes, kLeastForBodies, bounds.all_body_bytes);
    bounds.takes_packed = options.takes_packed;
    bounds.seconds = options.seconds;
    bounds.idle_seconds = options.idle_seconds;
    bounds.requests = options.keep_alive;
    bounds.workers = options.at_once;
    ListenerCalls calls;
    calls.admit = [this](const Head& head, Client& client) -> std::optional<Raw> {
      const auto refused = why_not(head, client);
      if (!refused) return std::nullopt;
      return raw(head, *refused, client, 0, false);
    };
    calls.refuse = [this](const Head& head, const Client& client, int status, const std::string& reason) {
      return raw(head, refusal(status, status == 503 ? "refused" : "bad_input", reason), client, 0, false);
    };
    calls.weight = [this](const Head& head, const std::string& body) {
      return options.weight ? options.weight(head.path, body) : Weight::kLight;
    };
    calls.answer = [this](const Head& head, std::string body, const Client& client, bool goes_on) {
      return answer(head, std::move(body), client, goes_on);
    };
    listener = std::make_unique<Listener>(std::move(socket), std::move(context), bounds, std::move(calls));
  }
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { stop(); }

Result<std::unique_ptr<Server>> Server::bind(ServerOptions options, const Clock& clock) {
  auto impl = std::make_unique<Impl>(std::move(options), clock);
  const auto address = parse_address(impl->options.address);
  INGERO_TRY(address);
  impl->address = *address;
  INGERO_TRY(impl->make_context());
  auto socket = listen_on(address->host, impl->address.port);
  if (!socket.ok()) return socket.error();
  impl->make_listener(std::move(*socket));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

void Server::start(Handler handler) {
  impl_->handler = std::move(handler);
  impl_->listener->start();
}

void Server::stop() {
  if (impl_) impl_->listener->stop();
}

std::string Server::url() const {
  const bool v6 = impl_->address.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", impl_->has_tls ? "https" : "http", v6 ? "[" : "", impl_->address.host,
                     v6 ? "]" : "", impl_->address.port);
}

const Address& Server::address() const { return impl_->address; }
bool Server::has_tls() const { return impl_->has_tls; }
bool Server::has_secret() const { return !impl_->options.secrets.empty(); }
const Refusals& Server::refusals() const { return impl_->listener->refusals(); }
const std::string& Server::fingerprint() const { return impl_->fingerprint; }

}  // namespace ingero::serve::http
