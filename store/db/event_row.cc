// Builds the SQL of event_rows from the list of columns in event_row.h.
#include "store/db/event_row.h"

#include <fmt/format.h>

namespace ingero::store {

std::string column_list() {
  std::string list;
  for (const char* name : kColumnNames) list += (list.empty() ? "" : ",") + std::string(name);
  return list;
}

std::string event_rows_sql() {
  // seq is the rowid by name, so that VACUUM keeps it.
  std::string sql = "CREATE TABLE event_rows (seq INTEGER PRIMARY KEY";
  for (const char* name : kColumnNames) sql += fmt::format(", {} INTEGER", name);
  return sql + ")";
}

}  // namespace ingero::store
