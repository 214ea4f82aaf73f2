// Tables of the recording. docs/formats/store.md says what each column means and which promises hold.
#include "store/db/schema.h"

#include "store/db/budget_schema.h"
#include "store/db/collectives_schema.h"
#include "store/db/event_row.h"
#include "store/db/inference_schema.h"
#include "store/db/waits_schema.h"

namespace ingero::store {
namespace {

// Dictionaries: rows name things by small ids, so that a row is small and needs no index. Ids are never reused.
constexpr const char* kDictionaries = R"sql(
CREATE TABLE clocks (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, mono_ns INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL, node TEXT NOT NULL, sample_every INTEGER NOT NULL);
CREATE TABLE processes (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, pid INTEGER NOT NULL, parent_pid INTEGER,
  start_mono_ns INTEGER, uid INTEGER, comm TEXT, command_line TEXT, cgroup_id INTEGER, cgroup_path TEXT,
  container_id TEXT, pod_uid TEXT, slurm_job TEXT, rank INTEGER, local_rank INTEGER, world_size INTEGER);
CREATE TABLE threads (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, tid INTEGER NOT NULL, process INTEGER NOT NULL,
  cgroup_id INTEGER, comm TEXT);
CREATE TABLE calls (id INTEGER PRIMARY KEY, name TEXT NOT NULL, op_name TEXT NOT NULL, vendor TEXT NOT NULL,
  backend TEXT NOT NULL, layer TEXT NOT NULL, kind TEXT NOT NULL, rule INTEGER NOT NULL, source INTEGER NOT NULL,
  op INTEGER NOT NULL, synchronising INTEGER NOT NULL, UNIQUE (backend, layer, name));
CREATE TABLE sites (id INTEGER PRIMARY KEY, call INTEGER NOT NULL, symbol TEXT, library TEXT, library_version TEXT,
  name TEXT NOT NULL, op_name TEXT NOT NULL, vendor TEXT NOT NULL, backend TEXT NOT NULL, layer TEXT NOT NULL,
  kind TEXT NOT NULL, rule INTEGER NOT NULL, source INTEGER NOT NULL, op INTEGER NOT NULL,
  synchronising INTEGER NOT NULL);
CREATE TABLE functions (id INTEGER PRIMARY KEY, process INTEGER NOT NULL, handle INTEGER NOT NULL, name TEXT);
CREATE TABLE geometries (id INTEGER PRIMARY KEY, grid_x INTEGER, grid_y INTEGER, grid_z INTEGER, block_x INTEGER,
  block_y INTEGER, block_z INTEGER, shared_bytes INTEGER);
CREATE TABLE details (id INTEGER PRIMARY KEY, flags INTEGER, peer_device INTEGER, handle2 INTEGER);
CREATE TABLE culprits (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, comm TEXT NOT NULL);
CREATE TABLE stacks (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL);
CREATE TABLE stack_traces (hash INTEGER PRIMARY KEY, ips TEXT, frames TEXT);
)sql";

constexpr const char* kBookkeeping = R"sql(
CREATE TABLE blocks (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, start_wall_ns INTEGER NOT NULL,
  end_wall_ns INTEGER NOT NULL);
CREATE TABLE in_flight (tid INTEGER NOT NULL, start_mono_ns INTEGER NOT NULL, seq INTEGER NOT NULL,
  site INTEGER NOT NULL, process INTEGER NOT NULL, PRIMARY KEY (tid, start_mono_ns)) WITHOUT ROWID;
CREATE TABLE never_returned (seq INTEGER PRIMARY KEY);
CREATE TABLE tcp_details (seq INTEGER PRIMARY KEY, family INTEGER NOT NULL, state INTEGER NOT NULL,
  saddr TEXT NOT NULL, sport INTEGER NOT NULL, daddr TEXT NOT NULL, dport INTEGER NOT NULL,
  sequence INTEGER NOT NULL);
CREATE TABLE call_stats (call INTEGER NOT NULL, process INTEGER NOT NULL, count INTEGER NOT NULL,
  errors INTEGER NOT NULL, never_returned INTEGER NOT NULL, stored INTEGER NOT NULL, timed INTEGER NOT NULL,
  total_ns INTEGER NOT NULL, min_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL, preempted_ns INTEGER NOT NULL,
  runqueue_ns INTEGER NOT NULL, blocked_ns INTEGER NOT NULL, io_ns INTEGER NOT NULL, bytes INTEGER,
  histogram BLOB NOT NULL, PRIMARY KEY (call, process)) WITHOUT ROWID;
CREATE TABLE loss (session INTEGER NOT NULL, name TEXT NOT NULL, room TEXT NOT NULL, severity TEXT NOT NULL,
  count INTEGER NOT NULL, sentence TEXT NOT NULL, PRIMARY KEY (session, name)) WITHOUT ROWID;
CREATE TABLE store_state (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO store_state VALUES ('aggregated_through', 0), ('rows_pruned', 0);
CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL, what TEXT NOT NULL);
)sql";

