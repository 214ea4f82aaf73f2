// A POST of HTTP/1.1 and its answer, with every byte counted: nothing a receiver sends can hold more memory or time
// than it is given. (The HTTP library that the servers use bounds neither the headers of an answer nor its whole time.)
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "serve/otlp/transport.h"

namespace ingero::serve::otlp {
namespace {

constexpr size_t kMostHeadBytes = 16 << 10;

struct Head {
  int status = 0;
  std::optional<uint64_t> length = {};
  bool is_chunked = false;
  std::string retry_after = {};
};

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return (x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x) == y;
         });
}

std::optional<Head> parse_head(std::string_view text) {
  const auto lines = split(text, '\n');
  const std::string_view first = trim(lines[0]);
  // "HTTP/1.1 200 OK"
  if (!first.starts_with("HTTP/1.") || first.size() < 12 || first[8] != ' ') return std::nullopt;
  const auto status = parse_u64(first.substr(9, 3));
  if (!status || *status < 100 || *status > 599) return std::nullopt;
  Head head{.status = static_cast<int>(*status)};
  for (size_t i = 1; i < lines.size(); ++i) {
    const size_t colon = lines[i].find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = trim(lines[i].substr(0, colon)), value = trim(lines[i].substr(colon + 1));
    if (same_word(name, "content-length")) {
      head.length = parse_u64(value);
      if (!head.length) return std::nullopt;
    } else if (same_word(name, "transfer-encoding")) {
      head.is_chunked = same_word(value, "chunked");
    } else if (same_word(name, "retry-after")) {
      head.retry_after = value;
    }
  }
  return head;
}

// The answer's bytes, read as they are asked for.
class Reader {
 public:
  explicit Reader(Connection& connection) : connection_(connection) {}

  // Up to and with the first empty line; nothing when there is none within the limit.
  Result<std::string> head() {
    while (true) {
      if (const size_t end = buffer_.find("\r\n\r\n"); end != std::string::npos) {
        std::string text = buffer_.substr(0, end);
        buffer_.erase(0, end + 4);
        return text;
      }
      if (buffer_.size() > kMostHeadBytes) return Error(Errc::kCorrupt, "its answer has too many headers");
      const auto got = more();
      INGERO_TRY(got);
      if (!*got) return Error(Errc::kIo, "it closed the connection without an answer");
    }
  }

  // At most kMostAnswerBytes of the body; what was read until something went wrong.
  std::string body(const Head& head) {
    if (head.status == 204 || head.status == 304) return {};
    if (head.is_chunked) return chunked();
    const uint64_t most = std::min<uint64_t>(head.length.value_or(kMostAnswerBytes), kMostAnswerBytes);
    while (buffer_.size() < most) {
      const auto got = more();
      if (!got.ok() || !*got) break;
    }
    return buffer_.substr(0, most);
  }

 private:
  std::string chunked() {
    std::string out;
    while (out.size() < kMostAnswerBytes) {
      const auto line = take_line();
      if (!line) break;
      const std::string_view digits = trim(std::string_view(*line).substr(0, line->find(';')));
      if (digits.empty() || digits.size() > 8) break;
      const auto size = parse_u64("0x" + std::string(digits));
      if (!size || *size == 0) break;
      const size_t wanted = std::min<uint64_t>(*size, kMostAnswerBytes - out.size());
      while (buffer_.size() < wanted) {
        const auto got = more();
        if (!got.ok() || !*got) return out + buffer_;
      }
      out += buffer_.substr(0, wanted);
      buffer_.erase(0, wanted);
      if (wanted < *size || !take_line()) break;
    }
    return out;
  }
  std::optional<std::string> take_line() {
    while (true) {
      if (const size_t end = buffer_.find('\n'); end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      if (buffer_.size() > 256) return std::nullopt;
      const auto got = more();
      if (!got.ok() || !*got) return std::nullopt;
    }
  }
  // False: the other side has closed.
  Result<bool> more() {
    char bytes[4096];
    const auto got = connection_.read(bytes, sizeof(bytes));
    INGERO_TRY(got);
    buffer_.append(bytes, *got);
    return *got > 0;
  }

  Connection& connection_;
  std::string buffer_;
};

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
    Reader reader(**connection);
    std::optional<Head> head;
    for (int interim = 0; interim < 8; ++interim) {
      const auto text = reader.head();
      if (!text.ok()) return {.message = with_url(sent.ok() ? text.error().message() : sent.error().message())};
      head = parse_head(*text);
      if (!head) return {.message = with_url("its answer is no HTTP")};
      if (head->status >= 200) break;
    }
    if (head->status < 200) return {.message = with_url("its answer never begins")};
    return judge(*head, reader.body(*head), payload.items);
  }

 private:
  std::string with_url(const std::string& what) const {
    const std::string url = receiver_.endpoint.url();
    return what.starts_with(url) ? what : fmt::format("{}: {}", url, what);
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

  Answer judge(const Head& head, const std::string& body, uint32_t items) const {
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
