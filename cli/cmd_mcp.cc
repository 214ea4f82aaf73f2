// ingero mcp: the tools for models, over standard input and output or over HTTPS.
#include <unistd.h>

#include "cli/commands.h"
#include "cli/legacy/legacy_flags.h"
#include "cli/serving.h"
#include "serve/mcp/recording_provider.h"
#include "serve/mcp/stdio.h"
#include "serve/mcp/streamable.h"

namespace ingero::cli {
namespace {

struct McpOptions {
  ServingOptions serving;
  std::string http;
};

Result<int> run_mcp(const McpOptions& options, Context& context) {
  auto service = open_service(options.serving, options.http.empty() || has_token(options.serving, context), context);
  if (!service.ok()) return service.error();
  serve::mcp::RecordingProvider provider(**service);
  serve::mcp::Protocol protocol(provider, {INGERO_VERSION});
  if (options.http.empty()) {
    step_back();
    INGERO_TRY(serve::mcp::serve_stdio(protocol, STDIN_FILENO, STDOUT_FILENO));
    return kExitDone;
  }
  auto server = open_server(options.serving, "--http", options.http, false, context);
  if (!server.ok()) return server.error();
  return serve_until_signal(
      **server, "MCP",
      [&](const serve::http::Request& request) -> serve::http::Response {
        if (request.path == "/mcp") return serve::mcp::answer_http(protocol, request);
        return {404, "application/json", R"({"error":"the protocol is at /mcp","class":"not_found"})"};
      },
      context);
}

}  // namespace

void add_mcp(Command root, Context& context) {
  const Command command =
      root.add_command("mcp", "Answer models' questions about a recording (Model Context Protocol)");
  auto options = std::make_shared<McpOptions>();
  add_query_service_options(command, options->serving);
  command
      .add_option("--http", options->http,
                  "Serve HTTPS here, at /mcp, instead of standard input and output (:PORT: this machine only)")
      .type_name("ADDRESS");
  add_server_options(command, options->serving);
  options->serving.token_variables.push_back(kLegacyTokenVariable);
  refuse_legacy_flags(command, "mcp", context);
  command.footer(
      "Examples:\n"
      "  ingero mcp --db run.db\n"
      "  ingero mcp --db run.db --http 127.0.0.1:8443 --token-file token");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_mcp(*options, context); }; });
}

}  // namespace ingero::cli
