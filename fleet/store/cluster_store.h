// What a cluster's server keeps, and what it is asked about that: points of any sender, our agents' windows, incidents
// (docs/fleet.md, "The store"). Two stand behind it: SQLite in one file (sqlite_store.h), and ClickHouse behind a spool
// on disk (clickhouse/store.h).
//
// A batch that is written again changes nothing: a point's identity is its cluster, node, metric, time and attributes;
// a window's its node, job, start, rank and communicator; the first that came counts. Minutes and hours are the sums
// over the windows that ever were in the store; what is older than windows that were deleted is refused, since it may
// have been among them. Its size is bounded: the oldest of the finest goes first, but not the newest windows. So are
// the nodes that it knows: where a new one needs room, those are forgotten whose data ended a day before the newest.
// Threads: one that writes at a time; settle() and the questions from any. Times in nanoseconds since the Unix epoch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::store {

// Newer windows, counted back from the newest, stay whatever room is needed: a detector goes on from them after a
// restart, and some are still on their way.
inline constexpr uint64_t kWindowsKept_ns = 660'000'000'000, kWindowsLate_ns = 60'000'000'000;
inline constexpr const char* kTooManyNodes = "4096 other nodes have sent in the last day";
inline constexpr uint64_t kNodeForgotten_ns = 86'400'000'000'000;  // after its last data, for a new one
inline constexpr size_t kMaxNodes = 4096, kMaxOpenIncidents = 1000, kMaxHistoryRows = 999, kMaxHistoryBytes = 900 << 10;

// Those that who asks may read, or sends for: all, or some.
struct Clusters {
  bool are_all = true;
  std::set<std::string> names = {};
  bool have(const std::string& name) const { return are_all || names.contains(name); }
};

using NodeKey = std::pair<std::string, std::string>;  // cluster, node

struct Written {
  uint64_t points = 0;                                    // that are new, as far as is known before the store has them
  std::vector<size_t> windows;                            // of the batch: those that are new, likewise
  std::vector<uint32_t> nodes;                            // of each window of the batch: its number in this process
  std::vector<std::pair<wire::Window, uint32_t>> filled;  // known before, of which a part was missing; whole; its node
  wire::Refusals refused;
  std::string refused_node;        // the first for which kTooManyNodes was refused
  std::vector<NodeKey> forgotten;  // to make room for others; their numbers mean nothing any more
  uint64_t end = 0;                // what settle() is given of it
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

// What was acknowledged and is not in the store yet, where something stands between.
struct Backlog {
  uint64_t waiting_bytes = 0, max_bytes = 0;
  uint64_t refused = 0;          // calls of write() and settle() that found no room, or a disk that failed
  uint64_t rows = 0;             // that were handed on
  uint64_t expired_windows = 0;  // acknowledged, and too old for the store when their turn came
  uint64_t damaged_bytes = 0;    // that were written, and could not be read
  uint64_t due_minutes = 0;      // whose sums do not hold all of their windows yet
  std::string last_error;        // empty: the last try did not fail
};

class ClusterStore {
 public:
  virtual ~ClusterStore() = default;

  // kFull, kIo, kBusy: nothing of the batch is kept.
  virtual Result<Written> write(const wire::Batch& batch) = 0;
  virtual Status write(const std::vector<IncidentRow>& incidents) = 0;
  // What was written until `end`, as write() says, outlives the program when it returns.
  virtual Status settle(uint64_t end) = 0;
  // Windows that began in or after `from_ns`, oldest first, each with the number of its node: what a detector needs to
  // go on after a restart.
  virtual Status each_window(uint64_t from_ns, const std::function<void(wire::Window, uint32_t node)>& take) = 0;
  // The number of a node that has been written; used by what writes.
  virtual std::optional<uint32_t> node_number(const std::string& cluster, const std::string& node) const = 0;

  virtual Result<History> history(const HistoryQuery& query) = 0;
  // Of a cluster (empty: of all) that are open, or lasted to `since_ns` or later, newest first; without those that are
  // part of another one (`merged`).
  virtual Result<std::vector<IncidentRow>> incidents(const std::string& cluster, uint64_t since_ns, size_t limit) = 0;
  // Of these the ones that are not open.
  virtual Result<std::vector<IncidentRow>> ended_incidents(const std::string& cluster, uint64_t since_ns,
                                                           size_t limit) = 0;
  // That were open when the program before this one ended: the newest.
  virtual Result<std::vector<IncidentRow>> open_incidents() = 0;
  virtual Result<Coverage> coverage() = 0;
  // Nothing: what is written is in the store at once.
  virtual std::optional<Backlog> backlog() = 0;
  // One statement that only reads, as {"meta", "columns", "data", "cut"}: at most `rows` rows, 5 s, 128 MB to sort in,
  // one at a time; every table can be read, and of each the rows of `readable`. kInvalid: it is wrong, or would write.
  // kBusy: time; kFull: memory; kPermission: it cannot be held to these clusters.
  virtual Result<Json> sql(const std::string& statement, uint64_t rows, const Clusters& readable = {}) = 0;
  // Every question that is being answered, and every later one, ends with kBusy.
  virtual void interrupt() = 0;
};

}  // namespace ingero::fleet::store
