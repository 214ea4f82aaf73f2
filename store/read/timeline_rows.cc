// Decodes the rows that a timeline reads, ours and legacy ones, into one form: what ran when, and for which track.
#include "store/read/timeline_rows.h"

#include <algorithm>

#include "hal/vocabulary.h"
#include "store/db/event_row.h"

namespace ingero::store {
namespace {

constexpr int64_t kMaxTime = TimelineRows::kMaxTime;
int64_t bounded(int64_t time) { return std::clamp(time, -kMaxTime, kMaxTime); }
uint64_t bounded_duration(uint64_t ns) { return std::min<uint64_t>(ns, static_cast<uint64_t>(kMaxTime)); }

bool is_collective(const CallInfo& call) {
  return call.kind == hal::name_of(hal::Kind::kCollective) || call.kind == hal::name_of(hal::Kind::kP2p);
}

}  // namespace

size_t TimelineRows::node_of(std::string_view name) {
  const auto found = std::find(nodes_.begin(), nodes_.end(), name);
  if (found != nodes_.end()) return static_cast<size_t>(found - nodes_.begin());
  if (nodes_.size() >= 4096) return nodes_.size() - 1;
  nodes_.emplace_back(name);
  return nodes_.size() - 1;
}

Status TimelineRows::load(Database& database, bool legacy) {
  legacy_ = legacy;
  Result<Names> names = legacy ? Names::load_legacy(database) : Names::load(database);
  if (!names.ok()) return names.error();
  names_ = std::move(*names);
  if (legacy) return {};
  INGERO_TRY(database.each_row("SELECT id, pid, tid FROM threads", [&](const Statement& row) {
    threads_[row.integer(0)] = {static_cast<uint32_t>(row.integer(1)), static_cast<uint32_t>(row.integer(2))};
  }));
  INGERO_TRY(database.each_row("SELECT id, node FROM clocks",
                               [&](const Statement& row) { node_of_clock_[row.integer(0)] = node_of(row.bytes(1)); }));
  return database.each_row("SELECT id, comm_id_hash, rank, nranks FROM communicators", [&](const Statement& row) {
    Communicator& one = communicators_[row.integer(0)];
    one.comm_id_hash = row.uint64_if(1);
    if (!row.is_null(2)) one.rank = static_cast<int32_t>(row.integer(2));
    if (!row.is_null(3)) one.nranks = static_cast<int32_t>(row.integer(3));
  });
}

Status TimelineRows::each(Database& database, int64_t first, int64_t last, const On& on) {
  if (legacy_) return each_legacy(database, "seq BETWEEN ?1 AND ?2", first, last, on);
  Result<Statement> rows = database.prepare(
      "SELECT seq, start, duration, site, thread, state, clock, stream FROM event_rows WHERE seq BETWEEN ?1 AND ?2");
  if (!rows.ok()) return rows.error();
  Result<Statement> exchanges =
      database.prepare("SELECT seq, communicator FROM exchanges WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq");
  if (!exchanges.ok()) return exchanges.error();
  rows->bind(1, first).bind(2, last);
  exchanges->bind(1, first).bind(2, last);
  Result<bool> exchange = exchanges->step();
  for (;;) {
    Result<bool> more = rows->step();
    if (!more.ok()) return more.error();
    if (!*more) return {};
    TimelineRow row;
    row.seq = rows->integer(0);
    while (exchange.ok() && *exchange && exchanges->integer(0) < row.seq) exchange = exchanges->step();
    if (!exchange.ok()) return exchange.error();
    row.call = names_->call_of_probe(rows->integer(3));
    const CallInfo* call = names_->call(row.call);
    const auto thread = threads_.find(rows->integer(4));
    if (call == nullptr || thread == threads_.end()) continue;
    row.start_wall_ns = bounded(bounded(names_->wall_of_clock(rows->integer(6))) + bounded(rows->integer(1)));
    row.duration_ns = bounded_duration(rows->uint64(2));
    const auto node = node_of_clock_.find(rows->integer(6));
    row.node = node == node_of_clock_.end() ? node_of("") : node->second;
    row.process = names_->canonical(names_->process_of_thread(rows->integer(4)));
    row.pid = thread->second.pid;
    row.tid = thread->second.tid;
    const int64_t state = rows->integer(5);
    row.depth = static_cast<unsigned>(state >> kDepthBit) & 15;
    row.failed = ((state >> kFailedBit) & 1) != 0;
    row.is_in_flight = outcome_of(state) == hal::Outcome::kInFlight;
    if (!call->host) row.stream = rows->uint64_if(7);
    row.is_collective = is_collective(*call);
    const bool has_exchange = row.is_collective && *exchange && exchanges->integer(0) == row.seq;
    if (has_exchange && !exchanges->is_null(1)) row.communicator = exchanges->integer(1);
    on(row);
  }
}

Status TimelineRows::each_between(Database& database, int64_t from, int64_t to, const On& on) {
  return each_legacy(database, "timestamp BETWEEN ?1 AND ?2 ORDER BY timestamp", from, to, on);
}

Status TimelineRows::each_legacy(Database& database, const char* condition, int64_t first, int64_t last, const On& on) {
  Result<Statement> rows = database.prepare(fmt::format(
      "SELECT seq, timestamp, duration, source, op, pid, tid, failed, stream, node FROM temp.events WHERE {}",
      condition));
  if (!rows.ok()) return rows.error();
  rows->bind(1, first).bind(2, last);
  for (;;) {
    Result<bool> more = rows->step();
    if (!more.ok()) return more.error();
    if (!*more) return {};
    TimelineRow row;
    row.seq = rows->integer(0);
    row.call = names_->legacy_call(rows->integer(3), rows->integer(4));
    const CallInfo* call = names_->call(row.call);
    if (call == nullptr) continue;
    row.duration_ns = bounded_duration(rows->uint64(2));
    row.start_wall_ns = bounded(rows->integer(1));
    if (call->host) row.start_wall_ns -= static_cast<int64_t>(row.duration_ns);  // stamped at its end
    row.pid = static_cast<uint32_t>(rows->integer(5));
    row.process = rows->integer(5);
    row.tid = static_cast<uint32_t>(rows->integer(6));
    row.failed = rows->integer(7) != 0;
    // A stream of 0 may be the default one or unknown: the legacy agent did not distinguish them.
    if (!call->host && rows->uint64(8) != 0) row.stream = rows->uint64(8);
    row.node = node_of(rows->bytes(9));
    row.is_collective = is_collective(*call);
    on(row);
  }
}

Result<std::optional<std::vector<std::pair<int64_t, int64_t>>>> TimelineRows::runs(Database& database, int64_t from,
                                                                                   int64_t to, size_t most) {
  using Runs = std::vector<std::pair<int64_t, int64_t>>;
  if (legacy_) {
    Result<Statement> counting = database.prepare(fmt::format(
        "SELECT count(*) FROM (SELECT 1 FROM main.events WHERE timestamp BETWEEN ?1 AND ?2 LIMIT {})", most + 1));
    if (!counting.ok()) return counting.error();
    counting->bind(1, from).bind(2, to);
    Result<bool> row = counting->step();
    if (!row.ok()) return row.error();
    return counting->uint64(0) > most ? std::optional<Runs>() : std::optional<Runs>(Runs());
  }
  Result<Runs> found = block_runs(database, from, to, 0);
  if (!found.ok()) return found.error();
  uint64_t rows = 0;
  for (const auto& [first, last] : *found) {
    if (last >= first) rows += static_cast<uint64_t>(last - first) + 1;
    if (rows > most) return std::optional<Runs>();
  }
  return std::optional<Runs>(std::move(*found));
}

}  // namespace ingero::store
