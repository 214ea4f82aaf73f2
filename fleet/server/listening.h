// The servers of `ingero fleet serve`: two receivers and the API, each on its address, with one set of rules for who
// may listen where.
//
// Encrypted, or plain because it was asked for, and then on this machine only; beyond this machine a token is asked
// for. Failure: kInvalid names the flag. Threads: while starting only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "fleet/server/interface_refusals.h"
#include "fleet/server/tokens.h"
#include "serve/http/grpc_server.h"
#include "serve/http/server.h"

namespace ingero::fleet::server {

struct ListenOptions {
  std::string certificate, key, token_file;
  // Without a host: every address of this machine with a certificate, else itself only.
  std::string grpc_address = ":4317", http_address = ":4318", api_address = ":8081";
  std::vector<std::string> hosts;  // that Host and Origin may name besides the addresses
  std::string dashboard_url;       // of a node's own dashboard, with "{node}" for its name; the page links to it
  bool is_plain = false;
  size_t receiving_threads = 2;  // of each receiver: one decodes while the other's batch is written
};

struct Listening {
  std::unique_ptr<serve::http::Server> receiver, api;
  std::unique_ptr<serve::http::GrpcServer> grpc;
  Tokens tokens;  // that they ask for

  InterfaceRefusals refusals() const;
};

// Binds all three; nothing is answered before their start(). `clock` outlives them.
Result<Listening> listen(const ListenOptions& given, const Environment& environment, const Clock& clock);

}  // namespace ingero::fleet::server
