// Which rows a time range can be about. Rows are numbered in the order in which their records were read, and blocks of
// them know when their calls began and ended (docs/formats/store.md), so that a question about a minute does not read
// the whole recording.
//
// Private to store/. Threads: the database's. Failure: the store's. Wall times, as the table has them.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/db/sqlite.h"

namespace ingero::store {

enum class BlockOrder : uint8_t { kOldestFirst, kNewestFirst };
// Of each block that may hold something of the time range, the numbers of its first and last row; none is empty.
// `on` returns false: enough.
Status each_block(Database& database, int64_t from, int64_t to, BlockOrder order,
                  const std::function<bool(int64_t first, int64_t last)>& on);

// The same from `first_seq` on, adjoining blocks as one run. Of all times: one run, of blocks still open too.
Result<std::vector<std::pair<int64_t, int64_t>>> block_runs(Database& database, int64_t from, int64_t to,
                                                            int64_t first_seq);

}  // namespace ingero::store
