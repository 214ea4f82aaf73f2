// Merges legacy recordings into a legacy recording: tables with the columns that any source has, and the node of each
// row.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "store/db/aggregates.h"
#include "store/merge/merge_impl.h"

namespace ingero::store {
namespace {

// What is done with a row whose key the file has already.
enum class Known : uint8_t { kRefused, kReported, kSame, kLatest, kSum };

// The documented tables. `has_number`: a row number that nothing refers to.
struct LegacyTable {
  const char* name;
  Known known;
  bool has_node = false, has_number = false;
};
constexpr LegacyTable kLegacyTables[] = {
    {"events", Known::kRefused, true},
    {"causal_chains", Known::kRefused, true},
    {"sessions", Known::kRefused, true, true},
    {"sources", Known::kSame},
    {"ops", Known::kSame},
    {"system_snapshots", Known::kReported, false, true},
    {"stack_traces", Known::kSame},
    {"process_names", Known::kLatest},
    {"event_aggregates", Known::kSum},
    {"cgroup_metadata", Known::kReported},
    {"cgroup_schedstat", Known::kReported},
    {"schema_info", Known::kSame},
    {"annotations", Known::kReported, false, true},
    {"event_aggregates_5s", Known::kSum},
};
constexpr const char* kFirstVersionWithNodes = "0.9";

struct LegacyColumn {
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

Result<std::vector<LegacyColumn>> columns_of(Database& database, const std::string& table, const char* schema) {
  std::vector<LegacyColumn> columns;
  INGERO_TRY(database.each_row(fmt::format("SELECT name, type, pk FROM pragma_table_info('{}', '{}')", table, schema),
                               [&](const Statement& row) {
                                 columns.push_back({row.text(0), affinity_of(row.text(1)), row.integer(2)});
                               }));
  return columns;
}

bool has_column(const std::vector<LegacyColumn>& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(), [&](const LegacyColumn& one) { return one.name == name; });
}

const char* on_conflict(Known known) {
  switch (known) {
    case Known::kRefused:
      return "";
    case Known::kLatest:
      return kLatestNameStays;
    case Known::kSum:
      return kBucketsAddUp;
    case Known::kReported:
    case Known::kSame:
      break;
  }
  return " ON CONFLICT DO NOTHING";
}

// The table as `main` is to have it: ids are texts that begin with the node.
std::string create_sql(const LegacyTable& table, std::vector<LegacyColumn> columns) {
  const bool names_events = table.has_node && !table.has_number;
  if (table.has_node && !has_column(columns, "node")) columns.push_back({"node", "TEXT", 0});
  std::string sql, key;
  std::sort(columns.begin(), columns.end(), [](const LegacyColumn& one, const LegacyColumn& other) {
    return std::pair(one.key_place == 0, one.key_place) < std::pair(other.key_place == 0, other.key_place);
  });
  for (LegacyColumn& column : columns) {
    if (names_events && column.name == "id") column.type = "TEXT";
    sql += fmt::format("{}{} {}", sql.empty() ? "" : ", ", name_sql(column.name), column.type);
    if (column.key_place > 0) key += (key.empty() ? "" : ", ") + name_sql(column.name);
  }
  if (!key.empty()) sql += fmt::format(", PRIMARY KEY ({})", key);
  if (std::string_view(table.name) == "system_snapshots") sql += ", UNIQUE (timestamp)";
  return fmt::format("CREATE TABLE main.{} ({})", table.name, sql);
}

class LegacyMerger final : public Merger {
 public:
  using Merger::Merger;
  Status add(MergedSource& source) override;
  Status finish() override;

 private:
  int64_t user_version_ = 0;
};

Status LegacyMerger::add(MergedSource& source) {
  int64_t version = 0;
  INGERO_TRY(database_.integer_into("PRAGMA source.user_version", version));
  user_version_ = std::max(user_version_, version);
  const auto events = columns_of(database_, "events", "source");
  INGERO_TRY(events);
  const bool says_node = has_column(*events, "node");
  const auto node_of = [&](bool says) { return says ? node_sql(options_.node) : quoted_sql(options_.node); };
  int64_t nameless = 0;
  INGERO_TRY(database_.integer_into(
      fmt::format("SELECT count(*) FROM source.events{}", says_node ? " WHERE coalesce(node, '') = ''" : ""),
      nameless));
  if (nameless > 0 && options_.node.empty()) return nameless_error(source);
  INGERO_TRY(database_.each_row(fmt::format("SELECT DISTINCT {} FROM source.events ORDER BY 1", node_of(says_node)),
                                [&](const Statement& row) { source.nodes.push_back(row.text(0)); }));
  for (const LegacyTable& table : kLegacyTables) {
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
    const bool has_node = has_column(*here, "node");
    const auto put = [&](const std::string& name, const std::string& value) {
      columns += (columns.empty() ? "" : ", ") + name_sql(name);
      values += (values.empty() ? "" : ", ") + value;
    };
    if (table.has_node) put("node", node_of(has_node));
    for (const LegacyColumn& column : *here) {
      if ((table.has_node && column.name == "node") || (table.has_number && column.name == "id")) continue;
      if (!has_column(*there, column.name)) {  // of a later version than the sources before
        INGERO_TRY(database_.execute(
            fmt::format("ALTER TABLE main.{} ADD COLUMN {} {}", table.name, name_sql(column.name), column.type)));
      }
      const bool names_event = table.has_node && column.name == "id";
      const std::string of_node =
          has_node ? fmt::format("iif(coalesce(node, '') = '', {} || ':', '')", quoted_sql(options_.node))
                   : quoted_sql(options_.node + ":");
      put(column.name, names_event ? of_node + " || id" : name_sql(column.name));
    }
    const std::string_view name = table.name;
    const Status taken =
        database_.execute(fmt::format("INSERT INTO main.{0} ({1}) SELECT {2} FROM source.{0} WHERE true{3}", table.name,
                                      columns, values, on_conflict(table.known)));
    if (!taken.ok() && table.known == Known::kRefused && taken.error().code() == Errc::kInvalid) {
      return twice_error(source, name == "events" ? "events" : "causal chains");
    }
    INGERO_TRY(taken);
    const int64_t rows = sqlite3_changes64(database_.get());
    if (name == "events") source.events = static_cast<uint64_t>(rows);
    if (name == "causal_chains") source.chains = static_cast<uint64_t>(rows);
    if (table.known != Known::kReported) continue;
    int64_t left_out = 0;
    INGERO_TRY(database_.integer_into(fmt::format("SELECT count(*) - {} FROM source.{}", rows, table.name), left_out));
    leave_out(merged_, source, table.name, left_out);
  }
  return {};
}

Status LegacyMerger::finish() {
  return database_.execute(fmt::format(
      "CREATE INDEX idx_events_timestamp ON events(timestamp); CREATE INDEX idx_events_pid ON events(pid);"
      "UPDATE schema_info SET value = '{0}' WHERE key = 'version' AND value < '{0}'; PRAGMA user_version = {1}",
      kFirstVersionWithNodes, user_version_));
}

}  // namespace

std::unique_ptr<Merger> make_legacy_merger(Database& database, const MergeOptions& options, Merged& merged) {
  return std::make_unique<LegacyMerger>(database, options, merged);
}

}  // namespace ingero::store
