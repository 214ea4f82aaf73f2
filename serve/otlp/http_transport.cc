// OTLP over HTTP/1.1: sends one POST per request and parses the answer.
#include <fmt/format.h>

#include "base/text.h"
#include "serve/otlp/transport.h"

namespace ingero::serve::otlp {
namespace {

class HttpTransport : public Transport {
 public:
  HttpTransport(const Receiver& receiver, const TlsContext* tls, const Clock& clock)
      : receiver_(receiver), tls_(tls), clock_(clock) {}

  Answer send(const Payload& payload, Deadline deadline, const Stop& stop) override {
    Headers headers = receiver_.headers(payload.signal);
    if (payload.is_gzip) headers.emplace_back("Content-Encoding", "gzip");
    const bool is_json = receiver_.protocol == Protocol::kHttpJson;
    const std::string path = receiver_.endpoint.path_of(payload.signal);
    const auto answer = net::http_ask(receiver_.endpoint, tls_,
                                      {.path = path,
                                       .agent = receiver_.agent,
                                       .headers = std::move(headers),
                                       .type = is_json ? "application/json" : "application/x-protobuf",
                                       .body = payload.body},
                                      kMaxAnswerBytes, deadline, stop, &connection_);
    if (!answer.ok()) return {.message = answer.error().text()};
    Answer evaluated = evaluate(*answer, payload.items);
    take_headers(*answer, receiver_.protocol, evaluated);
    return evaluated;
  }

 private:
  Answer evaluate(const net::HttpAnswer& head, uint32_t items) const {
    const std::string& body = head.body;
    if (head.status < 300) {
      return receiver_.protocol == Protocol::kHttpJson ? accepted_json(body, items) : accepted_protobuf(body, items);
    }
    Answer answer{.send_result = SendResult::kRefused};
    const std::string words = status_message(body);
    answer.message =
        fmt::format("{}: HTTP {}{}{}", receiver_.endpoint.url(), head.status, words.empty() ? "" : ": ", words);
    if (head.status < 400) answer.message += " (redirects are not followed)";
    if (head.status == 429 || (head.status >= 502 && head.status <= 504)) {
      answer.send_result = SendResult::kRetry;
      answer.retry_after_ns = parse_retry_after_ns(head.header("retry-after"), clock_.wall_ns());
    }
    return answer;
  }

  const Receiver& receiver_;
  const TlsContext* tls_;
  const Clock& clock_;
  net::HttpConnection connection_;
};

}  // namespace

void take_headers(const net::HttpAnswer& from, Protocol protocol, Answer& to) {
  constexpr size_t kHttpOnly = std::string_view("x-").size();
  const auto header = [&](std::string_view name) {
    return std::string(from.header(protocol == Protocol::kGrpc ? name.substr(kHttpOnly) : name));
  };
  to.untrusted_time = header(kTimeHeader);
  to.untrusted_threshold = header(kThresholdHeader);
  to.untrusted_quorum = header(kQuorumHeader);
  to.untrusted_score = header(kScoreHeader);
}

std::unique_ptr<Transport> make_http_transport(const Receiver& receiver, const TlsContext* tls, const Clock& clock) {
  return std::make_unique<HttpTransport>(receiver, tls, clock);
}

}  // namespace ingero::serve::otlp
