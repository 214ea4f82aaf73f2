// Exact counts, sums and histograms per (call, process), and per minute and five seconds, kept while recording.
//
// In memory everything about a (call, process) is cumulative: writing it twice does no harm. Buckets are deltas that
// are added to what the file has, so that a late event joins its minute instead of replacing it. A flush runs inside
// the writer's transaction; committed() follows only if that transaction did commit. Owns its entries and statements;
// the database outlives it. One thread, the writer's. Failure: the database's; after one the deltas are still there,
// for the next flush.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/db/histogram.h"
#include "store/db/sqlite.h"

namespace ingero::store {

// What one finished event adds.
struct Sample {
  uint32_t call = 0, process = 0;  // ids in the file
  uint32_t pid = 0;
  int64_t source = 0, op = 0;
  int64_t device = -1;  // event_devices.id of a call whose device is known, and that is not made inside another
  uint64_t start_wall_ns = 0;
  bool timed = false, failed = false, stored = true, never_returned = false;
  bool has_bytes = false, has_off = false;
  uint64_t duration_ns = 0, bytes = 0;
  std::array<uint64_t, 4> off_ns{};
};

struct Totals {
  uint64_t count = 0, errors = 0, never_returned = 0, stored = 0, timed = 0, total_ns = 0;
  uint64_t min_ns = ~uint64_t{0}, max_ns = 0, bytes = 0;
  bool has_bytes = false;
  std::array<uint64_t, 4> off_ns{};
  void add(const Sample& sample);
  void merge(const Totals& other);
};

// call_stats' columns of totals, in the order read_totals() expects from `first` on.
inline constexpr const char* kTotalsColumns =
    "count, errors, never_returned, stored, timed, total_ns, min_ns, max_ns, preempted_ns, runqueue_ns, blocked_ns, "
    "io_ns, bytes";
Totals read_totals(const Statement& row, int first);

// The end of an INSERT into a table of buckets: what there is of one already adds up. (min(NULL, x) is NULL in SQL:
// coalesce either way round.)
inline constexpr const char* kBucketsAddUp =
    " ON CONFLICT DO UPDATE SET count = count + excluded.count, stored = stored + excluded.stored, "
    "sum_dur = sum_dur + excluded.sum_dur, "
    "min_dur = min(coalesce(min_dur, excluded.min_dur), coalesce(excluded.min_dur, min_dur)), "
    "max_dur = max(coalesce(max_dur, excluded.max_dur), coalesce(excluded.max_dur, max_dur)), "
    "sum_arg0 = sum_arg0 + excluded.sum_arg0";

class Aggregates {
 public:
  void add(const Sample& sample);
  // A time off the CPU of a thread of a cgroup: cgroup_schedstat.
  void add_off_cpu(uint64_t cgroup_id, uint64_t wall_ns, uint64_t duration_ns);

  Status flush(Database& database, uint64_t now_wall_ns);
  void committed();
  size_t dirty() const { return dirty_.size(); }  // entries
  bool is_dirty() const { return !dirty_.empty() || !closed_.empty() || !device_calls_.empty(); }
  // Forgets entries beyond `keep`, least recently written first; they are read from the file when needed again.
  void trim(size_t keep);
  size_t size() const { return entries_.size(); }
  // Ends the open cgroup windows at the next flush.
  void close_windows() { close_windows_ = true; }

 private:
  static constexpr size_t kWidths = 2;
  static constexpr std::array<uint64_t, kWidths> kWidthNs = {60'000'000'000, 5'000'000'000};
  struct Bucket {
    uint64_t start_ns = 0;
    uint64_t count = 0, stored = 0, timed = 0, sum_ns = 0, min_ns = ~uint64_t{0}, max_ns = 0, bytes = 0;
  };
  struct Entry {
    uint32_t call = 0, process = 0, pid = 0;
    int64_t source = 0, op = 0;
    bool dirty = false;
    bool merged = false;  // what the file had is included
    uint64_t flushed_at = 0;
    Totals totals;
    Histogram histogram;
    std::array<Bucket, kWidths> buckets;
  };
  struct Closed {
    size_t width = 0;
    int64_t source = 0, op = 0;
    uint32_t pid = 0;
    Bucket bucket;
  };
  struct Window {
    uint64_t start_ns = 0, total_ns = 0;
    Histogram histogram;
  };

  Entry& entry(const Sample& sample);
  Status merge_stored(Database& database, Entry& entry);
  Status write_bucket(Database& database, size_t width, int64_t source, int64_t op, uint32_t pid, const Bucket& bucket);
  Status flush_windows(Database& database, uint64_t now_wall_ns);
  Status prepare(Database& database);

  std::unordered_map<uint64_t, std::unique_ptr<Entry>> entries_;
  std::array<Entry*, 256> recent_{};
  std::vector<Entry*> dirty_;
  std::vector<Closed> closed_;
  std::unordered_map<uint64_t, Window> windows_;  // by cgroup
  struct DeviceCalls {
    uint64_t count = 0, errors = 0, total_ns = 0;
  };
  std::map<std::pair<int64_t, uint32_t>, DeviceCalls> device_calls_;  // device and process: since the last commit
  std::vector<uint64_t> windows_written_;
  bool close_windows_ = false;
  uint64_t flushes_ = 0;
  Statement select_, upsert_, trim_5s_, device_calls_upsert_;
  std::array<Statement, kWidths> bucket_;
};

// Adds the finished rows after row `seq`.
Status aggregate_rows_after(Database& database, int64_t seq, Aggregates& aggregates);

}  // namespace ingero::store
