// Reads and writes a non-blocking socket, through OpenSSL or as it is: see connection.h.
#include "serve/http/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include <netdb.h>
#include <netinet/in.h>
#include <openssl/err.h>

namespace ingero::serve::http {
namespace {

std::string text_of(const sockaddr_storage& address, socklen_t size) {
  char host[NI_MAXHOST];
  const auto* general = reinterpret_cast<const sockaddr*>(&address);
  return ::getnameinfo(general, size, host, sizeof(host), nullptr, 0, NI_NUMERICHOST) == 0 ? host : std::string();
}

}  // namespace

Connection::Connection(Fd socket, SSL_CTX* context) : socket_(std::move(socket)), wanted_(POLLIN) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getpeername(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    client_ = text_of(address, size);
    auto& of_v6 = reinterpret_cast<sockaddr_in6&>(address).sin6_addr;
    const bool is_v6 = address.ss_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&of_v6);
    if (is_v6) std::fill_n(of_v6.s6_addr + 8, 8, uint8_t{0});
    network_ = is_v6 ? text_of(address, size) : client_;
  }
  if (context == nullptr) return;
  tls_.reset(SSL_new(context));
  if (tls_ == nullptr || SSL_set_fd(tls_.get(), socket_.get()) != 1) socket_.reset();
}

Step Connection::after_tls(int result) {
  const int error = SSL_get_error(tls_.get(), result);
  ERR_clear_error();
  if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return Step::kEnded;
  wanted_ = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
  return Step::kAgain;
}

Step Connection::shake_hands() {
  if (!socket_.valid()) return Step::kEnded;
  if (tls_ == nullptr) return Step::kDone;
  ERR_clear_error();
  const int done = SSL_accept(tls_.get());
  return done == 1 ? Step::kDone : after_tls(done);
}

Step Connection::read(char* bytes, size_t size, size_t& got) {
  if (tls_ != nullptr) {
    ERR_clear_error();
    const int count = SSL_read(tls_.get(), bytes, static_cast<int>(size));
    if (count <= 0) return after_tls(count);
    got = static_cast<size_t>(count);
    return Step::kDone;
  }
  const ssize_t count = ::recv(socket_.get(), bytes, size, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    wanted_ = POLLIN;
    return Step::kAgain;
  }
  if (count <= 0) return Step::kEnded;
  got = static_cast<size_t>(count);
  return Step::kDone;
}

Step Connection::write(const std::string& text, size_t& at) {
  while (at < text.size()) {
    if (tls_ != nullptr) {
      ERR_clear_error();
      const int wrote =
          SSL_write(tls_.get(), text.data() + at, static_cast<int>(std::min<size_t>(text.size() - at, 1 << 20)));
      if (wrote <= 0) return after_tls(wrote);
      at += static_cast<size_t>(wrote);
      continue;
    }
    const ssize_t wrote = ::send(socket_.get(), text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (wrote >= 0) {
      at += static_cast<size_t>(wrote);
    } else if (errno == EAGAIN) {
      wanted_ = POLLOUT;
      return Step::kAgain;
    } else if (errno != EINTR) {
      return Step::kEnded;
    }
  }
  return Step::kDone;
}

void Connection::end_sending() {
  if (tls_ != nullptr) SSL_shutdown(tls_.get());  // the client's own end is not waited for
  ERR_clear_error();
  ::shutdown(socket_.get(), SHUT_WR);
  wanted_ = POLLIN;
}

Step Connection::discard() {
  char bytes[16384];
  const ssize_t count = ::recv(socket_.get(), bytes, sizeof(bytes), 0);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR)) ? Step::kAgain : Step::kEnded;
}

}  // namespace ingero::serve::http
