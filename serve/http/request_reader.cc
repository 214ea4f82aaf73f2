// The grammar of RFC 9112, and no more than it: see request_reader.h.
#include "serve/http/request_reader.h"

#include <algorithm>

#include "base/text.h"
#include "serve/http/secrets.h"

namespace ingero::serve::http {
namespace {

constexpr size_t kMaxChunkLine = 256, kMaxTrailerBytes = 4096;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_same_name(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return (c < 32 && c != '\t') || c == 127; });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

std::string_view without_blanks(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool lists(std::string_view value, std::string_view word) {
  for (const std::string_view part : split(value, ',')) {
    if (is_same_name(without_blanks(part), word)) return true;
  }
  return false;
}

}  // namespace

std::string percent_decoded(std::string_view text, bool plus) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += plus && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::string Head::header(std::string_view name) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return is_same_name(field.first, name); });
  return found == fields.end() ? std::string() : found->second;
}

size_t Head::count(std::string_view name) const {
  return static_cast<size_t>(
      std::count_if(fields.begin(), fields.end(), [&](const auto& field) { return is_same_name(field.first, name); }));
}

std::string Head::parameter(std::string_view name) const {
  for (const std::string_view part : split(query, '&')) {
    const size_t equals = std::min(part.find('='), part.size());
    if (percent_decoded(part.substr(0, equals), true) == name) {
      return percent_decoded(part.substr(std::min(equals + 1, part.size())), true);
    }
  }
  return {};
}

void RequestReader::refuse(int status, std::string reason) {
  state_ = State::kRefused;
  status_ = status;
  reason_ = std::move(reason);
  std::string().swap(text_);
  std::string().swap(body_);
}

size_t RequestReader::feed(std::string_view bytes) {
  if (state_ == State::kBody) return feed_body(bytes);
  if (state_ != State::kHead) return 0;
  const size_t before = text_.size();
  const size_t part = std::min(bytes.size(), kMaxHeadBytes + 1 - before);
  text_.append(bytes.substr(0, part));
  const size_t end = text_.find("\r\n\r\n", before < 3 ? 0 : before - 3);
  if (end != std::string::npos && end + 4 <= kMaxHeadBytes) {
    text_.resize(end + 2);
    parse_head();
    std::string().swap(text_);
    return end + 4 - before;
  }
  if (text_.size() > kMaxHeadBytes) {
    if (text_.find('\n') == std::string::npos) {
      refuse(414, "the request line is longer than 16 KiB");
    } else {
      refuse(431, "the headers are longer than 16 KiB");
    }
  }
  return part;
}

void RequestReader::parse_head() {
  std::string_view rest = text_;
  bool is_first = true;
  size_t lines = 0;
  while (!rest.empty()) {
    const size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    if (has_control(line)) return refuse(400, "a line of the head holds a control character, or ends without CR LF");
    if (!is_first && ++lines > kMaxHeaderLines) return refuse(431, "there are more than 100 headers");
    if (is_first ? !parse_request_line(line) : !parse_field(line)) return;
    is_first = false;
  }
  if (check_fields()) state_ = State::kHeadRead;
}

bool RequestReader::parse_request_line(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  const bool has_parts = first != std::string_view::npos && first < last;
  const std::string_view version = has_parts ? line.substr(last + 1) : std::string_view();
  const std::string_view method = line.substr(0, first);
  std::string_view target = has_parts ? line.substr(first + 1, last - first - 1) : std::string_view();
  if (!is_token(method) || method.size() > 16 || !target.starts_with('/') ||
      target.find(' ') != std::string_view::npos) {
    refuse(400, "the request line is not METHOD /PATH HTTP/1.1");
    return false;
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    refuse(version.starts_with("HTTP/") ? 505 : 400, "only HTTP/1.1 and HTTP/1.0 are spoken here");
    return false;
  }
  head_.keeps_alive = version == "HTTP/1.1";
  target = target.substr(0, target.find('#'));
  const size_t question = std::min(target.find('?'), target.size());
  if (question > kMaxPathBytes) {
    refuse(414, "the path is too long");
    return false;
  }
  head_.method = method;
  head_.path = percent_decoded(target.substr(0, question), false);
  head_.query = target.substr(std::min(question + 1, target.size()));
  return true;
}

bool RequestReader::parse_field(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    refuse(400, "a header is not NAME: VALUE on one line");  // a folded one begins with a blank
    return false;
  }
  const std::string_view name = line.substr(0, colon), value = without_blanks(line.substr(colon + 1));
  head_.fields.emplace_back(name, is_same_name(name, "Authorization") ? authorization_of(value) : std::string(value));
  return true;
}

