// Recordings of the earlier agent into one of its kind: tables with the columns that any source has, and of which node
// a row is.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "store/aggregates.h"
#include "store/merge_impl.h"

namespace ingero::store {
namespace {

// The documented tables. `number`: a row number that nothing refers to.
struct LegacyTable {
  const char* name;
  bool has_node, has_number;
};
constexpr LegacyTable kTables[] = {
    {"events", true, false},
    {"causal_chains", true, false},
    {"sessions", true, true},
    {"sources", false, false},
    {"ops", false, false},
    {"system_snapshots", false, true},
    {"stack_traces", false, false},
    {"process_names", false, false},
    {"event_aggregates", false, false},
    {"cgroup_metadata", false, false},
    {"cgroup_schedstat", false, false},
    {"schema_info", false, false},
    {"annotations", false, true},
    {"event_aggregates_5s", false, false},
};
constexpr const char* kFirstVersionWithNodes = "0.9";

struct Column {
  std::string name, type;
  int64_t key_place = 0;  // in the primary key, from 1; 0: not in it
};

// A type's affinity, in a word of ours: what a file declares is not repeated.
std::string affinity_of(std::string type) {
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto has = [&](const char* word) { return type.find(word) != std::string::npos; };
  if (has("INT")) return "INTEGER";
  if (has("CHAR") || has("TEXT") || has("CLOB")) return "TEXT";
  return has("REAL") || has("FLOA") || has("DOUB") ? "REAL" : "BLOB";
}

Result<std::vector<Column>> columns_of(Database& database, const std::string& table, const char* schema) {
  std::vector<Column> columns;
  INGERO_TRY(database.each_row(fmt::format("SELECT name, type, pk FROM pragma_table_info('{}', '{}')", table, schema),
                               [&](const Statement& row) {
                                 columns.push_back({row.text(0), affinity_of(row.text(1)), row.integer(2)});
                               }));
  return columns;
}

bool has_column(const std::vector<Column>& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(), [&](const Column& one) { return one.name == name; });
}

// The table as `main` is to have it: ids are texts that begin with the node.
std::string create_sql(const LegacyTable& table, std::vector<Column> columns) {
  const bool names_events = table.has_node && !table.has_number;
  if (table.has_node && !has_column(columns, "node")) columns.push_back({"node", "TEXT", 0});
  std::string sql, key;
  std::sort(columns.begin(), columns.end(), [](const Column& one, const Column& other) {
    return std::pair(one.key_place == 0, one.key_place) < std::pair(other.key_place == 0, other.key_place);
  });
  for (Column& column : columns) {
    if (names_events && column.name == "id") column.type = "TEXT";
    sql += fmt::format("{}{} {}", sql.empty() ? "" : ", ", name_sql(column.name), column.type);
    if (column.key_place > 0) key += (key.empty() ? "" : ", ") + name_sql(column.name);
  }
  if (!key.empty()) sql += fmt::format(", PRIMARY KEY ({})", key);
  if (std::string_view(table.name) == "system_snapshots") sql += ", UNIQUE (timestamp)";
  return fmt::format("CREATE TABLE main.{} ({})", table.name, sql);
}

}  // namespace

