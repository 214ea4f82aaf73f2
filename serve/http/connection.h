// One accepted connection, plain or TLS, that never waits. Private to serve/http/; used by the listener's thread.
#pragma once

#include <string>

#include <openssl/ssl.h>

#include "base/fd.h"
#include "serve/http/tls.h"

namespace ingero::serve::http {

enum class Step : uint8_t { kDone, kAgain, kEnded };  // kAgain: when poll() says `wanted_events()`

class Connection {
 public:
  // Takes the socket. `context` null: plain.
  Connection(Fd socket, SSL_CTX* context);

  // Of TLS; kDone at once without.
  Step shake_hands();
  // Up to `size` bytes: `got` of them.
  Step read(char* bytes, size_t size, size_t& got);
  // From `text`, from `at` on, which moves.
  Step write(const std::string& text, size_t& at);
  // No more is sent. What still comes is for discard().
  void end_sending();
  // Reads and forgets what has come: closing a socket with unread bytes would take the last answer from the client.
  Step discard();

  int fd() const { return socket_.get(); }
  short wanted_events() const { return wanted_; }
  const std::string& client() const { return client_; }  // its address
  // What shares are counted by: the address, of IPv6 the /64 of it, for a client has all of those.
  const std::string& network() const { return network_; }

 private:
  Step after_tls(int result);

  Fd socket_;
  std::unique_ptr<SSL, FreeTls> tls_;
  std::string client_, network_;
  short wanted_;
};

}  // namespace ingero::serve::http
