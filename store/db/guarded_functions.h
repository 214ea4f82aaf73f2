// Guards for SQL functions that can run long in one step, during which SQLite checks no deadline. Private to store/.
#pragma once

#include "base/result.h"
#include "store/db/sqlite.h"

namespace ingero::store {

// printf() and format() of `database` refuse widths and precisions beyond 1000, which the engine's own work off one
// character at a time, up to two thousand million of them.
Status guard_functions(Database& database);

}  // namespace ingero::store
