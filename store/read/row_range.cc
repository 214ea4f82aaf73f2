// From the newest block backwards, until enough rows are chosen: see row_range.h.
#include "store/read/row_range.h"

#include <algorithm>

#include "store/read/blocks.h"
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
  uint64_t rows = 0;
  bool are_all = true;
  const int64_t from = selection.from_wall_ns ? sql_wall_ns(*selection.from_wall_ns) : INT64_MIN;
  const int64_t to = selection.to_wall_ns ? sql_wall_ns(*selection.to_wall_ns) : INT64_MAX;
  INGERO_TRY(each_block(impl.database, from, to, BlockOrder::kNewestFirst, [&](int64_t first, int64_t last) {
    if (!selection.last_seq) selection.last_seq = last;
    const uint64_t more = static_cast<uint64_t>(last) - static_cast<uint64_t>(first) + 1;
    if (impl.live && rows > 0 && more > most - std::min(most, rows)) {
      are_all = false;
      return false;
    }
    rows += more;
    selection.first_seq = first;
    return true;
  }));
  if (!selection.first_seq) selection.first_seq = INT64_MAX;  // no row is of that time
  if (selection.whole()) selection.last_seq.reset();          // what comes meanwhile is meant too
  if (are_all) return std::optional<uint64_t>();
  const auto end = end_of_row(impl.database, *selection.first_seq);
  if (!end.ok()) return end.error();
  return std::optional(std::max<uint64_t>(static_cast<uint64_t>(std::max<int64_t>(0, end->value_or(0))),
                                          selection.from_wall_ns.value_or(0)));
}

}  // namespace ingero::store
