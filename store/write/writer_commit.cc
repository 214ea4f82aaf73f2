// One transaction: dictionaries, rows, completions, and now and then the aggregates.
#include <sys/socket.h>

#include <algorithm>

#include <arpa/inet.h>

#include "store/db/schema.h"
#include "store/write/chains.h"
#include "store/write/writer_impl.h"

namespace ingero::store {
namespace {

// Blocks of about this many rows: a time range reads at most that many too many at each end.
constexpr int64_t kBlockRows = 8192;
constexpr int kLastRoomSteps = 1024;  // of the end of a recording: bounds its time, whatever the file holds
constexpr uint64_t kRetryAfterNs = 100'000'000;
// The calls and processes counted last, about 1.5 kB each. Others are read again when they recur.
constexpr size_t kEntriesKept = 1024;
// This many changed entries are written early: short-lived programs keep making new ones.
constexpr size_t kMaxDirty = 2 * kEntriesKept;
// As many rows at most are in no aggregate: an answer of all figures reads these one by one.
constexpr int64_t kMaxRowsBehind = 65'536;

std::string address_text(uint16_t family, const std::array<uint8_t, 16>& address) {
  char text[INET6_ADDRSTRLEN] = {};
  return ::inet_ntop(family == AF_INET6 ? AF_INET6 : AF_INET, address.data(), text, sizeof text) == nullptr ? "" : text;
}

Statement& bind_real_if(Statement& statement, int index, double value) {
  return statement.bind_if(index, value >= 0, value);
}

}  // namespace

Status Writer::Impl::commit(bool with_aggregates) {
  const uint64_t now_ns = clock.mono_ns();
  const bool finished_old = !updates.empty() || !flights_ended.empty();
  const int64_t rows_behind = committed_seq + static_cast<int64_t>(batch.size()) - aggregated_through;
  // With the selective policy what is not a row is only in the aggregates: both or neither.
  const bool due = with_aggregates || finished_old || options.policy == Policy::kSelective ||
                   now_ns - last_aggregates_mono_ns >= options.aggregate_interval_ns ||
                   aggregates.dirty() >= kMaxDirty || rows_behind >= kMaxRowsBehind;
  const bool aggregates_due = due && (aggregates.is_dirty() || with_aggregates);
  Status status;
  if (RowImage::fits(batch)) status = image.stage(database, batch, committed_seq + 1);
  // Not IMMEDIATE: that would want to write to the staged image too. The first statement takes the lock.
  if (status.ok()) status = database.execute("BEGIN");
  if (status.ok()) {
    status = write_pending(aggregates_due);
    if (status.ok()) status = database.execute("COMMIT");
    if (!status.ok()) sqlite3_exec(database.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  if (!status.ok()) {
    last_error = status.error();
    retry_mono_ns = now_ns + kRetryAfterNs;
    return status;
  }
  last_error.reset();
  retry_mono_ns = 0;
  if (aggregates_due) last_aggregates_mono_ns = now_ns;
  forget_pending(aggregates_due);  // (W4)
  return {};
}

// After a failure, a full batch does not try again at every event; what is wrong is said again.
Status Writer::Impl::commit_if_full() {
  if (batch.size() < options.batch_rows) return {};
  if (last_error && clock.mono_ns() < retry_mono_ns) return *last_error;
  return commit(false);
}

Status Writer::Impl::write_pending(bool aggregates_due) {
  const uint64_t wall_ns = clock.wall_ns();
  INGERO_TRY(dictionaries.write(database, wall_ns));
  INGERO_TRY(write_rows());
  INGERO_TRY(write_updates());
  INGERO_TRY(write_extras());
  INGERO_TRY(samples.write(database));
  INGERO_TRY(collectives.write(database));
  INGERO_TRY(inference.write(database));
  INGERO_TRY(waits.write(database));
  INGERO_TRY(budget.write(database));
  INGERO_TRY(write_losses());
  if (!aggregates_due) return {};
  INGERO_TRY(aggregates.flush(database, wall_ns));
  return database.execute(fmt::format("UPDATE store_state SET value = {} WHERE key = 'aggregated_through'",
                                      committed_seq + static_cast<int64_t>(batch.size())));
}

Status Writer::Impl::write_rows() {
  if (batch.empty()) return {};
  INGERO_TRY(RowImage::fits(batch) ? insert_image.run() : insert_rows.run());
  const int64_t last = committed_seq + static_cast<int64_t>(batch.size());
  if (sqlite3_last_insert_rowid(database.get()) != last) {  // (W1)
    return Error(Errc::kCorrupt,
                 fmt::format("{}: rows were numbered up to {} instead of {}", options.path,
                             sqlite3_last_insert_rowid(database.get()), last),
                 "something else writes this file");
  }
  Block next{committed_seq + 1, last, batch_start_wall_ns, batch_end_wall_ns};
  if (block && block->last - block->first + 1 < kBlockRows) {
    next = {block->first, last, std::min(block->start_wall_ns, next.start_wall_ns),
            std::max(block->end_wall_ns, next.end_wall_ns)};
  }
  return put_block.bind(1, next.first).bind(2, next.last).bind(3, next.start_wall_ns).bind(4, next.end_wall_ns).run();
}

Status Writer::Impl::write_updates() {
  for (const Update& update : updates) {
    for (size_t i = 0; i < kColumns; ++i) {
      update_row.bind_if(static_cast<int>(i) + 1, update.row.has(static_cast<Column>(i)), update.row.values[i]);
    }
    INGERO_TRY(update_row.bind(static_cast<int>(kColumns) + 1, update.seq).run());
    INGERO_TRY(stretch_block.bind(1, update.end_wall_ns).bind(2, update.seq).run());
  }
  if (flights_begun.empty() && flights_ended.empty()) return {};
  Result<Statement> begun = database.prepare("INSERT OR REPLACE INTO in_flight VALUES (?1, ?2, ?3, ?4, ?5)");
  if (!begun.ok()) return begun.error();
  for (const auto& [key, flight] : flights_begun) {
    begun->bind(1, int64_t{key.first}).bind(2, static_cast<int64_t>(key.second)).bind(3, flight.seq);
    INGERO_TRY(begun->bind(4, flight.probe).bind(5, flight.process).run());
  }
  Result<Statement> ended = database.prepare("DELETE FROM in_flight WHERE tid = ?1 AND start_mono_ns = ?2");
  if (!ended.ok()) return ended.error();
  for (const FlightKey& key : flights_ended) {
    INGERO_TRY(ended->bind(1, int64_t{key.first}).bind(2, static_cast<int64_t>(key.second)).run());
  }
  return {};
}

// What was sampled of the machine and of where processes run.
Status Writer::Impl::write_machine() {
  INGERO_TRY(database.run_each(
      "INSERT OR IGNORE INTO system_snapshots (timestamp, cpu_pct, mem_pct, mem_avail, swap_mb, load_avg, "
      "psi_cpu_some, psi_io_some, psi_io_full, psi_mem_some, psi_mem_full, major_faults, steal_pct, interrupt_pct, "
      "session) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
      snapshots, [&](Statement& s, const hal::SystemSnapshot& snapshot) {
        s.bind(1, static_cast<int64_t>(snapshot.wall_ns));
        bind_real_if(s, 2, snapshot.cpu_percent);
        bind_real_if(s, 3, snapshot.mem_percent);
        s.bind_if(4, snapshot.mem_available_mb >= 0, snapshot.mem_available_mb);
        s.bind_if(5, snapshot.swap_used_mb >= 0, snapshot.swap_used_mb);
        bind_real_if(s, 6, snapshot.load1);
        bind_real_if(s, 7, snapshot.psi_cpu_some);
        bind_real_if(s, 8, snapshot.psi_io_some);
        bind_real_if(s, 9, snapshot.psi_io_full);
        bind_real_if(s, 10, snapshot.psi_mem_some);
        bind_real_if(s, 11, snapshot.psi_mem_full);
        s.bind_if(12, snapshot.major_faults >= 0, snapshot.major_faults);
        bind_real_if(s, 13, snapshot.steal_percent);
        bind_real_if(s, 14, snapshot.interrupt_percent);
        s.bind(15, session);
      }));
  INGERO_TRY(database.run_each("INSERT INTO cgroup_throttling VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", throttlings,
                               [&](Statement& s, const hal::Throttling& one) {
                                 s.bind(1, session).bind(2, static_cast<int64_t>(one.mono_ns) + one.wall_offset_ns);
                                 s.bind(3, static_cast<int64_t>(one.mono_ns));
                                 s.bind_if(4, one.cgroup_id != 0, static_cast<int64_t>(one.cgroup_id));
                                 s.bind(5, int64_t{one.pid}).bind(6, std::string_view(one.path));
                                 s.bind(7, static_cast<int64_t>(one.periods));
                                 s.bind(8, static_cast<int64_t>(one.throttled_ns));
                               }));
  INGERO_TRY(database.run_each(
      "INSERT INTO cgroup_memory VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)", memory_limits,
      [&](Statement& s, const hal::MemoryLimit& one) {
        s.bind(1, session).bind(2, static_cast<int64_t>(one.mono_ns) + one.wall_offset_ns);
        s.bind(3, static_cast<int64_t>(one.mono_ns)).bind(4, int64_t{one.pid});
        s.bind(5, std::string_view(one.path)).bind(6, std::string_view(one.limit_name));
        s.bind(7, static_cast<int64_t>(one.limit_bytes)).bind(8, static_cast<int64_t>(one.used_bytes));
        s.bind(9, static_cast<int64_t>(one.reread_bytes)).bind(10, static_cast<int64_t>(one.hits));
        s.bind_if(11, one.stalled_ns >= 0, one.stalled_ns);
      }));
  INGERO_TRY(database.run_each("INSERT INTO disk_use VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", disk_uses,
                               [&](Statement& s, const hal::DiskUse& one) {
                                 s.bind(1, session).bind(2, static_cast<int64_t>(one.mono_ns) + one.wall_offset_ns);
                                 s.bind(3, static_cast<int64_t>(one.mono_ns)).bind(4, int64_t{one.device});
                                 s.bind_if(5, one.pid != 0, int64_t{one.pid});
                                 s.bind_if(6, one.pid != 0, std::string_view(one.comm));
                                 s.bind(7, static_cast<int64_t>(one.requests)).bind(8, static_cast<int64_t>(one.bytes));
                                 s.bind_if(9, one.pid == 0, static_cast<int64_t>(one.own_bytes));
                               }));
  INGERO_TRY(database.run_each("INSERT INTO io_limits VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)", io_limits,
                               [&](Statement& s, const hal::IoLimit& one) {
                                 s.bind(1, session).bind(2, static_cast<int64_t>(one.mono_ns) + one.wall_offset_ns);
                                 s.bind(3, static_cast<int64_t>(one.mono_ns)).bind(4, int64_t{one.pid});
                                 s.bind(5, int64_t{one.device}).bind(6, std::string_view(one.path));
                                 s.bind(7, std::string_view(one.limit_name)).bind(8, int64_t{one.is_write});
                                 s.bind(9, int64_t{one.is_bytes}).bind(10, static_cast<int64_t>(one.limit));
                               }));
  return database.run_each("INSERT INTO cpu_affinity VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", affinities,
                           [&](Statement& s, const hal::Affinity& one) {
                             s.bind(1, session).bind(2, static_cast<int64_t>(one.mono_ns) + one.wall_offset_ns);
                             s.bind(3, static_cast<int64_t>(one.mono_ns)).bind(4, int64_t{one.pid});
                             s.bind(5, std::string_view(one.cpus.text())).bind(6, int64_t{one.threads});
                             s.bind_if(7, !one.online.empty(), std::string_view(one.online.text()));
                           });
}

Status Writer::Impl::write_extras() {
  if (single_step_ns) {
    INGERO_TRY(database.execute(
        fmt::format("UPDATE sessions SET single_step_ns = {} WHERE id = {}", *single_step_ns, session)));
  }
  if (probe_ns) {
    INGERO_TRY(database.execute(fmt::format("UPDATE sessions SET probe_ns = {} WHERE id = {}", *probe_ns, session)));
  }
  INGERO_TRY(database.run_each("INSERT INTO lost_calls VALUES (?1, ?2, ?3, ?4, ?5, ?6)", lost_calls,
                               [&](Statement& s, const hal::LostCalls& one) {
                                 s.bind(1, session).bind(2, static_cast<int64_t>(one.wall_ns));
                                 s.bind_if(3, one.pid != 0, int64_t{one.pid});
                                 s.bind_if(4, !one.comm.empty(), std::string_view(one.comm));
                                 s.bind(5, static_cast<int64_t>(one.calls));
                                 s.bind(6, static_cast<int64_t>(one.waited_ns));
                               }));
  INGERO_TRY(database.run_each("INSERT INTO tcp_details VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", tcp,
                               [](Statement& s, const auto& item) {
                                 const auto& [seq, detail] = item;
                                 s.bind(1, seq).bind(2, int64_t{detail.family}).bind(3, int64_t{detail.state});
                                 s.bind(4, std::string_view(address_text(detail.family, detail.source)));
                                 s.bind(5, int64_t{detail.source_port});
                                 s.bind(6, std::string_view(address_text(detail.family, detail.destination)));
                                 s.bind(7, int64_t{detail.destination_port}).bind(8, int64_t{detail.sequence});
                               }));
  INGERO_TRY(
      database.run_each("INSERT INTO stack_traces VALUES (?1, ?2, ?3) ON CONFLICT (hash) DO UPDATE SET "
                        "ips = excluded.ips, frames = excluded.frames",
                        stacks, [](Statement& s, const Stack& stack) {
                          s.bind(1, static_cast<int64_t>(stack.hash));
                          s.bind(2, std::string_view(stack.ips)).bind(3, std::string_view(stack.frames));
                        }));
  INGERO_TRY(write_machine());
  INGERO_TRY(database.run_each(
      "INSERT INTO annotations (timestamp, labels, pid, start_time, span_start, span_end, peer_uid, peer_gid, "
      "peer_pid, session) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
      annotations, [&](Statement& s, const Annotation& one) {
        s.bind(1, static_cast<int64_t>(one.wall_ns)).bind(2, std::string_view(one.labels_json));
        s.bind(3, int64_t{one.pid}).bind(4, static_cast<int64_t>(one.start_time));
        s.bind_if(5, one.span_start_wall_ns.has_value(), static_cast<int64_t>(one.span_start_wall_ns.value_or(0)));
        s.bind_if(6, one.span_end_wall_ns.has_value(), static_cast<int64_t>(one.span_end_wall_ns.value_or(0)));
        s.bind(7, int64_t{one.peer_uid}).bind(8, int64_t{one.peer_gid}).bind(9, int64_t{one.peer_pid});
        s.bind(10, session);
      }));
  return write_chains(database, options.session.node, chains);
}

Status Writer::Impl::write_losses() {
  for (size_t i = 0; i < losses_written.size(); ++i) {
    const uint64_t count = losses.count(static_cast<hal::Loss>(i));
    if (count == losses_written[i]) continue;
    const hal::LossRow& row = hal::kLossTable[i];
    Result<Statement> put = database.prepare("INSERT OR REPLACE INTO loss VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    if (!put.ok()) return put.error();
    const std::string_view severity = row.severity == hal::Severity::kInfo   ? "info"
                                      : row.severity == hal::Severity::kLoss ? "loss"
                                                                             : "error";
    put->bind(1, session).bind(2, row.name).bind(3, row.room).bind(4, severity);
    const std::string sentence = losses.sentence(static_cast<hal::Loss>(i));
    INGERO_TRY(put->bind(5, static_cast<int64_t>(count)).bind(6, sentence).run());
    losses_written[i] = count;  // after a rollback the next change, or the end, writes it
  }
  return {};
}

void Writer::Impl::forget_pending(bool aggregates_written) {
  dictionaries.committed();
  collectives.committed();
  inference.committed();
  waits.committed();
  budget.committed();
  single_step_ns.reset();
  probe_ns.reset();
  if (!batch.empty()) {
    const int64_t last = committed_seq + static_cast<int64_t>(batch.size());
    if (block && block->last - block->first + 1 < kBlockRows) {
      block->last = last;
      block->start_wall_ns = std::min(block->start_wall_ns, batch_start_wall_ns);
      block->end_wall_ns = std::max(block->end_wall_ns, batch_end_wall_ns);
    } else {
      block = Block{committed_seq + 1, last, batch_start_wall_ns, batch_end_wall_ns};
    }
    rows_committed += batch.size();
    committed_seq = last;
    batch.clear();
    if (batch.capacity() > 2 * size_t{options.batch_rows}) {  // after a disk that took nothing for a while
      batch.shrink_to_fit();
      batch.reserve(options.batch_rows);
    }
    batch_start_wall_ns = INT64_MAX;
    batch_end_wall_ns = INT64_MIN;
  }
  for (const Update& update : updates) {
    if (block && update.seq >= block->first) block->end_wall_ns = std::max(block->end_wall_ns, update.end_wall_ns);
  }
  empty(updates);
  empty(flights_begun);
  empty(flights_ended);
  empty(tcp);
  empty(stacks);
  empty(snapshots);
  empty(chains);
  empty(throttlings);
  empty(memory_limits);
  empty(disk_uses);
  empty(io_limits);
  empty(affinities);
  empty(lost_calls);
  empty(annotations);
  samples.committed();
  if (!aggregates_written) return;
  aggregates.committed();
  aggregates.trim(kEntriesKept);
  aggregated_through = committed_seq;
}

// The last transaction: the ledger, that the recording has ended, and, unless the disk is full, what is pending.
Status Writer::Impl::write_end(bool with_pending) {
  losses_written.fill(0);
  INGERO_TRY(database.execute("BEGIN"));
  const auto last_words = [&]() -> Status {
    std::string sql;
    if (with_pending) {
      INGERO_TRY(write_pending(true));
      sql = fmt::format(
          "UPDATE event_rows SET state = (state & ~{}) | {} WHERE seq IN (SELECT seq FROM in_flight);"
          "INSERT OR IGNORE INTO never_returned SELECT seq FROM in_flight; DELETE FROM in_flight;",
          kOutcomeMask, static_cast<int>(hal::Outcome::kNeverReturned));
    } else {
      INGERO_TRY(write_losses());
    }
    return database.execute(sql + fmt::format("UPDATE sessions SET stopped_at = {} WHERE id = {}; COMMIT",
                                              watermark_wall_ns != 0 ? watermark_wall_ns : clock.wall_ns(), session));
  };
  if (Status status = last_words(); !status.ok()) {
    sqlite3_exec(database.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    return status;
  }
  return {};
}

// The disk takes no more: what waits is counted as lost, and that count is written into the room kept for it.
// Aggregates and calls in flight stay as they are in the file, as after a run that was killed (W2, W3).
Status Writer::Impl::give_up_pending(const Error& reason) {
  losses.add(hal::Loss::store_failed, batch.size());
  batch.clear();
  reserve.release();
  if (!write_end(false).ok()) return reason;
  (void)database.execute("PRAGMA wal_checkpoint(TRUNCATE)").ok();
  return reason;
}

Status Writer::Impl::finish() {
  if (const Status written = commit(false); !written.ok()) return give_up_pending(written.error());
  for (int step = 0; step < kLastRoomSteps; ++step) {
    if (const Result<bool> more = make_room(); !more.ok() || !*more) break;
  }
  // Calls still in flight have no end to wait for: this recording is over.
  for (const auto& [key, flight] : in_flight) {
    Result<Statement> who = database.prepare(
        "SELECT s.call, s.source, s.op, (SELECT pid FROM processes WHERE id = ?2) FROM sites s WHERE s.id = ?1");
    if (!who.ok()) return who.error();
    who->bind(1, flight.probe).bind(2, flight.process);
    Result<bool> row = who->step();
    if (!row.ok()) return row.error();
    if (!*row) continue;
    Sample sample;
    sample.call = static_cast<uint32_t>(who->integer(0));
    sample.source = who->integer(1);
    sample.op = who->integer(2);
    sample.process = static_cast<uint32_t>(flight.process);
    sample.pid = static_cast<uint32_t>(who->integer(3));
    sample.never_returned = true;
    aggregates.add(sample);
  }
  aggregates.close_windows();
  if (const Status ended = write_end(true); !ended.ok()) return give_up_pending(ended.error());
  forget_pending(true);
  in_flight.clear();
  return database.execute("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace ingero::store
