// The views, and who may read what: see visible_rows.h.
#include "store/db/visible_rows.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "store/db/guarded_query.h"

namespace ingero::store {
namespace {

// "a""b": as an identifier in SQL.
std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

bool is_same(const char* name, std::string_view other) {
  return std::string_view(name).size() == other.size() &&
         sqlite3_strnicmp(name, other.data(), static_cast<int>(other.size())) == 0;
}

bool is_of_engine(const char* name) { return sqlite3_strnicmp(name, "sqlite_", 7) == 0; }

}  // namespace

Result<std::unique_ptr<RowGuard>> RowGuard::make(Database& database, const std::vector<VisibleRows>& visible) {
  std::array<uint64_t, 2> random{};
  sqlite3_randomness(sizeof random, random.data());
  std::unique_ptr<RowGuard> guard(new RowGuard);
  guard->prefix_ = fmt::format("rows_{:016x}{:016x}_", random[0], random[1]);
  INGERO_TRY(guard->hide_tables(database, visible));
  INGERO_TRY(guard_statements(database, Trust::kStranger));
  sqlite3_set_authorizer(database.get(), authorize, guard.get());
  return guard;
}

Status RowGuard::hide_tables(Database& database, const std::vector<VisibleRows>& visible) const {
  std::string views;
  INGERO_TRY(database.each_row(
      "SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view')", [&](const Statement& row) {
        const std::string table(row.text(0));
        if (is_of_engine(table.c_str())) return;
        const std::string name = quoted(table), hidden = quoted(prefix_ + table);
        const auto found = std::ranges::find(visible, table, &VisibleRows::table);
        if (found == visible.end()) {
          views += fmt::format("CREATE TEMP VIEW {} AS SELECT NULL AS hidden WHERE 0;", name);
          return;
        }
        views += fmt::format("CREATE TEMP VIEW {} AS SELECT * FROM main.{} WHERE {};", hidden, name, found->condition);
        views += fmt::format("CREATE TEMP VIEW {} AS SELECT * FROM temp.{};", name, hidden);
      }));
  return database.execute(views);
}

// `view`: by which it is read, or null. `database`: null where none was written, and nothing of the table but its
// number of rows is read: then the name is a view's, since each table has one.
bool RowGuard::may_read(const char* table, const char* database, const char* view) const {
  constexpr std::string_view kFunctions[] = {"json_each", "json_tree", "pragma_table_info", "pragma_table_xinfo"};
  if (table == nullptr || is_of_engine(table)) return false;
  if (database == nullptr || is_same(database, "temp")) return true;
  if (std::ranges::any_of(kFunctions, [&](std::string_view one) { return is_same(table, one); })) return true;
  return view != nullptr && std::string_view(view).starts_with(prefix_);
}

int RowGuard::authorize(void* guard, int action, const char* first, const char* second, const char* database,
                        const char* view) {
  if (action == SQLITE_READ && !static_cast<const RowGuard*>(guard)->may_read(first, database, view)) {
    return SQLITE_DENY;
  }
  return authorize_reading(nullptr, action, first, second, database, view);
}

}  // namespace ingero::store
