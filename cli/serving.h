// What the commands that serve have in common: flags, secrets, the desk, and staying until told to end.
//
// Threads: the command's own; handlers run in the server's.
#pragma once

#include <memory>

#include "cli/app.h"
#include "cli/findings.h"
#include "cli/fleet_options.h"
#include "serve/http/server.h"
#include "serve/tools/desk.h"

namespace ingero::cli {

struct ServingOptions {
  std::string database, certificate, key, token_file, audit, timeout = "30s";
  std::vector<std::string> others, hosts;
  FleetOptions fleet;
  std::string nodes_timeout = "5s";
  double per_second = 1000;
  std::string forbidden_token, forbidden_key;  // given as arguments, where everybody can read them
};

// --db, --with, --timeout, and the nodes that query_fleet asks.
void add_desk_options(CLI::App& command, ServingOptions& options);
// --tls-cert, --tls-key, --token-file, --allow-host, --rate, --audit-log; and what is refused: secrets as arguments.
void add_server_options(CLI::App& command, ServingOptions& options, const std::string& token_flags);

// The desk of the recording that the options name, and the commands it asks.
struct Service {
  std::unique_ptr<CommandFindings> findings;
  std::unique_ptr<serve::tools::Desk> desk;
};
// With a key for PagerDuty in the environment `may_page` makes the tool that pages.
Result<Service> open_service(const ServingOptions& options, bool may_page, Context& context);
// Whoever asks over HTTP must show a token.
bool has_token(const ServingOptions& options, const Context& context);

// A server on `address` that guards its host, with a certificate of its own unless it is `plain` or was given one.
// Without a secret it listens on loopback only. `open_paths` are answered to those who have none.
Result<std::unique_ptr<serve::http::Server>> open_server(const ServingOptions& options, const std::string& address,
                                                         bool plain, Context& context,
                                                         std::vector<std::string> open_paths = {});
// Whoever records on this machine, and what is traced, comes first: from now on this thread, and those it starts, take
// what CPU they leave.
void step_back();

// Says where it listens, steps back, answers with `handler` until SIGINT or SIGTERM.
Result<int> serve_until_told(serve::http::Server& server, const std::string& what, serve::http::Handler handler,
                             Context& context);

}  // namespace ingero::cli