// arg0 and arg1 as they always were, by the call's kind (sites.rule is hal::Kind's number).
std::string argument_sql(bool second) {
  using hal::Kind;
  constexpr const char* kFunctionHandle = "(SELECT handle FROM functions WHERE id = e.function)";
  const struct {
    Kind kind;
    const char* arg0;
    const char* arg1;
  } rules[] = {
      {Kind::kLaunch, kFunctionHandle, "e.stream"},
      {Kind::kMemcpy, "e.bytes",
       "CASE (e.state >> 4) & 7 WHEN 0 THEN NULL WHEN 1 THEN 5 ELSE ((e.state >> 4) & 7) - 2 END"},
      {Kind::kMemset, "e.bytes", "e.address"},
      {Kind::kAlloc, "e.bytes", "e.address"},
      {Kind::kFree, "e.address", "e.bytes"},
      {Kind::kSync, "coalesce(e.stream, e.handle)", "NULL"},
      {Kind::kEvent, "e.handle", "e.stream"},
      {Kind::kGraph, "e.handle", "e.stream"},
      {Kind::kStream, "e.stream", "NULL"},
      {Kind::kDevice, "(SELECT ordinal FROM event_devices WHERE id = e.device)", "NULL"},
      {Kind::kCollective, "e.bytes", "e.stream"},
      {Kind::kP2p, "e.bytes", "e.stream"},
      {Kind::kCommunicator, "e.handle", "NULL"},
      {Kind::kModule, "coalesce((SELECT handle FROM functions WHERE id = e.function), e.handle)", "NULL"},
      {Kind::kFabric, "e.handle", "NULL"},
      {Kind::kHost, "e.arg0", "e.arg1"},
  };
  static_assert(std::size(rules) == static_cast<size_t>(Kind::kCount));
  std::string sql = "CASE s.rule";
  for (const auto& rule : rules) {
    sql += fmt::format(" WHEN {} THEN {}", static_cast<int>(rule.kind), second ? rule.arg1 : rule.arg0);
  }
  return sql + " END";
}

// The names of an enumeration's first `count` values, chosen by a number in SQL.
template <typename Enum>
std::string enum_sql(const std::string& value, int count) {
  std::string sql = "CASE " + value;
  for (int i = 0; i < count; ++i) sql += fmt::format(" WHEN {} THEN '{}'", i, name_of(static_cast<Enum>(i)));
  return sql + " END";
}

std::string with_collectives() { return collective_tables() + collective_views() + documented_collective_view(); }

