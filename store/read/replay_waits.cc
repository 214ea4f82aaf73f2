// Reads waits, totals and samples of the CPU in the order of the rows they stand behind.
#include "store/read/replay_waits.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/wrapping.h"
#include "store/db/waits_schema.h"

namespace ingero::store {
namespace {

template <typename T>
std::optional<T> known(const Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(static_cast<T>(row.integer(column)));
}

std::optional<hal::WaitPeer> peer_of(const Statement& row) {
  if (row.is_null(7)) return std::nullopt;
  hal::WaitPeer peer;
  peer.family = static_cast<uint16_t>(row.integer(7));
  peer.local_port = known<uint16_t>(row, 8).value_or(0);
  peer.peer_port = known<uint16_t>(row, 9).value_or(0);
  const std::string_view address = row.bytes(10);
  std::copy_n(address.begin(), std::min(address.size(), peer.peer.size()), peer.peer.begin());
  peer.is_accepted = row.integer(11) != 0;
  peer.inode = known<uint64_t>(row, 12).value_or(0);
  return peer;
}

std::optional<hal::Waker> waker_of(const Statement& row) {
  if (row.is_null(13)) return std::nullopt;
  hal::Waker waker;
  waker.pid = static_cast<uint32_t>(row.integer(13));
  waker.tid = static_cast<uint32_t>(row.integer(14));
  const std::string_view comm = row.bytes(15);
  std::copy_n(comm.begin(), std::min(comm.size(), waker.comm.size() - 1), waker.comm.begin());
  waker.is_kernel_thread = row.integer(16) != 0;
  waker.syscall = known<uint32_t>(row, 17);
  return waker;
}

hal::Wait wait_of(const Statement& row) {
  hal::Wait wait;
  const int64_t kind = row.integer(1);
  if (kind >= 0 && kind < static_cast<int64_t>(hal::kWaitKinds)) wait.kind = static_cast<hal::WaitKind>(kind);
  wait.is_write = (row.integer(2) & kWaitWrites) != 0;
  wait.is_timed_out = (row.integer(2) & kWaitTimedOut) != 0;
  wait.is_lock = (row.integer(2) & kWaitLock) != 0;
  wait.syscall = known<uint32_t>(row, 3);
  wait.object = known<uint64_t>(row, 4);
  wait.descriptor = known<int32_t>(row, 5);
  wait.minor_faults = known<uint64_t>(row, 6);
  wait.file_system = known<uint32_t>(row, 18);
  wait.peer = peer_of(row);
  wait.waker = waker_of(row);
  return wait;
}

}  // namespace

Status ReplayWaits::Cursor::open(Database& database, const std::string& sql) {
  Result<Statement> prepared = database.prepare(sql);
  if (!prepared.ok()) return prepared.error();
  statement = std::move(*prepared);
  return next();
}

Status ReplayWaits::Cursor::next() {
  Result<bool> row = statement.step();
  if (!row.ok()) return row.error();
  has_row = *row;
  return {};
}

Status ReplayWaits::open(Database& database, int64_t first_seq) {
  const std::string from = fmt::format(" WHERE seq >= {} ORDER BY 1, 2, 3, 4", first_seq);
  INGERO_TRY(waits_.open(
      database,
      "SELECT w.seq, w.kind, w.flags, w.syscall, w.object, w.descriptor, w.minor_faults, f.family, "
      "f.local_port, f.peer_port, f.address, f.accepted, f.inode, a.pid, a.tid, a.comm, "
      "a.kernel_thread, w.waker_syscall, w.file_system FROM waits w LEFT JOIN wait_peers f ON f.id = w.peer "
      "LEFT JOIN wakers a ON a.id = w.waker" +
          fmt::format(" WHERE w.seq >= {} ORDER BY w.seq", first_seq)));
  INGERO_TRY(totals_.open(database, "SELECT seq, thread, mono_ns, kind, ns FROM wait_totals" + from));
  return samples_.open(database, "SELECT seq, thread, clock, start, weight_ns, stack, system FROM cpu_samples" + from);
}

Status ReplayWaits::take(int64_t seq, const hal::Event& event, ReplaySink& sink) {
  while (waits_.is_before(seq)) INGERO_TRY(waits_.next());
  if (waits_.has_row && waits_.statement.integer(0) == seq) sink.wait(event, wait_of(waits_.statement));
  return {};
}

Status ReplayWaits::feed(int64_t seq, int64_t session, ReplaySink& sink) {
  INGERO_TRY(feed_totals(seq, session, sink));
  return feed_samples(seq, session, sink);
}

// One row for each class; those of one thread and time are one report.
Status ReplayWaits::feed_totals(int64_t seq, int64_t session, ReplaySink& sink) {
  const Statement& row = totals_.statement;
  while (totals_.is_before(seq)) {
    hal::WaitTotals totals;
    const int64_t at = row.integer(0), thread = row.integer(1), mono_ns = row.integer(2);
    for (; totals_.has_row && row.integer(0) == at && row.integer(1) == thread && row.integer(2) == mono_ns;) {
      const int64_t kind = row.integer(3);
      if (kind == kWaitQueued) {
        totals.queued_ns = row.uint64(4);
      } else if (kind >= 0 && kind < static_cast<int64_t>(hal::kWaitKinds)) {
        totals.ns[static_cast<size_t>(kind)] = row.uint64(4);
      }
      INGERO_TRY(totals_.next());
    }
    const ReplayedThread* known_thread = find_at(dictionary_.threads, thread);
    if (known_thread == nullptr || !dictionary_.is_of(*known_thread, session)) continue;
    totals.mono_ns = static_cast<uint64_t>(mono_ns);
    totals.pid = known_thread->pid;
    totals.tid = known_thread->tid;
    sink.wait_totals(totals);
  }
  return {};
}

Status ReplayWaits::feed_samples(int64_t seq, int64_t session, ReplaySink& sink) {
  const Statement& row = samples_.statement;
  while (samples_.is_before(seq)) {
    const ReplayedThread* thread = find_at(dictionary_.threads, row.integer(1));
    const ReplayedClock* clock = find_at(dictionary_.clocks, row.integer(2));
    const int64_t wall_ns = clock != nullptr ? wrapping_sum(clock->wall_ns, row.integer(3)) : 0;
    if (thread != nullptr && clock != nullptr && clock->session == session && wall_ns >= from_ && wall_ns <= to_) {
      hal::CpuSample sample;
      sample.mono_ns = static_cast<uint64_t>(wrapping_sum(clock->mono_ns, row.integer(3)));
      sample.weight_ns = row.uint64(4);
      sample.pid = thread->pid;
      sample.tid = thread->tid;
      if (!row.is_null(5)) {
        if (const uint64_t* stack = find_at(dictionary_.stacks, row.integer(5))) sample.stack_id = *stack;
      }
      sample.is_system = row.integer(6) != 0;
      sink.cpu_sample(sample);
    }
    INGERO_TRY(samples_.next());
  }
  return {};
}

}  // namespace ingero::store
