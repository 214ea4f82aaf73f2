// The writer's state, shared by writer.cc (events in), writer_open.cc (files), writer_commit.cc (transactions) and
// prune.cc. Private to store/.
//
// Invariants:
// W1  Rows of event_rows have consecutive seq in the order they were taken over; `committed_seq` is the last in the
//     file.
// W2  A finished row with seq <= store_state 'aggregated_through' is counted in call_stats, a later one is not.
// W3  `in_flight` names exactly the rows whose outcome is kInFlight, by (tid, start_mono_ns).
// W4  Nothing pending is forgotten before the transaction that holds it has committed.
#pragma once

#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "store/db/aggregates.h"
#include "store/db/schema.h"
#include "store/db/sqlite.h"
#include "store/db/writer_lock.h"
#include "store/write/budget.h"
#include "store/write/collectives.h"
#include "store/write/dictionaries.h"
#include "store/write/disk_reserve.h"
#include "store/write/inference.h"
#include "store/write/row_batch.h"
#include "store/write/row_image.h"
#include "store/write/samples.h"
#include "store/write/selector.h"
#include "store/write/waits.h"
#include "store/write/writer.h"

namespace ingero::store {

struct Writer::Impl {
  Impl(WriterOptions given, const hal::CallTable& call_table, hal::LossLedger& ledger, const Clock& the_clock)
      : options(std::move(given)),
        calls(call_table),
        losses(ledger),
        clock(the_clock),
        dictionaries(calls, losses),
        collectives(calls) {}

  struct Unfinished {
    int64_t seq = 0;
    int64_t probe = 0, process = 0;
  };
  using FlightKey = std::pair<uint32_t, uint64_t>;  // tid, start_mono_ns

  Status open();
  std::chrono::steady_clock::time_point opening_ends;  // what check_opening() holds it to

  // writer_open.cc
  Status prepare_file();
  Status open_database();
  Result<FileKind> examine();
  static int check_opening(void* writer);  // SQLite's progress handler
  Status begin_session();
  Status recover();
  Status load_position();

  // writer.cc
  void take(const hal::Event& event);
  bool has_room(size_t waiting);
  int64_t thread_of(uint32_t pid, uint32_t tid);
  void fill(const hal::Event& event, int64_t process, bool sampled, EventRow& row);
  void count(const hal::Event& event, const CallEntry& call, int64_t process, bool stored);
  int64_t next_seq() const { return committed_seq + static_cast<int64_t>(batch.size()) + 1; }

  // writer_commit.cc
  Status commit(bool with_aggregates);
  Status commit_if_full();
  Status write_pending(bool aggregates_due);
  Status write_rows();
  Status write_updates();
  Status write_extras();
  Status write_machine();
  Status write_losses();
  void forget_pending(bool aggregates_written);
  Status finish();
  Status write_end(bool with_pending);
  Status give_up_pending(const Error& reason);

  // prune.cc
  Result<bool> maintain();
  Result<bool> make_room();
  Status keep_in_one_file();
  Result<uint64_t> used_bytes();
  Status delete_oldest(int64_t first, int64_t last, int64_t block_last);

  WriterOptions options;
  const hal::CallTable& calls;
  hal::LossLedger& losses;
  const Clock& clock;

  WriterLock lock;  // outlives the connection
  RowImage image;   // the connection reads it: outlives that
  Database database;
  RowBatch batch;  // the connection's virtual table points at it
  Dictionaries dictionaries;
  Collectives collectives;
  Inference inference;
  Waits waits;
  BudgetRows budget;
  Aggregates aggregates;
  std::optional<Selector> selector;
  int64_t session = 0;
  bool closed = false;
  static constexpr uint64_t kReserveBytes = 256 << 10;
  DiskReserve reserve;  // for give_up_pending()
  uint64_t last_checkpoint_mono_ns = 0;

  int64_t committed_seq = 0;
  int64_t aggregated_through = 0;
  uint64_t last_aggregates_mono_ns = 0;
  uint64_t watermark_wall_ns = 0;  // 0: unknown
  uint64_t retry_mono_ns = 0;
  std::optional<Error> last_error;
  uint64_t rows_committed = 0;
  int64_t page_bytes = 0;
  bool pruning = false;

  // The block that the next rows join, as committed; and the wall times of the batch.
  struct Block {
    int64_t first = 0, last = 0;
    int64_t start_wall_ns = INT64_MAX, end_wall_ns = INT64_MIN;
  };
  std::optional<Block> block;
  int64_t batch_start_wall_ns = INT64_MAX, batch_end_wall_ns = INT64_MIN;

  std::map<FlightKey, Unfinished> in_flight;
  struct Update {
    int64_t seq = 0;
    int64_t end_wall_ns = 0;
    EventRow row;
  };
  std::vector<Update> updates;
  std::vector<std::pair<FlightKey, Unfinished>> flights_begun;
  std::vector<FlightKey> flights_ended;
  std::vector<std::pair<int64_t, hal::TcpDetail>> tcp;
  struct Stack {
    uint64_t hash;
    std::string ips, frames;
  };
  std::vector<Stack> stacks;
  std::vector<hal::SystemSnapshot> snapshots;
  std::vector<hal::CausalChain> chains;
  std::vector<hal::Throttling> throttlings;
  std::vector<hal::MemoryLimit> memory_limits;
  std::vector<hal::DiskUse> disk_uses;
  std::vector<hal::IoLimit> io_limits;
  std::vector<hal::Affinity> affinities;
  std::vector<hal::LostCalls> lost_calls;
  std::optional<uint64_t> single_step_ns, probe_ns;  // to be written
  static constexpr size_t kMaxAnnotations = 50'000;
  // Of each kind of row besides the events: then all is committed. While the disk cannot be written, more are dropped,
  // and counted as store_failed.
  static constexpr size_t kMaxWaiting = 8192;
  std::vector<Annotation> annotations;
  Samples samples;
  std::array<uint64_t, static_cast<size_t>(hal::Loss::kCount)> losses_written{};

  Statement insert_rows, insert_image, update_row, put_block, stretch_block;
};

}  // namespace ingero::store
