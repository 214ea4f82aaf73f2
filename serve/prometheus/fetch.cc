// One exchange, bounded as it is asked for: see fetch.h.
#include "serve/prometheus/fetch.h"

#include <chrono>

#include <fmt/format.h>

#include "serve/net/http_exchange.h"

namespace ingero::serve::prometheus {

Result<std::string> fetch_page(const std::string& host, uint16_t port, const std::string& path, uint64_t timeout_ns,
                               size_t max_bytes) {
  const net::Peer peer{.has_tls = false, .only_loopback = true, .host = host, .port = port};
  const std::string url = peer.url() + path;
  if (!net::is_loopback_host(host)) {
    return Error(Errc::kInvalid, fmt::format("{}: not this machine's own address", url), "name 127.0.0.1 or ::1");
  }
  const net::Deadline deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout_ns);
  const net::Stop stop;
  auto answer = net::http_ask(
      peer, nullptr,
      {.path = path, .headers = {{"Accept", "text/plain; version=0.0.4"}}, .version = net::HttpVersion::k1_0},
      max_bytes, deadline, stop);
  if (!answer.ok()) return answer.error();
  if (answer->status != 200) return Error(Errc::kInvalid, fmt::format("{}: status {}", url, answer->status));
  if (answer->is_over) return Error(Errc::kFull, fmt::format("{}: more than {} bytes", url, max_bytes));
  if (answer->is_late) return Error(Errc::kBusy, fmt::format("{}: no whole answer in time", url));
  if (!answer->is_whole) return Error(Errc::kCorrupt, fmt::format("{}: the answer is cut", url));
  return std::move(answer->body);
}

}  // namespace ingero::serve::prometheus