// Until then a row's device was the number that its call named.
std::string with_devices() {
  return R"sql(
CREATE TABLE event_devices (id INTEGER PRIMARY KEY, ordinal INTEGER, vendor TEXT, gpu_id INTEGER, uuid TEXT,
  pci_address TEXT);
INSERT INTO event_devices (ordinal) SELECT DISTINCT device FROM event_rows WHERE device IS NOT NULL;
UPDATE event_rows SET device = (SELECT id FROM event_devices WHERE ordinal = event_rows.device)
  WHERE device IS NOT NULL;
CREATE TABLE device_calls (device INTEGER NOT NULL, process INTEGER NOT NULL, count INTEGER NOT NULL,
  errors INTEGER NOT NULL, total_ns INTEGER NOT NULL, PRIMARY KEY (device, process)) WITHOUT ROWID;
CREATE VIEW calls_by_device AS SELECT d.vendor AS vendor, d.gpu_id AS gpu_id, d.uuid AS gpu_uuid,
  d.pci_address AS gpu_pci_address, p.pid AS pid, p.comm AS comm, p.session AS session, sum(c.count) AS calls,
  sum(c.errors) AS errors, sum(c.total_ns) AS total_ns
  FROM device_calls c JOIN event_devices d ON d.id = c.device JOIN processes p ON p.id = c.process
  GROUP BY d.vendor, d.gpu_id, d.uuid, d.pci_address, c.process;
DROP VIEW events;
)sql" + events_view();
}

// Until then all sessions of a file were of one node, one after the other.
std::string with_nodes() {
  constexpr const char* kOfSession =
      "UPDATE {} SET session = coalesce((SELECT max(id) FROM sessions WHERE started_at <= timestamp), "
      "(SELECT min(id) FROM sessions));\n";
  return "ALTER TABLE clocks ADD COLUMN seq_offset INTEGER NOT NULL DEFAULT 0;\n"
         "ALTER TABLE system_snapshots ADD COLUMN session INTEGER;\n"
         "ALTER TABLE annotations ADD COLUMN session INTEGER;\n" +
         fmt::format(kOfSession, "system_snapshots") + fmt::format(kOfSession, "annotations") +
         "DROP VIEW events;\nDROP VIEW tcp_events;\nDROP VIEW collectives;\n" + events_view() + tcp_view() +
         collectives_view();
}

std::string first_layout() {
  std::string sql = kDictionaries;
  sql += event_rows_sql() + ";\n";
  sql += kBookkeeping;
  sql += documented_tables();
  sql += events_view();
  sql += documented_views();
  return sql;
}

// NULL: of before, and not known.
std::string with_steps_of_probes() {
  return "ALTER TABLE calls ADD COLUMN asynchronous INTEGER;"
         "ALTER TABLE sites ADD COLUMN single_stepped INTEGER;"
         "ALTER TABLE sessions ADD COLUMN single_step_ns INTEGER;";
}

std::string settings_column() { return "ALTER TABLE processes ADD COLUMN settings TEXT;"; }

// probe_ns: of each call's time, the part that its own probes take. NULL: not known.
std::string costs_and_losses() {
  return "ALTER TABLE sessions ADD COLUMN probe_ns INTEGER;"
         "CREATE TABLE lost_calls (session INTEGER NOT NULL, timestamp INTEGER NOT NULL, pid INTEGER, comm TEXT, "
         "calls INTEGER NOT NULL, waited_ns INTEGER NOT NULL);";
}

// Until then the layer's name said it.
constexpr std::string_view kBelowRuntimeBefore = "layer = 'DRIVER'";
std::string with_runtimes() {
  return fmt::format(
      "ALTER TABLE calls ADD COLUMN below_runtime INTEGER NOT NULL DEFAULT 0;"
      "UPDATE calls SET below_runtime = {};",
      kBelowRuntimeBefore);
}

std::string with_library_hashes() { return "ALTER TABLE communicators ADD COLUMN library_hash INTEGER;"; }

// memory: of allocations and their releases, "device", "host" or "address space" (hal::Memory); NULL: neither, or of
// before. online: NULL: not known.
std::string memories_affinity_and_file_systems() {
  return "ALTER TABLE calls ADD COLUMN memory TEXT;"
         "CREATE TABLE cpu_affinity (session INTEGER NOT NULL, timestamp INTEGER NOT NULL, mono_ns INTEGER NOT NULL, "
         "pid INTEGER NOT NULL, cpus TEXT NOT NULL, threads INTEGER NOT NULL, online TEXT);" +
         file_systems_of_waits();
}

