// Ids of a dictionary are counted on from one source to the next, so that each row finds its own; calls, which have a
// name of their own, are one for all.
#include "store/merge/merge.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "base/fd.h"
#include "base/text.h"
#include "base/wrapping.h"
#include "store/db/aggregates.h"
#include "store/db/file_access.h"
#include "store/db/schema.h"
#include "store/merge/merge_impl.h"
#include "store/read/reader_impl.h"

namespace ingero::store {
namespace {

constexpr uint64_t kRowsAtOnce = 1 << 17;
constexpr int kMergeStepsBetweenChecks = 10000;

// A column that holds an id of another table (or of its own).
struct Link {
  const char* column;
  const char* to;
};
// What is done with a row whose key the file has already.
enum class Taken : uint8_t {
  kAll,   // there is none
  kNew,   // it is left out, and reported
  kSame,  // it says the same
};

struct Table {
  const char* name;
  std::vector<Link> links;
  Taken taken = Taken::kAll;
};

// Everything a recording holds, but what add_calls(), add_sums() and add_names() bring.
const std::vector<Table>& tables() {
  static const std::vector<Table> all = {
      {"sessions", {{"id", "sessions"}}},
      {"clocks", {{"id", "clocks"}, {"session", "sessions"}}},
      {"processes", {{"id", "processes"}, {"session", "sessions"}}},
      {"threads", {{"id", "threads"}, {"process", "processes"}}},
      {"sites", {{"id", "sites"}, {"call", "calls"}}},
      {"functions", {{"id", "functions"}, {"process", "processes"}}},
      {"geometries", {{"id", "geometries"}}},
      {"details", {{"id", "details"}}},
      {"culprits", {{"id", "culprits"}}},
      {"stacks", {{"id", "stacks"}}},
      {"event_devices", {{"id", "event_devices"}}},
      {"event_rows",
       {{"seq", "event_rows"},
        {"site", "sites"},
        {"thread", "threads"},
        {"clock", "clocks"},
        {"function", "functions"},
        {"geometry", "geometries"},
        {"device", "event_devices"},
        {"detail", "details"},
        {"culprit", "culprits"},
        {"stack", "stacks"},
        {"parent_call", "calls"}}},
      {"blocks", {{"first", "event_rows"}, {"last", "event_rows"}}},
      {"in_flight", {{"seq", "event_rows"}, {"site", "sites"}, {"process", "processes"}}, Taken::kNew},
      {"never_returned", {{"seq", "event_rows"}}},
      {"tcp_details", {{"seq", "event_rows"}}},
      {"wakers", {{"id", "wakers"}}},
      {"wait_peers", {{"id", "wait_peers"}}},
      {"waits", {{"seq", "event_rows"}, {"peer", "wait_peers"}, {"waker", "wakers"}}},
      {"wait_totals", {{"seq", "event_rows"}, {"thread", "threads"}}},
      {"cpu_samples", {{"seq", "event_rows"}, {"thread", "threads"}, {"clock", "clocks"}, {"stack", "stacks"}}},
      {"wait_objects", {{"session", "sessions"}}},
      {"communicators",
       {{"id", "communicators"}, {"session", "sessions"}, {"process", "processes"}, {"parent", "communicators"}}},
      {"exchanges", {{"seq", "event_rows"}, {"exchange", "exchanges"}, {"communicator", "communicators"}}},
      {"barrier_waits", {{"exchange", "exchanges"}}},
      {"collective_hangs", {{"session", "sessions"}}},
      {"call_stats", {{"call", "calls"}, {"process", "processes"}}},
      {"device_calls", {{"device", "event_devices"}, {"process", "processes"}}},
      {"loss", {{"session", "sessions"}}},
      {"stack_traces", {}, Taken::kSame},
      {"causal_chains", {}, Taken::kNew},
      {"system_snapshots", {{"session", "sessions"}}, Taken::kNew},
      {"annotations", {{"session", "sessions"}}},
      {"cgroup_metadata", {}, Taken::kNew},
      {"cgroup_schedstat", {}, Taken::kNew},
      {"cgroup_throttling", {{"session", "sessions"}}},
      {"cgroup_memory", {{"session", "sessions"}}},
      {"disk_use", {{"session", "sessions"}}},
      {"io_limits", {{"session", "sessions"}}},
      {"cpu_affinity", {{"session", "sessions"}}},
      {"lost_calls", {{"session", "sessions"}}},
      {"fabric_links", {{"id", "fabric_links"}, {"session", "sessions"}}},
      {"fabric_gids", {{"session", "sessions"}}},
      {"fabric_counters", {{"id", "fabric_counters"}, {"session", "sessions"}}},
      {"fabric_values", {{"counter", "fabric_counters"}}},
      {"devices", {{"id", "devices"}, {"session", "sessions"}}},
      {"device_values", {{"device", "devices"}}},
      {"device_processes", {{"device", "devices"}}},
      {"device_errors", {{"session", "sessions"}}},
      {"inference_engines", {{"id", "inference_engines"}, {"session", "sessions"}, {"process", "processes"}}},
      {"inference_workload_rows",
       {{"id", "inference_workload_rows"},
        {"session", "sessions"},
        {"process", "processes"},
        {"engine", "inference_engines"}}},
      {"inference_step_rows", {{"id", "inference_step_rows"}, {"workload", "inference_workload_rows"}}},
      {"inference_engine_metrics", {{"engine", "inference_engines"}}},
      {"causes", {{"id", "causes"}, {"session", "sessions"}, {"parent", "causes"}}},
      {"step_rows", {{"id", "step_rows"}, {"session", "sessions"}, {"process", "processes"}, {"cause", "causes"}}},
      {"second_rows", {{"id", "second_rows"}, {"session", "sessions"}, {"process", "processes"}}},
      {"cause_rows", {{"id", "cause_rows"}, {"process", "processes"}, {"cause", "causes"}}},
  };
  return all;
}

// The column that holds a table's ids.
std::string id_column(std::string_view table) {
  return table == "event_rows" ? "seq" : table == "exchanges" ? "exchange" : "id";
}

class Merge final : public Merger {
 public:
  using Merger::Merger;
  Status begin() override { return migrate_schema(database_, options_.wall_ns); }
  Status add(MergedSource& source) override;
  Status finish() override {
    INGERO_TRY(join_communicators());
    return database_.execute("PRAGMA journal_mode = WAL");
  }

