// Decodes the rows that a timeline reads: what ran when, and for which track.
#include "store/read/timeline_rows.h"

#include <algorithm>

#include "hal/vocabulary.h"
#include "store/read/blocks.h"
#include "store/read/event_row_reader.h"

namespace ingero::store {
namespace {

constexpr EventColumns kShown(1, {Column::start, Column::duration, Column::site, Column::thread, Column::state,
                                  Column::clock, Column::stream});

class StoredTimelineRows final : public TimelineRows {
 public:
  Status load(Database& database) override;
  Result<std::optional<int64_t>> last(Database& database) override {
    return database.integer("SELECT max(seq) FROM event_rows");
  }
  Result<std::optional<int64_t>> first(Database& database) override {
    return database.integer("SELECT min(first) FROM blocks");
  }
  Status each(Database& database, int64_t first, int64_t last, const On& on) override;
  Result<bool> each_between(Database& database, int64_t from, int64_t to, uint64_t longest_ns, size_t most,
                            const On& on) override;

 private:
  struct Thread {
    uint32_t pid = 0, tid = 0;
  };
  std::unordered_map<int64_t, Thread> threads_;
  struct OfClock {
    size_t node = 0;
    int64_t offset_ns = 0;  // of the node's clock
  };
  std::unordered_map<int64_t, OfClock> of_clock_;
};

Status StoredTimelineRows::load(Database& database) {
  Result<Names> names = Names::load(database);
  if (!names.ok()) return names.error();
  names_ = std::move(*names);
  INGERO_TRY(database.each_row("SELECT id, pid, tid FROM threads", [&](const Statement& row) {
    threads_[row.integer(0)] = {static_cast<uint32_t>(row.integer(1)), static_cast<uint32_t>(row.integer(2))};
  }));
  INGERO_TRY(database.each_row("SELECT id, node FROM clocks", [&](const Statement& row) {
    of_clock_[row.integer(0)] = {node_of(row.bytes(1)), clocks_ == nullptr ? 0 : clocks_->offset_ns(row.bytes(1))};
  }));
  return database.each_row("SELECT id, comm_id_hash, rank, nranks FROM communicators", [&](const Statement& row) {
    Communicator& one = communicators_[row.integer(0)];
    one.comm_id_hash = row.uint64_if(1);
    if (!row.is_null(2)) one.rank = static_cast<int32_t>(row.integer(2));
    if (!row.is_null(3)) one.nranks = static_cast<int32_t>(row.integer(3));
  });
}

Status StoredTimelineRows::each(Database& database, int64_t first, int64_t last, const On& on) {
  Result<Statement> rows =
      database.prepare("SELECT seq, " + kShown.sql() + " FROM event_rows WHERE seq BETWEEN ?1 AND ?2");
  if (!rows.ok()) return rows.error();
  const EventRowReader<kShown, Statement> reader(*rows);
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
    row.seq = reader.seq();
    while (exchange.ok() && *exchange && exchanges->integer(0) < row.seq) exchange = exchanges->step();
    if (!exchange.ok()) return exchange.error();
    row.call = names_->call_of_probe(reader.integer(Column::site));
    const CallInfo* call = names_->call(row.call);
    const int64_t thread_id = reader.integer(Column::thread), clock = reader.integer(Column::clock);
    const auto thread = threads_.find(thread_id);
    if (call == nullptr || thread == threads_.end()) continue;
    const auto of_clock = of_clock_.find(clock);
    const OfClock known = of_clock == of_clock_.end() ? OfClock{node_of(""), 0} : of_clock->second;
    row.node = known.node;
    row.start_wall_ns =
        bounded(bounded(names_->wall_of_clock(clock)) + bounded(reader.integer(Column::start)) - known.offset_ns);
    row.duration_ns = bounded_duration(reader.uint64(Column::duration));
    row.process = names_->canonical(names_->process_of_thread(thread_id));
    row.pid = thread->second.pid;
    row.tid = thread->second.tid;
    const EventState state = reader.state();
    row.depth = state.depth();
    row.failed = state.failed();
    row.is_in_flight = state.outcome() == hal::Outcome::kInFlight;
    if (!call->host) row.stream = reader.uint64_if(Column::stream);
    row.is_collective = is_collective(*call);
    const bool has_exchange = row.is_collective && *exchange && exchanges->integer(0) == row.seq;
    if (has_exchange && !exchanges->is_null(1)) row.communicator = exchanges->integer(1);
    on(row);
  }
}

Result<bool> StoredTimelineRows::each_between(Database& database, int64_t from, int64_t to, uint64_t, size_t most,
                                              const On& on) {
  // Blocks are by the clocks of their nodes.
  if (clocks_ != nullptr) {
    from = bounded(from + clocks_->most_behind_ns());
    to = bounded(to + clocks_->most_ahead_ns());
  }
  const auto runs = block_runs(database, from, to, 0);
  if (!runs.ok()) return runs.error();
  uint64_t rows = 0;
  for (const auto& [first, last] : *runs) {
    if (last >= first) rows += static_cast<uint64_t>(last - first) + 1;
    if (rows > most) return false;
  }
  for (const auto& [first, last] : *runs) INGERO_TRY(each(database, first, last, on));
  return true;
}

}  // namespace

std::unique_ptr<TimelineRows> make_stored_timeline_rows() { return std::make_unique<StoredTimelineRows>(); }

bool TimelineRows::is_collective(const CallInfo& call) {
  return call.kind == hal::name_of(hal::Kind::kCollective) || call.kind == hal::name_of(hal::Kind::kP2p);
}

size_t TimelineRows::node_of(std::string_view name) {
  const auto found = std::find(nodes_.begin(), nodes_.end(), name);
  if (found != nodes_.end()) return static_cast<size_t>(found - nodes_.begin());
  if (nodes_.size() >= 4096) return nodes_.size() - 1;
  nodes_.emplace_back(name);
  return nodes_.size() - 1;
}

}  // namespace ingero::store