// stalled_ns: NULL: not known. pid and comm: NULL: of all processes that are not traced, with own_bytes, of those that
// are.
std::string memory_limits_and_disks() {
  return "CREATE TABLE cgroup_memory (session INTEGER NOT NULL, timestamp INTEGER NOT NULL, mono_ns INTEGER NOT NULL, "
         "pid INTEGER NOT NULL, path TEXT NOT NULL, limit_name TEXT NOT NULL, limit_bytes INTEGER NOT NULL, "
         "used_bytes INTEGER NOT NULL, reread_bytes INTEGER NOT NULL, hits INTEGER NOT NULL, stalled_ns INTEGER);"
         "CREATE TABLE disk_use (session INTEGER NOT NULL, timestamp INTEGER NOT NULL, mono_ns INTEGER NOT NULL, "
         "device INTEGER NOT NULL, pid INTEGER, comm TEXT, requests INTEGER NOT NULL, bytes INTEGER NOT NULL, "
         "own_bytes INTEGER);"
         "CREATE TABLE io_limits (session INTEGER NOT NULL, timestamp INTEGER NOT NULL, mono_ns INTEGER NOT NULL, "
         "pid INTEGER NOT NULL, device INTEGER NOT NULL, path TEXT NOT NULL, limit_name TEXT NOT NULL, "
         "is_write INTEGER NOT NULL, is_bytes INTEGER NOT NULL, limit_per_second INTEGER NOT NULL);";
}

struct Step {
  int64_t version;
  const char* what;
  std::string (*sql)();
};
// Append only; a released step never changes.
constexpr Step kSteps[] = {
    {20, "compact rows, dictionaries, histograms", first_layout},
    {21, "communicators and their collectives", with_collectives},
    {22, "samples of fabric adapters and devices", samples_tables},
    {23, "chains with grade, evidence and symptoms; limits and theft of CPUs", engine_tables},
    {24, "devices of events by uuid and address", with_devices},
    {25, "steps and workloads of inference, and what its engines say of themselves", inference_tables},
    {26, "sessions of several nodes", with_nodes},
    {27, "single-stepped probes and asynchronous calls", with_steps_of_probes},
    {28, "what threads waited for, who woke them, and samples of the CPU", wait_tables},
    {29, "where the time went: steps, seconds and causes", budget_tables},
    {30, "settings of a process that slow it down", settings_column},
    {31, "what probes cost, and whose calls were lost", costs_and_losses},
    {32, "which calls a runtime makes", with_runtimes},
    {33, "what a library calls a communicator", with_library_hashes},
    {34, "whose memory calls obtain, on which CPUs threads may run, and which file system files are of",
     memories_affinity_and_file_systems},
    {35, "limits of memory and of disks, and who else used the disks", memory_limits_and_disks},
};
static_assert(kSteps[std::size(kSteps) - 1].version == kSchemaVersion);

std::string sql_of(const Step& step, uint64_t wall_ns) {
  return fmt::format("{};\nINSERT INTO schema_migrations VALUES ({}, {}, '{}');\n", step.sql(), step.version, wall_ns,
                     step.what);
}

// Where ALTER TABLE puts a column: after the others, before what is unique of several.
size_t end_of_columns(std::string_view sql, std::string_view table) {
  const size_t begin = sql.find(fmt::format("CREATE TABLE {} (", table));
  for (size_t at = sql.find('(', begin) + 1, depth = 1; at < sql.size(); ++at) {
    if (sql[at] == '(') ++depth;
    if (sql[at] == ')' && --depth == 0) return at;
    if (depth == 1 && sql.substr(at).starts_with(", UNIQUE (")) return at;
  }
  return std::string_view::npos;
}