 private:
  Status join_communicators();
  Status count_ids();
  using ValueOf = std::function<std::string(const std::string& column)>;
  Status add_columns(const char* table, const ValueOf& value_of, std::string& columns, std::string& values);
  Status add_calls();
  Status add_table(const Table& table, MergedSource& source);
  Status add_rows(const std::string& insert, MergedSource& source);
  Status add_sums();
  Status add_names(const MergedSource& source);
  Status add_uncounted();
  std::string value_of(const Table& table, const std::string& column) const;

  std::map<std::string, int64_t, std::less<>> added_;  // to the source's ids, by table
};

// The offset added to the source's ids, so that its least follows the file's greatest.
Status Merge::count_ids() {
  added_.clear();
  for (const Table& table : tables()) {
    for (const Link& link : table.links) {
      if (std::string_view(link.to) == "calls" || added_.contains(link.to)) continue;
      const std::string id = id_column(link.to);
      int64_t least = 0;
      INGERO_TRY(database_.integer_into(fmt::format("SELECT min({}) FROM source.{}", id, link.to), least));
      INGERO_TRY(database_.integer_into(
          fmt::format("SELECT coalesce(max({}) + 1 - {}, 0) FROM main.{}", id, least, link.to), added_[link.to]));
    }
  }
  return {};
}

// A call has one id and one operation number for SQL queries, from whichever source it came.
Status Merge::add_calls() {
  constexpr const char* kNextId =
      "(SELECT coalesce(max(id) + 1, 0) FROM main.calls) + row_number() OVER (ORDER BY id) - 1";
  constexpr const char* kSameSource =
      "iif(source < 64, source, (SELECT id FROM main.sources WHERE id >= 64 AND name = (SELECT name FROM "
      "source.sources WHERE id = c.source)))";
  std::string columns, values;
  const auto value = [&](const std::string& column) {
    return column == "id" ? kNextId : column == "source" ? kSameSource : name_sql(column);
  };
  INGERO_TRY(add_columns("calls", value, columns, values));
  INGERO_TRY(database_.execute(fmt::format(
      "DROP TABLE IF EXISTS temp.merged_calls; CREATE TEMP TABLE merged_calls (old INTEGER PRIMARY KEY, new INTEGER, "
      "old_source INTEGER, old_op INTEGER, source INTEGER, op INTEGER);"
      // Numbers below these are fixed.
      "INSERT OR IGNORE INTO main.sources SELECT * FROM source.sources WHERE id < 64;"
      "INSERT INTO main.sources SELECT (SELECT max(63, max(id)) FROM main.sources) + row_number() OVER (ORDER BY id), "
      "name, description FROM source.sources WHERE id >= 64 AND name NOT IN (SELECT name FROM main.sources WHERE id >= "
      "64);"
      "INSERT INTO main.calls ({}) SELECT {} FROM source.calls c WHERE NOT EXISTS (SELECT 1 FROM main.calls m WHERE "
      "m.backend = c.backend AND m.layer = c.layer AND m.name = c.name);",
      columns, values)));
  // Free numbers of operations: by name within their source, else the next.
  Result<Statement> calls = database_.prepare(
      "SELECT m.id, m.source, m.op_name, c.op, c.id, c.source, m.layer || ' ' || m.kind FROM source.calls c JOIN "
      "main.calls m ON m.backend = c.backend AND m.layer = c.layer AND m.name = c.name ORDER BY c.id");
  if (!calls.ok()) return calls.error();
  Result<Statement> known =
      database_.prepare("SELECT min(op_id) FROM main.ops WHERE source_id = ?1 AND name = ?2 HAVING count(*) > 0");
  if (!known.ok()) return known.error();
  Result<Statement> put = database_.prepare("INSERT OR IGNORE INTO main.ops VALUES (?1, ?2, ?3, ?4)");
  if (!put.ok()) return put.error();
  for (;;) {
    Result<bool> row = calls->step();
    if (!row.ok()) return row.error();
    if (!*row) return {};
    const int64_t id = calls->integer(0), source = calls->integer(1);
    const std::string op_name = calls->text(2);
    int64_t op = calls->integer(3);
    known->bind(1, source).bind(2, std::string_view(op_name));
    Result<bool> found = known->step();
    if (!found.ok()) return found.error();
    if (*found) {
      op = known->integer(0);
      known->reset();
    } else {
      if (op >= 1000) {
        INGERO_TRY(database_.integer_into(
            fmt::format("SELECT max(999, coalesce(max(op_id), 0)) + 1 FROM main.ops WHERE source_id = {}", source),
            op));
      }
      put->bind(1, source).bind(2, op).bind(3, std::string_view(op_name)).bind(4, calls->bytes(6));
      INGERO_TRY(put->run());
    }
    INGERO_TRY(database_.execute(
        fmt::format("UPDATE main.calls SET op = {1} WHERE id = {0}; INSERT OR IGNORE INTO temp.merged_calls VALUES "
                    "({2}, {0}, {3}, {4}, {5}, {1})",
                    id, op, calls->integer(4), calls->integer(5), calls->integer(3), source)));
  }
}

std::string Merge::value_of(const Table& table, const std::string& column) const {
  const std::string_view name = table.name;
  std::string node = node_sql(options_.node);
  if (column == "node" && (name == "sessions" || name == "clocks" || name == "causal_chains")) return node;
  if (name == "clocks" && column == "seq_offset") {
    return fmt::format("seq_offset + {} - coalesce((SELECT last FROM temp.node_events WHERE node = {}), 0)",
                       added_.at("event_rows"), node);
  }
  if (name == "sites" && (column == "source" || column == "op")) {
    return fmt::format("(SELECT {} FROM temp.merged_calls WHERE old = call)", column);
  }
  if (name == "causal_chains" && column == "id") {
    return fmt::format("iif(node = '', {} || ':' || ltrim(id, ':'), id)", quoted_sql(options_.node));
  }
  if (column == "id" && (name == "system_snapshots" || name == "annotations")) return "NULL";
  const auto link =
      std::find_if(table.links.begin(), table.links.end(), [&](const Link& one) { return column == one.column; });
  if (link == table.links.end()) return name_sql(column);
  if (std::string_view(link->to) == "calls") {
    return fmt::format("(SELECT new FROM temp.merged_calls WHERE old = {})", name_sql(column));
  }
  return fmt::format("{} + {}", name_sql(column), added_.at(link->to));
}

// The columns that both have, and what is put in them. What an older recording has no column for is not known.
Status Merge::add_columns(const char* table, const ValueOf& value_of, std::string& columns, std::string& values) {
  return database_.each_row(fmt::format("SELECT name FROM pragma_table_info('{0}', 'main') WHERE name IN (SELECT "
                                        "name FROM pragma_table_info('{0}', 'source'))",
                                        table),
                            [&](const Statement& row) {
                              columns += (columns.empty() ? "" : ", ") + name_sql(row.bytes(0));
                              values += (values.empty() ? "" : ", ") + value_of(row.text(0));
                            });
}

Status Merge::add_table(const Table& table, MergedSource& source) {
  std::string columns, values;
  const auto value = [&](const std::string& column) { return value_of(table, column); };
  INGERO_TRY(add_columns(table.name, value, columns, values));
  if (columns.empty()) return {};  // a table that an older recording does not have
  const std::string insert =
      fmt::format("INSERT {}INTO main.{} ({}) SELECT {} FROM source.{}", table.taken == Taken::kAll ? "" : "OR IGNORE ",
                  table.name, columns, values, table.name);
  if (std::string_view(table.name) == "event_rows") return add_rows(insert, source);
  INGERO_TRY(database_.execute(insert));
  const int64_t taken = sqlite3_changes64(database_.get());
  if (std::string_view(table.name) == "causal_chains") source.chains = static_cast<uint64_t>(taken);
  if (table.taken != Taken::kNew) return {};
  int64_t left_out = 0;
  INGERO_TRY(database_.integer_into(fmt::format("SELECT count(*) - {} FROM source.{}", taken, table.name), left_out));
  // Where both have the same values, nothing is missing.
  if (left_out > 0 && table.links.empty() && options_.node.empty()) {
    INGERO_TRY(database_.integer_into(
        fmt::format("SELECT count(*) FROM (SELECT {0} FROM source.{1} EXCEPT SELECT {0} FROM main.{1})", columns,
                    table.name),
        left_out));
  }
  leave_out(merged_, source, table.name, left_out);
  return {};
}

// The events, a part at a time, so that progress can be reported.
Status Merge::add_rows(const std::string& insert, MergedSource& source) {
  const auto bounds = database_.integer("SELECT min(seq) FROM source.event_rows");
  INGERO_TRY(bounds);
  int64_t end = 0;
  INGERO_TRY(database_.integer_into("SELECT max(seq) FROM source.event_rows", end));
  Result<Statement> some = database_.prepare(insert + " WHERE seq BETWEEN ?1 AND ?2");
  if (!some.ok()) return some.error();
  const auto rows_to = [&](int64_t seq) {
    return static_cast<uint64_t>(wrapping_difference(seq, bounds->value_or(0)));
  };
  // Whatever numbers rows have: where there are none, none are looked for.
  for (std::optional<int64_t> at = *bounds; at;) {
    const int64_t last = rows_to(end) - rows_to(*at) < kRowsAtOnce ? end : *at + static_cast<int64_t>(kRowsAtOnce) - 1;
    INGERO_TRY(some->bind(1, *at).bind(2, last).run());
    source.events += static_cast<uint64_t>(sqlite3_changes64(database_.get()));
    if (options_.progress) options_.progress(rows_to(*at), rows_to(end));
    const auto next = database_.integer(fmt::format("SELECT min(seq) FROM source.event_rows WHERE seq > {}", last));
    INGERO_TRY(next);
    at = *next;
  }
  return {};
}

// Buckets of time have no node: what nodes did in the same one adds up.
Status Merge::add_sums() {
  for (const char* table : {"event_aggregates", "event_aggregates_5s"}) {
    INGERO_TRY(database_.execute(fmt::format(
        "INSERT INTO main.{0} SELECT bucket, coalesce(m.source, a.source), coalesce(m.op, a.op), pid, count, stored, "
        "sum_dur, min_dur, max_dur, sum_arg0 FROM source.{0} a LEFT JOIN (SELECT DISTINCT old_source, old_op, source, "
        "op FROM temp.merged_calls) m ON m.old_source = a.source AND m.old_op = a.op WHERE true{1}",
        table, kBucketsAddUp)));
  }
  return database_.execute(
      "UPDATE main.store_state SET value = value + coalesce((SELECT value FROM source.store_state WHERE key = "
      "'rows_pruned'), 0) WHERE key = 'rows_pruned'");
}

Status Merge::add_names(const MergedSource& source) {
  int64_t others = 0;
  INGERO_TRY(database_.integer_into(
      "SELECT count(*) FROM source.process_names s JOIN main.process_names m ON m.pid = s.pid WHERE m.name <> s.name",
      others));
  leave_out(merged_, source, "process_names", others);
  return database_.execute(
      fmt::format("INSERT INTO main.process_names SELECT pid, name, seen_at FROM source.process_names WHERE true{}",
                  kLatestNameStays));
}

// The rows that the source's writer was killed before it counted: of several nodes only the file's last could show it.
Status Merge::add_uncounted() {
  int64_t counted = 0, last = 0;
  INGERO_TRY(database_.integer_into("SELECT value FROM source.store_state WHERE key = 'aggregated_through'", counted));
  INGERO_TRY(database_.integer_into("SELECT max(seq) FROM source.event_rows", last));
  if (counted < last) {
    Aggregates aggregates;
    INGERO_TRY(aggregate_rows_after(database_, counted + added_.at("event_rows"), aggregates));
    INGERO_TRY(aggregates.flush(database_, 0));
  }
  return database_.execute(
      "UPDATE main.store_state SET value = (SELECT coalesce(max(seq), 0) FROM main.event_rows) WHERE key = "
      "'aggregated_through'");
}

Status Merge::add(MergedSource& source) {
  const std::string node = node_sql(options_.node);
  int64_t nameless = 0, twice = 0;
  INGERO_TRY(database_.integer_into("SELECT count(*) FROM source.sessions WHERE node = ''", nameless));
  if (nameless > 0 && options_.node.empty()) return nameless_error(source);
  INGERO_TRY(database_.integer_into(
      fmt::format("SELECT count(*) FROM source.sessions s JOIN main.sessions m ON m.started_at = s.started_at AND "
                  "m.node = iif(s.node = '', {}, s.node)",
                  quoted_sql(options_.node)),
      twice));
  if (twice > 0) return twice_error(source, "a run");
  INGERO_TRY(database_.each_row(fmt::format("SELECT DISTINCT {} FROM source.sessions ORDER BY 1", node),
                                [&](const Statement& row) { source.nodes.push_back(row.text(0)); }));
  // Where a node that the file has already is counted on.
  INGERO_TRY(database_.execute(fmt::format(
      "DROP TABLE IF EXISTS temp.node_events; CREATE TEMP TABLE node_events AS SELECT k.node AS node, max(e.seq - "
      "k.seq_offset) AS last FROM main.event_rows e JOIN main.clocks k ON k.id = e.clock WHERE EXISTS (SELECT 1 FROM "
      "main.sessions WHERE node IN (SELECT {} FROM source.sessions)) GROUP BY 1",
      node)));
  INGERO_TRY(count_ids());
  INGERO_TRY(add_calls());
  for (const Table& table : tables()) INGERO_TRY(add_table(table, source));
  INGERO_TRY(add_sums());
  INGERO_TRY(add_names(source));
  return add_uncounted();
}

// A node that was late to a communicator, or to its parent, has the library's number of it only: there it becomes what
// nodes that saw its making call it.
Status Merge::join_communicators() {
  return database_.execute(
      "UPDATE communicators SET comm_id_hash = made.comm_id_hash FROM (SELECT library_hash, nranks, min(comm_id_hash) "
      "AS "
      "comm_id_hash FROM communicators WHERE comm_id_hash <> library_hash GROUP BY 1, 2) AS made WHERE "
      "communicators.comm_id_hash = communicators.library_hash AND made.library_hash = communicators.library_hash AND "
      "made.nranks IS communicators.nranks");
}

// The output under a temporary name until it is complete.
class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)) {}
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (name_.empty()) return;
    for (const char* tail : {"", "-wal", "-shm", "-journal"}) ::unlink((name_ + tail).c_str());
  }
  const std::string& name() const { return name_; }

  Status create(const std::optional<Owner>& owner, std::optional<uint32_t> group) {
    struct stat there {};
    if (::lstat(path_.c_str(), &there) == 0) return exists();
    std::string name = fmt::format("{}.{}.part", path_, ::getpid());
    const Result<Fd> made = create_recording_file(name, owner, group);
    if (!made.ok()) return made.error();
    if (!made->valid()) return errno_error(fmt::format("create {}", printable(name, 4096)), EEXIST);
    name_ = std::move(name);
    return {};
  }
  Status put_in_place() {
    const Fd whole(::open(name_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!whole.valid() || ::fsync(whole.get()) != 0) {
      return errno_error(fmt::format("write {}", printable(path_, 4096)));
    }
    // Not rename(): that would replace what has come there meanwhile.
    if (::link(name_.c_str(), path_.c_str()) == 0) return {};
    return errno == EEXIST ? exists() : errno_error(fmt::format("put {} in its place", printable(path_, 4096)));
  }

 private:
  Status exists() const {
    return Error(Errc::kInvalid, fmt::format("{}: already exists", printable(path_, 4096)),
                 "name another file with -o, or move this one away");
  }
  std::string path_, name_;
};

