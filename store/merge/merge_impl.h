// What both kinds of merging share. Private to store/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/db/sqlite.h"
#include "store/merge/merge.h"
#include "store/read/selection_sql.h"

namespace ingero::store {

// A name as SQL.
std::string name_sql(std::string_view name);

// Tables, and as "table.column" their columns that refer to a row, which are taken as a whole. For tests.
std::vector<std::string> merged_columns();

// The column `node` of a source's row, `fallback` where it says none.
std::string node_sql(const std::string& fallback);

Error nameless_error(const MergedSource& source);
Error twice_error(const MergedSource& source, std::string_view what);  // "a run"
// Reports `count` rows of `table` that another recording has with other values; 0: reports nothing.
void leave_out(Merged& merged, const MergedSource& source, std::string_view table, int64_t count);
// Names of processes: the latest stays.
inline constexpr const char* kLatestNameStays =
    " ON CONFLICT DO UPDATE SET name = excluded.name, seen_at = excluded.seen_at WHERE excluded.seen_at > seen_at";

// Copies attached databases `source` into `main`, all of one layout: one class for each.
class Merger {
 public:
  Merger(Database& database, const MergeOptions& options, Merged& merged)
      : database_(database), options_(options), merged_(merged) {}
  virtual ~Merger() = default;
  virtual Status begin() { return {}; }
  virtual Status add(MergedSource& source) = 0;
  virtual Status finish() = 0;

 protected:
  Database& database_;
  const MergeOptions& options_;
  Merged& merged_;
};

std::unique_ptr<Merger> make_legacy_merger(Database& database, const MergeOptions& options, Merged& merged);

}  // namespace ingero::store
