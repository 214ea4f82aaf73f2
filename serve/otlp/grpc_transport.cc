// A unary call of gRPC over one HTTP/2 stream: the request behind its five bytes, the answer, and the trailers that say
// how it ended. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "serve/otlp/transport.h"

namespace ingero::serve::otlp {
namespace {

constexpr size_t kPrefixBytes = 5;  // whether it is compressed, and the length

// Codes of gRPC that matter here.
constexpr int kOk = 0, kUnknown = 2, kResourceExhausted = 8, kUnavailable = 14;

bool is_retryable(int code) {
  // CANCELLED, DEADLINE_EXCEEDED, ABORTED, OUT_OF_RANGE, UNAVAILABLE, DATA_LOSS: OTLP's list.
  constexpr int kRetryable[] = {1, 4, 10, 11, kUnavailable, 15};
  return std::find(std::begin(kRetryable), std::end(kRetryable), code) != std::end(kRetryable);
}

std::string_view name_of_code(int code) {
  constexpr std::string_view kNames[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= 0 && static_cast<size_t>(code) < std::size(kNames) ? kNames[code] : "an unknown code";
}

std::string unbase64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0, count = 0;
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  return out;
}

// grpc-message is percent-encoded.
std::string unpercent(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto digits = text.substr(i + 1, 2);
    const bool is_code = text[i] == '%' && digits.size() == 2 &&
                         digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    out += is_code ? static_cast<char>(*parse_u64("0x" + std::string(digits))) : text[i];
    if (is_code) i += 2;
  }
  return out;
}

// A number that gRPC sends as text.
std::optional<int> status_in(std::string_view text) {
  const auto parsed = parse_u64(text);
  return parsed && *parsed < 1000 ? std::optional(static_cast<int>(*parsed)) : std::nullopt;
}

class GrpcTransport : public Transport {
 public:
  GrpcTransport(const Receiver& receiver, const TlsContext* tls) : receiver_(receiver), tls_(tls) {}

  Answer send(const Payload& payload, Deadline deadline, const Stop& stop) override {
    std::string body;
    body.reserve(kPrefixBytes + payload.body.size());
    body += payload.is_gzip ? '\1' : '\0';
    for (int shift = 24; shift >= 0; shift -= 8) {
      body += static_cast<char>(payload.body.size() >> static_cast<unsigned>(shift) & 0xff);
    }
    body += payload.body;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    Headers headers = {{"te", "trailers"},
                       {"grpc-timeout", fmt::format("{}m", std::clamp<int64_t>(left, 1, 99'999'999))}};
    if (payload.is_gzip) headers.emplace_back("grpc-encoding", "gzip");
    for (const auto& header : receiver_.headers(payload.signal)) headers.push_back(header);
    const auto answer = net::http_ask(
        receiver_.endpoint, tls_,
        {.path = payload.signal == Signal::kMetrics ? "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
                                                    : "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
         .agent = receiver_.agent,
         .headers = std::move(headers),
         .type = "application/grpc",
         .body = body,
         .version = net::HttpVersion::k2},
        kMaxAnswerBytes, deadline, stop, &connection_);
    if (!answer.ok()) return {.message = answer.error().text()};
    Answer evaluated = evaluate(*answer, payload.items);
    take_headers(*answer, Protocol::kGrpc, evaluated);
    return evaluated;
  }

 private:
  std::string with_url(const std::string& what) const { return fmt::format("{}: {}", receiver_.endpoint.url(), what); }

  // A connection that breaks after the trailers has said everything.
  Answer evaluate(const net::HttpAnswer& answer, uint32_t items) const {
    const std::string_view status = answer.header("grpc-status");
    if (status.empty()) {
      const int http = answer.status;
      const bool is_later = http == 429 || (http >= 502 && http <= 504) || http < 300;
      return {
          .send_result = is_later ? SendResult::kRetry : SendResult::kRefused,
          .message = with_url(fmt::format("HTTP {} and no status of gRPC{}", http, answer.is_late ? " in time" : ""))};
    }
    const int code = status_in(status).value_or(kUnknown);
    if (code == kOk) {
      // A compressed answer is not asked for.
      const std::string_view body = answer.body;
      const bool is_message = body.size() >= kPrefixBytes && body[0] == '\0';
      return accepted_protobuf(is_message ? body.substr(kPrefixBytes) : std::string_view(), items);
    }
    Answer out{.send_result = is_retryable(code) ? SendResult::kRetry : SendResult::kRefused};
    out.retry_after_ns = retry_delay_ns(unbase64(answer.header("grpc-status-details-bin")));
    // Exhausted for good, unless it says when to come back.
    if (code == kResourceExhausted && out.retry_after_ns) out.send_result = SendResult::kRetry;
    const std::string message = printable(unpercent(answer.header("grpc-message")));
    out.message = with_url(fmt::format("{}{}{}", name_of_code(code), message.empty() ? "" : ": ", message));
    return out;
  }

  const Receiver& receiver_;
  const TlsContext* tls_;
  net::HttpConnection connection_;
};

}  // namespace

std::unique_ptr<Transport> make_grpc_transport(const Receiver& receiver, const TlsContext* tls) {
  return std::make_unique<GrpcTransport>(receiver, tls);
}

}  // namespace ingero::serve::otlp
