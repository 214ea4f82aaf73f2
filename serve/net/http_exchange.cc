// HTTP from the asking side: see http_exchange.h.
#include "serve/net/http_exchange.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace ingero::serve::net {
namespace {

constexpr size_t kMostHeadBytes = 16 << 10;
constexpr int kMostInterim = 8;

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

Error fault(const Connection& connection, Errc code, std::string_view what) {
  return {code, fmt::format("{}: {}", connection.peer().url(), what)};
}

// The answer's bytes, read as they are asked for.
class Reader {
 public:
  Reader(Connection& connection, size_t most_body_bytes) : connection_(connection), most_(most_body_bytes) {}

  // Up to and with the first empty line; nothing when there is none within the limit.
  Result<std::string> head() {
    while (true) {
      const size_t end = buffer_.find("\r\n\r\n");
      if (end <= kMostHeadBytes) {  // not found is more
        std::string text = buffer_.substr(0, end);
        buffer_.erase(0, end + 4);
        return text;
      }
      if (buffer_.size() > kMostHeadBytes) return fault(connection_, Errc::kCorrupt, "its answer has too many headers");
      const auto got = more();
      INGERO_TRY(got);
      if (*got) continue;
      if (!buffer_.empty()) return fault(connection_, Errc::kCorrupt, "its answer ends before its headers do");
      return fault(connection_, Errc::kIo, "it closed the connection without an answer");
    }
  }

  // What was read until something went wrong.
  void body(const Head& head, HttpAnswer& out) {
    if (head.status == 204 || head.status == 304) {
      out.is_whole = true;
    } else if (head.is_chunked) {
      chunked(out);
    } else {
      plain(head.length, out);
    }
    out.is_late = is_late_;
  }

 private:
  void plain(std::optional<uint64_t> length, HttpAnswer& out) {
    const uint64_t most = std::min<uint64_t>(length.value_or(most_), most_);
    bool closed = false;
    while (!closed && buffer_.size() < most) {
      const auto got = more();
      if (!got.ok()) break;
      closed = !*got;
    }
    out.is_over = length ? *length > most_ : buffer_.size() >= most_ && !closed;
    out.is_whole = !out.is_over && (length ? buffer_.size() >= *length : closed);
    buffer_.resize(std::min<uint64_t>(buffer_.size(), most));
    out.body = std::move(buffer_);
  }
  void chunked(HttpAnswer& out) {
    while (true) {
      const auto line = take_line();
      if (!line) return;
      const std::string_view digits = trim(std::string_view(*line).substr(0, line->find(';')));
      if (digits.empty() || digits.size() > 8) return;
      const auto size = parse_u64("0x" + std::string(digits));
      if (!size) return;
      out.is_whole = *size == 0;
      out.is_over = *size > most_ - out.body.size();
      const size_t wanted = std::min<uint64_t>(*size, most_ - out.body.size());
      if (out.is_whole || !fill(wanted)) {
        out.body.append(buffer_, 0, wanted);
        return;
      }
      out.body.append(buffer_, 0, wanted);
      buffer_.erase(0, wanted);
      if (out.is_over || !take_line()) return;
    }
  }
  bool fill(size_t wanted) {
    while (buffer_.size() < wanted) {
      const auto got = more();
      if (!got.ok() || !*got) return false;
    }
    return true;
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
    char bytes[16384];
    const auto got = connection_.read(bytes, sizeof(bytes));
    is_late_ = !got.ok() && got.error().code() == Errc::kBusy;
    INGERO_TRY(got);
    buffer_.append(bytes, *got);
    return *got > 0;
  }

  Connection& connection_;
  const size_t most_;
  std::string buffer_;
  bool is_late_ = false;
};

Result<HttpAnswer> read_answer(Connection& connection, size_t most_body_bytes) {
  Reader reader(connection, most_body_bytes);
  for (int interim = 0; interim < kMostInterim; ++interim) {
    const auto text = reader.head();
    if (!text.ok()) return text.error();
    const auto head = parse_head(*text);
    if (!head) return fault(connection, Errc::kCorrupt, "its answer is no HTTP");
    if (head->status < 200) continue;
    HttpAnswer out{.status = head->status, .retry_after = head->retry_after};
    reader.body(*head, out);
    return out;
  }
  return fault(connection, Errc::kCorrupt, "its answer never begins");
}

std::string head_of(const HttpRequest& request, const Peer& peer) {
  std::string out = fmt::format("{} {} {}\r\nHost: {}\r\nUser-Agent: {}\r\n", request.method, request.path,
                                request.version, peer.authority(), request.agent);
  for (const auto& [name, value] : request.headers) out += fmt::format("{}: {}\r\n", name, value);
  if (!request.type.empty()) {
    out += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", request.type, request.body.size());
  }
  return out + "Connection: close\r\n\r\n";
}

}  // namespace

Result<HttpAnswer> http_ask(Connection& connection, const HttpRequest& request, size_t most_body_bytes) {
  Status sent = connection.write(head_of(request, connection.peer()));
  if (sent.ok()) sent = connection.write(request.body);
  // Who refuses early closes while we write; the answer may be there all the same.
  auto answer = read_answer(connection, most_body_bytes);
  if (!answer.ok() && !sent.ok()) return sent.error();
  return answer;
}

}  // namespace ingero::serve::net