int check_cancel(void* cancel) { return static_cast<const std::atomic<bool>*>(cancel)->load() ? 1 : 0; }

// One source, attached as `source` while `add` looks at it, as it stands at one moment.
template <typename Add>
Status with_source(Database& database, const Reader& reader, const Add& add) {
  Result<Statement> attach = database.prepare("ATTACH ?1 AS source");
  if (!attach.ok()) return attach.error();
  attach->bind(1, std::string_view(uri_of(reader.path(), reader.impl().immutable)));
  INGERO_TRY(attach->run());
  INGERO_TRY(database.execute("BEGIN"));
  INGERO_TRY(add());
  return database.execute("COMMIT; DETACH source");
}

std::unique_ptr<Merger> make_merger(Database& database, const MergeOptions& options, Merged& merged) {
  return std::make_unique<Merge>(database, options, merged);
}

}  // namespace

std::vector<std::string> merged_columns() {
  std::vector<std::string> all;
  for (const Table& table : tables()) {
    all.emplace_back(table.name);
    for (const Link& link : table.links) all.push_back(fmt::format("{}.{}", table.name, link.column));
  }
  return all;
}

std::string name_sql(std::string_view name) {
  std::string sql = "\"";
  for (const char c : name) sql += c == '"' ? std::string("\"\"") : std::string(1, c);
  return sql + "\"";
}

