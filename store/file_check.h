// What can be told of a database file before SQLite reads it. For this room only.
#pragma once

#include <string>

#include "base/result.h"

namespace ingero::store {

// kNotFound, kPermission, kCorrupt for what is no database or shorter than its header says (where no write-ahead log
// could make up for it). An empty file passes: it is a database without tables.
Status check_file(const std::string& path);
// Is there a write-ahead log with something in it beside the file?
bool has_log(const std::string& path);

}  // namespace ingero::store
