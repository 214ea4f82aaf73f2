// Recordings of the legacy agent: what readers call in place of their own functions. Private to store/.
//
// Its rows are in a table `events` with numbers for calls, and an index by time instead of blocks. A kernel event is
// stamped with its end. Failure: the store's.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "store/read/replay.h"
#include "store/read/scan.h"
#include "store/read/timeline_rows.h"

namespace ingero::store {

// TEMP views that give a legacy recording the names of ours.
Status create_legacy_views(Database& database);

// Calls are numbered in the order of LegacyCalls; a process is its pid.
Result<Names> load_legacy_names(Database& database);
Status scan_legacy(Database& database, const Names& names, const Filter& filter, const OnScanned& on);
// The rows as events: wall time replaces monotonic time.
Status replay_legacy(Database& database, const Selection& selection, ReplaySink& sink);
std::unique_ptr<TimelineRows> make_legacy_timeline_rows();

// What the two words of a row hold, by a letter ('b' bytes, 'd' direction, 'a' address); 0: nothing.
struct LegacyWords {
  char arg0 = 0, arg1 = 0;
  // The column, `first` or the next one, that holds `meaning`; -1: none.
  int column(char meaning, int first) const { return arg0 == meaning ? first : arg1 == meaning ? first + 1 : -1; }
};

// The calls by their numbers.
class LegacyCalls {
 public:
  Status load(Database& database);
  size_t call(int64_t source, int64_t op) const {
    const auto found = calls_.find({source, op});
    return found == calls_.end() ? Names::kNone : found->second;
  }
  LegacyWords words(size_t call) const { return call < words_.size() ? words_[call] : LegacyWords{}; }

 private:
  std::map<std::pair<int64_t, int64_t>, size_t> calls_;
  std::vector<LegacyWords> words_;  // by call
};

}  // namespace ingero::store
