// What the commands that serve have in common: flags, secrets, the query service, and running until a signal.
//
// Threads: the command's own; handlers run on the server's.
#pragma once

#include <memory>

#include "cli/app.h"
#include "cli/fleet_flags.h"
#include "serve/http/server.h"
#include "serve/tools/query_service.h"

namespace ingero::cli {

struct ServingOptions {
  std::string database, certificate, key, token_file, audit, timeout = "30s";
  std::vector<std::string> others, hosts;
  FleetOptions fleet;
  std::string nodes_timeout = "5s";
  double per_second = 1000;
  std::vector<const char*> token_variables = {"INGERO_TOKEN"};  // the first that is set is the token
};

// --db, --with, --timeout, and the nodes that query_fleet asks.
void add_query_service_options(Command command, ServingOptions& options);
// --tls-cert, --tls-key, --token-file, --allow-host, --rate, --audit-log.
void add_server_options(Command command, ServingOptions& options);

// The query service of the recording that the options name. `may_page` offers the PagerDuty tool, if the environment
// has a key for it.
Result<std::unique_ptr<serve::tools::QueryService>> open_service(const ServingOptions& options, bool may_page,
                                                                 Context& context);
// Whether requests over HTTP must carry a token.
bool has_token(const ServingOptions& options, const Context& context);

// A server on `address`, the value of `flag`, that checks Host and Origin, with a self-signed certificate unless it is
// `plain` or was given one. Without a secret it listens on loopback only. `open_paths` need no secret.
Result<std::unique_ptr<serve::http::Server>> open_server(const ServingOptions& options, const char* flag,
                                                         const std::string& address, bool plain, Context& context,
                                                         std::vector<std::string> open_paths = {});
// Lowers the CPU priority of this thread, and of those that it starts, below that of traced programs and recorders.
void step_back();

// Prints the address, lowers the priority, and answers with `handler` until SIGINT or SIGTERM.
Result<int> serve_until_signal(serve::http::Server& server, const std::string& what, serve::http::Handler handler,
                               Context& context);

}  // namespace ingero::cli
