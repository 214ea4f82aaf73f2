// Text of conditions, with the numbers of their values in place of the question marks.
#include "store/read/selection_sql.h"

#include <algorithm>

#include <fmt/format.h>

namespace ingero::store {

std::string quoted_sql(std::string_view text) {
  std::string sql = "'";
  for (const char c : text) sql += c == '\'' ? std::string("''") : std::string(1, c);
  return sql + "'";
}

int64_t sql_wall_ns(uint64_t wall_ns) { return static_cast<int64_t>(std::min<uint64_t>(wall_ns, INT64_MAX)); }

std::string sum_of_sizes(std::string_view column) {
  return fmt::format("CASE WHEN count({0}) > 0 THEN CAST(total({0}) AS INTEGER) END", column);
}

void Conditions::add(std::string_view condition) {
  sql_ += sql_.empty() ? "" : " AND ";
  sql_ += condition;
}

void Conditions::add(std::string_view condition, Bound value) {
  bound_.push_back(std::move(value));
  const std::string number = std::to_string(bound_.size());
  std::string numbered;
  for (const char c : condition) {
    numbered += c;
    if (c == '?') numbered += number;
  }
  add(numbered);
}

void Conditions::add_range(const Selection& selection, std::string_view start, std::string_view end) {
  if (selection.from_wall_ns) add(std::string(end) + " >= ?", sql_wall_ns(*selection.from_wall_ns));
  if (selection.to_wall_ns) add(std::string(start) + " <= ?", sql_wall_ns(*selection.to_wall_ns));
}

void Conditions::add_pid(const Selection& selection, std::string_view pid) {
  if (selection.pid) add(std::string(pid) + " = ?", int64_t{*selection.pid});
}

void Conditions::add_rows(const Selection& selection, std::string_view seq) {
  if (selection.first_seq) add(std::string(seq) + " >= ?", *selection.first_seq);
  if (selection.last_seq) add(std::string(seq) + " <= ?", *selection.last_seq);
}

void Conditions::add_blocks(const Selection& selection, std::string_view seq) {
  if (selection.from_wall_ns) {
    add(std::string(seq) + " >= (SELECT coalesce(min(first), 0) FROM blocks WHERE end_wall_ns >= ?)",
        sql_wall_ns(*selection.from_wall_ns));
  }
  if (selection.to_wall_ns) {
    add(std::string(seq) + " <= (SELECT coalesce(max(last), 0) FROM blocks WHERE start_wall_ns <= ?)",
        sql_wall_ns(*selection.to_wall_ns));
  }
}

void Conditions::add_events(const Selection& selection) {
  add_rows(selection, "e.seq");
  add_range(selection, "e.timestamp", "e.timestamp + coalesce(e.duration, 0)");
  add_pid(selection, "e.pid");
}

}  // namespace ingero::store
