// Statements for ClickHouse over its HTTP interface (clickhouse.com/docs/interfaces/http): one connection for each.
//
// Credentials go in headers, never in the address. What comes back is bounded. Thread-safe. Failure: kBusy: it does not
// answer, or not in time; the rest by the code that ClickHouse gives: kInvalid (the statement), kPermission, kFull
// (memory, room), kIo.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "serve/net/http_exchange.h"
#include "serve/net/peer.h"
#include "serve/net/stop.h"
#include "serve/net/tls_context.h"

namespace ingero::fleet::store::clickhouse {

struct User {
  std::string name, password;  // empty: ClickHouse's default user
};

struct Server {
  serve::net::Peer peer;
  std::string authorities = {};  // PEM; empty: the system's
  std::string database = "ingero";
  User user = {};
};

class Client {
 public:
  using Settings = std::vector<std::pair<std::string, std::string>>;  // in the order in which they are set
  using Timeout = std::chrono::steady_clock::duration;
  static constexpr Timeout kUsual = std::chrono::seconds(30);

  // kInvalid: a name, or a file, that cannot be used.
  static Result<Client> make(Server server);

  const std::string& database() const { return server_.database; }
  // `statement` with the database as the one where names are looked for (`anywhere`: without, before it is made).
  Status run(const std::string& statement, bool anywhere = false) const;
  // The rows of a statement that ends without FORMAT: {"meta", "data", ...} as JSONCompact has it.
  Result<Json> rows(const std::string& statement, const Settings& settings = {}, Timeout timeout = kUsual) const;
  // Rows of `table` in RowBinary.
  Status insert(std::string_view table, std::string_view columns, std::string_view rows) const;
  // Every exchange, and every later one, ends with kBusy.
  void stop() { stop_->signal(); }
  bool is_stopped() const { return stop_->is_signalled(); }

 private:
  Client(Server server, serve::net::TlsContext tls) : server_(std::move(server)), tls_(std::move(tls)) {}
  Result<std::string> ask(const Settings& parameters, std::string_view body, Timeout timeout) const;

  Server server_;
  serve::net::TlsContext tls_;
  std::unique_ptr<serve::net::Stop> stop_ = std::make_unique<serve::net::Stop>();
};

// As a text literal of a statement.
std::string literal(std::string_view text);

}  // namespace ingero::fleet::store::clickhouse
