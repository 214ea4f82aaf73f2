// One path of the program's HTTP server: see server.h. (prometheus-cpp's own server knows no bearer tokens.)
#include "serve/prometheus/server.h"

#include "serve/net/gzip.h"

namespace ingero::serve::prometheus {

Result<std::unique_ptr<Server>> Server::bind(const ServerOptions& options) {
  http::ServerOptions served;
  served.address = options.address;
  served.certificate = options.certificate;
  served.key = options.key;
  if (!options.auth_file.empty()) INGERO_TRY(served.secrets.add_file(options.auth_file));
  // A page in a browser on this machine must not read metrics: its Origin is refused everywhere. A scraper may know
  // this machine by any name, but not by another one at a loopback address, unless it shows a secret.
  served.guards_loopback = options.auth_file.empty();
  auto bound = http::Server::bind(std::move(served));
  if (!bound.ok()) return bound.error();
  return std::unique_ptr<Server>(new Server(std::move(*bound)));
}

void Server::start(std::function<std::string()> page) {
  http_->start([this, page = std::move(page)](const http::Request& request) -> http::Response {
    if (request.path != "/metrics") return {404, "text/plain", "metrics are at /metrics\n"};
    if (request.method != "GET" && request.method != "HEAD")
      return {405, "text/plain", "only GET\n", {{"Allow", "GET"}}};
    const std::scoped_lock lock(page_mutex_);
    http::Response response{200, "text/plain; version=0.0.4; charset=utf-8", page(), {{"Vary", "Accept-Encoding"}}};
    if (net::accepts_gzip(request.header("Accept-Encoding"))) {
      response.body = net::gzip(response.body);
      response.headers.emplace_back("Content-Encoding", "gzip");
    }
    return response;
  });
}

void Server::stop() { http_->stop(); }

std::string Server::url() const { return http_->url() + "/metrics"; }

std::string Server::warning() const {
  if (http_->address().is_loopback) return {};
  if (!http_->has_secret())
    return "every client that reaches this address can read the metrics; require a secret with --prometheus-auth";
  if (!http_->has_tls())
    return "metrics and their secret travel in the clear; --prometheus-cert and --prometheus-key encrypt them";
  return {};
}

}  // namespace ingero::serve::prometheus
