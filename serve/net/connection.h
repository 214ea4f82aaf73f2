// One connection to a peer: TCP, and TLS where the peer has it, with a time by which everything must be done.
//
// Nothing here waits longer than the deadline, whatever the other side does, nor after the Stop it is given was
// signalled. Used by one thread; Stop::signal() by any. Certificates are checked against the host. Failure: kBusy where
// the time was over, and as errno and TLS have it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

#include "base/fd.h"
#include "base/result.h"
#include "serve/net/peer.h"
#include "serve/net/stop.h"

namespace ingero::serve::net {

using Deadline = std::chrono::steady_clock::time_point;

struct TlsFiles {
  std::string authorities;       // PEM; empty: the system's
  std::string certificate, key;  // PEM; both or none. The key must be its owner's alone
  bool only_newest = false;      // TLS 1.3; else 1.2 and newer
  std::string_view flags = {};   // what an error says about a certificate without its key
};

class TlsContext {
 public:
  // Reads the files; an error says which cannot be used.
  static Result<TlsContext> make(const TlsFiles& files);
  SSL_CTX* get() const { return context_.get(); }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  std::unique_ptr<SSL_CTX, Free> context_;
};

class Connection {
 public:
  // `tls` is not used, and may be null, where the peer is plain. `protocol` is what ALPN must agree on ("h2");
  // empty: nothing. The arguments must outlive the connection.
  static Result<std::unique_ptr<Connection>> open(const Peer& peer, const TlsContext* tls, std::string_view protocol,
                                                  Deadline deadline, const Stop& stop);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const Peer& peer() const { return peer_; }
  Status write(std::string_view bytes);
  // What there is, at most `size`, waiting for the first byte; 0: the other side has closed.
  Result<size_t> read(char* bytes, size_t size);

 private:
  Connection(const Peer& peer, Deadline deadline, const Stop& stop) : peer_(peer), deadline_(deadline), stop_(stop) {}
  Status connect();
  Status begin_tls(SSL_CTX* context, std::string_view protocol);
  Status wait(short events) const { return wait(events, deadline_); }
  Status wait(short events, Deadline deadline) const;
  Error broken(std::string_view what, Errc code = Errc::kIo) const;
  Error late() const { return broken("no answer in time", Errc::kBusy); }
  // What TLS makes of a failed call: to wait for, or an error.
  Status after(int result, std::string_view what);

  const Peer& peer_;
  const Deadline deadline_;
  const Stop& stop_;
  Fd socket_;
  SSL* tls_ = nullptr;
};

}  // namespace ingero::serve::net
