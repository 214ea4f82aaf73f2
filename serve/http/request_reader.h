// Reads one HTTP/1.1 request out of the bytes of a connection, strictly and within bounds: nothing that a client sends
// makes it keep more than a head of 16 KiB and a body of the allowed length.
//
// Why our own: cpp-httplib 0.11 reads lines, headers and chunks without a bound (CVE-2025-46728), answers any number of
// ranges, and takes the first of two lengths, which behind a proxy lets one request hide another (RFC 9112, 11.2).
// Refused with 400: bare line feeds, folded headers, lengths that are not digits, two lengths, a length with chunks,
// two of a header that may be there once. Pure; used by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::serve::http {

inline constexpr size_t kMaxHeadBytes = 16 << 10, kMaxHeaderLines = 100, kMaxPathBytes = 512;

struct Head {
  std::string method, path, query;  // the path decoded, the query as it was sent
  std::vector<std::pair<std::string, std::string>> fields;
  bool keeps_alive = false, is_chunked = false, expects_continue = false;
  uint64_t body_bytes = 0;  // as announced; 0 with chunks

  // The first header of this name, in any case; empty: not there.
  std::string header(std::string_view name) const;
  size_t count(std::string_view name) const;
  // Of the query string, decoded; empty: not there.
  std::string parameter(std::string_view name) const;
};

class RequestReader {
 public:
  enum class State : uint8_t {
    kHead,      // wants more of the head
    kHeadRead,  // head() is there; read_body() goes on
    kBody,      // wants more of the body
    kDone,      // head() and body() are there
    kRefused,   // status() and reason() say why; the connection cannot go on
  };
  // `body_bytes`: the longest body. `takes_packed`: one with a Content-Encoding is read as it is, and its user
  // unpacks it within bounds; else it is refused.
  explicit RequestReader(size_t body_bytes, bool takes_packed = false)
      : limit_(body_bytes), takes_packed_(takes_packed) {}

  // Takes bytes and returns how many were used: fewer when the state is none that wants more.
  size_t feed(std::string_view bytes);
  void read_body();

  State state() const { return state_; }
  const Head& head() const { return head_; }
  std::string& body() { return body_; }
  int status() const { return status_; }
  const std::string& reason() const { return reason_; }
  bool is_begun() const { return state_ != State::kHead || !text_.empty(); }
  size_t held_bytes() const { return text_.capacity() + body_.capacity(); }

 private:
  enum class Chunk : uint8_t { kSize, kData, kDataEnd, kTrailer };
  void refuse(int status, std::string reason);
  void parse_head();
  bool parse_request_line(std::string_view line);
  bool parse_field(std::string_view line);
  bool check_fields();
  bool check_length(std::string_view value);
  size_t feed_body(std::string_view bytes);
  size_t feed_line(std::string_view bytes);  // into line_, up to its line feed
  void end_line();

  size_t limit_;
  bool takes_packed_;
  State state_ = State::kHead;
  Head head_;
  std::string text_, body_, line_, reason_;
  int status_ = 0;
  Chunk chunk_ = Chunk::kSize;
  uint64_t left_ = 0;  // of the body, or of the chunk
  size_t trailer_bytes_ = 0;
};

// "a%20b+c"; what is not an escape stays. `plus`: as a blank.
std::string percent_decoded(std::string_view text, bool plus);

}  // namespace ingero::serve::http
