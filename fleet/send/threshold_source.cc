// One request, one small answer: see threshold_source.h.
#include "fleet/send/threshold_source.h"

#include <random>

#include <fmt/format.h>

#include "serve/net/http_exchange.h"

namespace ingero::fleet::send {
namespace {

std::string url_encode(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-';
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<uint8_t>(c));
  }
  return out;
}

}  // namespace

Result<ThresholdSource> ThresholdSource::make(serve::otlp::Endpoint endpoint, const serve::otlp::Receiver& receiver,
                                              const serve::otlp::TlsFiles& tls, const std::string& cluster,
                                              const std::string& node) {
  ThresholdSource made;
  if (endpoint.has_tls) {
    auto context = serve::net::TlsContext::make(tls);
    INGERO_TRY(context);
    made.tls_ = std::make_shared<const serve::net::TlsContext>(std::move(*context));
  }
  made.path_ =
      fmt::format("{}/api/v1/threshold?cluster_id={}&node_id={}", endpoint.path, url_encode(cluster), url_encode(node));
  made.endpoint_ = std::move(endpoint);
  made.headers_ = receiver.metrics_headers;
  made.agent_ = receiver.agent;
  return made;
}

std::optional<PushedThreshold> ThresholdSource::ask(serve::net::Deadline deadline, const serve::net::Stop& stop) const {
  const auto answer = serve::net::http_ask(endpoint_, tls_.get(), {.path = path_, .agent = agent_, .headers = headers_},
                                           kMaxThresholdBytes, deadline, stop);
  if (!answer.ok() || answer->status != 200 || !answer->is_whole || answer->is_over) return std::nullopt;
  return read_threshold_json(answer->body);
}

uint64_t ThresholdSource::pause_ns() {
  std::random_device random;
  return 8'000'000'000 + random() % 4'000'000'000;
}

}  // namespace ingero::fleet::send
