// A connection as a stream of cpp-httplib, each of whose waits also ends when the server stops.
#include "serve/http/request_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netdb.h>
#include <openssl/err.h>

namespace ingero::serve::http {
namespace {

constexpr auto kGrace = std::chrono::seconds(1);  // for the last answer

void address_of(decltype(&::getpeername) which, int socket, std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  char host[NI_MAXHOST], service[NI_MAXSERV];
  const auto* general = reinterpret_cast<const sockaddr*>(&address);
  if (which(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      getnameinfo(general, size, host, sizeof(host), service, sizeof(service), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return;
  }
  ip = host;
  port = std::atoi(service);
}

// Milliseconds until then, for poll(); at least 0.
int left_ms(std::chrono::steady_clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 3'600'000));
}

}  // namespace

Connection::Connection(int socket, const net::Stop& stop, int seconds)
    : socket_(socket), stop_(stop), seconds_(seconds) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
}

Connection::~Connection() { ::shutdown(socket_.get(), SHUT_RDWR); }

// True: ready, or worth trying. The stop ends it even where the other side has more to say.
bool Connection::wait(short events, int seconds) const {
  const Time end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (true) {
    pollfd wanted[] = {{socket_.get(), events, 0}, {stop_.fd(), POLLIN, 0}};
    const int ready = ::poll(wanted, 2, left_ms(end));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0 && wanted[1].revents == 0;
  }
}

bool Connection::wait_to_write() const {
  if (wait(POLLOUT, seconds_)) return true;
  if (!stop_.is_signalled()) return false;
  if (write_end_ == Time::max()) write_end_ = std::chrono::steady_clock::now() + kGrace;
  while (true) {
    pollfd wanted{socket_.get(), POLLOUT, 0};
    const int ready = ::poll(&wanted, 1, left_ms(write_end_));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0;
  }
}

bool Connection::wait_after(int result) const {
  const int error = SSL_get_error(tls_.get(), result);
  ERR_clear_error();
  if (error == SSL_ERROR_WANT_READ) return wait(POLLIN, seconds_);
  return error == SSL_ERROR_WANT_WRITE && wait_to_write();
}

bool Connection::begin_tls(SSL_CTX* context) {
  tls_.reset(SSL_new(context));
  if (tls_ == nullptr || SSL_set_fd(tls_.get(), socket_.get()) != 1) return false;
  for (int done = SSL_accept(tls_.get()); done != 1; done = SSL_accept(tls_.get())) {
    if (!wait_after(done)) return false;
  }
  return true;
}

void Connection::end(bool unread) {
  if (tls_ != nullptr) SSL_shutdown(tls_.get());  // the answer is not waited for
  ERR_clear_error();
  ::shutdown(socket_.get(), SHUT_WR);
  if (!unread) return;
  const Time end = std::chrono::steady_clock::now() + kGrace;
  while (std::chrono::steady_clock::now() < end && wait(POLLIN, 1)) {
    if (::recv(socket_.get(), buffer_.data(), buffer_.size(), 0) <= 0) return;
  }
}

bool Connection::is_readable_within(int seconds) const {
  return at_ < end_ || (tls_ != nullptr && SSL_pending(tls_.get()) > 0) || wait(POLLIN, seconds);
}

bool Connection::is_readable() const { return is_readable_within(seconds_); }

bool Connection::is_writable() const { return wait_to_write(); }

ssize_t Connection::receive() {
  while (true) {
    if (tls_ != nullptr) {
      const int got = SSL_read(tls_.get(), buffer_.data(), static_cast<int>(buffer_.size()));
      if (got > 0) return got;
      if (SSL_get_error(tls_.get(), got) == SSL_ERROR_ZERO_RETURN) return 0;
      if (!wait_after(got)) return -1;
    } else {
      const ssize_t got = ::recv(socket_.get(), buffer_.data(), buffer_.size(), 0);
      if (got >= 0) return got;
      if (errno != EINTR && (errno != EAGAIN || !wait(POLLIN, seconds_))) return -1;
    }
  }
}

ssize_t Connection::read(char* bytes, size_t size) {
  if (at_ == end_) {
    const ssize_t got = receive();
    if (got <= 0) return got;
    at_ = 0;
    end_ = static_cast<size_t>(got);
  }
  const size_t part = std::min(size, end_ - at_);
  std::memcpy(bytes, buffer_.data() + at_, part);
  at_ += part;
  return static_cast<ssize_t>(part);
}

ssize_t Connection::write(const char* bytes, size_t size) {
  while (true) {
    if (tls_ != nullptr) {
      const int wrote = SSL_write(tls_.get(), bytes, static_cast<int>(std::min<size_t>(size, 1 << 20)));
      if (wrote > 0) return wrote;
      if (!wait_after(wrote)) return -1;
    } else {
      const ssize_t wrote = ::send(socket_.get(), bytes, size, MSG_NOSIGNAL);
      if (wrote >= 0) return wrote;
      if (errno != EINTR && (errno != EAGAIN || !wait_to_write())) return -1;
    }
  }
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  address_of(::getpeername, socket_.get(), ip, port);
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  address_of(::getsockname, socket_.get(), ip, port);
}

}  // namespace ingero::serve::http
