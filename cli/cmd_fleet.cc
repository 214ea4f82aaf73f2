// ingero fleet serve: receives metrics of many nodes, compares their ranks, and answers questions about the cluster.
#include <csignal>

#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/serving.h"
#include "fleet/server/cluster.h"
#include "fleet/server/cluster_api.h"
#include "fleet/server/receiver.h"
#include "serve/http/grpc.h"

namespace ingero::cli {

void add_fleet_simulate(Command fleet, Context& context);  // cmd_fleet_simulate.cc

namespace {

namespace http = serve::http;

constexpr const char* kTokenVariable = "INGERO_TOKEN";
constexpr size_t kSenders = 4096;  // connections of nodes at a time
constexpr size_t kMaxQuestionBytes = 64 << 10;

struct FleetServeOptions {
  std::string database, certificate, key, token_file, max_db = "8g", hang_after = "10s";
  std::string grpc_address = "127.0.0.1:4317", http_address = "127.0.0.1:4318", api_address = "127.0.0.1:8081";
  std::vector<std::string> hosts;
  bool is_plain = false;
};

// Whether an address may be listened on, and the secrets that it asks for: encrypted, or plain because it was asked to
// be, and then on this machine only.
Result<http::Secrets> check_address(const FleetServeOptions& options, const std::string& address, const char* flag,
                                    Context& context) {
  const auto where = http::parse_address(address);
  if (!where.ok()) return where.error().in(flag);
  const bool has_files = !options.certificate.empty() || !options.key.empty();
  if (options.is_plain && has_files) {
    return Error(Errc::kInvalid, "--insecure-no-tls and --tls-cert exclude each other");
  }
  if (!options.is_plain && (options.certificate.empty() || options.key.empty())) {
    return Error(Errc::kInvalid, "what nodes send would cross the network unencrypted",
                 "give --tls-cert and --tls-key, or --insecure-no-tls to listen on this machine only");
  }
  if (options.is_plain && !where->is_loopback) {
    return Error(Errc::kInvalid,
                 fmt::format("{} {}: without TLS the server may listen on this machine only", flag, printable(address)),
                 "give --tls-cert and --tls-key, or listen on 127.0.0.1");
  }
  http::Secrets secrets;
  if (const auto token = context.environment.variable(kTokenVariable); token && !token->empty()) {
    INGERO_TRY(secrets.add_token(*token, kTokenVariable));
  }
  if (!options.token_file.empty()) INGERO_TRY(secrets.add_token_file(options.token_file));
  if (secrets.empty() && !where->is_loopback) {
    return Error(Errc::kInvalid,
                 fmt::format("{} {}: every client that reaches this address could write and read the cluster's data",
                             flag, printable(address)),
                 fmt::format("set {} or --token-file", kTokenVariable));
  }
  return secrets;
}

Result<std::unique_ptr<http::Server>> open_one(const FleetServeOptions& options, const std::string& address,
                                               const char* flag, http::ServerOptions served, Context& context) {
  auto secrets = check_address(options, address, flag, context);
  INGERO_TRY(secrets);
  served.secrets = std::move(*secrets);
  served.address = address;
  served.certificate = options.certificate;
  served.key = options.key;
  served.guards_loopback = true;
  served.hosts = options.hosts;
  served.keep_alive = 1000;
  served.seconds = 10;
  served.realm = "ingero fleet";
  auto bound = http::Server::bind(std::move(served), *context.clock);
  if (!bound.ok()) return bound.error().in(flag);
  return bound;
}

Result<std::unique_ptr<http::GrpcServer>> open_grpc(const FleetServeOptions& options, Context& context) {
  constexpr const char* kFlag = "--grpc-listen";
  auto secrets = check_address(options, options.grpc_address, kFlag, context);
  INGERO_TRY(secrets);
  http::GrpcOptions served;
  served.address = options.grpc_address;
  served.certificate = options.certificate;
  served.key = options.key;
  served.secrets = std::move(*secrets);
  served.connections = kSenders;
  served.message_bytes = fleet::server::kMaxBodyBytes;
  auto bound = http::GrpcServer::bind(std::move(served), *context.clock);
  if (!bound.ok()) return bound.error().in(kFlag);
  return bound;
}

// Once a second until then, time passes for the cluster.
void wait_for_signal(const sigset_t& signals, fleet::server::Cluster& cluster) {
  constexpr timespec kSecond{1, 0};
  while (sigtimedwait(&signals, nullptr, &kSecond) < 0) cluster.tick();
}

Result<int> run_serve(const FleetServeOptions& options, Context& context) {
  const auto max_bytes = parse_size_bytes(options.max_db);
  if (!max_bytes.ok()) return max_bytes.error().in("--max-db");
  const auto hang_after = parse_duration_ns(options.hang_after);
  if (!hang_after.ok()) return hang_after.error().in("--hang-after");
  http::ServerOptions receiving, asking;
  receiving.connections = kSenders;
  receiving.body_bytes = fleet::server::kMaxBodyBytes;
  receiving.takes_packed = true;
  receiving.at_once = 2;  // one decodes while the other's batch is written
  auto receiver = open_one(options, options.http_address, "--http-listen", std::move(receiving), context);
  if (!receiver.ok()) return receiver.error();
  auto grpc = open_grpc(options, context);
  if (!grpc.ok()) return grpc.error();
  asking.body_bytes = kMaxQuestionBytes;
  asking.open_paths = {fleet::server::kOpenPath};
  asking.audit = [](const std::string& line) { log_info("{}", line); };
  auto api = open_one(options, options.api_address, "--api-listen", std::move(asking), context);
  if (!api.ok()) return api.error();
  auto cluster = fleet::server::Cluster::open({options.database, *max_bytes}, *context.clock, *hang_after);
  if (!cluster.ok()) return cluster.error();

  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // The servers' threads inherit the mask, so that only this thread receives the signals.
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  fleet::server::Cluster& shared = **cluster;
  (*receiver)->start([&shared](const http::Request& request) { return fleet::server::receive(shared, request); });
  (*grpc)->start([&shared](const http::GrpcCall& call) { return fleet::server::receive(shared, call); });
  (*api)->start(
      [&shared](const http::Request& request) { return fleet::server::answer(shared, request, INGERO_VERSION); });
  context.err << fmt::format("ingero: OTLP at {}/v1/metrics, over gRPC at {}, API at {}{}\n", (*receiver)->url(),
                             (*grpc)->where(), (*api)->url(), (*api)->has_secret() ? ", with a token" : "");
  context.err.flush();
  wait_for_signal(signals, shared);
  (*receiver)->stop();
  (*grpc)->stop();
  (*api)->stop();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return kExitDone;
}

void add_serve(Command fleet, Context& context) {
  const Command command = fleet.add_command("serve", "Receive metrics of many nodes, and name the rank that is slow");
  auto options = std::make_shared<FleetServeOptions>();
  command.add_option("--db", options->database, "The cluster's file; made where there is none")
      .type_name("FILE")
      .required();
  command.add_option("--grpc-listen", options->grpc_address, "Receive OTLP over gRPC here (:PORT: this machine only)")
      .type_name("ADDRESS")
      .show_default();
  command.add_option("--http-listen", options->http_address, "Receive OTLP over HTTP here (:PORT: this machine only)")
      .type_name("ADDRESS")
      .show_default();
  command.add_option("--api-listen", options->api_address, "Answer questions here (:PORT: this machine only)")
      .type_name("ADDRESS")
      .show_default();
  command.add_option("--tls-cert", options->certificate, "Certificate of both (PEM)").type_name("FILE");
  command.add_option("--tls-key", options->key, "The certificate's key (PEM)").type_name("FILE");
  command.add_flag("--insecure-no-tls", options->is_plain, "Plain HTTP, on this machine only");
  command
      .add_option("--token-file", options->token_file,
                  "Require this bearer token of senders and askers, read from FILE (or from INGERO_TOKEN)")
      .type_name("FILE");
  command.add_option("--allow-host", options->hosts, "Accept this name in Host and Origin").type_name("NAME");
  command.add_option("--max-db", options->max_db, "Delete the oldest windows and points above this size")
      .size()
      .show_default();
  command
      .add_option("--hang-after", options->hang_after,
                  "A job hangs when a rank is in the same collective for longer; longer than a step")
      .type_name("TIME")
      .show_default();
  command.footer(
      "Examples:\n"
      "  ingero fleet serve --db c.db --tls-cert fleet.pem --tls-key fleet.key --token-file token \\\n"
      "      --http-listen 0.0.0.0:4318\n"
      "  curl -H \"Authorization: Bearer $(cat token)\" -d '{\"cluster_id\": \"train\"}' \\\n"
      "      https://localhost:8081/api/v1/tools/fleet.cluster.find_outlier_nodes");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_serve(*options, context); }; });
}

}  // namespace

void add_fleet(Command root, Context& context) {
  const Command command =
      root.add_command("fleet", "A cluster's metrics: receive them, and ask about all of its nodes");
  add_serve(command, context);
  add_fleet_simulate(command, context);
  command.footer(
      "Example:\n"
      "  ingero fleet serve --db c.db --insecure-no-tls --token-file token");
}

}  // namespace ingero::cli
