// Queries nodes, and servers of clusters, over HTTPS, all at once: each has its own connection, its own deadline and a
// limit on the answer's size. What a server is, it says itself (/api/versions), before anything else is asked.
//
// What comes back is hostile until checked: bounded (kMaxAnswerBytes, kMaxValues), JSON that fits the schema its
// question gives. Redirects are not followed; nothing is sent but the questions and the operator's token, and that
// never unencrypted to another machine. Thread-safe. Failure: of each node by itself, classified by its code as answers
// of tools are.
#pragma once

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "fleet/clocks.h"
#include "fleet/nodes.h"
#include "serve/net/http_exchange.h"
#include "serve/tools/schema.h"

namespace ingero::fleet {

inline constexpr size_t kMaxAnswerBytes = 32 << 20;
inline constexpr size_t kMaxValues = 2'200'000;  // of one answer: 10,000 rows of 200 columns, and what is around them

struct ClientOptions {
  std::vector<Node> nodes;
  serve::net::TlsFiles tls;             // only_newest
  std::string token = {};               // bearer; empty: none
  uint64_t timeout_ns = 5'000'000'000;  // for all that one node is asked in one go
  std::string agent = "ingero";         // of the User-Agent header
};

// One tool of a node (docs/formats/tools.md) or of a cluster's server (docs/fleet.md), and what its answer must look
// like. `capability`: what a cluster's server must say that it has, or is too old for; of a node it says nothing.
struct NodeQuestion {
  std::string tool;
  Json input;
  Json schema;
  std::string capability = {};
};

enum class ServerKind : uint8_t { kNode, kCluster };

// What each kind of server is asked; an error is why a server of that kind is not asked, and its answer then.
struct Questions {
  Result<std::vector<NodeQuestion>> of_node, of_cluster;
};

struct NodeAnswer {
  const Node* node = nullptr;
  std::optional<ServerKind> kind{};    // where it said what it is
  Result<std::vector<Json>> answers;   // one for each question, or why not
  std::optional<ClockOffset> clock{};  // where it was asked for, and known
};

struct Bounds {
  uint64_t time_ns = 0;                           // of all of it; 0: only each node's
  const std::atomic<bool>* cancel = nullptr;      // set by another thread: ends it
  const std::set<std::string>* silent = nullptr;  // names of nodes that did not answer before, and are not asked
};

class Client {
 public:
  // Reads the files; kInvalid says which cannot be used, or that the token would be sent unencrypted.
  static Result<Client> make(ClientOptions options, const Clock& clock);

  const std::vector<Node>& nodes() const { return options_.nodes; }
  // The answers in the order of the nodes.
  std::vector<NodeAnswer> ask(const Questions& questions, bool with_clocks, const Bounds& bounds) const;

 private:
  Client(ClientOptions options, serve::net::TlsContext tls, const Clock& clock)
      : options_(std::move(options)), tls_(std::move(tls)), clock_(&clock) {}
  struct Round;
  Result<Json> exchange(const Round& round, const Node& node, serve::net::HttpRequest request, const Json& schema,
                        uint64_t* round_trip_ns = nullptr, uint64_t* begin_wall_ns = nullptr) const;
  // The texts must outlive it.
  serve::net::HttpRequest request_of(std::string_view path, std::string_view body) const;
  void ask_clock(const Round& round, const Node& node, NodeAnswer& out) const;
  Result<Json> ask_versions(const Round& round, const Node& node) const;
  void ask_one(const Round& round, const Questions& questions, bool with_clocks, NodeAnswer& out) const;

  ClientOptions options_;
  serve::net::TlsContext tls_;
  const Clock* clock_;
};

// A node's answer as JSON: kCorrupt when it is not JSON, nests too deep, holds too many values, or does not fit.
Result<Json> checked_answer(std::string_view untrusted_body, const Json& schema);
// The error that a node's refusal (its status and body) means.
Error refusal_of(int status, std::string_view untrusted_body);

}  // namespace ingero::fleet
