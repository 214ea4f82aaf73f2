// One statement over the table of blocks, which is small: a block is 8,192 rows.
#include "store/read/blocks.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::store {

Status each_block(Database& database, int64_t from, int64_t to, BlockOrder order,
                  const std::function<bool(int64_t first, int64_t last)>& on) {
  Result<Statement> blocks = database.prepare(
      fmt::format("SELECT first, last FROM blocks WHERE end_wall_ns >= ?1 AND start_wall_ns <= ?2 AND first <= last "
                  "ORDER BY first {}",
                  order == BlockOrder::kNewestFirst ? "DESC" : ""));
  if (!blocks.ok()) return blocks.error();
  blocks->bind(1, from).bind(2, to);
  for (;;) {
    const Result<bool> row = blocks->step();
    if (!row.ok()) return row.error();
    if (!*row || !on(blocks->integer(0), blocks->integer(1))) return {};
  }
}

Result<std::vector<std::pair<int64_t, int64_t>>> block_runs(Database& database, int64_t from, int64_t to,
                                                            int64_t first_seq) {
  std::vector<std::pair<int64_t, int64_t>> runs;
  if (from == INT64_MIN && to == INT64_MAX) {
    runs.emplace_back(first_seq, INT64_MAX);
    return runs;
  }
  INGERO_TRY(each_block(database, from, to, BlockOrder::kOldestFirst, [&](int64_t first, int64_t last) {
    if (last < first_seq) return true;
    if (!runs.empty() && first != INT64_MIN && runs.back().second == first - 1) {
      runs.back().second = last;
    } else {
      runs.emplace_back(std::max(first_seq, first), last);
    }
    return true;
  }));
  return runs;
}

}  // namespace ingero::store
