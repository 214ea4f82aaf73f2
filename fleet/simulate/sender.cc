// Eight threads, or as many as can be started, each with a request at a time.
#include "fleet/simulate/sender.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/text.h"
#include "base/threads.h"
#include "fleet/wire/encode.h"
#include "serve/net/gzip.h"

namespace ingero::fleet::simulate {
namespace {

constexpr auto kTimeout = std::chrono::seconds(30);
constexpr size_t kMaxAnswerBytes = 64 << 10;
constexpr size_t kSendingThreads = 8;  // threads
constexpr int kTries = 20;
constexpr uint64_t kMaxWait_s = 60, kSecond_ns = 1'000'000'000;

// How long a receiver that takes no more now asks to wait; none: it will never take this.
std::optional<std::chrono::seconds> wait_of(const serve::net::HttpAnswer& answer) {
  if (answer.status != 429 && answer.status != 503) return std::nullopt;
  const auto untrusted_seconds = parse_u64(answer.header("retry-after"));
  return std::chrono::seconds(std::min(untrusted_seconds.value_or(1), kMaxWait_s));
}

}  // namespace

Result<std::unique_ptr<Sender>> Sender::make(std::string_view endpoint, const std::string& token,
                                             const std::string& authorities) {
  std::unique_ptr<Sender> sender(new Sender);
  std::string_view rest = endpoint;
  if (!serve::net::take_scheme(rest, sender->peer_)) {
    return Error(Errc::kInvalid, fmt::format("{}: neither an http:// nor an https:// address", printable(endpoint)));
  }
  sender->peer_.port = 4318;
  INGERO_TRY(serve::net::parse_authority(rest, sender->peer_));
  if (sender->peer_.has_tls) {
    auto tls = serve::net::TlsContext::make({.authorities = authorities, .certificate = {}, .key = {}});
    INGERO_TRY(tls);
    sender->tls_.emplace(std::move(*tls));
  } else if (!serve::net::is_loopback_host(sender->peer_.host)) {
    return Error(Errc::kInvalid, fmt::format("{}: without TLS only to a server on this machine", printable(endpoint)),
                 "give an https:// address");
  }
  sender->headers_.emplace_back("Content-Encoding", "gzip");
  if (!token.empty()) sender->headers_.emplace_back("Authorization", "Bearer " + token);
  static_cast<serve::net::Peer&>(sender->receiver_.endpoint) = sender->peer_;
  sender->receiver_.protocol = serve::otlp::Protocol::kGrpc;
  if (!token.empty()) sender->receiver_.metrics_headers.emplace_back("authorization", "Bearer " + token);
  return sender;
}

void Sender::note(const std::string& error) {
  has_failed_ = true;
  const std::lock_guard guard(mutex_);
  last_error_ = error;
}

// kRefused: with an answer. What is not taken is noted.
serve::otlp::SendResult Sender::send_by_grpc(const std::string& body, Connection& connection) {
  using serve::otlp::SendResult;
  static const serve::net::Stop kNever;
  if (!connection.grpc) connection.grpc = serve::otlp::make_grpc_transport(receiver_, tls_ ? &*tls_ : nullptr);
  for (int tries = 1;; ++tries) {
    const auto answer = connection.grpc->send({serve::otlp::Signal::kMetrics, true, 1, body},
                                              std::chrono::steady_clock::now() + kTimeout, kNever);
    connection.pushed =
        send::read_threshold(answer.untrusted_threshold, answer.untrusted_quorum, answer.untrusted_score);
    if (answer.send_result == SendResult::kAccepted) return SendResult::kAccepted;
    const bool is_asked_to_wait = answer.send_result == SendResult::kRetry && answer.retry_after_ns;
    if (!is_asked_to_wait || tries == kTries) {
      note(fmt::format("{} over gRPC: {}", peer_.url(), answer.message));
      return is_asked_to_wait ? SendResult::kRefused : answer.send_result;
    }
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(*answer.retry_after_ns, kMaxWait_s * kSecond_ns)));
  }
}

bool Sender::send(const std::string& body, Connection& connection) {
  static const serve::net::Stop kNever;
  using serve::otlp::SendResult;
  if (is_grpc_) return send_by_grpc(body, connection) == SendResult::kAccepted;
  const auto ask = [&] {
    return serve::net::http_ask(
        peer_, tls_ ? &*tls_ : nullptr,
        {.path = "/v1/metrics", .headers = headers_, .type = "application/x-protobuf", .body = body}, kMaxAnswerBytes,
        std::chrono::steady_clock::now() + kTimeout, kNever, &connection.http);
  };
  auto answer = ask();
  for (int tries = 1; answer.ok() && tries < kTries; ++tries) {
    const auto wait = wait_of(*answer);
    if (!wait) break;
    std::this_thread::sleep_for(*wait);
    answer = ask();
  }
  is_http_ = is_http_ || answer.ok();
  if (answer.ok() && answer->status == 200) {
    connection.pushed =
        send::read_threshold(answer->header(serve::otlp::kThresholdHeader), answer->header(serve::otlp::kQuorumHeader),
                             answer->header(serve::otlp::kScoreHeader));
    return true;
  }
  // A server of HTTP/2 answers a request of HTTP/1.1 with frames.
  if (!answer.ok() && !is_http_) {
    const SendResult sent = send_by_grpc(body, connection);
    is_grpc_ = is_grpc_ || sent != SendResult::kRetry;
    if (is_grpc_) return sent == SendResult::kAccepted;
  }
  note(answer.ok() ? fmt::format("{}: HTTP {}", peer_.url(), answer->status) : answer.error().text());
  return false;
}

// What is lost is never sent: a receiver cannot tell.
void Sender::send_window(Plan& plan, uint32_t node, uint32_t window) {
  const auto windows = plan.window(node, window);
  const Delivery delivery = plan.deliveries().of(node, window);
  if (windows.empty() || delivery == Delivery::kLost) {
    ++silent_;
    return;
  }
  const wire::Push push{plan.deliveries().instance_of(node, window), window, plan.clock(node, window)};
  Connection& connection = connections_[node];
  const std::string body = serve::net::gzip(wire::encode_windows(windows, push));
  if (!send(body, connection) || (delivery == Delivery::kTwice && !send(body, connection))) return;
  ++sent_;
  bytes_ += body.size();
  self_classified_->take(node, window, windows, connection.pushed);
  const auto chains = plan.incidents(node, window);
  if (!chains.empty())
    (void)send(serve::net::gzip(wire::encode_incidents(plan.sender(node), chains, push)), connection);
}

void Sender::send(Plan& plan, uint32_t window) {
  plan.begin(window);
  connections_.resize(plan.nodes());
  if (!self_classified_) self_classified_.emplace(plan);
  std::atomic<uint32_t> next = 0;
  const auto work = [&] {
    for (uint32_t node = next++; node < plan.nodes() && !is_in_vain(); node = next++) send_window(plan, node, window);
  };
  auto threads = start_threads(std::min<size_t>(kSendingThreads, plan.nodes()) - 1, work);
  work();
  for (auto& thread : threads) thread.join();
}

std::string Sender::last_error() const {
  const std::lock_guard guard(mutex_);
  return last_error_;
}

}  // namespace ingero::fleet::simulate
