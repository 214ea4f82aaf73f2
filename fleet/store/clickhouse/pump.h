// Hands what is in the spool on to ClickHouse, in order; keeps minutes and hours right; drops what is old; and knows
// how far back the tables reach. Private to fleet/store/: see store.h.
//
// One thread, which takes no signals, from start() until the destructor, which may leave what is not handed on in the
// spool: nothing is done that could not be done again. Client and spool are the caller's and outlive it; the destructor
// stops the client.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "base/clock.h"
#include "fleet/store/clickhouse/rows.h"
#include "fleet/store/spool.h"

namespace ingero::fleet::store::clickhouse {

struct PumpOptions {
  uint64_t max_bytes = 0;  // of all tables
  uint64_t between_sums_ns = 0;
  std::function<Status()> on_connected;  // the tables are there, and nothing was handed on yet
};

class Pump {
 public:
  Pump(Client& client, Spool& spool, PumpOptions options, const Clock& clock)
      : client_(client), spool_(spool), options_(std::move(options)), clock_(clock) {}
  ~Pump();
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;

  // What was due when the program before this one ended.
  void open();
  // Makes the tables where there are none, and reads the bounds. Where it fails with kBusy the thread tries again.
  Status connect();
  void start();

  // Windows that began before were deleted.
  uint64_t windows_from_ns() const { return windows_from_ns_; }
  Coverage coverage() const;  // without the nodes
  Backlog backlog() const;    // without the spool's

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Partition {
    int64_t number = 0;
    uint64_t bytes = 0;
  };
  struct Partitions {
    std::array<std::vector<Partition>, kAgingTables.size()> of;  // ascending
    uint64_t bytes = 0;                                          // of all tables
  };

  void run();
  Status step();
  Status fetch();
  Status hand_on();
  Status sum_up();
  Status sum_minute(int64_t start_s);
  Status sum_hour(int64_t start_s);
  Status prune();
  bool may_drop(size_t table, const Partitions& partitions) const;
  Status drop(size_t table, Partitions& partitions);
  Status delete_old(const char* table, const char* column);
  Result<Partitions> partitions() const;
  Status look();
  std::string note() const;
  uint64_t latest_ns() const { return clock_.wall_ns() + wire::kMaxAhead_ns; }  // of a row that no wrong clock let in
  void keep_windows_from(uint64_t ns);
  bool has_due() const { return !minutes_.empty() || !hours_.empty(); }

  Client& client_;
  Spool& spool_;
  const PumpOptions options_;
  const Clock& clock_;
  std::atomic<uint64_t> windows_from_ns_ = 0;
  std::thread thread_;

  // Of the thread.
  bool is_connected_ = false;
  bool has_more_ = false;  // the spool gave as much as was asked for
  bool has_chunk_ = false;
  RowBatch chunk_;                     // taken from the spool, and not handed on yet
  std::set<int64_t> minutes_, hours_;  // to be counted anew, by start_s
  Time inserted_, summed_, pruned_, looked_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  Coverage coverage_;
  Backlog backlog_;
};

}  // namespace ingero::fleet::store::clickhouse
