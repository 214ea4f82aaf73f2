// The cluster's tables as of each version: append only, a released step never changes.
#include "fleet/store/schema.h"

#include <iterator>

namespace ingero::fleet::store {
namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE nodes (id INTEGER PRIMARY KEY, cluster_id TEXT NOT NULL, node_id TEXT NOT NULL,
  first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL, UNIQUE (cluster_id, node_id));
CREATE TABLE events (timestamp_ns INTEGER NOT NULL, cluster_id TEXT NOT NULL, node_id TEXT NOT NULL,
  metric_name TEXT NOT NULL, rank INTEGER, nranks INTEGER, value_double REAL, value_int INTEGER, attrs TEXT NOT NULL,
  point_hash INTEGER NOT NULL, UNIQUE (cluster_id, timestamp_ns, node_id, metric_name, point_hash));
CREATE INDEX events_node ON events (node_id, timestamp_ns);
CREATE INDEX events_time ON events (timestamp_ns);
CREATE TABLE windows (node INTEGER NOT NULL, job_id TEXT NOT NULL, start_ns INTEGER NOT NULL, rank INTEGER NOT NULL,
  comm_id_hash INTEGER NOT NULL, end_ns INTEGER NOT NULL, comm_rank INTEGER NOT NULL, nranks INTEGER NOT NULL,
  collectives INTEGER NOT NULL, blocked INTEGER NOT NULL, work_s REAL, work_total_s REAL, wait_s REAL NOT NULL,
  bytes INTEGER NOT NULL, last_entered INTEGER, last_left INTEGER, op_type TEXT NOT NULL, preempted_s REAL NOT NULL,
  run_queue_s REAL NOT NULL, blocked_s REAL NOT NULL, io_s REAL NOT NULL,
  PRIMARY KEY (start_ns, node, job_id, rank, comm_id_hash)) WITHOUT ROWID;
CREATE TABLE incidents (id TEXT PRIMARY KEY, cluster_id TEXT NOT NULL, job_id TEXT NOT NULL, kind TEXT NOT NULL,
  class TEXT NOT NULL, state TEXT NOT NULL, node_id TEXT NOT NULL, rank INTEGER NOT NULL, comm_id_hash INTEGER NOT NULL,
  from_ns INTEGER NOT NULL, to_ns INTEGER NOT NULL, confidence REAL NOT NULL, evidence TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX incidents_time ON incidents (cluster_id, to_ns);
INSERT INTO schema_version VALUES (1);
)sql";

// 2: what is known of the collective that was entered last.
constexpr const char* kProgress = R"sql(
ALTER TABLE windows ADD COLUMN entered_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE windows ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
UPDATE schema_version SET version = 2;
)sql";

// 3: sums over the windows of a minute and of an hour; how far back windows were deleted.
constexpr const char* kRollups = R"sql(
CREATE TABLE minutes (start_s INTEGER NOT NULL, node INTEGER NOT NULL, job_id TEXT NOT NULL, rank INTEGER NOT NULL,
  comm_id_hash INTEGER NOT NULL, windows INTEGER NOT NULL, collectives INTEGER NOT NULL, blocked INTEGER NOT NULL,
  work_us INTEGER NOT NULL, wait_us INTEGER NOT NULL, bytes INTEGER NOT NULL, off_cpu_us INTEGER NOT NULL,
  PRIMARY KEY (start_s, node, job_id, rank, comm_id_hash)) WITHOUT ROWID;
CREATE TABLE hours (start_s INTEGER NOT NULL, node INTEGER NOT NULL, job_id TEXT NOT NULL, rank INTEGER NOT NULL,
  comm_id_hash INTEGER NOT NULL, windows INTEGER NOT NULL, collectives INTEGER NOT NULL, blocked INTEGER NOT NULL,
  work_us INTEGER NOT NULL, wait_us INTEGER NOT NULL, bytes INTEGER NOT NULL, off_cpu_us INTEGER NOT NULL,
  PRIMARY KEY (start_s, node, job_id, rank, comm_id_hash)) WITHOUT ROWID;
CREATE TABLE pruned (windows_before_ns INTEGER NOT NULL);
INSERT INTO pruned SELECT coalesce(min(start_ns), 0) FROM windows;
INSERT INTO minutes SELECT start_ns / 60000000000 * 60, node, job_id, rank, comm_id_hash, count(*), sum(collectives),
  sum(blocked), sum(CAST(round(coalesce(work_total_s, 0) * 1e6) AS INTEGER)), sum(CAST(round(wait_s * 1e6) AS INTEGER)),
  sum(bytes), sum(CAST(round((preempted_s + run_queue_s + blocked_s + io_s) * 1e6) AS INTEGER))
  FROM windows GROUP BY 1, 2, 3, 4, 5;
