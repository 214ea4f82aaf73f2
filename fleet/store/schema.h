// The tables of a cluster's file, and the check that a file is one. Private to fleet/store/.
#pragma once

#include "base/result.h"
#include "store/db/sqlite.h"

namespace ingero::fleet::store {

inline constexpr int64_t kSchemaVersion = 5;
inline constexpr int64_t kApplicationId = ingero::store::kClusterApplicationId;

// Makes the tables in an empty database, or brings those of an older version up; refuses what is something else, or
// newer.
Status prepare_schema(ingero::store::Database& database);

}  // namespace ingero::fleet::store
