// Rows as a timeline needs them: what ran when, and on which tracks it is shown. Private to store/.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/db/sqlite.h"
#include "store/read/node_clocks.h"
#include "store/read/reader.h"
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

// The rows of one recording; one class for each format.
class TimelineRows {
 public:
  virtual ~TimelineRows() = default;

  // Times and durations are held to this, so that no sum of a hostile file's overflows (the year 2043).
  static constexpr int64_t kMaxTime = INT64_MAX / 4;

  using On = std::function<void(const TimelineRow&)>;

  // Times are by the clock of the node that the others are compared with, as far as that is known; before load().
  // `clocks` outlives this.
  void set_clocks(const NodeClocks* clocks) { clocks_ = clocks; }
  // The dictionaries as of now.
  virtual Status load(Database& database) = 0;
  // The greatest seq; absent without rows.
  virtual Result<std::optional<int64_t>> last(Database& database) = 0;
  // The least seq that was not deleted; absent where none ever is.
  virtual Result<std::optional<int64_t>> first(Database& database) = 0;
  // Rows first to last, both included, in order.
  virtual Status each(Database& database, int64_t first, int64_t last, const On& on) = 0;
  // At least the rows that have a part in the time range, none of which lasts longer than `longest_ns`. False, and
  // none: more than `most` rows would have to be read.
  virtual Result<bool> each_between(Database& database, int64_t from, int64_t to, uint64_t longest_ns, size_t most,
                                    const On& on) = 0;

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

 protected:
  static int64_t bounded(int64_t time) { return std::clamp(time, -kMaxTime, kMaxTime); }
  static uint64_t bounded_duration(uint64_t ns) { return std::min<uint64_t>(ns, static_cast<uint64_t>(kMaxTime)); }
  static bool is_collective(const CallInfo& call);
  size_t node_of(std::string_view name);

  const NodeClocks* clocks_ = nullptr;
  std::optional<Names> names_;
  std::unordered_map<int64_t, Communicator> communicators_;
  std::vector<std::string> nodes_;
};

std::unique_ptr<TimelineRows> make_stored_timeline_rows();  // of our own recordings

}  // namespace ingero::store
