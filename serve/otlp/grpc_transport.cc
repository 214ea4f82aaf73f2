// A unary call of gRPC over one HTTP/2 stream: the request behind its five bytes, the answer, and the trailers that say
// how it ended. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
#include <algorithm>

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include "base/text.h"
#include "serve/otlp/transport.h"

namespace ingero::serve::otlp {
namespace {

constexpr size_t kPrefixBytes = 5;  // whether it is compressed, and the length
constexpr size_t kMostHeaderBytes = 8 << 10;

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

struct Call {
  std::string request;
  size_t sent = 0;
  std::optional<int> http_status, grpc_status;
  std::string message, details, body;
  bool is_closed = false;
};

Call& call_of(void* user) { return *static_cast<Call*>(user); }

ssize_t read_request(nghttp2_session*, int32_t, uint8_t* to, size_t size, uint32_t* flags, nghttp2_data_source*,
                     void* user) {
  Call& call = call_of(user);
  const size_t now = std::min(size, call.request.size() - call.sent);
  std::copy_n(call.request.data() + call.sent, now, to);
  call.sent += now;
  if (call.sent == call.request.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(now);
}

int on_header(nghttp2_session*, const nghttp2_frame*, const uint8_t* name_bytes, size_t name_size,
              const uint8_t* value_bytes, size_t value_size, uint8_t, void* user) {
  Call& call = call_of(user);
  const std::string_view name(reinterpret_cast<const char*>(name_bytes), name_size);
  const std::string_view value(reinterpret_cast<const char*>(value_bytes), std::min(value_size, kMostHeaderBytes));
  const auto number = [&]() -> std::optional<int> {
    const auto parsed = parse_u64(value);
    return parsed && *parsed < 1000 ? std::optional(static_cast<int>(*parsed)) : std::nullopt;
  };
  if (name == ":status") call.http_status = number();
  if (name == "grpc-status") call.grpc_status = number().value_or(kUnknown);
  if (name == "grpc-message") call.message = unpercent(value);
  if (name == "grpc-status-details-bin") call.details = unbase64(value);
  return 0;
}

int on_data(nghttp2_session*, uint8_t, int32_t, const uint8_t* bytes, size_t size, void* user) {
  Call& call = call_of(user);
  const size_t room = kMostAnswerBytes - std::min(call.body.size(), kMostAnswerBytes);
  call.body.append(reinterpret_cast<const char*>(bytes), std::min(size, room));
  return 0;
}

int on_close(nghttp2_session*, int32_t, uint32_t, void* user) {
  call_of(user).is_closed = true;
  return 0;
}

struct Free {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  void operator()(nghttp2_session_callbacks* callbacks) const { nghttp2_session_callbacks_del(callbacks); }
};
using Session = std::unique_ptr<nghttp2_session, Free>;

Session make_session(Call& call) {
  nghttp2_session_callbacks* made = nullptr;
  if (nghttp2_session_callbacks_new(&made) != 0) return nullptr;
  const std::unique_ptr<nghttp2_session_callbacks, Free> callbacks(made);
  nghttp2_session_callbacks_set_on_header_callback(made, on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, on_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(made, on_close);
  nghttp2_session* session = nullptr;
  if (nghttp2_session_client_new(&session, made, &call) != 0) return nullptr;
  return Session(session);
}

class GrpcTransport : public Transport {
 public:
  GrpcTransport(const Receiver& receiver, const TlsContext* tls) : receiver_(receiver), tls_(tls) {}

  Answer send(const Payload& payload, Deadline deadline, const Stop& stop) override {
    auto connection = Connection::open(receiver_.endpoint, tls_, "h2", deadline, stop);
    if (!connection.ok()) return {.message = connection.error().message()};
    Call call;
    call.request.reserve(kPrefixBytes + payload.body.size());
    call.request += payload.is_gzip ? '\1' : '\0';
    for (int shift = 24; shift >= 0; shift -= 8) {
      call.request += static_cast<char>(payload.body.size() >> static_cast<unsigned>(shift) & 0xff);
    }
    call.request += payload.body;
    const Session session = make_session(call);
    if (session == nullptr || !submit(session.get(), payload, deadline)) {
      return {.message = "HTTP/2: the library refused the request"};
    }
    const Status done = talk(**connection, session.get(), call);
    // A connection that breaks after the trailers has said everything.
    if (!call.grpc_status && !call.http_status) {
      return {.message = done.ok() ? with_url("it closed the connection without an answer") : done.error().message()};
    }
    return judge(call, payload.items);
  }

 private:
  std::string with_url(const std::string& what) const { return fmt::format("{}: {}", receiver_.endpoint.url(), what); }

  bool submit(nghttp2_session* session, const Payload& payload, Deadline deadline) const {
    // No pushed streams; an answer needs no more than the usual window.
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                               {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kMostHeaderBytes}};
    if (nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, std::size(settings)) != 0) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    std::vector<std::pair<std::string, std::string>> headers = {
        {":method", "POST"},
        {":scheme", receiver_.endpoint.has_tls ? "https" : "http"},
        {":path", payload.signal == Signal::kMetrics ? "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
                                                     : "/opentelemetry.proto.collector.trace.v1.TraceService/Export"},
        {":authority", receiver_.endpoint.authority()},
        {"te", "trailers"},
        {"content-type", "application/grpc"},
        {"user-agent", receiver_.agent},
        {"grpc-timeout", fmt::format("{}m", std::clamp<int64_t>(left, 1, 99'999'999))},
    };
    if (payload.is_gzip) headers.emplace_back("grpc-encoding", "gzip");
    for (const auto& header : receiver_.headers(payload.signal)) headers.push_back(header);
    std::vector<nghttp2_nv> fields;
    fields.reserve(headers.size());
    for (auto& [name, value] : headers) {
      fields.push_back({reinterpret_cast<uint8_t*>(name.data()), reinterpret_cast<uint8_t*>(value.data()), name.size(),
                        value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    nghttp2_data_provider body{};
    body.read_callback = read_request;
    return nghttp2_submit_request(session, nullptr, fields.data(), fields.size(), &body, nullptr) > 0;
  }

  Status talk(Connection& connection, nghttp2_session* session, Call& call) const {
    char bytes[8192];
    while (!call.is_closed) {
      const uint8_t* out = nullptr;
      for (ssize_t size = nghttp2_session_mem_send(session, &out); size != 0;
           size = nghttp2_session_mem_send(session, &out)) {
        if (size < 0) return Error(Errc::kIo, with_url(nghttp2_strerror(static_cast<int>(size))));
        INGERO_TRY(connection.write({reinterpret_cast<const char*>(out), static_cast<size_t>(size)}));
      }
      if (call.is_closed || nghttp2_session_want_read(session) == 0) break;  // we may have closed it ourselves
      const auto got = connection.read(bytes, sizeof(bytes));
      INGERO_TRY(got);
      if (*got == 0) break;
      const ssize_t used = nghttp2_session_mem_recv(session, reinterpret_cast<const uint8_t*>(bytes), *got);
      if (used < 0) {
        return Error(Errc::kCorrupt,
                     with_url(fmt::format("its answer is no HTTP/2: {}", nghttp2_strerror(static_cast<int>(used)))));
      }
    }
    return {};
  }

  Answer judge(const Call& call, uint32_t items) const {
    const int http = call.http_status.value_or(200);
    if (!call.grpc_status) {
      const bool is_later = http == 429 || (http >= 502 && http <= 504) || http < 300;
      return {.verdict = is_later ? Verdict::kRetry : Verdict::kRefused,
              .message = with_url(fmt::format("HTTP {} and no status of gRPC", http))};
    }
    const int code = *call.grpc_status;
    if (code == kOk) {
      // A compressed answer is not asked for.
      const bool is_message = call.body.size() >= kPrefixBytes && call.body[0] == '\0';
      return accepted_protobuf(is_message ? std::string_view(call.body).substr(kPrefixBytes) : std::string_view(),
                               items);
    }
    Answer answer{.verdict = is_retryable(code) ? Verdict::kRetry : Verdict::kRefused};
    answer.retry_after_ns = retry_delay_ns(call.details);
    // Exhausted for good, unless it says when to come back.
    if (code == kResourceExhausted && answer.retry_after_ns) answer.verdict = Verdict::kRetry;
    answer.message =
        with_url(fmt::format("{}{}{}", name_of_code(code), call.message.empty() ? "" : ": ", printable(call.message)));
    return answer;
  }

  const Receiver& receiver_;
  const TlsContext* tls_;
};

}  // namespace

std::unique_ptr<Transport> make_grpc_transport(const Receiver& receiver, const TlsContext* tls) {
  return std::make_unique<GrpcTransport>(receiver, tls);
}

}  // namespace ingero::serve::otlp
