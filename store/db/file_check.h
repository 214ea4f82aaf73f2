// Checks of a database file before SQLite reads it. Private to store/. Owns nothing; the descriptor is of
// store/db/writer_lock.h. Thread-safe. Failure: each error names the path.
#pragma once

#include <string>

#include "base/result.h"

namespace ingero::store {

// kNotFound, kPermission; kCorrupt for a file that is not a database, or is shorter than its header says and has no
// write-ahead log that could hold the rest. An empty file passes: it is a database without tables.
Status check_file(const std::string& path);
// Does the file have a write-ahead log that is not empty?
bool has_log(const std::string& path);

}  // namespace ingero::store
