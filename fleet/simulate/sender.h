// Sends the windows of a simulated job to a real receiver, over a connection of each node, as nodes do, and over
// several at once.
//
// Blocks until a window of all nodes is answered. Failure: what is not taken is counted, and why is kept of the last.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fleet/simulate/plan.h"
#include "fleet/simulate/self_classified.h"
#include "serve/net/http_exchange.h"
#include "serve/net/tls_context.h"
#include "serve/otlp/transport.h"

namespace ingero::fleet::simulate {

class Sender {
 public:
  // `endpoint`: an http:// or https:// address, port 4318 where it has none; where what answers there does not speak
  // HTTP/1.1, it is sent to over gRPC. `token`: empty for none. `authorities`:
  // whom to trust, as a PEM file; empty: whom the system does.
  static Result<std::unique_ptr<Sender>> make(std::string_view endpoint, const std::string& token,
                                              const std::string& authorities);

  // One window of all nodes, by several threads: a node's random numbers are its own.
  void send(Plan& plan, uint32_t window);

  uint64_t sent() const { return sent_; }      // windows of nodes that were taken
  uint64_t bytes() const { return bytes_; }    // of them
  uint64_t silent() const { return silent_; }  // windows of nodes that say nothing any more, or that are lost
  bool is_answered() const { return is_http_ || is_grpc_; }  // by a server, if only with a refusal
  std::string last_error() const;
  // What nodes would have said of themselves; null: nothing was sent.
  const SelfClassified* self_classified() const { return self_classified_ ? &*self_classified_ : nullptr; }

 private:
  Sender() = default;
  // To one node's connection, of one kind or the other.
  struct Connection {
    serve::net::HttpConnection http;
    std::unique_ptr<serve::otlp::Transport> grpc;
    std::optional<send::PushedThreshold> pushed;  // with the last answer
  };
  // What the first node cannot send no other can.
  bool is_in_vain() const { return sent_ == 0 && has_failed_; }
  void send_window(Plan& plan, uint32_t node, uint32_t window);
  // False: it is not taken, and why is noted.
  bool send(const std::string& body, Connection& connection);
  serve::otlp::SendResult send_by_grpc(const std::string& body, Connection& connection);
  void note(const std::string& error);

  serve::net::Peer peer_;
  std::optional<serve::net::TlsContext> tls_;
  std::vector<std::pair<std::string, std::string>> headers_;
  serve::otlp::Receiver receiver_;       // the same peer, over gRPC
  std::vector<Connection> connections_;  // of the nodes
  std::optional<SelfClassified> self_classified_;
  std::atomic<uint64_t> sent_ = 0, bytes_ = 0, silent_ = 0;
  std::atomic<bool> is_http_ = false, is_grpc_ = false;  // what is spoken there, as far as is known
  std::atomic<bool> has_failed_ = false;
  mutable std::mutex mutex_;
  std::string last_error_;  // guarded by mutex_
};

}  // namespace ingero::fleet::simulate