bool RequestReader::check_fields() {
  for (const char* once : {"Host", "Content-Length", "Transfer-Encoding", "Content-Type", "Authorization", "Expect"}) {
    if (head_.count(once) > 1) {
      refuse(400, fmt::format("there is more than one {} header", once));
      return false;
    }
  }
  const bool is_1_1 = head_.keeps_alive;
  if (is_1_1 && head_.count("Host") == 0) {
    refuse(400, "the Host header is missing");
    return false;
  }
  const std::string connection = head_.header("Connection");
  if (lists(connection, "close")) head_.keeps_alive = false;
  if (!is_1_1 && lists(connection, "keep-alive")) head_.keeps_alive = true;
  const size_t encodings = head_.count("Content-Encoding");
  if (encodings > (takes_packed_ ? 1 : 0) && !is_same_name(head_.header("Content-Encoding"), "identity")) {
    refuse(415,
           takes_packed_ ? "a body that is compressed twice is not accepted" : "a compressed body is not accepted");
    return false;
  }
  const bool has_length = head_.count("Content-Length") > 0;
  if (head_.count("Transfer-Encoding") > 0) {
    if (has_length || !is_1_1) {
      refuse(400, "the length of the body is given twice, as Content-Length and as Transfer-Encoding");
      return false;
    }
    if (!is_same_name(head_.header("Transfer-Encoding"), "chunked")) {
      refuse(501, "the only Transfer-Encoding is chunked");
      return false;
    }
    head_.is_chunked = true;
  }
  if (has_length && !check_length(head_.header("Content-Length"))) return false;
  const bool takes_body = head_.method == "POST" || head_.method == "PUT" || head_.method == "PATCH";
  if (!takes_body && (head_.is_chunked || head_.body_bytes > 0)) {
    refuse(413, "this method has no body");
    return false;
  }
  const std::string expect = head_.header("Expect");
  head_.expects_continue = is_same_name(expect, "100-continue");
  if (!expect.empty() && !head_.expects_continue) {
    refuse(417, "the only expectation is 100-continue");
    return false;
  }
  return true;
}

bool RequestReader::check_length(std::string_view value) {
  const bool is_number = !value.empty() && value.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) {
    refuse(400, "Content-Length is not a number");
    return false;
  }
  const auto length = parse_u64(value);
  if (!length || *length > limit_) {
    refuse(413, fmt::format("the body is longer than {} bytes", limit_));
    return false;
  }
  head_.body_bytes = *length;
  return true;
}

void RequestReader::read_body() {
  left_ = head_.body_bytes;
  state_ = head_.is_chunked || left_ > 0 ? State::kBody : State::kDone;
}

size_t RequestReader::feed_line(std::string_view bytes) {
  const size_t end = bytes.find('\n');
  const size_t part = std::min(end == std::string_view::npos ? bytes.size() : end + 1, kMaxChunkLine);
  line_.append(bytes.substr(0, part));
  if (line_.size() > kMaxChunkLine) refuse(400, "a line between chunks is longer than 256 bytes");
  if (state_ == State::kBody && line_.ends_with('\n')) end_line();
  return part;
}

void RequestReader::end_line() {
  const std::string whole = std::exchange(line_, {});
  const std::string_view line = std::string_view(whole).substr(0, whole.size() < 2 ? 0 : whole.size() - 2);
  if (!whole.ends_with("\r\n") || has_control(line))
    return refuse(400, "a line between chunks does not end with CR LF");
  if (chunk_ == Chunk::kDataEnd) {
    if (!line.empty()) return refuse(400, "a chunk is longer than its size");
    chunk_ = Chunk::kSize;
  } else if (chunk_ == Chunk::kTrailer) {
    trailer_bytes_ += whole.size();
    if (line.empty()) state_ = State::kDone;  // trailers are ignored
    if (trailer_bytes_ > kMaxTrailerBytes) refuse(431, "the trailers are longer than 4 KiB");
  } else {
    const std::string_view digits = line.substr(0, line.find_first_of("; \t"));
    const bool is_hex = !digits.empty() && digits.size() <= 8 &&
                        std::all_of(digits.begin(), digits.end(), [](char c) { return hex_digit(c) >= 0; });
    if (!is_hex) return refuse(400, "the size of a chunk is not a hexadecimal number");
    left_ = 0;
    for (const char c : digits) left_ = left_ * 16 + static_cast<uint64_t>(hex_digit(c));
    if (left_ > limit_ - body_.size()) return refuse(413, fmt::format("the body is longer than {} bytes", limit_));
    chunk_ = left_ > 0 ? Chunk::kData : Chunk::kTrailer;
  }
}

size_t RequestReader::feed_body(std::string_view bytes) {
  size_t used = 0;
  while (used < bytes.size() && state_ == State::kBody) {
    const std::string_view rest = bytes.substr(used);
    if (head_.is_chunked && chunk_ != Chunk::kData) {
      used += feed_line(rest);
      continue;
    }
    const size_t part = std::min<size_t>(left_, rest.size());
    body_.append(rest.substr(0, part));
    used += part;
    left_ -= part;
    if (left_ > 0) continue;
    if (head_.is_chunked) {
      chunk_ = Chunk::kDataEnd;
    } else {
      state_ = State::kDone;
    }
  }
  return used;
}

}  // namespace ingero::serve::http
