// ingero fleet serve: receives metrics of many nodes, compares their ranks, and answers questions about the cluster.
#include <csignal>

#include "base/log.h"
#include "base/private_file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "fleet/server/cluster.h"
#include "fleet/server/cluster_api.h"
#include "fleet/server/listening.h"
#include "fleet/server/receiver.h"
#include "fleet/store/clickhouse/store.h"
#include "fleet/store/sqlite_store.h"
#include "serve/http/grpc_server.h"
#include "serve/otlp/endpoint.h"

namespace ingero::cli {

void add_fleet_simulate(Command fleet, Context& context);  // cmd_fleet_simulate.cc

namespace {

namespace http = serve::http;

constexpr const char* kClickHouseUserVariable = "INGERO_CLICKHOUSE_USER";

struct FleetClickHouseOptions {
  std::string url, user_file, authorities, spool_directory, spool = "2g";
  bool is_plain = false;
};

struct FleetServeOptions {
  std::string database, max_db = "8g", hang_after = "10s", bytes_rate = "32m";
  FleetClickHouseOptions clickhouse;
  fleet::server::ListenOptions listen;
  fleet::server::QuotaOptions quotas;
};

// Once a second until then, time passes for the cluster.
void wait_for_signal(const sigset_t& signals, fleet::server::Cluster& cluster) {
  constexpr timespec kSecond{1, 0};
  while (sigtimedwait(&signals, nullptr, &kSecond) < 0) cluster.tick();
}

// Of a file that its owner alone can read, or of the environment, as USER:PASSWORD: a command line is for all to see.
Status read_user(const std::string& file, const Environment& environment, fleet::store::clickhouse::Server& server) {
  std::string text = environment.variable(kClickHouseUserVariable).value_or("");
  if (!file.empty()) {
    const auto read = read_private(file);
    if (!read.ok()) return read.error().in("--clickhouse-user-file");
    text = trim(*read);
  }
  const size_t colon = std::min(text.find(':'), text.size());
  server.user = text.substr(0, colon);
  server.password = text.substr(std::min(colon + 1, text.size()));
  return {};
}

Result<fleet::store::clickhouse::Server> clickhouse_server(const FleetClickHouseOptions& options,
                                                           const Environment& environment) {
  const auto endpoint = serve::otlp::parse_endpoint(
      options.url, {.is_plain_allowed = options.is_plain,
                    .flag = "--clickhouse",
                    .secret_remedy = fmt::format("put USER:PASSWORD into {} or a file for --clickhouse-user-file",
                                                 kClickHouseUserVariable),
                    .plain_flag = "--clickhouse-insecure"});
  INGERO_TRY(endpoint);
  fleet::store::clickhouse::Server server;
  server.peer = *endpoint;
  server.authorities = options.authorities;
  if (!endpoint->path.empty()) server.database = endpoint->path.substr(1);
  INGERO_TRY(read_user(options.user_file, environment, server));
  return server;
}

Result<std::unique_ptr<fleet::store::ClusterStore>> open_store(const FleetServeOptions& options, Context& context) {
  const auto max_bytes = parse_size_bytes(options.max_db);
  if (!max_bytes.ok()) return max_bytes.error().in("--max-db");
  const FleetClickHouseOptions& wanted = options.clickhouse;
  if (options.database.empty() == wanted.url.empty()) {
    return Error(Errc::kInvalid, "fleet serve stores in one place: give --db FILE or --clickhouse URL");
  }
  if (wanted.url.empty()) return fleet::store::SqliteStore::open({options.database, *max_bytes});
  const auto spool_bytes = parse_size_bytes(wanted.spool);
  if (!spool_bytes.ok()) return spool_bytes.error().in("--spool");
  if (wanted.spool_directory.empty()) {
    return Error(Errc::kInvalid, "--clickhouse: what ClickHouse has not taken yet needs a folder on this machine",
                 "name one with --spool-dir");
  }
  auto server = clickhouse_server(wanted, context.environment);
  INGERO_TRY(server);
  fleet::store::clickhouse::StoreOptions store;
  store.server = std::move(*server);
  store.spool_directory = wanted.spool_directory;
  store.spool_bytes = *spool_bytes;
  store.max_bytes = *max_bytes;
  return fleet::store::clickhouse::Store::open(std::move(store), *context.clock);
}

Result<int> run_serve(const FleetServeOptions& options, Context& context) {
  const auto hang_after = parse_duration_ns(options.hang_after);
  if (!hang_after.ok()) return hang_after.error().in("--hang-after");
  const auto bytes_rate = parse_size_bytes(options.bytes_rate);
  if (!bytes_rate.ok()) return bytes_rate.error().in("--bytes-rate");
  auto listening = fleet::server::listen(options.listen, context.environment, *context.clock);
  INGERO_TRY(listening);
  auto& [receiver, api, grpc] = *listening;
  fleet::server::QuotaOptions quotas = options.quotas;
  quotas.bytes_per_second = *bytes_rate;
  quotas.has_tokens = receiver->has_secret();
  auto store = open_store(options, context);
  if (!store.ok()) return store.error();
  auto cluster = fleet::server::Cluster::open(std::move(*store), *context.clock, *hang_after, quotas);
  if (!cluster.ok()) return cluster.error();

  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // The servers' threads inherit the mask, so that only this thread receives the signals.
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  fleet::server::Cluster& shared = **cluster;
  receiver->start([&shared](const http::Request& request) { return fleet::server::receive(shared, request); });
  grpc->start([&shared](const http::GrpcCall& call) { return fleet::server::receive(shared, call); });
  const fleet::server::ApiFacts facts{INGERO_VERSION, api->has_secret()};
  api->start([&shared, &facts](const http::Request& request) { return answer(shared, request, facts); });
  context.err << fmt::format("ingero: OTLP at {}/v1/metrics, over gRPC at {}, page and API at {}{}\n", receiver->url(),
                             grpc->where(), api->url(), api->has_secret() ? ", with a token" : "");
  context.err.flush();
  wait_for_signal(signals, shared);
  receiver->stop();
  grpc->stop();
  shared.interrupt();
  api->stop();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return kExitDone;
}

void add_clickhouse(Command command, FleetClickHouseOptions& options) {
  command
      .add_option("--clickhouse", options.url,
                  "Store in this ClickHouse instead, 18.16 or newer: http(s)://HOST:8123/DATABASE (default: ingero)")
      .type_name("URL");
  command
      .add_option("--clickhouse-user-file", options.user_file,
                  fmt::format("USER:PASSWORD, read from FILE (or from {})", kClickHouseUserVariable))
      .type_name("FILE");
  command.add_option("--clickhouse-tls-ca", options.authorities, "CA certificates to verify it with (PEM)")
      .type_name("FILE");
  command.add_flag("--clickhouse-insecure", options.is_plain,
                   "Plain HTTP to other machines too: anyone on the path can read the password and the data");
  command.add_option("--spool-dir", options.spool_directory, "The folder of what ClickHouse has not taken yet")
      .type_name("FOLDER");
  command.add_option("--spool", options.spool, "Its largest size; when it is full, senders are told to come again")
      .size()
      .show_default();
}

void add_serve(Command fleet, Context& context) {
  const Command command = fleet.add_command("serve", "Receive metrics of many nodes, and name the rank that is slow");
  auto options = std::make_shared<FleetServeOptions>();
  command.add_option("--db", options->database, "The cluster's file; made where there is none").type_name("FILE");
  add_clickhouse(command, options->clickhouse);
  const auto add_address = [&](const char* flag, std::string& address, const char* what) {
    command.add_option(flag, address, fmt::format("{} here (:PORT: this machine only)", what))
        .type_name("ADDRESS")
        .show_default();
  };
  add_address("--grpc-listen", options->listen.grpc_address, "Receive OTLP over gRPC");
  add_address("--http-listen", options->listen.http_address, "Receive OTLP over HTTP");
  add_address("--api-listen", options->listen.api_address, "Answer questions");
  command.add_option("--tls-cert", options->listen.certificate, "Certificate of both (PEM)").type_name("FILE");
  command.add_option("--tls-key", options->listen.key, "The certificate's key (PEM)").type_name("FILE");
  command.add_flag("--insecure-no-tls", options->listen.is_plain, "Plain HTTP, on this machine only");
  command
      .add_option("--token-file", options->listen.token_file,
                  "Require this bearer token of senders and of clients that ask, read from FILE (or from INGERO_TOKEN)")
      .type_name("FILE");
  command.add_option("--allow-host", options->listen.hosts, "Accept this name in Host and Origin").type_name("NAME");
  command.add_option("--max-db", options->max_db, "Delete the oldest windows and points above this size")
      .size()
      .show_default();
  const auto add_quota = [&](const char* flag, uint64_t& quota, const char* what) {
    command.add_option(flag, quota, fmt::format("{} of each token; more is answered 429 (0: no limit)", what))
        .type_name("N")
        .show_default();
  };
  add_quota("--points-rate", options->quotas.points_per_second, "Data points a second");
  add_quota("--series-rate", options->quotas.series_per_hour, "New time series an hour");
  command.add_option("--bytes-rate", options->bytes_rate, "Bytes a second of each token, as for --points-rate")
      .size()
      .show_default();
  command
      .add_option("--hang-after", options->hang_after,
                  "A job hangs when a rank is in the same collective for longer; longer than a step")
      .type_name("TIME")
      .show_default();
  command.footer(
      "Examples:\n"
      "  ingero fleet serve --db c.db --tls-cert fleet.pem --tls-key fleet.key \\\n"
      "      --token-file token --http-listen 0.0.0.0:4318\n"
      "  curl -H \"Authorization: Bearer $(cat token)\" -d '{\"cluster_id\": \"train\"}' \\\n"
      "      https://localhost:8081/api/v1/tools/fleet.cluster.find_outlier_nodes\n"
      "  ingero fleet serve --clickhouse https://clickhouse:8443/cluster --clickhouse-user-file user \\\n"
      "      --spool-dir /var/lib/ingero-fleet --tls-cert fleet.pem --tls-key fleet.key --token-file token");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_serve(*options, context); }; });
}

}  // namespace

void add_fleet(Command root, Context& context) {
  const Command command =
      root.add_command("fleet", "A cluster's metrics: receive them, and name the rank that the others wait for");
  add_serve(command, context);
  add_fleet_simulate(command, context);
  command.on_parsed([&context] {  // after those of its commands
    if (context.action) return;
    context.action = [] {
      return Error(Errc::kInvalid, "fleet: no command given: serve or simulate", "see 'ingero fleet --help'");
    };
  });
  command.footer(
      "Example:\n"
      "  ingero fleet serve --db c.db --insecure-no-tls --token-file token");
}

}  // namespace ingero::cli
