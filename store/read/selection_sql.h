// A selection as SQL: the conditions of a WHERE clause, with the values bound to them.
//
// The values have numbers (?1, ?2, ...), so that a statement may say the conditions more than once. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::store {

// A text as SQL, quotes and all.
std::string quoted_sql(std::string_view text);

// A wall time as the recording has it: SQLite's integers are signed.
int64_t sql_wall_ns(uint64_t wall_ns);

// A sum of sizes, which are the traced program's word: sum() fails where it is more than an integer holds. NULL: of
// none.
std::string sum_of_sizes(std::string_view column);

// Rows of the view `events`, by the name e, that are not made inside another call of their kind: a runtime's launch
// and its driver's are one.
inline constexpr std::string_view kOutermostOfKind =
    "NOT (e.depth > 0 AND coalesce(e.parent_call IN (SELECT name FROM calls WHERE kind = e.kind), 0))";

class Conditions {
 public:
  void add(std::string_view condition);
  // Each ? of the condition is the value.
  void add(std::string_view condition, Bound value);
  void add(std::string_view condition, int64_t value) { add(condition, Bound::of(value)); }

  // Rows that last from `start` to `end`, SQL expressions of wall times: those of which a part lies in the time range.
  void add_range(const Selection& selection, std::string_view start, std::string_view end);
  // Rows with numbers `seq` that the selection names; nothing where it names none.
  void add_rows(const Selection& selection, std::string_view seq);
  // Rows with numbers `seq` in the blocks that may hold something of the time range.
  void add_blocks(const Selection& selection, std::string_view seq);
  void add_pid(const Selection& selection, std::string_view pid);
  // The rows of the view `events`, by the name e, that lie in the time range and are of the process.
  void add_events(const Selection& selection);

  // "a AND b"; empty without conditions.
  const std::string& sql() const { return sql_; }
  // " WHERE a AND b"; empty without conditions.
  std::string where() const { return sql_.empty() ? std::string() : " WHERE " + sql_; }
  // " AND a AND b", after conditions that always hold; empty without conditions.
  std::string and_also() const { return sql_.empty() ? std::string() : " AND " + sql_; }
  const std::vector<Bound>& bound() const { return bound_; }

 private:
  std::string sql_;
  std::vector<Bound> bound_;
};

}  // namespace ingero::store
