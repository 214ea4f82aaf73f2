// Connections: see connection.h.
#include "serve/net/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "base/text.h"
#include "serve/http/secrets.h"

namespace ingero::serve::net {
namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  bool is_loopback() const {
    if (storage.ss_family == AF_INET) {
      return (ntohl(reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr.s_addr) >> 24) == 127;
    }
    const auto& v6 = reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&v6) != 0;
  }
};

struct Lookup {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  int error = 0;
  std::vector<Address> addresses;
};

int look_up(const std::string& host, uint16_t port, int flags, std::vector<Address>& out) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) return error;
  for (const addrinfo* one = found; one != nullptr && out.size() < 16; one = one->ai_next) {
    if (one->ai_addrlen > sizeof(sockaddr_storage)) continue;
    Address& address = out.emplace_back();
    std::copy_n(reinterpret_cast<const char*>(one->ai_addr), one->ai_addrlen,
                reinterpret_cast<char*>(&address.storage));
    address.size = one->ai_addrlen;
  }
  freeaddrinfo(found);
  return 0;
}

// The resolver cannot be interrupted: a thread asks it, and is left behind with its answer when that takes too long.
Result<std::vector<Address>> resolve(const std::string& host, uint16_t port, Deadline deadline, const Stop& stop) {
  std::vector<Address> numeric;
  if (look_up(host, port, AI_NUMERICHOST, numeric) == 0) return numeric;
  const auto lookup = std::make_shared<Lookup>();
  std::thread([lookup, host, port] {
    std::vector<Address> found;
    const int error = look_up(host, port, 0, found);
    const std::scoped_lock lock(lookup->mutex);
    lookup->error = error;
    lookup->addresses = std::move(found);
    lookup->is_done = true;
    lookup->changed.notify_all();
  }).detach();
  std::unique_lock lock(lookup->mutex);
  while (!lookup->is_done) {
    if (std::chrono::steady_clock::now() >= deadline || stop.is_signalled()) {
      return Error(Errc::kBusy, fmt::format("{}: the name was not resolved in time", host));
    }
    lookup->changed.wait_for(lock, std::chrono::milliseconds(50));
  }
  if (lookup->error != 0) return Error(Errc::kIo, fmt::format("{}: {}", host, gai_strerror(lookup->error)));
  return std::move(lookup->addresses);
}

// OpenSSL's own words for what happened last; its queue is empty afterwards.
std::string tls_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "the connection was closed" : reason;
}

}  // namespace

Result<TlsContext> TlsContext::make(const TlsFiles& files) {
  TlsContext out;
  out.context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = out.context_.get();
  if (context == nullptr) return Error(Errc::kIo, "TLS: the library refused: " + tls_reason());
  SSL_CTX_set_min_proto_version(context, files.only_newest ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (files.authorities.empty()) {
    SSL_CTX_set_default_verify_paths(context);
  } else if (SSL_CTX_load_verify_locations(context, files.authorities.c_str(), nullptr) != 1) {
    return Error(Errc::kInvalid, fmt::format("{}: no certificate authorities can be read from it: {}",
                                             files.authorities, tls_reason()));
  }
  if (files.certificate.empty() != files.key.empty()) {
    return Error(Errc::kInvalid, "a client certificate needs its key, and a key its certificate",
                 fmt::format("give both {}", files.flags));
  }
  if (files.certificate.empty()) return out;
  INGERO_TRY(http::check_private(files.key));
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return Error(Errc::kInvalid,
                 fmt::format("{}: not a certificate that can be used: {}", files.certificate, tls_reason()));
  }
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return Error(Errc::kInvalid, fmt::format("{}: not the key of {}: {}", files.key, files.certificate, tls_reason()));
  }
  return out;
}

Error Connection::broken(std::string_view what, Errc code) const {
  return {code, fmt::format("{}: {}", peer_.url(), what)};
}

Result<std::unique_ptr<Connection>> Connection::open(const Peer& peer, const TlsContext* tls, std::string_view protocol,
                                                     Deadline deadline, const Stop& stop) {
  std::unique_ptr<Connection> out(new Connection(peer, deadline, stop));
  INGERO_TRY(out->connect());
  if (peer.has_tls) INGERO_TRY(out->begin_tls(tls->get(), protocol));
  return out;
}

Connection::~Connection() {
  if (tls_ == nullptr) return;
  SSL_shutdown(tls_);  // says that we close; the answer is not waited for
  SSL_free(tls_);
  ERR_clear_error();
}

