// What was typed is checked before anything is opened: see storage.h.
#include "fleet/server/storage.h"

#include <algorithm>

#include "base/private_file.h"
#include "base/text.h"
#include "fleet/store/clickhouse/store.h"
#include "fleet/store/sqlite_store.h"
#include "serve/otlp/endpoint.h"

namespace ingero::fleet::server {
namespace {

constexpr uint64_t kMinSpoolBytes = 64'000'000;
// Which flag names the file of a user, which variable says him instead.
struct Login {
  const char *flag, *variable;
};
constexpr Login kUser{"--clickhouse-user-file", "INGERO_CLICKHOUSE_USER"};
constexpr Login kReader{"--clickhouse-reader-file", "INGERO_CLICKHOUSE_READER"};

// USER:PASSWORD of a file that its owner alone can read, or of the environment: a command line is for all to see.
Result<store::clickhouse::User> read_user(const std::string& file, const Login& login, const Environment& environment) {
  std::string text = environment.variable(login.variable).value_or("");
  if (!file.empty()) {
    const auto read = read_private(file);
    if (!read.ok()) return read.error().in(login.flag);
    text = trim(*read);
  }
  const size_t colon = std::min(text.find(':'), text.size());
  return store::clickhouse::User{text.substr(0, colon), text.substr(std::min(colon + 1, text.size()))};
}

Result<store::clickhouse::Server> server_of(const StorageOptions& options, const Environment& environment) {
  serve::otlp::EndpointRules rules;
  rules.is_plain_allowed = options.is_plain;
  rules.flag = "--clickhouse";
  rules.example = "http://127.0.0.1:8123/cluster";
  rules.secret_remedy = "put USER:PASSWORD into INGERO_CLICKHOUSE_USER or a file for --clickhouse-user-file";
  rules.plain_flag = "--clickhouse-insecure";
  const auto endpoint = serve::otlp::parse_endpoint(options.clickhouse, rules);
  INGERO_TRY(endpoint);
  store::clickhouse::Server server;
  server.peer = *endpoint;
  server.authorities = options.authorities;
  if (!endpoint->path.empty()) server.database = endpoint->path.substr(1);
  auto user = read_user(options.user_file, kUser, environment);
  INGERO_TRY(user);
  server.user = std::move(*user);
  return server;
}

}  // namespace

Result<std::unique_ptr<store::ClusterStore>> open_storage(const StorageOptions& options, const Environment& environment,
                                                          const Clock& clock) {
  const auto max_bytes = parse_size_bytes(options.max_db);
  if (!max_bytes.ok()) return max_bytes.error().in("--max-db");
  if (options.database.empty() == options.clickhouse.empty()) {
    return Error(Errc::kInvalid, "what is received is stored in one place: give --db FILE or --clickhouse URL");
  }
  if (options.clickhouse.empty()) {
    if (!options.spool_directory.empty()) {
      return Error(Errc::kInvalid, "--spool-dir: there is a spool with --clickhouse only",
                   "what --db FILE takes is stored before it is acknowledged");
    }
    if (options.database == ":memory:") {
      return Error(Errc::kInvalid, "--db :memory:: what a cluster sends is kept in a file", "name one, as c.db");
    }
    return store::SqliteStore::open({options.database, *max_bytes}, clock);
  }
  const auto spool_bytes = parse_size_bytes(options.spool);
  if (!spool_bytes.ok()) return spool_bytes.error().in("--spool");
  if (*spool_bytes < kMinSpoolBytes) {
    return Error(Errc::kInvalid, fmt::format("--spool: less than {}, in which the largest batch has room",
                                             format_bytes(kMinSpoolBytes)));
  }
  if (options.spool_directory.empty()) {
    return Error(Errc::kInvalid, "--clickhouse: what ClickHouse has not taken yet needs a folder on this machine",
                 "name one with --spool-dir");
  }
  auto server = server_of(options, environment);
  INGERO_TRY(server);
  store::clickhouse::StoreOptions wanted;
  auto reader = read_user(options.reader_file, kReader, environment);
  INGERO_TRY(reader);
  wanted.server = std::move(*server);
  if (!reader->name.empty()) wanted.reader = std::move(*reader);
  wanted.spool_directory = options.spool_directory;
  wanted.spool_bytes = *spool_bytes;
  wanted.max_bytes = *max_bytes;
  return store::clickhouse::Store::open(std::move(wanted), clock);
}

}  // namespace ingero::fleet::server