// The steps of a new file: tables are made with the columns that later steps add. Each ALTER TABLE has SQLite read the
// whole schema again, which takes longer than all else that opening a small recording needs.
std::string with_columns_at_once(std::string sql) {
  constexpr std::string_view kBegin = "ALTER TABLE ", kMiddle = " ADD COLUMN ";
  for (size_t at = 0; (at = sql.find(kBegin, at)) != std::string::npos;) {
    const size_t middle = sql.find(kMiddle, at), end = sql.find(';', at);
    const std::string table = sql.substr(at + kBegin.size(), middle - at - kBegin.size());
    const std::string column = sql.substr(middle + kMiddle.size(), end - middle - kMiddle.size());
    sql.erase(at, end + 1 - at);
    sql.insert(end_of_columns(sql, table), ", " + column);
  }
  return sql;
}

// A view of that name is none: describing its columns could take for ever.
Result<bool> has_table(Database& database, const char* name, const char* column) {
  Result<std::optional<int64_t>> tables =
      database.integer(fmt::format("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '{}'", name));
  if (!tables.ok()) return tables.error();
  if (tables->value_or(0) == 0) return false;
  Result<std::optional<int64_t>> count =
      database.integer(fmt::format("SELECT count(*) FROM pragma_table_info('{}') WHERE name = '{}'", name, column));
  if (!count.ok()) return count.error();
  return count->value_or(0) > 0;
}

}  // namespace

std::string_view before_column(std::string_view table, std::string_view column) {
  return table == "calls" && column == "below_runtime" ? kBelowRuntimeBefore : "NULL";
}

std::string outcome_sql(const std::string& value) { return enum_sql<hal::Outcome>(value, 6); }

// The dictionaries most queries need are joined. The others are looked up column by column: SQLite (3.40) leaves out
// unused LEFT JOINs only in queries without aggregates, while an unused scalar subquery costs nothing.
std::string events_view() {
  const auto of_row = [](const char* table, const char* column, const char* id) {
    return fmt::format("(SELECT {1} FROM {0} WHERE id = e.{2}) AS ", table, column, id);
  };
  std::string sql = fmt::format("CREATE VIEW events AS SELECT {} AS id, k.wall_ns + e.start AS timestamp, ", kEventId) +
                    "t.pid AS pid, t.tid AS tid, s.source AS source, s.op AS op, e.duration AS duration, " +
                    of_row("event_devices", "gpu_id", "device") + "gpu_id, " + argument_sql(false) + " AS arg0, " +
                    argument_sql(true) + " AS arg1, e.return_code AS ret_code, " + of_row("stacks", "hash", "stack") +
                    "stack_hash, k.node AS node, ";
  for (const char* column : {"rank", "local_rank", "world_size"}) {
    sql += fmt::format("(SELECT {0} FROM processes WHERE id = t.process) AS {0}, ", column);
  }
  sql +=
      "coalesce(t.comm, (SELECT comm FROM processes WHERE id = t.process)) AS comm, "
      "(SELECT ips FROM stacks JOIN stack_traces USING (hash) WHERE stacks.id = e.stack) AS stack_ips, "
      "t.cgroup_id AS cgroup_id, s.kind AS kind, s.vendor AS vendor, s.backend AS backend, s.layer AS layer, "
      "s.name AS call, s.op_name AS op_name, s.symbol AS symbol, s.library AS library, "
      "s.library_version AS library_version, " +
      enum_sql<hal::Outcome>("e.state & 7", 6) +
      " AS outcome, CASE WHEN (e.state >> 3) & 1 THEN 1 WHEN e.return_code IS NULL THEN NULL ELSE 0 END AS failed, " +
      enum_sql<hal::Direction>("((e.state >> 4) & 7) - 1", 6) +
      " AS direction, e.stream AS stream, e.bytes AS bytes, e.address AS address, "
      "e.source_address AS source_address, " +
      of_row("functions", "handle", "function") + "function, " + of_row("functions", "name", "function") + "kernel, ";
  for (const char* column : {"grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared_bytes"}) {
    sql += of_row("geometries", column, "geometry") + column + ", ";
  }
  sql += "e.handle AS handle, ";
  for (const char* column : {"handle2", "peer_device", "flags"}) {
    sql += of_row("details", column, "detail") + column + ", ";
  }
  return sql + "k.mono_ns + e.start AS start_mono_ns, (e.state >> 7) & 15 AS depth, " +
         of_row("calls", "name", "parent_call") +
         "parent_call, k.wall_ns + e.start - e.parent_gap AS parent_timestamp, e.preempted AS preempted_ns, "
         "e.runqueue AS runqueue_ns, e.blocked AS blocked_ns, e.io AS io_ns, " +
         of_row("culprits", "pid", "culprit") + "culprit_pid, " + of_row("culprits", "comm", "culprit") +
         "culprit_comm, e.culprit_ns AS culprit_ns, "
         "CASE WHEN (e.state >> 11) & 1 THEN k.sample_every ELSE 1 END AS weight, k.session AS session, "
         "t.process AS process, e.seq AS seq, " +
         of_row("event_devices", "uuid", "device") + "gpu_uuid, " + of_row("event_devices", "pci_address", "device") +
         "gpu_pci_address, " + of_row("event_devices", "ordinal", "device") +
         "device_ordinal FROM event_rows e LEFT JOIN clocks k ON k.id = e.clock "
         "LEFT JOIN threads t ON t.id = e.thread LEFT JOIN sites s ON s.id = e.site;\n";
}