Status Connection::wait(short events, Deadline deadline) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  pollfd wanted[] = {{socket_.get(), events, 0}, {stop_.fd(), POLLIN, 0}};
  const int ready = left <= 0 ? 0 : ::poll(wanted, 2, static_cast<int>(std::min<int64_t>(left, 60'000)));
  if (ready < 0 && errno != EINTR) return errno_error("poll");
  if (wanted[1].revents != 0) return broken("given up: the program ends");
  if (std::chrono::steady_clock::now() >= deadline) return late();
  return {};
}

// One address after the other, each with its share of the time: the first may lead nowhere.
Status Connection::connect() {
  const auto addresses = resolve(peer_.host, peer_.port, deadline_, stop_);
  INGERO_TRY(addresses);
  Status last = broken("the name has no address");
  auto left = static_cast<int>(addresses->size());
  for (const Address& address : *addresses) {
    if (stop_.is_signalled()) return broken("given up: the program ends");
    const auto now = std::chrono::steady_clock::now();
    const Deadline share = left == 1 ? deadline_ : now + (deadline_ - now) / left;
    --left;
    if (peer_.only_loopback && !address.is_loopback()) {
      last = broken("not encrypted, and the name does not mean this machine");
      continue;
    }
    socket_ = Fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket_.valid()) return errno_error("socket");
    const int on = 1;
    (void)::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    int error = 0;
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0) {
      error = errno;
      if (error == EINPROGRESS) {
        pollfd done{socket_.get(), POLLOUT, 0};
        last = wait(POLLOUT, share);
        while (last.ok() && ::poll(&done, 1, 0) == 0) last = wait(POLLOUT, share);
        if (!last.ok()) continue;
        socklen_t size = sizeof(error);
        (void)::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      }
    }
    if (error == 0) return {};
    last = errno_error(peer_.url(), error);
  }
  return last;
}

Status Connection::begin_tls(SSL_CTX* context, std::string_view protocol) {
  tls_ = SSL_new(context);
  if (tls_ == nullptr || SSL_set_fd(tls_, socket_.get()) != 1) return broken("TLS: " + tls_reason());
  in_addr v4{};
  in6_addr v6{};
  const char* host = peer_.host.c_str();
  bool is_set = false;
  if (inet_pton(AF_INET, host, &v4) == 1 || inet_pton(AF_INET6, host, &v6) == 1) {
    is_set = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls_), host) == 1;
  } else {
    is_set = SSL_set1_host(tls_, host) == 1 && SSL_set_tlsext_host_name(tls_, host) == 1;
  }
  if (!is_set) return broken("TLS: " + tls_reason());
  std::string wanted;
  if (!protocol.empty()) {
    wanted = static_cast<char>(protocol.size()) + std::string(protocol);
    SSL_set_alpn_protos(tls_, reinterpret_cast<const uint8_t*>(wanted.data()), static_cast<unsigned>(wanted.size()));
  }
  for (int done = SSL_connect(tls_); done != 1; done = SSL_connect(tls_)) {
    if (const long verdict = SSL_get_verify_result(tls_); verdict != X509_V_OK) {
      ERR_clear_error();
      return broken(fmt::format("its certificate is not accepted: {}", X509_verify_cert_error_string(verdict)));
    }
    INGERO_TRY(after(done, "TLS handshake"));
  }
  const uint8_t* agreed = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(tls_, &agreed, &size);
  if (!protocol.empty() && std::string_view(reinterpret_cast<const char*>(agreed), size) != protocol) {
    return broken(fmt::format("it does not speak {}", protocol));
  }
  return {};
}

Status Connection::after(int result, std::string_view what) {
  switch (SSL_get_error(tls_, result)) {
    case SSL_ERROR_WANT_READ:
      return wait(POLLIN);
    case SSL_ERROR_WANT_WRITE:
      return wait(POLLOUT);
    default:
      return broken(fmt::format("{}: {}", what, tls_reason()));
  }
}

Status Connection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    size_t done = 0;
    if (tls_ != nullptr) {
      const int wrote = SSL_write(tls_, bytes.data(), static_cast<int>(std::min<size_t>(bytes.size(), 1 << 16)));
      if (wrote <= 0) {
        INGERO_TRY(after(wrote, "write"));
        continue;
      }
      done = static_cast<size_t>(wrote);
    } else {
      const ssize_t wrote = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (wrote < 0) {
        if (errno != EAGAIN && errno != EINTR) return errno_error(peer_.url());
        INGERO_TRY(wait(POLLOUT));
        continue;
      }
      done = static_cast<size_t>(wrote);
    }
    bytes.remove_prefix(done);
    if (std::chrono::steady_clock::now() >= deadline_) return late();
  }
  return {};
}

Result<size_t> Connection::read(char* bytes, size_t size) {
  while (true) {
    if (std::chrono::steady_clock::now() >= deadline_) return late();
    if (tls_ != nullptr) {
      const int got = SSL_read(tls_, bytes, static_cast<int>(std::min<size_t>(size, 1 << 16)));
      if (got > 0) return static_cast<size_t>(got);
      if (SSL_get_error(tls_, got) == SSL_ERROR_ZERO_RETURN) return size_t{0};
      INGERO_TRY(after(got, "read"));
    } else {
      const ssize_t got = ::recv(socket_.get(), bytes, size, 0);
      if (got >= 0) return static_cast<size_t>(got);
      if (errno != EAGAIN && errno != EINTR) return errno_error(peer_.url());
      INGERO_TRY(wait(POLLIN));
    }
  }
}

}  // namespace ingero::serve::net
