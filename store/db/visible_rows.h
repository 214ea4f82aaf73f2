// Of the tables of a file only some rows, for the SQL of one who may not read all of them: held to it by the engine.
//
// Each table of the file is hidden by a view of the same name in the connection's temporary schema, with those rows
// that may be seen, and by one without rows where nothing is said of it. The authorizer refuses what is read of the
// file itself, unless a view of ours reads it. SQLite informs an authorizer by which view something is read by the
// view's name only, and gives it the name of a common table expression (WITH) likewise: so the views that read tables
// have a name that is drawn anew each time, which a statement that was written before cannot hold. Thus it is for one
// statement. Threads: as the connection.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/db/sqlite.h"

namespace ingero::store {

// An SQL condition on the rows of a table, in which tables of the file are called main.NAME.
struct VisibleRows {
  std::string_view table;
  std::string condition;
};

class RowGuard {
 public:
  // Of a connection of its own, which is guarded from then on as by guard_statements(), for a stranger. The guard
  // outlives the connection's statements.
  static Result<std::unique_ptr<RowGuard>> make(Database& database, const std::vector<VisibleRows>& visible);

 private:
  RowGuard() = default;
  Status hide_tables(Database& database, const std::vector<VisibleRows>& visible) const;
  static int authorize(void* guard, int action, const char* first, const char* second, const char* database,
                       const char* view);
  bool may_read(const char* table, const char* database, const char* view) const;

  std::string prefix_;  // of the names of views that read tables
};

}  // namespace ingero::store
