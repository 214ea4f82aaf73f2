// The cluster's file: points of any sender, our agents' windows, and incidents, in SQLite (docs/fleet.md, "The store").
//
// A batch is in the file when write() returns, and one that is written again changes nothing: a point's identity is its
// cluster, node, metric, time and attributes; a window's its node, job, start, rank and communicator. A window that is
// new is added to its minute and its hour in the same transaction, so that these are the sums over the windows that
// ever were in the file; what is older than windows that were deleted is refused, since it may have been among them.
// One process at a time has the file (flock), and its size is bounded: the oldest of the finest goes first. Threads:
// one that writes at a time; the questions have a connection and a lock of their own. Times in nanoseconds since the
// Unix epoch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::store {

inline constexpr size_t kMaxNodes = 4096, kMaxHistoryRows = 999, kMaxHistoryBytes = 900 << 10;

struct StoreOptions {
  std::string path;
  uint64_t max_bytes = uint64_t{8} << 30;
};

struct Written {
  uint64_t points = 0;          // that are new
  std::vector<size_t> windows;  // of the batch: those that are new
  std::vector<uint32_t> nodes;  // of each window of the batch: its number in the file
  wire::Refusals refused;
};

struct IncidentRow {
  std::string id, cluster, job, kind, what, node, state;
  uint32_t rank = 0;
  uint64_t communicator = 0, from_ns = 0, to_ns = 0;  // to_ns: the end of the last window that showed it
  double confidence = 0;
  Json evidence;
};

// All that is given must match.
struct HistoryQuery {
  std::string cluster = {}, node = {}, metric = {}, operation = {};
  std::optional<int64_t> rank = {};
  uint64_t from_ns = 0, to_ns = UINT64_MAX;
  size_t limit = 100;  // at most kMaxHistoryRows; newest first
};

struct History {
  std::vector<Json> events;
  // There are more: than the query's limit, or than kMaxHistoryBytes of text.
  bool is_at_limit = false, is_too_long = false;
};

struct Coverage {
  uint64_t points_from_ns = 0, windows_from_ns = 0, bytes = 0, nodes = 0;  // 0: none
  uint64_t minutes_from_ns = 0, hours_from_ns = 0;
};

class ClusterStore {
 public:
  // Makes the file where there is none. kBusy: another server has it. kCorrupt: it is something else. kNotSupported: a
  // newer version made it.
  static Result<std::unique_ptr<ClusterStore>> open(StoreOptions options);
  ~ClusterStore();
  ClusterStore(const ClusterStore&) = delete;
  ClusterStore& operator=(const ClusterStore&) = delete;

  // kFull, kIo, kBusy: nothing of the batch is in the file.
  Result<Written> write(const wire::Batch& batch);
  Status write(const std::vector<IncidentRow>& incidents);
  // Windows that began in or after `from_ns`, oldest first, each with the number of its node: what a detector needs to
  // go on after a restart.
  Status each_window(uint64_t from_ns, const std::function<void(wire::Window, uint32_t node)>& take);
  // The number of a node that has been written; used by what writes.
  std::optional<uint32_t> node_number(const std::string& cluster, const std::string& node) const;

  // At any time, from any thread.
  Result<History> history(const HistoryQuery& query);
  // Of a cluster (empty: of all) that lasted to `since_ns` or later, newest first.
  Result<std::vector<IncidentRow>> incidents(const std::string& cluster, uint64_t since_ns, size_t limit);
  Result<Coverage> coverage();
  // One statement that only reads, as {"meta", "columns", "data", "cut"}: at most `rows` rows, 5 s, 128 MB to sort in,
  // one at a time; every table can be read. kInvalid: it is wrong, or would write. kBusy: time; kFull: memory.
  Result<Json> sql(const std::string& statement, uint64_t rows);
  // Every question that is being answered, and every later one, ends with kBusy.
  void interrupt();

 private:
  struct Impl;
  explicit ClusterStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::fleet::store
