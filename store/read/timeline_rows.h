// Rows as a timeline needs them: what ran when, and on which tracks it is shown. Private to store/.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/db/sqlite.h"
#include "store/read/scan.h"

namespace ingero::store {

struct TimelineRow {
  int64_t seq = 0, start_wall_ns = 0;
  uint64_t duration_ns = 0;
  size_t call = 0;
  size_t node = 0;  // in TimelineRows::nodes()
  int64_t process = -1;
  uint32_t pid = 0, tid = 0;
  std::optional<uint64_t> stream;
  bool is_collective = false;
  int64_t communicator = -1;  // its row; -1: not known
  unsigned depth = 0;
  bool failed = false, is_in_flight = false;
};

class TimelineRows {
 public:
  // Times and durations are held to this, so that no sum of a hostile file's overflows (the year 2043).
  static constexpr int64_t kMaxTime = INT64_MAX / 4;

  using On = std::function<void(const TimelineRow&)>;

  // The dictionaries as of now.
  Status load(Database& database, bool legacy);
  // Rows first to last, both included, in order.
  Status each(Database& database, int64_t first, int64_t last, const On& on);
  // Runs of rows that may hold rows of the time range, for each(); at most `most` rows, else none.
  Result<std::optional<std::vector<std::pair<int64_t, int64_t>>>> runs(Database& database, int64_t from, int64_t to,
                                                                       size_t most);
  // Rows of a time range in a legacy recording, which has an index instead of blocks.
  Status each_between(Database& database, int64_t from, int64_t to, const On& on);

  const Names& names() const { return *names_; }
  const std::vector<std::string>& nodes() const { return nodes_; }

  struct Communicator {
    std::optional<uint64_t> comm_id_hash;
    std::optional<int32_t> rank, nranks;
  };
  const Communicator* communicator(int64_t row) const {
    const auto found = communicators_.find(row);
    return found == communicators_.end() ? nullptr : &found->second;
  }

 private:
  struct Thread {
    uint32_t pid = 0, tid = 0;
  };
  Status each_legacy(Database& database, const char* condition, int64_t first, int64_t last, const On& on);
  size_t node_of(std::string_view name);

  bool legacy_ = false;
  std::optional<Names> names_;
  std::unordered_map<int64_t, Thread> threads_;
  std::unordered_map<int64_t, size_t> node_of_clock_;
  std::unordered_map<int64_t, Communicator> communicators_;
  std::vector<std::string> nodes_;
};

}  // namespace ingero::store
