// Rows are numbered in the order in which their records were read; blocks of them know their times: see row_range.h.
#include "store/read/row_range.h"

#include <algorithm>

#include "store/read/reader_impl.h"
#include "store/read/selection_sql.h"

namespace ingero::store {
namespace {

// When the call of the first row from `seq` on ended.
Result<std::optional<int64_t>> end_of_row(Database& database, int64_t seq) {
  return database.integer(fmt::format(
      "SELECT k.wall_ns + e.start + coalesce(e.duration, 0) FROM event_rows e JOIN clocks k ON k.id = e.clock "
      "WHERE e.seq >= {} ORDER BY e.seq LIMIT 1",
      seq));
}

}  // namespace

Result<std::optional<uint64_t>> select_rows(const Reader& reader, Selection& selection, uint64_t most) {
  Reader::Impl& impl = reader.impl();
  INGERO_TRY(impl.refresh());
  if (!impl.format->has_blocks || (selection.whole() && !impl.live)) return std::optional<uint64_t>();
  Result<Statement> blocks = impl.database.prepare(
      "SELECT first, last FROM blocks WHERE end_wall_ns >= ?1 AND start_wall_ns <= ?2 ORDER BY first DESC");
  if (!blocks.ok()) return blocks.error();
  blocks->bind(1, selection.from_wall_ns ? sql_wall_ns(*selection.from_wall_ns) : INT64_MIN)
      .bind(2, selection.to_wall_ns ? sql_wall_ns(*selection.to_wall_ns) : INT64_MAX);
  uint64_t rows = 0;
  bool are_all = true;
  for (;;) {
    Result<bool> row = blocks->step();
    if (!row.ok()) return row.error();
    if (!*row) break;
    const int64_t first = blocks->integer(0), last = blocks->integer(1);
    if (first > last) continue;
    if (!selection.last_seq) selection.last_seq = last;
    const uint64_t more = static_cast<uint64_t>(last) - static_cast<uint64_t>(first) + 1;
    if (impl.live && rows > 0 && more > most - std::min(most, rows)) {
      are_all = false;
      break;
    }
    rows += more;
    selection.first_seq = first;
  }
  if (!selection.first_seq) selection.first_seq = INT64_MAX;  // no row is of that time
  if (selection.whole()) selection.last_seq.reset();          // what comes meanwhile is meant too
  if (are_all) return std::optional<uint64_t>();
  const auto end = end_of_row(impl.database, *selection.first_seq);
  if (!end.ok()) return end.error();
  return std::optional(std::max<uint64_t>(static_cast<uint64_t>(std::max<int64_t>(0, end->value_or(0))),
                                          selection.from_wall_ns.value_or(0)));
}

}  // namespace ingero::store
