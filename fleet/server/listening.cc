// The rules come before any socket is opened: a server that would listen where it may not does not start at all.
#include "fleet/server/listening.h"

#include <sys/resource.h>

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "fleet/server/cluster_api.h"
#include "fleet/server/receiver.h"

namespace ingero::fleet::server {
namespace {

namespace http = serve::http;

constexpr const char* kTokenVariable = "INGERO_TOKEN";
constexpr size_t kSenders = 4096;  // connections of nodes at a time, to each port
constexpr int kIdleSeconds = 60;   // a node sends every few seconds, and keeps its connection
constexpr size_t kMaxQuestionBytes = 64 << 10;

// Of kSenders as many as this process may have descriptors for: nodes keep their connections, and the usual limit,
// 1,024, is raised as far as it may be.
size_t room_for_senders() {
  constexpr rlim_t kOwnDescriptors = 512, kPorts = 2, kWanted = kOwnDescriptors + kPorts * kSenders;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kWanted) return kSenders;
  limit.rlim_cur = std::min(kWanted, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == kWanted) return kSenders;
  (void)::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t room = (std::max(limit.rlim_cur, kOwnDescriptors + 2 * kPorts) - kOwnDescriptors) / kPorts;
  log_warning(
      "at most {} nodes keep a connection, and not {}: the limit of open files is {} (ulimit -n {}, LimitNOFILE=)",
      room, kSenders, limit.rlim_cur, kWanted);
  return room;
}

// ":PORT" is where nodes reach it, if what they send is encrypted.
std::string with_host(const std::string& address, bool is_plain) {
  const bool has_host = address.find(':') != std::string::npos && !address.starts_with(':');
  if (has_host || is_plain) return address;
  return "0.0.0.0:" + address.substr(address.starts_with(':') ? 1 : 0);
}

// Whether an address may be listened on, and the tokens that it asks for.
Result<Tokens> check_address(const ListenOptions& options, const std::string& address, const char* flag,
                             const Environment& environment) {
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
  Tokens tokens;
  if (const auto token = environment.variable(kTokenVariable); token && !token->empty()) {
    INGERO_TRY(tokens.add(*token, kTokenVariable));
  }
  if (!options.token_file.empty()) {
    const auto added = tokens.add_file(options.token_file);
    if (!added.ok()) return added.error().in("--token-file");
  }
  if (tokens.secrets().empty() && !where->is_loopback) {
    return Error(Errc::kInvalid,
                 fmt::format("{} {}: every client that reaches this address could write and read the cluster's data",
                             flag, printable(address)),
                 fmt::format("set {} or --token-file, or listen on 127.0.0.1", kTokenVariable));
  }
  return tokens;
}

// It is a link in a page: anything but plain HTTP(S), or a name that is the same for all nodes, leads nowhere.
Status check_dashboard_url(const std::string& url) {
  constexpr std::string_view kForbidden = "\"'<>\\^`#";
  const bool is_http = url.starts_with("https://") || url.starts_with("http://");
  const bool is_text = std::ranges::all_of(
      url, [&](char c) { return c > ' ' && c <= '~' && kForbidden.find(c) == std::string_view::npos; });
  if (url.empty() || (is_http && is_text && url.find("{node}") != std::string::npos)) return {};
  return Error(Errc::kInvalid, fmt::format("--dashboard-url {}: this leads to no node's dashboard", printable(url)),
               "give http(s)://, with {node} for the node's name, as in https://{node}:8080");
}

Result<std::unique_ptr<http::Server>> open_http(const ListenOptions& options, const std::string& address,
                                                const char* flag, http::ServerOptions served,
                                                const Environment& environment, const Clock& clock) {
  const auto tokens = check_address(options, address, flag, environment);
  INGERO_TRY(tokens);
  served.secrets = tokens->secrets();
  served.address = address;
  served.certificate = options.certificate;
  served.key = options.key;
  served.guards_loopback = true;
  served.hosts = options.hosts;
  served.keep_alive = 1000;
  served.seconds = 10;
  served.idle_seconds = kIdleSeconds;
  served.realm = "ingero fleet";
  auto bound = http::Server::bind(std::move(served), clock);
  if (!bound.ok()) return bound.error().in(flag);
  return bound;
}

Result<std::unique_ptr<http::GrpcServer>> open_grpc(const ListenOptions& options, size_t senders,
                                                    const Environment& environment, const Clock& clock) {
  constexpr const char* kFlag = "--grpc-listen";
  const auto tokens = check_address(options, options.grpc_address, kFlag, environment);
  INGERO_TRY(tokens);
  http::GrpcOptions served;
  served.address = options.grpc_address;
  served.certificate = options.certificate;
  served.key = options.key;
  served.secrets = tokens->secrets();
  served.connections = senders;
  served.message_bytes = kMaxBodyBytes;
  served.at_once = options.receiving_threads;
  auto bound = http::GrpcServer::bind(std::move(served), clock);
  if (!bound.ok()) return bound.error().in(kFlag);
  return bound;
}

}  // namespace

InterfaceRefusals Listening::refusals() const {
  return {{"grpc", &grpc->refusals()}, {"http", &receiver->refusals()}, {"api", &api->refusals()}};
}

Result<Listening> listen(const ListenOptions& given, const Environment& environment, const Clock& clock) {
  INGERO_TRY(check_dashboard_url(given.dashboard_url));
  ListenOptions options = given;
  for (std::string* address : {&options.grpc_address, &options.http_address, &options.api_address}) {
    *address = with_host(*address, options.is_plain);
  }
  http::ServerOptions receiving, asking;
  receiving.connections = room_for_senders();
  receiving.body_bytes = kMaxBodyBytes;
  receiving.takes_packed = true;
  receiving.at_once = options.receiving_threads;
  asking.body_bytes = kMaxQuestionBytes;
  asking.open_paths = open_paths();
  asking.weight = weight_of;
  asking.audit = [](const std::string& line) { log_info("{}", line); };
  const size_t senders = receiving.connections;
  auto receiver = open_http(options, options.http_address, "--http-listen", std::move(receiving), environment, clock);
  INGERO_TRY(receiver);
  auto grpc = open_grpc(options, senders, environment, clock);
  INGERO_TRY(grpc);
  auto api = open_http(options, options.api_address, "--api-listen", std::move(asking), environment, clock);
  INGERO_TRY(api);
  auto tokens = check_address(options, options.api_address, "--api-listen", environment);
  INGERO_TRY(tokens);
  return Listening{std::move(*receiver), std::move(*api), std::move(*grpc), std::move(*tokens)};
}

}  // namespace ingero::fleet::server
