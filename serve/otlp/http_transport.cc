// A POST of HTTP/1.1 and its answer.
#include <fmt/format.h>

#include "base/text.h"
#include "serve/net/http_answer.h"
#include "serve/otlp/transport.h"

namespace ingero::serve::otlp {
namespace {

class HttpTransport : public Transport {
 public:
  HttpTransport(const Receiver& receiver, const TlsContext* tls, const Clock& clock)
      : receiver_(receiver), tls_(tls), clock_(clock) {}

  Answer send(const Payload& payload, Deadline deadline, const Stop& stop) override {
    auto connection = Connection::open(receiver_.endpoint, tls_, "", deadline, stop);
    if (!connection.ok()) return {.message = connection.error().message()};
    Status sent = (*connection)->write(head_of(payload));
    if (sent.ok()) sent = (*connection)->write(payload.body);
    // A receiver that refuses early closes while we write; its answer may be there all the same.
    const auto answer = net::read_http_answer(**connection, kMostAnswerBytes);
    if (!answer.ok()) return {.message = with_url(sent.ok() ? answer.error().message() : sent.error().message())};
    return judge(*answer, payload.items);
  }

 private:
  std::string with_url(const std::string& what) const {
    return what.starts_with(receiver_.endpoint.Peer::url()) ? what
                                                            : fmt::format("{}: {}", receiver_.endpoint.url(), what);
  }

  std::string head_of(const Payload& payload) const {
    const bool is_json = receiver_.protocol == Protocol::kHttpJson;
    std::string out = fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: {}\r\nContent-Type: {}\r\n",
                                  receiver_.endpoint.path_of(payload.signal), receiver_.endpoint.authority(),
                                  receiver_.agent, is_json ? "application/json" : "application/x-protobuf");
    if (payload.is_gzip) out += "Content-Encoding: gzip\r\n";
    out += fmt::format("Content-Length: {}\r\nConnection: close\r\n", payload.body.size());
    for (const auto& [name, value] : receiver_.headers(payload.signal)) out += fmt::format("{}: {}\r\n", name, value);
    return out + "\r\n";
  }

  Answer judge(const net::HttpAnswer& head, uint32_t items) const {
    const std::string& body = head.body;
    if (head.status < 300) {
      return receiver_.protocol == Protocol::kHttpJson ? accepted_json(body, items) : accepted_protobuf(body, items);
    }
    Answer answer{.verdict = Verdict::kRefused};
    const std::string words = status_message(body);
    answer.message = with_url(fmt::format("HTTP {}{}{}", head.status, words.empty() ? "" : ": ", words));
    if (head.status < 400) answer.message += " (redirects are not followed)";
    if (head.status == 429 || (head.status >= 502 && head.status <= 504)) {
      answer.verdict = Verdict::kRetry;
      answer.retry_after_ns = parse_retry_after_ns(head.retry_after, clock_.wall_ns());
    }
    return answer;
  }

  const Receiver& receiver_;
  const TlsContext* tls_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<Transport> make_http_transport(const Receiver& receiver, const TlsContext* tls, const Clock& clock) {
  return std::make_unique<HttpTransport>(receiver, tls, clock);
}

}  // namespace ingero::serve::otlp
