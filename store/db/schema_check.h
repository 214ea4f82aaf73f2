// Is what a file calls its tables what a recording has under these names? Private to store/.
//
// A file from elsewhere may have a view in the place of a table, which gives any rows or never ends, a virtual table
// that runs code of a module, or a trigger that runs when the file is written. Failure: kCorrupt, with a sentence that
// names the object; what SQLite says of a damaged file. Reads sqlite_schema only, under the connection's progress
// handler. The database's thread; owns nothing.
#pragma once

#include "store/db/schema.h"
#include "store/db/sqlite.h"

namespace ingero::store {

enum class Use : uint8_t { kReading, kWriting };

// Of a file that identify() knows. Triggers are refused for writing only: a reader runs none.
Status check_schema(Database& database, FileKind kind, Use use);

// SQL that puts our own views, as TEMP views, in front of those of a file where any of them differs or is not there;
// else empty.
Result<std::string> own_views_sql(Database& database);

// SQL that lets a file of an older schema (kOldestRead at least) be read as one of the current one: TEMP tables, empty,
// and TEMP views, with what it lacks. The file itself stays as it is.
Result<std::string> newer_tables_sql(Database& database);

// SQL for a TEMP view, without rows, in the place of each table and view of ours that the connection does not have.
Result<std::string> empty_views_sql(Database& database);

}  // namespace ingero::store