Error newer_error(const std::string& path, int64_t version) {
  return {Errc::kNotSupported,
          fmt::format("{}: recorded by a newer version (schema {}, this one knows up to {})", path, version,
                      kSchemaVersion),
          "use that version, or a newer one, to open it"};
}

Error foreign_error(Database& database) {
  const auto application = database.integer("PRAGMA application_id");
  if (application.ok() && application->value_or(0) == kClusterApplicationId) {
    return {Errc::kCorrupt, fmt::format("{}: the file of 'ingero fleet serve', but not a recording", database.path()),
            "ask its server: ingero query --nodes HOST:8081"};
  }
  return {Errc::kCorrupt, fmt::format("{}: an SQLite database, but not a recording", database.path()),
          "name a recording"};
}

Result<FileKind> identify(Database& database) {
  // The first read; a file that is not a database, or is damaged, fails here.
  Result<std::optional<int64_t>> tables = database.integer("SELECT count(*) FROM sqlite_master");
  if (!tables.ok()) return tables.error();
  Result<std::optional<int64_t>> version = database.integer("PRAGMA user_version");
  if (!version.ok()) return version.error();
  Result<std::optional<int64_t>> application = database.integer("PRAGMA application_id");
  if (!application.ok()) return application.error();
  const int64_t number = version->value_or(0);
  if (application->value_or(0) == kApplicationId) {
    if (number > kSchemaVersion) return FileKind::kNewer;
    return number == kSchemaVersion ? FileKind::kCurrent : FileKind::kOlder;
  }
  if (tables->value_or(0) == 0 && number == 0) return FileKind::kEmpty;
  Result<bool> events = has_table(database, "events", "timestamp");
  if (!events.ok()) return events.error();
  Result<bool> info = has_table(database, "schema_info", "value");
  if (!info.ok()) return info.error();
  if (!*events || !*info) return FileKind::kForeign;
  return number > kLastLegacyVersion ? FileKind::kNewer : FileKind::kLegacy;
}

Status migrate_schema(Database& database, uint64_t wall_ns, int64_t to_version) {
  Result<std::optional<int64_t>> version = database.integer("PRAGMA user_version");
  if (!version.ok()) return version.error();
  INGERO_TRY(database.execute("BEGIN IMMEDIATE"));
  const auto apply = [&]() -> Status {
    std::string sql;
    for (const Step& step : kSteps) {
      if (step.version > version->value_or(0) && step.version <= to_version) sql += sql_of(step, wall_ns);
    }
    INGERO_TRY(database.execute(version->value_or(0) == 0 ? with_columns_at_once(std::move(sql)) : sql));
    return database.execute(
        fmt::format("PRAGMA user_version = {}; PRAGMA application_id = {}; COMMIT", to_version, kApplicationId));
  };
  Status status = apply();
  if (!status.ok()) sqlite3_exec(database.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  return status;
}

}  // namespace ingero::store
