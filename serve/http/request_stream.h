// One accepted connection of the HTTP server, plain or TLS. Private to serve/http/.
//
// The library's own connections wait for a request, a handshake or a body without noticing that the server is stopping;
// these end at once when `stop` is signalled. An answer that is then being written gets one more second.
#pragma once

#include <array>
#include <chrono>
#include <memory>

#include <httplib.h>
#include <openssl/ssl.h>

#include "base/fd.h"
#include "serve/http/tls.h"
#include "serve/net/stop.h"

namespace ingero::serve::http {

// Used by one thread. A wait for the other side takes `seconds` at most.
class Connection final : public httplib::Stream {
 public:
  // Takes the socket; `stop` must outlive the connection.
  Connection(int socket, const net::Stop& stop, int seconds);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool begin_tls(SSL_CTX* context);
  // False: nothing came within `seconds`, or the server stops.
  bool is_readable_within(int seconds) const;
  // Shuts down the sending side. `unread`: the client may still be sending data that will not be read; closing the
  // socket before that has arrived would lose the answer.
  void end(bool unread);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* bytes, size_t size) override;
  ssize_t write(const char* bytes, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_.get(); }

 private:
  using Time = std::chrono::steady_clock::time_point;
  bool wait(short events, int seconds) const;
  bool wait_to_write() const;
  bool wait_after(int result) const;  // for what TLS wants after a failed call
  ssize_t receive();                  // into the buffer, which is empty

  Fd socket_;
  const net::Stop& stop_;
  int seconds_;
  std::unique_ptr<SSL, FreeTls> tls_;
  std::array<char, 8192> buffer_;  // the library reads lines byte by byte
  size_t at_ = 0, end_ = 0;
  mutable Time write_end_ = Time::max();  // after a stop
};

}  // namespace ingero::serve::http
