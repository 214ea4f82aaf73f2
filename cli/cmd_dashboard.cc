// ingero dashboard: a recording in the browser, and its HTTP API.

#include "cli/commands.h"
#include "cli/legacy/legacy_flags.h"
#include "cli/serving.h"
#include "serve/api/api.h"
#include "serve/page/page.h"

namespace ingero::cli {
namespace {

struct DashboardOptions {
  ServingOptions serving;
  std::string address = "127.0.0.1:8080";
  bool no_tls = false;
};

Result<int> run_dashboard(const DashboardOptions& options, Context& context) {
  auto service = open_service(options.serving, has_token(options.serving, context), context);
  if (!service.ok()) return service.error();
  constexpr auto kAbout = serve::page::About::kRecording;
  auto server =
      open_server(options.serving, "--addr", options.address, options.no_tls, context, serve::page::paths(kAbout));
  if (!server.ok()) return server.error();
  serve::api::Api api(**service, INGERO_VERSION);
  return serve_until_signal(
      **server, "page and HTTP API",
      [&](const serve::http::Request& request) -> serve::http::Response {
        if (serve::api::Api::owns(request.path)) return api.answer(request);
        if (auto file = serve::page::answer(kAbout, request, (*server)->has_secret())) return std::move(*file);
        return {
            404, "application/json",
            R"({"error":"the page is at /, the API below /api; /api/v1/openapi.json describes it","class":"not_found"})"};
      },
      context);
}

}  // namespace

void add_dashboard(Command root, Context& context) {
  const Command command = root.add_command("dashboard", "Serve a recording as a page, with its HTTP API");
  auto options = std::make_shared<DashboardOptions>();
  add_query_service_options(command, options->serving);
  command.add_option("--addr", options->address, "Listen here (:PORT: this machine only)")
      .type_name("ADDRESS")
      .show_default();
  command.add_flag("--no-tls", options->no_tls, "Plain HTTP, on this machine only");
  add_server_options(command, options->serving);
  refuse_legacy_flags(command, "dashboard", context);
  command.footer(
      "Examples:\n"
      "  ingero dashboard --db run.db --no-tls   (at http://127.0.0.1:8080)\n"
      "  curl http://127.0.0.1:8080/api/v1/overview\n"
      "  curl -H 'Content-Type: application/json' -d '{\"limit\": 3}' \\\n"
      "      http://127.0.0.1:8080/api/v1/tools/get_slowest_calls");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_dashboard(*options, context); }; });
}

}  // namespace ingero::cli