INSERT INTO hours SELECT start_ns / 3600000000000 * 3600, node, job_id, rank, comm_id_hash, count(*), sum(collectives),
  sum(blocked), sum(CAST(round(coalesce(work_total_s, 0) * 1e6) AS INTEGER)), sum(CAST(round(wait_s * 1e6) AS INTEGER)),
  sum(bytes), sum(CAST(round((preempted_s + run_queue_s + blocked_s + io_s) * 1e6) AS INTEGER))
  FROM windows GROUP BY 1, 2, 3, 4, 5;
UPDATE schema_version SET version = 3;
)sql";

// 4: what ranks' devices were, and when ranks entered and left the collectives of the sample.
constexpr const char* kSides = R"sql(
CREATE TABLE device_states (node INTEGER NOT NULL, job_id TEXT NOT NULL, start_ns INTEGER NOT NULL,
  rank INTEGER NOT NULL, hw_id TEXT NOT NULL, model TEXT NOT NULL, utilization_ratio REAL, power_watts REAL,
  temperature_celsius REAL, sm_clock_hertz REAL, throttle_reasons INTEGER,
  PRIMARY KEY (start_ns, node, job_id, rank)) WITHOUT ROWID;
CREATE TABLE arrivals (node INTEGER NOT NULL, job_id TEXT NOT NULL, entered_ns INTEGER NOT NULL, rank INTEGER NOT NULL,
  comm_id_hash INTEGER NOT NULL, number INTEGER NOT NULL, left_ns INTEGER, op_type TEXT NOT NULL,
  bytes INTEGER NOT NULL, PRIMARY KEY (entered_ns, node, job_id, rank, comm_id_hash, number)) WITHOUT ROWID;
CREATE INDEX arrivals_number ON arrivals (comm_id_hash, number);
UPDATE schema_version SET version = 4;
)sql";

// 5: what a node sends at once lies together; by their times alone, each of its arrivals lay on a page of its own.
constexpr const char* kArrivalsByWindow = R"sql(
CREATE TABLE arrivals_by_window (start_ns INTEGER NOT NULL, node INTEGER NOT NULL, job_id TEXT NOT NULL,
  rank INTEGER NOT NULL, comm_id_hash INTEGER NOT NULL, number INTEGER NOT NULL, entered_ns INTEGER NOT NULL,
  left_ns INTEGER, op_type TEXT NOT NULL, bytes INTEGER NOT NULL,
  PRIMARY KEY (start_ns, node, job_id, rank, comm_id_hash, number)) WITHOUT ROWID;
INSERT OR IGNORE INTO arrivals_by_window SELECT entered_ns / 5000000000 * 5000000000, node, job_id, rank, comm_id_hash,
  number, entered_ns, left_ns, op_type, bytes FROM arrivals;
DROP TABLE arrivals;
ALTER TABLE arrivals_by_window RENAME TO arrivals;
UPDATE schema_version SET version = 5;
)sql";

constexpr const char* kSteps[] = {kTables, kProgress, kRollups, kSides, kArrivalsByWindow};
static_assert(std::size(kSteps) == kSchemaVersion);

Status step_up(ingero::store::Database& database, size_t from) {
  std::string steps;
  for (size_t i = from; i < std::size(kSteps); ++i) steps += kSteps[i];
  return database.execute(fmt::format("BEGIN IMMEDIATE; {} PRAGMA application_id = {}; COMMIT", steps, kApplicationId));
}

}  // namespace

Status prepare_schema(ingero::store::Database& database) {
  int64_t tables = 0, application = 0, version = 0;
  INGERO_TRY(database.integer_into("SELECT count(*) FROM sqlite_master", tables));
  INGERO_TRY(database.integer_into("PRAGMA application_id", application));
  if (tables == 0 && application == 0) return step_up(database, 0);
  if (application != kApplicationId) {
    return Error(Errc::kCorrupt, fmt::format("{}: a database, but not a cluster's", database.path()),
                 "name another file with --db");
  }
  INGERO_TRY(database.integer_into("SELECT version FROM schema_version", version));
  if (version > kSchemaVersion) {
    return Error(Errc::kNotSupported,
                 fmt::format("{}: made by a newer version (schema {}, this one knows up to {})", database.path(),
                             version, kSchemaVersion),
                 "use that version, or a newer one, to open it");
  }
  if (version < 1) return Error(Errc::kCorrupt, fmt::format("{}: schema {}", database.path(), version));
  return version == kSchemaVersion ? Status() : step_up(database, static_cast<size_t>(version));
}

}  // namespace ingero::fleet::store