Status LegacyMerge::add(MergedSource& source) {
  int64_t version = 0;
  INGERO_TRY(database_.integer_into("PRAGMA source.user_version", version));
  user_version_ = std::max(user_version_, version);
  const auto sessions = columns_of(database_, "sessions", "source");
  INGERO_TRY(sessions);
  const auto events = columns_of(database_, "events", "source");
  INGERO_TRY(events);
  const std::string node = has_column(*events, "node") ? node_sql(options_.node) : quoted(options_.node);
  int64_t nameless = 0;
  INGERO_TRY(database_.integer_into(has_column(*events, "node")
                                        ? "SELECT count(*) FROM source.events WHERE coalesce(node, '') = ''"
                                        : "SELECT count(*) FROM source.events",
                                    nameless));
  if (nameless > 0 && options_.node.empty()) {
    return Error(Errc::kInvalid, fmt::format("{}: does not say which node it is of", printable(source.path, 4096)),
                 "name it with --force-node");
  }
  INGERO_TRY(database_.each_row(fmt::format("SELECT DISTINCT {} FROM source.events ORDER BY 1", node),
                                [&](const Statement& row) { source.nodes.push_back(row.text(0)); }));
  for (const LegacyTable& table : kTables) {
    const auto here = columns_of(database_, table.name, "source");
    INGERO_TRY(here);
    if (here->empty()) continue;
    auto there = columns_of(database_, table.name, "main");
    INGERO_TRY(there);
    if (there->empty()) {
      INGERO_TRY(database_.execute(create_sql(table, *here)));
      there = columns_of(database_, table.name, "main");
      INGERO_TRY(there);
    }
    std::string columns, values;
    const std::string of_row = has_column(*here, "node") ? node_sql(options_.node) : quoted(options_.node);
    const auto put = [&](const std::string& name, const std::string& value) {
      columns += (columns.empty() ? "" : ", ") + name_sql(name);
      values += (values.empty() ? "" : ", ") + value;
    };
    if (table.has_node) put("node", of_row);
    for (const Column& column : *here) {
      if ((table.has_node && column.name == "node") || (table.has_number && column.name == "id")) continue;
      if (!has_column(*there, column.name)) {  // of a later version than the sources before
        INGERO_TRY(database_.execute(
            fmt::format("ALTER TABLE main.{} ADD COLUMN {} {}", table.name, name_sql(column.name), column.type)));
      }
      const bool names_event = table.has_node && column.name == "id";
      const std::string of_node =
          has_column(*here, "node") ? fmt::format("iif(coalesce(node, '') = '', {} || ':', '')", quoted(options_.node))
                                    : quoted(options_.node + ":");
      put(column.name, names_event ? of_node + " || id" : name_sql(column.name));
    }
    const std::string_view name = table.name;
    const bool is_whole = name == "events" || name == "causal_chains" || name == "sessions";
    const char* conflict = "";
    if (name == "process_names") {
      conflict =
          " ON CONFLICT DO UPDATE SET name = excluded.name, seen_at = excluded.seen_at WHERE excluded.seen_at > "
          "seen_at";
    } else if (name.starts_with("event_aggregates")) {
      conflict = kBucketsAddUp;
    } else if (!is_whole) {
      conflict = " ON CONFLICT DO NOTHING";
    }
    const Status taken =
        database_.execute(fmt::format("INSERT INTO main.{0} ({1}) SELECT {2} FROM source.{0} WHERE "
                                      "true{3}",
                                      table.name, columns, values, conflict));
    if (!taken.ok() && is_whole && taken.error().code() == Errc::kInvalid) {
      return Error(Errc::kInvalid,
                   fmt::format("{}: holds {} that another of the recordings holds too", printable(source.path, 4096),
                               name == "events" ? "events" : "causal chains"),
                   "name each run once");
    }
    INGERO_TRY(taken);
    const auto rows = static_cast<uint64_t>(sqlite3_changes64(database_.get()));
    if (name == "events") source.events = rows;
    if (name == "causal_chains") source.chains = rows;
    const bool adds_up = is_whole || name == "process_names" || name.starts_with("event_aggregates");
    if (adds_up || name == "sources" || name == "ops" || name == "schema_info" || name == "stack_traces") continue;
    int64_t all = 0;
    INGERO_TRY(database_.integer_into(fmt::format("SELECT count(*) FROM source.{}", table.name), all));
    if (all > static_cast<int64_t>(rows)) {
      merged_.left_out.push_back(fmt::format("{}: left out of {}, where another recording has something else: {}",
                                             printable(source.path, 4096), table.name,
                                             all - static_cast<int64_t>(rows)));
    }
  }
  return {};
}

Status LegacyMerge::finish() {
  return database_.execute(fmt::format(
      "CREATE INDEX idx_events_timestamp ON events(timestamp); CREATE INDEX idx_events_pid ON events(pid);"
      "UPDATE schema_info SET value = '{0}' WHERE key = 'version' AND value < '{0}'; PRAGMA user_version = {1}",
      kFirstVersionWithNodes, user_version_));
}

}  // namespace ingero::store
