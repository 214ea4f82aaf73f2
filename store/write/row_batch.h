// The batch: rows waiting to be committed, and the virtual table through which SQLite takes them all in one
// INSERT..SELECT. Feeding rows this way costs about half of binding and stepping each (bench/store_bench.cc measures
// both); the storage engine sees ordinary rows.
#pragma once

#include <vector>

#include "base/result.h"
#include "store/db/event_row.h"
#include "store/db/sqlite.h"

namespace ingero::store {

using RowBatch = std::vector<EventRow>;

// Makes `batch` readable as the table `batch` of this connection. It must stay where it is while the connection lives,
// and must not change during a statement.
Status register_batch(Database& database, const RowBatch& batch);
// Moves every row of the batch to event_rows; seq continues after the greatest there.
inline std::string insert_batch_sql() {
  return "INSERT INTO event_rows (" + column_list() + ") SELECT " + column_list() + " FROM batch";
}

}  // namespace ingero::store
