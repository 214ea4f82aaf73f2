// Any bytes as what a client of TLS sends to the real server: raw, in place of a handshake or behind one, or as HTTP
// inside a session. The server answers within the session or ends the connection, and goes on.
//
// The first byte says which: raw from the start; a handshake, then raw; a handshake, then inside the session.
#include <csignal>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "served.h"

using namespace ingero;
using namespace ingero::fuzz;

namespace {

struct FreeSsl {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
};
using Session = std::unique_ptr<SSL, FreeSsl>;

Session shake_hands(const Fd& client) {
  static const std::unique_ptr<SSL_CTX, FreeSsl> context(SSL_CTX_new(TLS_client_method()));
  Session session(SSL_new(context.get()));
  require(SSL_set_fd(session.get(), client.get()) == 1);
  int done = 0;
  while ((done = SSL_connect(session.get())) != 1) {
    require(SSL_get_error(session.get(), done) == SSL_ERROR_WANT_READ);  // a signal came: the fuzzer's own clock
  }
  return session;
}

void send_raw(const Fd& client, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server has ended the connection
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

// All that still comes, undecrypted.
void drain(const Fd& client) {
  char buffer[16384];
  do {
    await(client);
  } while (::recv(client.get(), buffer, sizeof(buffer), 0) > 0);
}

void send_inside(SSL* session, const Fd& client, std::string_view bytes, size_t part) {
  while (!bytes.empty()) {
    const int sent = SSL_write(session, bytes.data(), static_cast<int>(std::min(part, bytes.size())));
    if (sent <= 0) break;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  (void)SSL_shutdown(session);
  ::shutdown(client.get(), SHUT_WR);
  std::string got;
  char buffer[16384];
  while (true) {
    if (SSL_pending(session) == 0) await(client);
    const int count = SSL_read(session, buffer, sizeof(buffer));
    if (count <= 0) break;
    got.append(buffer, static_cast<size_t>(count));
  }
  check_answers(got);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto server = serve_here(true, true);
  static const bool ignores = ::signal(SIGPIPE, SIG_IGN) != SIG_ERR;  // OpenSSL writes without MSG_NOSIGNAL
  require(ignores);
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t part = data[1] == 0 ? SIZE_MAX / 2 : data[1];
  const Fd client = connected(*server);
  ERR_clear_error();
  if (data[0] % 3 == 0) {
    send_raw(client, bytes);
    ::shutdown(client.get(), SHUT_WR);
    drain(client);
    return 0;
  }
  const Session session = shake_hands(client);
  if (data[0] % 3 == 1) {
    send_raw(client, bytes);
    ::shutdown(client.get(), SHUT_WR);
    drain(client);
  } else {
    send_inside(session.get(), client, bytes, part);
  }
  return 0;
}
