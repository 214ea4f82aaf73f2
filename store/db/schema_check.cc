// The names and kinds of our own schema are those that a new file gets, made once in memory.
#include "store/db/schema_check.h"

#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "base/text.h"

namespace ingero::store {
namespace {

constexpr const char* kColumnsOfTables =
    "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'";
constexpr const char* kColumnsOfAll =
    "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type IN ('table', 'view')";

struct Object {
  std::string type;  // "table" or "view"
  std::string sql;
  std::vector<std::string> columns;
};
using Objects = std::map<std::string, Object, std::less<>>;  // by name

Result<Objects> make_objects() {
  auto opened = Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, "the schema of a recording");
  if (!opened.ok()) return opened.error();
  INGERO_TRY(migrate_schema(*opened, 0));
  Objects objects;
  INGERO_TRY(opened->each_row("SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view')",
                              [&](const Statement& row) {
                                objects.emplace(row.text(0), Object{row.text(1), row.text(2), {}});
                              }));
  INGERO_TRY(opened->each_row(
      kColumnsOfAll, [&](const Statement& row) { objects.find(row.bytes(0))->second.columns.push_back(row.text(1)); }));
  return objects;
}

// Outlives every user; where there was no memory for it, it is tried again.
Result<const Objects*> our_objects() {
  static std::mutex mutex;
  static const Objects* made = nullptr;
  const std::scoped_lock lock(mutex);
  if (made == nullptr) {
    auto objects = make_objects();
    if (!objects.ok()) return objects.error();
    made = new Objects(std::move(*objects));
  }
  return made;
}

// SQLite's names are the same in upper and lower case.
std::string lower(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Error refused(const Database& database, std::string_view name, std::string_view why) {
  return {Errc::kCorrupt, fmt::format("{}: {} in it {}", database.path(), printable(name, 64), why),
          "no version of ingero writes that; do not use this file"};
}

}  // namespace

Status check_schema(Database& database, FileKind kind, Use use) {
  if (kind != FileKind::kCurrent && kind != FileKind::kOlder && kind != FileKind::kLegacy) return {};
  const auto ours = our_objects();
  if (!ours.ok()) return ours.error();
  Result<Statement> objects = database.prepare(
      // SQLite writes its own words in front of a table's columns, whatever was typed.
      "SELECT name, type, type = 'table' AND sql NOT LIKE 'CREATE TABLE %' FROM sqlite_schema WHERE type IN ('table', "
      "'view', 'trigger')");
  if (!objects.ok()) return objects.error();
  for (;;) {
    Result<bool> row = objects->step();
    if (!row.ok()) return row.error();
    if (!*row) return {};
    const std::string_view type = objects->bytes(1);
    const std::string name = objects->text(0);
    if (type == "trigger") {
      if (use == Use::kWriting) return refused(database, name, "is a trigger, which would run with every write");
      continue;
    }
    if (objects->integer(2) != 0) return refused(database, name, "is a virtual table");
    if (kind == FileKind::kLegacy && type != "table") {
      return refused(database, name, "is a view, where a recording has tables only");
    }
    const auto known = (*ours)->find(lower(name));
    if (kind != FileKind::kLegacy && known != (*ours)->end() && known->second.type != type) {
      return refused(database, name, fmt::format("is a {}, where a recording has a {}", type, known->second.type));
    }
  }
}

namespace {

// What follows CREATE, as an object of this connection alone.
std::string temporary(const Object& object) {
  constexpr std::string_view kBegin = "CREATE ";
  return fmt::format("CREATE TEMP {};\n", std::string_view(object.sql).substr(kBegin.size()));
}

}  // namespace

Result<std::string> own_views_sql(Database& database) {
  const auto ours = our_objects();
  if (!ours.ok()) return ours.error();
  size_t equal = 0, views = 0;
  INGERO_TRY(database.each_row("SELECT name, sql FROM sqlite_schema WHERE type = 'view'", [&](const Statement& row) {
    const auto known = (*ours)->find(lower(row.bytes(0)));
    equal += known != (*ours)->end() && known->second.sql == row.bytes(1);
  }));
  std::string sql;
  for (const auto& [name, object] : **ours) {
    if (object.type != "view") continue;
    ++views;
    sql += temporary(object);
  }
  return equal == views ? std::string() : sql;
}

Result<std::string> empty_views_sql(Database& database) {
  const auto ours = our_objects();
  if (!ours.ok()) return ours.error();
  std::set<std::string, std::less<>> there;
  INGERO_TRY(database.each_row("SELECT name FROM sqlite_schema UNION SELECT name FROM sqlite_temp_schema",
                               [&](const Statement& row) { there.insert(lower(row.bytes(0))); }));
  std::string sql;
  for (const auto& [name, object] : **ours) {
    if (there.contains(lower(name)) || name.starts_with("sqlite_")) continue;
    std::string columns;
    for (const std::string& column : object.columns) {
      columns += fmt::format("{}NULL AS \"{}\"", columns.empty() ? "" : ", ", column);
    }
    sql += fmt::format("CREATE TEMP VIEW {} AS SELECT {} WHERE 0;\n", name, columns);
  }
  return sql;
}

Result<std::string> newer_tables_sql(Database& database) {
  const auto ours = our_objects();
  if (!ours.ok()) return ours.error();
  std::map<std::string, std::set<std::string>, std::less<>> columns;  // in the file
  INGERO_TRY(database.each_row(
      kColumnsOfTables, [&](const Statement& row) { columns[lower(row.bytes(0))].insert(lower(row.bytes(1))); }));
  std::string sql;
  for (const auto& [name, object] : **ours) {
    if (object.type != "table") continue;
    const auto its = columns.find(name);
    if (its == columns.end()) {
      sql += temporary(object);
      continue;
    }
    std::string newer;
    for (const std::string& column : object.columns) {
      if (!its->second.contains(lower(column))) newer += fmt::format(", {} AS {}", before_column(name, column), column);
    }
    if (!newer.empty()) sql += fmt::format("CREATE TEMP VIEW {0} AS SELECT o.*{1} FROM main.{0} o;\n", name, newer);
  }
  return sql;
}

}  // namespace ingero::store
