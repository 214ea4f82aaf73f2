// Keeping the file under its limit: oldest blocks of rows first, a bounded piece at a time, between transactions.
//
// Histograms, call_stats and minute buckets stay: what is deleted is still counted. When rows alone no longer help,
// the oldest minute buckets go. The block that is being written is never touched, so seq never starts again.
#include <algorithm>

#include "store/write/writer_impl.h"

namespace ingero::store {
namespace {

constexpr int64_t kPrunedAtOnce = 8192;
constexpr int kPagesAtOnce = 256;
constexpr uint64_t kCheckpointEveryNs = 5'000'000'000;

}  // namespace

Result<uint64_t> Writer::Impl::used_bytes() {
  Result<std::optional<int64_t>> pages = database.integer("PRAGMA page_count");
  if (!pages.ok()) return pages.error();
  Result<std::optional<int64_t>> free = database.integer("PRAGMA freelist_count");
  if (!free.ok()) return free.error();
  return static_cast<uint64_t>(std::max<int64_t>(0, pages->value_or(0) - free->value_or(0)) * page_bytes);
}

Status Writer::Impl::delete_oldest(int64_t first, int64_t last, int64_t block_last) {
  INGERO_TRY(database.execute("BEGIN"));
  const auto change = [&]() -> Status {
    std::string sql = fmt::format(
        "DELETE FROM barrier_waits WHERE exchange IN (SELECT exchange FROM exchanges WHERE seq BETWEEN {} AND {});",
        first, last);
    for (const char* table : {"event_rows", "exchanges", "tcp_details", "waits", "wait_totals", "cpu_samples",
                              "in_flight", "never_returned"}) {
      sql += fmt::format("DELETE FROM {} WHERE seq BETWEEN {} AND {};", table, first, last);
    }
    sql += fmt::format("UPDATE store_state SET value = value + {} WHERE key = 'rows_pruned';", last - first + 1);
    if (last == block_last) {
      sql += fmt::format("DELETE FROM blocks WHERE first = {};", first);
      for (const char* table : {"fabric_values", "device_values", "device_processes", "inference_step_rows",
                                "inference_engine_metrics", "step_rows", "second_rows", "cause_rows",
                                "system_snapshots", "cgroup_throttling", "cgroup_memory", "disk_use"}) {
        sql += fmt::format("DELETE FROM {} WHERE timestamp < (SELECT min(start_wall_ns) FROM blocks);", table);
      }
      // Of each key the last annotation of a process may still hold.
      sql +=
          "DELETE FROM annotations WHERE coalesce(span_end, timestamp) < (SELECT min(start_wall_ns) FROM blocks) AND "
          "id NOT IN (SELECT max(a.id) FROM annotations a, json_each(CASE WHEN json_valid(a.labels) THEN a.labels ELSE "
          "'{}' END) l WHERE a.span_end IS NULL AND a.timestamp < (SELECT min(start_wall_ns) FROM blocks) GROUP BY "
          "a.session, a.pid, l.key);";
    } else {
      sql += fmt::format("UPDATE blocks SET first = {} WHERE first = {};", last + 1, first);
    }
    return database.execute(sql + "COMMIT");
  };
  if (Status status = change(); !status.ok()) {
    sqlite3_exec(database.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    return status;
  }
  std::erase_if(in_flight, [&](const auto& flight) { return flight.second.seq >= first && flight.second.seq <= last; });
  losses.add(hal::Loss::store_pruned, static_cast<uint64_t>(last - first + 1));
  return {};
}

// Moves what is in the write-ahead log to the file, as far as readers allow: who copies the file of a run that was
// killed, and not its log, then has all but the last seconds.
Status Writer::Impl::keep_in_one_file() {
  last_checkpoint_mono_ns = clock.mono_ns();
  return database.execute("PRAGMA wal_checkpoint(PASSIVE)");
}

Result<bool> Writer::Impl::maintain() {
  if (clock.mono_ns() - last_checkpoint_mono_ns >= kCheckpointEveryNs) INGERO_TRY(keep_in_one_file());
  return make_room();
}

Result<bool> Writer::Impl::make_room() {
  if (options.max_bytes == 0) return false;
  Result<uint64_t> used = used_bytes();
  if (!used.ok()) return used.error();
  // Once over the limit, make some room, so that not every step deletes a little.
  pruning = *used > (pruning ? options.max_bytes - options.max_bytes / 16 : options.max_bytes);
  if (!pruning) {
    Result<std::optional<int64_t>> free = database.integer("PRAGMA freelist_count");
    if (!free.ok()) return free.error();
    // Free pages within the limit are reused; beyond it they go back to the file system.
    if (free->value_or(0) * page_bytes + static_cast<int64_t>(*used) <= static_cast<int64_t>(options.max_bytes)) {
      return false;
    }
    INGERO_TRY(database.execute(fmt::format("PRAGMA incremental_vacuum({})", kPagesAtOnce)));
    return true;
  }
  Result<Statement> oldest = database.prepare("SELECT first, last FROM blocks ORDER BY first LIMIT 1");
  if (!oldest.ok()) return oldest.error();
  Result<bool> row = oldest->step();
  if (!row.ok()) return row.error();
  const int64_t first = *row ? oldest->integer(0) : 0;
  const int64_t block_last = *row ? oldest->integer(1) : 0;
  oldest->reset();
  if (!*row || !block || first >= block->first) {
    // Only the newest rows are left: old buckets are what there is to give.
    INGERO_TRY(database.execute(
        "DELETE FROM event_aggregates WHERE bucket IN (SELECT bucket FROM event_aggregates ORDER BY bucket LIMIT 1024) "
        "AND bucket < (SELECT max(bucket) FROM event_aggregates)"));
    return sqlite3_changes(database.get()) > 0;
  }
  // (W2) Rows are counted before they go.
  if (block_last > aggregated_through) INGERO_TRY(commit(true));
  INGERO_TRY(delete_oldest(first, std::min(block_last, first + kPrunedAtOnce - 1), block_last));
  INGERO_TRY(database.execute(fmt::format("PRAGMA incremental_vacuum({})", kPagesAtOnce)));
  return true;
}

}  // namespace ingero::store
