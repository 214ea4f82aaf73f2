// The tables as of each version: append only, a released step never changes. See schema.h.
#include "fleet/store/clickhouse/schema.h"

#include <iterator>
#include <vector>

#include "base/text.h"

namespace ingero::fleet::store::clickhouse {
namespace {

// {time}, {count}: how a column is compressed, where the server can.
constexpr const char* kTables[] = {
    "CREATE TABLE IF NOT EXISTS nodes_rows (id Int64, cluster_id String, node_id String, first_ns Int64, last_ns "
    "Int64, "
    "version UInt64) ENGINE = ReplacingMergeTree(version) ORDER BY (id, first_ns)",
    "CREATE TABLE IF NOT EXISTS events_rows (timestamp_ns Int64{time}, cluster_id String, node_id String, "
    "metric_name String, rank Nullable(Int64), nranks Nullable(Int64), value_double Nullable(Float64), "
    "value_int Nullable(Int64), attrs String{text}, point_hash Int64, version UInt64{time}) "
    "ENGINE = ReplacingMergeTree(version) PARTITION BY intDiv(timestamp_ns, 86400000000000) "
    "ORDER BY (cluster_id, timestamp_ns, node_id, metric_name, point_hash)",
    "CREATE TABLE IF NOT EXISTS windows_rows (node Int64, job_id String, start_ns Int64{time}, rank Int64{time}, "
    "comm_id_hash Int64, end_ns Int64{time}, comm_rank Int64{time}, nranks Int64{time}, collectives Int64{time}, "
    "blocked Int64{time}, work_s Nullable(Float64), work_total_s Nullable(Float64), wait_s Float64, bytes Int64{time}, "
    "last_entered Nullable(Int64), last_left Nullable(Int64), op_type String, preempted_s Float64, run_queue_s "
    "Float64, "
    "blocked_s Float64, io_s Float64, entered_bytes Int64{time}, state Int64{time}, sum_collectives Int64{time}, "
    "sum_blocked Int64{time}, sum_work_us Int64{time}, sum_wait_us Int64{time}, sum_bytes Int64{time}, "
    "sum_off_cpu_us Int64{time}, version UInt64{time}) "
    "ENGINE = ReplacingMergeTree(version) PARTITION BY intDiv(start_ns, 3600000000000) "
    "ORDER BY (start_ns, node, job_id, rank, comm_id_hash)",
    "CREATE TABLE IF NOT EXISTS minutes_rows (start_s Int64{time}, node Int64, job_id String, rank Int64{time}, "
    "comm_id_hash Int64, windows Int64{time}, collectives Int64{time}, blocked Int64{time}, work_us Int64{time}, "
    "wait_us Int64{time}, bytes Int64{time}, off_cpu_us Int64{time}, version UInt64{time}) "
    "ENGINE = ReplacingMergeTree(version) PARTITION BY intDiv(start_s, 86400) "
    "ORDER BY (start_s, node, job_id, rank, comm_id_hash)",
    "CREATE TABLE IF NOT EXISTS hours_rows (start_s Int64{time}, node Int64, job_id String, rank Int64{time}, "
    "comm_id_hash Int64, windows Int64{time}, collectives Int64{time}, blocked Int64{time}, work_us Int64{time}, "
    "wait_us Int64{time}, bytes Int64{time}, off_cpu_us Int64{time}, version UInt64{time}) "
    "ENGINE = ReplacingMergeTree(version) PARTITION BY intDiv(start_s, 2592000) "
    "ORDER BY (start_s, node, job_id, rank, comm_id_hash)",
    "CREATE TABLE IF NOT EXISTS incidents_rows (id String, cluster_id String, job_id String, kind String, class "
    "String, "
    "state String, node_id String, rank Int64, comm_id_hash Int64, from_ns Int64, to_ns Int64, confidence Float64, "
    "evidence String{text}, version UInt64) ENGINE = ReplacingMergeTree(version) ORDER BY id",
    "CREATE TABLE IF NOT EXISTS pruned_rows (windows_before_ns Int64) ENGINE = MergeTree ORDER BY windows_before_ns",
    "CREATE VIEW IF NOT EXISTS nodes AS SELECT id, cluster_id, node_id, first AS first_ns, last AS last_ns FROM "
    "(SELECT "
    "id, cluster_id, node_id, min(first_ns) AS first, max(last_ns) AS last FROM nodes_rows GROUP BY id, cluster_id, "
    "node_id)",
    "CREATE VIEW IF NOT EXISTS events AS SELECT timestamp_ns, cluster_id, node_id, metric_name, rank, nranks, "
    "value_double, value_int, attrs, point_hash FROM events_rows FINAL",
    "CREATE VIEW IF NOT EXISTS windows AS SELECT node, job_id, start_ns, rank, comm_id_hash, end_ns, comm_rank, "
    "nranks, "
    "collectives, blocked, work_s, work_total_s, wait_s, bytes, last_entered, last_left, op_type, preempted_s, "
    "run_queue_s, blocked_s, io_s, entered_bytes, state FROM windows_rows FINAL",
    "CREATE VIEW IF NOT EXISTS minutes AS SELECT start_s, node, job_id, rank, comm_id_hash, windows, collectives, "
    "blocked, work_us, wait_us, bytes, off_cpu_us FROM minutes_rows FINAL",
    "CREATE VIEW IF NOT EXISTS hours AS SELECT start_s, node, job_id, rank, comm_id_hash, windows, collectives, "
    "blocked, work_us, wait_us, bytes, off_cpu_us FROM hours_rows FINAL",
    "CREATE VIEW IF NOT EXISTS incidents AS SELECT id, cluster_id, job_id, kind, class, state, node_id, rank, "
    "comm_id_hash, from_ns, to_ns, confidence, evidence FROM incidents_rows FINAL",
    "CREATE VIEW IF NOT EXISTS pruned AS SELECT max(windows_before_ns) AS windows_before_ns FROM pruned_rows",
    "CREATE VIEW IF NOT EXISTS schema_version AS SELECT max(version) AS version FROM schema_version_rows",
    "INSERT INTO schema_version_rows VALUES (1)",
};

// 2: what ranks' devices were, and when ranks entered and left the collectives of the sample.
constexpr const char* kSides[] = {
    "CREATE TABLE IF NOT EXISTS device_states_rows (node Int64, job_id String, start_ns Int64{time}, rank Int64{time}, "
    "hw_id String, model String, utilization_ratio Nullable(Float64), power_watts Nullable(Float64), "
    "temperature_celsius Nullable(Float64), sm_clock_hertz Nullable(Float64), throttle_reasons Nullable(Int64), "
    "version UInt64{time}) ENGINE = ReplacingMergeTree(version) PARTITION BY intDiv(start_ns, 3600000000000) "
    "ORDER BY (start_ns, node, job_id, rank)",
    "CREATE TABLE IF NOT EXISTS arrivals_rows (node Int64, job_id String, entered_ns Int64{time}, rank Int64{time}, "
    "comm_id_hash Int64, number Int64{time}, left_ns Nullable(Int64), op_type String, bytes Int64{time}, "
    "version UInt64{time}) ENGINE = ReplacingMergeTree(version) PARTITION BY intDiv(entered_ns, 3600000000000) "
    "ORDER BY (entered_ns, node, job_id, rank, comm_id_hash, number)",
    "CREATE VIEW IF NOT EXISTS device_states AS SELECT node, job_id, start_ns, rank, hw_id, model, utilization_ratio, "
    "power_watts, temperature_celsius, sm_clock_hertz, throttle_reasons FROM device_states_rows FINAL",
    "CREATE VIEW IF NOT EXISTS arrivals AS SELECT node, job_id, entered_ns, rank, comm_id_hash, number, left_ns, "
    "op_type, bytes FROM arrivals_rows FINAL",
    "INSERT INTO schema_version_rows VALUES (2)",
};

// 3: arrivals say the window in which they were entered, as the file's do.
constexpr const char* kArrivalsByWindow[] = {
    "DROP TABLE IF EXISTS arrivals",
    "CREATE VIEW IF NOT EXISTS arrivals AS SELECT intDiv(entered_ns, 5000000000) * 5000000000 AS start_ns, node, "
    "job_id, "
    "rank, comm_id_hash, number, entered_ns, left_ns, op_type, bytes FROM arrivals_rows FINAL",
    "INSERT INTO schema_version_rows VALUES (3)",
};

struct Step {
  const char* const* statements;
  size_t count;
};
// Each may be begun again: ClickHouse has no transactions over tables.
constexpr Step kSteps[] = {
    {kTables, std::size(kTables)}, {kSides, std::size(kSides)}, {kArrivalsByWindow, std::size(kArrivalsByWindow)}};
static_assert(std::size(kSteps) == kSchemaVersion);

// Versions say their year since 19; the first that has these codecs.
bool has_codecs(const std::string& version) {
  return parse_u64(version.substr(0, version.find('.'))).value_or(0) >= 20;
}

std::string with_codecs(std::string statement, bool has_them) {
  for (const auto& [name, codec] : {std::pair("{time}", " CODEC(Delta(8), ZSTD(1))"), {"{text}", " CODEC(ZSTD(1))"}}) {
    for (size_t at = 0; (at = statement.find(name)) != std::string::npos;) {
      statement.replace(at, std::string_view(name).size(), has_them ? codec : "");
    }
  }
  return statement;
}

Result<int64_t> number(const Client& client, const std::string& statement) {
  const auto found = client.rows(statement);
  INGERO_TRY(found);
  const Json& data = (*found)["data"];
  if (data.size() != 1 || data[0].size() != 1 || !data[0][0].is_number()) {
    return Error(Errc::kCorrupt, "ClickHouse: an answer that is not one number");
  }
  return data[0][0].get<int64_t>();
}

}  // namespace

Status prepare_schema(const Client& client) {
  const std::string& database = client.database();
  INGERO_TRY(client.run(fmt::format("CREATE DATABASE IF NOT EXISTS {}", database), true));
  const std::string of_database = "SELECT count() FROM system.tables WHERE database = " + literal(database);
  const auto tables = number(client, of_database);
  INGERO_TRY(tables);
  auto known = number(client, of_database + " AND name = 'schema_version_rows'");
  INGERO_TRY(known);
  if (*tables > 0 && *known == 0) {
    return Error(Errc::kCorrupt, fmt::format("database {} in ClickHouse has tables, but not a cluster's", database),
                 "name another database in --clickhouse URL/DATABASE");
  }
  if (*known == 0) {
    INGERO_TRY(client.run(
        "CREATE TABLE IF NOT EXISTS schema_version_rows (version Int64) ENGINE = MergeTree ORDER BY version"));
  }
  const auto version = number(client, "SELECT max(version) FROM schema_version_rows");
  INGERO_TRY(version);
  if (*version > kSchemaVersion) {
    return Error(Errc::kNotSupported,
                 fmt::format("database {} in ClickHouse: made by a newer version (schema {}, this one knows up to {})",
                             database, *version, kSchemaVersion),
                 "use that version, or a newer one");
  }
  if (*version == kSchemaVersion) return {};
  const auto server = client.rows("SELECT version()");
  INGERO_TRY(server);
  const bool has_them = has_codecs((*server)["data"].at(0).at(0).get<std::string>());
  for (size_t i = static_cast<size_t>(*version); i < std::size(kSteps); ++i) {
    for (size_t j = 0; j < kSteps[i].count; ++j) {
      INGERO_TRY(client.run(with_codecs(kSteps[i].statements[j], has_them)));
    }
  }
  return {};
}

}  // namespace ingero::fleet::store::clickhouse
