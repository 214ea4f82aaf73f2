// HTTP 1.0 by hand: a client library's time limits count each read by itself, and whoever sends a byte a second is
// never late.
#include "serve/prometheus/fetch.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include "base/fd.h"
#include "base/text.h"

namespace ingero::serve::prometheus {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kMostHeadBytes = 64 << 10;

int left_ms(Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
}

bool ready(int socket, short events, Clock::time_point until) {
  pollfd one{socket, events, 0};
  int got = 0;
  do {
    got = ::poll(&one, 1, left_ms(until));
  } while (got < 0 && errno == EINTR);
  return got > 0;
}

sockaddr_storage address_of(const std::string& host, uint16_t port, socklen_t& length) {
  sockaddr_storage storage{};
  in6_addr six{};
  if (inet_pton(AF_INET6, host.c_str(), &six) == 1) {
    auto* to = reinterpret_cast<sockaddr_in6*>(&storage);
    to->sin6_family = AF_INET6;
    to->sin6_port = htons(port);
    to->sin6_addr = six;
    length = sizeof(*to);
    return storage;
  }
  auto* to = reinterpret_cast<sockaddr_in*>(&storage);
  to->sin_family = AF_INET;
  to->sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &to->sin_addr) != 1) to->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  length = sizeof(*to);
  return storage;
}

// The value of a header field, in an answer's head; empty: it is not there.
std::string_view field(std::string_view head, std::string_view name) {
  for (std::string_view line : split(head, '\n')) {
    const size_t colon = line.find(':');
    if (colon != name.size()) continue;
    const bool same = std::equal(name.begin(), name.end(), line.begin(),
                                 [](char one, char other) { return one == (other | 0x20) || one == other; });
    if (same) return trim(line.substr(colon + 1));
  }
  return {};
}

// Chunks put together; false when they are not whole.
bool join_chunks(std::string_view chunks, std::string& body) {
  for (;;) {
    const size_t end = chunks.find("\r\n");
    if (end == std::string_view::npos || end == 0 || end > 16) return false;
    uint64_t size = 0;
    for (const char c : chunks.substr(0, std::min(end, chunks.find(';')))) {
      const int digit = c >= '0' && c <= '9'                     ? c - '0'
                        : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                                 : -1;
      if (digit < 0 || size >> 32 != 0) return false;
      size = size * 16 + static_cast<uint64_t>(digit);
    }
    chunks.remove_prefix(end + 2);
    if (size == 0) return true;
    if (chunks.size() < size + 2) return false;
    body.append(chunks.substr(0, size));
    chunks.remove_prefix(size + 2);
  }
}

}  // namespace

bool is_loopback(const std::string& host) {
  if (host == "localhost") return true;
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  return inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

Result<std::string> fetch_page(const std::string& host, uint16_t port, const std::string& path, uint64_t timeout_ns,
                               size_t most_bytes) {
  const std::string url = fmt::format("http://{}:{}{}", host, port, path);
  if (!is_loopback(host)) {
    return Error(Errc::kInvalid, fmt::format("{}: not this machine's own address", url), "name 127.0.0.1 or ::1");
  }
  const auto until = Clock::now() + std::chrono::nanoseconds(timeout_ns);
  socklen_t length = 0;
  const sockaddr_storage address = address_of(host, port, length);
  const Fd connection(::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!connection.valid()) return errno_error("socket for " + url);
  const auto late = [&] { return Error(Errc::kBusy, fmt::format("{}: no whole answer in time", url)); };
  if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    if (errno != EINPROGRESS) return errno_error("connect to " + url);
    if (!ready(connection.get(), POLLOUT, until)) return late();
    int failed = 0;
    socklen_t size = sizeof(failed);
    getsockopt(connection.get(), SOL_SOCKET, SO_ERROR, &failed, &size);
    if (failed != 0) {
      errno = failed;
      return errno_error("connect to " + url);
    }
  }
  const std::string request =
      fmt::format("GET {} HTTP/1.0\r\nHost: {}:{}\r\nAccept: text/plain; version=0.0.4\r\nConnection: close\r\n\r\n",
                  path, host, port);
  if (::send(connection.get(), request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) {
    return errno_error("send to " + url);
  }
  std::string answer;
  size_t head = std::string::npos;
  std::optional<uint64_t> whole;  // bytes, with the head
  while (!whole || answer.size() < *whole) {
    if (!ready(connection.get(), POLLIN, until)) return late();
    char block[16384];
    const ssize_t got = ::recv(connection.get(), block, sizeof(block), 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return errno_error("read from " + url);
    if (got == 0) break;
    const size_t before = answer.size();
    answer.append(block, static_cast<size_t>(got));
    if (answer.size() > most_bytes + kMostHeadBytes) {
      return Error(Errc::kFull, fmt::format("{}: more than {} bytes", url, most_bytes));
    }
    if (head != std::string::npos) continue;
    head = answer.find("\r\n\r\n", before < 3 ? 0 : before - 3);
    if (head == std::string::npos && answer.size() > kMostHeadBytes) break;
    if (head == std::string::npos) continue;
    if (const auto said = parse_u64(field(std::string_view(answer).substr(0, head), "content-length"))) {
      if (*said > most_bytes) return Error(Errc::kFull, fmt::format("{}: more than {} bytes", url, most_bytes));
      whole = head + 4 + *said;
    }
  }
  const std::string_view shown = answer;
  if (head == std::string::npos || !shown.starts_with("HTTP/1.") || shown.size() < 12) {
    return Error(Errc::kCorrupt, fmt::format("{}: no answer of HTTP", url));
  }
  if (shown.substr(9, 3) != "200") {
    return Error(Errc::kInvalid, fmt::format("{}: status {}", url, printable(shown.substr(9, 3))));
  }
  if (whole && answer.size() < *whole) return Error(Errc::kCorrupt, fmt::format("{}: the answer is cut", url));
  if (field(shown.substr(0, head), "transfer-encoding") != "chunked") {
    return std::string(shown.substr(head + 4, whole ? *whole - head - 4 : std::string::npos));
  }
  std::string body;
  if (!join_chunks(shown.substr(head + 4), body))
    return Error(Errc::kCorrupt, fmt::format("{}: the answer is cut", url));
  return body;
}

}  // namespace ingero::serve::prometheus
