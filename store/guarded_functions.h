// SQL functions that take long in one step, where no clock is looked at. For this room only.
#pragma once

#include "base/result.h"
#include "store/sqlite.h"

namespace ingero::store {

// printf() and format() of `database` refuse widths and precisions beyond 1000, which the engine's own work off one
// character at a time, up to two thousand million of them.
Status guard_functions(Database& database);

}  // namespace ingero::store
