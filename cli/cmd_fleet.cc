// ingero fleet serve: receives metrics of many nodes, compares their ranks, and answers questions about the cluster.
#include <chrono>

#include "agent/stop_signals.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "fleet/server/cluster.h"
#include "fleet/server/cluster_api.h"
#include "fleet/server/listening.h"
#include "fleet/server/receiver.h"
#include "fleet/server/storage.h"
#include "serve/http/grpc_server.h"

namespace ingero::cli {

void add_fleet_simulate(Command fleet, Context& context);  // cmd_fleet_simulate.cc

namespace {

struct FleetServeOptions {
  std::string hang_after = "10s", bytes_rate = "32m";
  fleet::server::StorageOptions storage;
  fleet::server::ListenOptions listen;
  fleet::server::QuotaOptions quotas;
};

// Once a second until then, time passes for the cluster.
void wait_for_signal(const agent::StopSignals& signals, fleet::server::Cluster& cluster) {
  while (signals.wait(kSecond).number == 0) cluster.tick();
}

Result<int> run_serve(const FleetServeOptions& options, Context& context) {
  const auto hang_after = parse_duration_ns(options.hang_after);
  if (!hang_after.ok()) return hang_after.error().in("--hang-after");
  const auto bytes_rate = parse_size_bytes(options.bytes_rate);
  if (!bytes_rate.ok()) return bytes_rate.error().in("--bytes-rate");
  fleet::server::ListenOptions listen = options.listen;
  if (!options.storage.clickhouse.empty()) listen.receiving_threads = 4;  // they wait for the disk, at the same time
  auto listening = fleet::server::listen(listen, context.environment, *context.clock);
  INGERO_TRY(listening);
  auto& [receiver, api, grpc, tokens] = *listening;
  fleet::server::QuotaOptions quotas = options.quotas;
  quotas.bytes_per_second = *bytes_rate;
  quotas.has_tokens = receiver->has_secret();
  auto store = fleet::server::open_storage(options.storage, context.environment, *context.clock);
  if (!store.ok()) return store.error();
  auto cluster = fleet::server::Cluster::open(std::move(*store), *context.clock, *hang_after, quotas, tokens);
  if (!cluster.ok()) return cluster.error();

  keep_freed_pages(std::chrono::seconds(1));
  const agent::StopSignals signals;
  fleet::server::Cluster& shared = **cluster;
  receiver->start([&shared](const auto& request) { return fleet::server::receive(shared, request); });
  grpc->start([&shared](const auto& call) { return fleet::server::receive(shared, call); });
  const fleet::server::ApiFacts facts{INGERO_VERSION, api->has_secret(), listen.dashboard_url, listening->refusals()};
  api->start([&shared, &facts](const auto& request) { return answer(shared, request, facts); });
  context.err << fmt::format("ingero: OTLP at {}/v1/metrics, over gRPC at {}, page and API at {}{}\n", receiver->url(),
                             grpc->where(), api->url(), api->has_secret() ? ", with a token" : "")
              << std::flush;
  wait_for_signal(signals, shared);
  receiver->stop();
  grpc->stop();
  shared.interrupt();
  api->stop();
  return kExitDone;
}

void add_storage(Command command, fleet::server::StorageOptions& options) {
  command.add_option("--db", options.database, "The cluster's file; made where there is none").type_name("FILE");
  command.add_option("--clickhouse", options.clickhouse, "Store in ClickHouse instead: http(s)://HOST:PORT/DATABASE")
      .type_name("URL");
  command
      .add_option("--clickhouse-user-file", options.user_file,
                  "USER:PASSWORD for it, read from FILE (or from INGERO_CLICKHOUSE_USER)")
      .type_name("FILE");
  command
      .add_option("--clickhouse-reader-file", options.reader_file,
                  "USER:PASSWORD that SQL from outside runs as (or INGERO_CLICKHOUSE_READER; default: the same)")
      .type_name("FILE");
  command.add_option("--clickhouse-tls-ca", options.authorities, "CA certificates to verify it with (PEM)")
      .type_name("FILE");
  command.add_flag("--clickhouse-insecure", options.is_plain,
                   "Plain HTTP to other machines too: anyone on the path can read the password and the data");
  command.add_option("--spool-dir", options.spool_directory, "The folder of what ClickHouse has not taken yet")
      .type_name("FOLDER");
  command.add_option("--spool", options.spool, "Its largest size; when it is full, senders must come again")
      .size()
      .show_default();
  command.add_option("--max-db", options.max_db, "Delete the oldest windows and points above this size")
      .size()
      .show_default();
}

void add_serve(Command fleet, Context& context) {
  const Command command = fleet.add_command("serve", "Receive metrics of many nodes, and name the rank that is slow");
  auto options = std::make_shared<FleetServeOptions>();
  add_storage(command, options->storage);
  const auto add_address = [&](const char* flag, std::string& address, const char* what) {
    command.add_option(flag, address, fmt::format("{} here (:PORT: every address; without TLS: loopback)", what))
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
  command.add_option("--dashboard-url", options->listen.dashboard_url, "A node's own dashboard; {node} is its name")
      .type_name("URL");
  command.add_option("--allow-host", options->listen.hosts, "Accept this name in Host and Origin").type_name("NAME");
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
  command.rare_flags("clickhouse- allow-host dashboard-url points-rate series-rate bytes-rate");
  command.footer(
      "Examples:\n"
      "  ingero fleet serve --db c.db --tls-cert fleet.pem --tls-key fleet.key \\\n"
      "      --token-file token\n"
      "  curl -H \"Authorization: Bearer $(cat token)\" -d '{\"cluster_id\": \"train\"}' \\\n"
      "      https://localhost:8081/api/v1/tools/fleet.cluster.find_outlier_nodes\n"
      "  ingero fleet serve --clickhouse http://127.0.0.1:8123/cluster \\\n"
      "      --spool-dir spool --insecure-no-tls --token-file token");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_serve(*options, context); }; });
}

}  // namespace

void add_fleet(Command root, Context& context) {
  const Command command = root.add_command("fleet", "Receive a cluster's metrics, and name the rank that others await");
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
