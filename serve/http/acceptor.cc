// What every acceptor asks of a listening socket: see acceptor.h.
#include "serve/http/acceptor.h"

#include <sys/socket.h>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/log.h"

namespace ingero::serve::http {

Fd accept_from(const Fd& socket, AcceptorTime now, AcceptorTime& refused_until) {
  Fd accepted(::accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (accepted.valid()) {
    const int yes = 1;
    ::setsockopt(accepted.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
    log_warning("cannot accept a connection: {}", errno_error("accept").text());
    refused_until = now + std::chrono::seconds(1);
  }
  return accepted;
}

Result<Fd> listen_on(const std::string& host, uint16_t& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string name = fmt::format("listen on {}:{}", host, port);
  if (const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); error != 0) {
    return Error(Errc::kInvalid, fmt::format("{}: {}", name, ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  int reason = EADDRNOTAVAIL;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Fd made(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // No SO_REUSEPORT: with it a second agent would take the first one's requests.
    const int yes = 1;
    ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    sockaddr_storage bound{};
    socklen_t size = sizeof(bound);
    if (::bind(made.get(), at->ai_addr, at->ai_addrlen) != 0 || ::listen(made.get(), SOMAXCONN) != 0 ||
        ::getsockname(made.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
      reason = errno;
      continue;
    }
    port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
    return made;
  }
  return errno_error(name, reason);
}

}  // namespace ingero::serve::http
