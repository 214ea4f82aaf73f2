// Sets up the HTTP server of the commands that serve: certificate, secrets, audit log, signals and the query service.
#include "cli/serving.h"

#include <unistd.h>

#include <algorithm>

#include "agent/host_facts.h"
#include "agent/stop_signals.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/private_file.h"
#include "base/text.h"
#include "base/trusted_path.h"
#include "cli/backend_flags.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/legacy/legacy_flags.h"
#include "serve/alerts/pagerduty.h"
#include "serve/api/api.h"
#include "serve/mcp/recording_provider.h"
#include "serve/mcp/streamable.h"

namespace ingero::cli {
namespace {

constexpr const char* kPagerVariable = "INGERO_PAGERDUTY_KEY";
constexpr uint64_t kQueryMemory = uint64_t{512} << 20;
constexpr size_t kAtOnce = 8, kBodyBytes = 1 << 20;

// Appends lines; the first failure to write is reported, later ones are not.
Result<serve::http::Audit> open_audit(const std::string& path) {
  if (path.empty()) return serve::http::Audit([](const std::string& line) { log_info("{}", line); });
  auto file = open_trusted_log(path);
  if (!file.ok()) return file.error().in("--audit-log");
  const auto owner = std::make_shared<Fd>(std::move(*file));
  return serve::http::Audit(
      [owner, path, reported = std::make_shared<std::atomic<bool>>(false)](const std::string& line) {
        const std::string whole = line + "\n";
        if (::write(owner->get(), whole.data(), whole.size()) != static_cast<ssize_t>(whole.size()) &&
            !reported->exchange(true)) {
          log_error("{}", errno_error(fmt::format("write {}", path)).text());
        }
      });
}

// Null: no key is there.
Result<std::shared_ptr<serve::tools::Pager>> open_pager(const Context& context) {
  serve::alerts::PagerDutyOptions pager;
  pager.key = context.environment.variable(kPagerVariable).value_or("");
  if (pager.key.empty()) return std::shared_ptr<serve::tools::Pager>();
  if (const auto url = context.environment.variable("INGERO_PAGERDUTY_URL"); url && !url->empty()) pager.url = *url;
  pager.source = agent::host_name();
  auto opened = serve::alerts::PagerDuty::make(std::move(pager));
  if (!opened.ok()) return opened.error().in(kPagerVariable);
  return std::shared_ptr<serve::tools::Pager>(std::move(*opened));
}

// The first that is set, with its name.
std::pair<const char*, std::string> token_variable(const ServingOptions& options, const Context& context) {
  for (const char* name : options.token_variables) {
    if (auto token = context.environment.variable(name); token && !token->empty()) return {name, std::move(*token)};
  }
  return {};
}

}  // namespace

void add_query_service_options(Command command, ServingOptions& options) {
  add_database_option(command, options.database);
  command.add_option("--with", options.others, "Another recording, for the tool compare").type_name("FILE");
  command.add_option("--timeout", options.timeout, "Give up an answer after this time").duration().show_default();
  add_fleet_options(command, options.fleet);
  command.add_option("--nodes-timeout", options.nodes_timeout, "Give up a node after this time")
      .duration()
      .show_default()
      .group("Several machines");
  command.rare_flags("nodes-timeout");
}

void add_server_options(Command command, ServingOptions& options) {
  command.add_option("--tls-cert", options.certificate, "Certificate (PEM); default: self-signed, valid for one day")
      .type_name("FILE");
  command.add_option("--tls-key", options.key, "The certificate's key (PEM), readable by its owner only")
      .type_name("FILE");
  command
      .add_option("--token-file", options.token_file,
                  "Require this bearer token, read from FILE (or from INGERO_TOKEN)")
      .type_name("FILE");
  command.add_option("--allow-host", options.hosts, "Accept this name in Host and Origin").type_name("NAME");
  command.add_option("--rate", options.per_second, "Requests a second and client, on average (0: no limit)")
      .type_name("N")
      .not_negative()
      .show_default();
  command.add_option("--audit-log", options.audit, "Append a line of JSON for each request, refused ones too")
      .type_name("FILE");
}

bool has_token(const ServingOptions& options, const Context& context) {
  return !options.token_file.empty() || !token_variable(options, context).second.empty();
}

Result<std::unique_ptr<serve::tools::QueryService>> open_service(const ServingOptions& options, bool may_page,
                                                                 Context& context) {
  const auto timeout = parse_duration_ns(options.timeout);
  if (!timeout.ok()) return timeout.error().in("--timeout");
  const auto place = store::locate(context.environment, options.database);
  if (!place.ok()) return place.error();
  store::limit_query_memory(kQueryMemory);
  serve::tools::QueryServiceOptions service;
  service.database = place->path;
  service.others = options.others;
  service.time_ns = *timeout;
  auto fleet = open_fleet(options.fleet, options.nodes_timeout, true, context);
  if (!fleet.ok()) return fleet.error();
  service.nodes = std::move(*fleet);
  if (may_page) {
    auto pager = open_pager(context);
    if (!pager.ok()) return pager.error();
    service.pager = std::move(*pager);
  }
  service.machine = {check_document,
                     [clock = context.clock](const std::string& scenario) { return demo_document(scenario, *clock); }};
  return std::make_unique<serve::tools::QueryService>(std::move(service), vendor_names(), *context.clock);
}

Result<std::unique_ptr<serve::http::Server>> open_server(const ServingOptions& options, const char* flag,
                                                         const std::string& address, bool plain, Context& context,
                                                         std::vector<std::string> open_paths) {
  serve::http::ServerOptions served;
  served.address = address;
  served.certificate = options.certificate;
  served.key = options.key;
  served.makes_certificate = !plain;
  if (const auto [name, token] = token_variable(options, context); !token.empty()) {
    INGERO_TRY(served.secrets.add_token(token, name));
  }
  if (!options.token_file.empty()) {
    const auto added = served.secrets.add_token_file(options.token_file);
    if (!added.ok()) return added.error().in("--token-file");
  }
  note_legacy_variables(context);
  const auto where = serve::http::parse_address(address);
  if (!where.ok()) return where.error().in(flag);
  if (plain && !where->is_loopback) {
    return Error(Errc::kInvalid,
                 fmt::format("{} {}: without TLS the server may listen on this machine only", flag, printable(address)),
                 "leave out --no-tls, or listen on 127.0.0.1");
  }
  if (plain && !options.certificate.empty()) {
    return Error(Errc::kInvalid, "--no-tls and --tls-cert cannot be combined: give only one");
  }
  if (!where->is_loopback && served.secrets.empty()) {
    return Error(
        Errc::kInvalid,
        fmt::format("{} {}: every client that reaches this address could read the recording", flag, printable(address)),
        "set INGERO_TOKEN or --token-file, or listen on 127.0.0.1");
  }
  auto audit = open_audit(options.audit);
  if (!audit.ok()) return audit.error();
  served.audit = std::move(*audit);
  served.open_paths = std::move(open_paths);
  served.guards_host = true;
  served.hosts = options.hosts;
  served.at_once = kAtOnce;
  served.weight = [light = served.open_paths](const std::string& path, const std::string& body) {
    if (std::find(light.begin(), light.end(), path) != light.end()) return serve::http::Weight::kLight;
    return path == "/mcp" ? serve::mcp::weight_of(body, serve::mcp::kHeavyOfRecording) : serve::api::weight_of(path);
  };
  served.body_bytes = kBodyBytes;
  served.seconds = 10;
  served.keep_alive = 1000;
  served.idle_seconds = 5;
  served.per_second = options.per_second;
  if (!options.key.empty()) {
    const auto key = read_private(options.key);
    if (!key.ok()) return key.error().in("--tls-key");
  }
  auto server = serve::http::Server::bind(std::move(served), *context.clock);
  if (!server.ok()) return server.error().in(flag);
  return server;
}

void step_back() {
  constexpr int kBehind = 5;  // nice levels: a third of the CPU that an equal would get
  errno = 0;
  if (::nice(kBehind) == -1 && errno != 0) log_info("{}", errno_error("lower the priority").text());
}

Result<int> serve_until_signal(serve::http::Server& server, const std::string& what, serve::http::Handler handler,
                               Context& context) {
  const agent::StopSignals signals;
  step_back();
  server.start(std::move(handler));
  context.err << fmt::format("ingero: {} at {}{}\n", what, server.url(), server.has_secret() ? ", with a token" : "");
  if (!server.fingerprint().empty()) {
    context.err << fmt::format("ingero: self-signed certificate, valid for one day, SHA-256 {}\n",
                               server.fingerprint());
  }
  context.err.flush();
  while (signals.wait(3600 * kSecond).number == 0) continue;
  server.stop();
  return kExitDone;
}

}  // namespace ingero::cli