std::string node_sql(const std::string& fallback) {
  return fallback.empty() ? "node" : fmt::format("iif(node = '', {}, node)", quoted_sql(fallback));
}

Error nameless_error(const MergedSource& source) {
  return {Errc::kInvalid, fmt::format("{}: holds no node name", printable(source.path, 4096)),
          "name it with --force-node"};
}

Error twice_error(const MergedSource& source, std::string_view what) {
  return {Errc::kInvalid,
          fmt::format("{}: holds {} that another of the recordings holds too", printable(source.path, 4096), what),
          "name each run once"};
}

void leave_out(Merged& merged, const MergedSource& source, std::string_view table, int64_t count) {
  if (count == 0) return;
  merged.left_out.push_back(fmt::format("{}: left out of {}, where another recording has something else: {}",
                                        printable(source.path, 4096), table, count));
}

Result<Merged> merge(const MergeOptions& options) {
  Merged merged;
  std::vector<std::unique_ptr<Reader>> readers;
  for (const std::string& path : options.sources) {
    auto reader = Reader::open(path, Trust::kOwner, {.cancel = options.cancel});
    if (!reader.ok()) return reader.error();
    if (!readers.empty() && (*reader)->layout() != readers.front()->layout()) {
      return Error(Errc::kNotSupported,
                   fmt::format("{} and {}: a legacy recording merges only with legacy recordings",
                               printable(readers.front()->path(), 4096), printable(path, 4096)),
                   "merge each kind separately");
    }
    readers.push_back(std::move(*reader));
  }
  if (readers.empty()) return Error(Errc::kInvalid, "no recording to merge");
  const auto make = readers.front()->layout() == Layout::kLegacy ? make_legacy_merger : make_merger;

  NewFile file(options.output);
  INGERO_TRY(file.create(options.owner, options.group));
  {
    auto opened = Database::open(file.name(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, options.output);
    if (!opened.ok()) return opened.error();
    Database database = std::move(*opened);
    sqlite3_db_config(database.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(database.get(), SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    sqlite3_limit(database.get(), SQLITE_LIMIT_LENGTH, kMaxValueBytes);
    if (options.cancel != nullptr) {
      sqlite3_progress_handler(database.get(), kMergeStepsBetweenChecks, check_cancel,
                               const_cast<std::atomic<bool>*>(options.cancel));
    }
    // What fails is thrown away whole: nothing has to be undone.
    INGERO_TRY(database.execute(std::string(kNewFilePragmas) +
                                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; "
                                "PRAGMA cache_size = -65536; PRAGMA cell_size_check = ON"));
    const auto merger = make(database, options, merged);
    INGERO_TRY(merger->begin());
    for (const auto& reader : readers) {
      if (options.cancel != nullptr && *options.cancel) return Error(Errc::kBusy, "the merge was cancelled");
      MergedSource& source = merged.sources.emplace_back();
      source.path = reader->path();
      source.is_live = reader->is_live();
      INGERO_TRY(with_source(database, *reader, [&] { return merger->add(source); }));
    }
    INGERO_TRY(merger->finish());
  }
  {
    const auto reader = Reader::open(file.name(), Trust::kOwner, {.cancel = options.cancel});
    if (!reader.ok()) return reader.error();
    auto clocks = NodeClocks::load(**reader, {.time_ns = 0, .cancel = options.cancel});
    if (!clocks.ok()) return clocks.error();
    merged.clocks = std::move(*clocks);
  }
  INGERO_TRY(file.put_in_place());
  return merged;
}

}  // namespace ingero::store
