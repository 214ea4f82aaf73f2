// Turns stored rows back into events, in the order in which they were stored.
#include "store/read/replay.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/wrapping.h"
#include "store/read/blocks.h"
#include "store/read/reader_impl.h"
#include "store/read/replay_dictionary.h"
#include "store/read/replay_events.h"
#include "store/read/replay_sides.h"
#include "store/read/replay_waits.h"
#include "store/read/scan.h"
#include "store/read/selection_sql.h"

namespace ingero::store {
namespace {

using hal::Has;

constexpr sqlite3_int64 kMappedBytes = 128 << 20;

// A collective's position in its communicator's order, read in step with the rows.
class Arrivals {
 public:
  Status open(Database& database) {
    Result<Statement> statement = database.prepare(
        "SELECT x.seq, c.comm_id_hash, x.number, c.rank FROM exchanges x JOIN communicators c ON c.id = x.communicator "
        "WHERE c.comm_id_hash IS NOT NULL AND x.number IS NOT NULL AND NOT x.is_part ORDER BY x.seq");
    if (!statement.ok()) return statement.error();
    statement_ = std::move(*statement);
    return next();
  }
  Status take(int64_t seq, const hal::Event& event, ReplaySink& sink) {
    while (has_row_ && statement_.integer(0) < seq) INGERO_TRY(next());
    if (!has_row_ || statement_.integer(0) != seq) return {};
    std::optional<int32_t> rank;
    if (!statement_.is_null(3)) rank = static_cast<int32_t>(statement_.integer(3));
    sink.arrival(event, statement_.uint64(1), statement_.uint64(2), rank);
    return {};
  }
  uint64_t next_seq() const { return has_row_ ? statement_.uint64(0) : ~uint64_t{0}; }

 private:
  Status next() {
    Result<bool> row = statement_.step();
    if (!row.ok()) return row.error();
    has_row_ = *row;
    return {};
  }
  Statement statement_;
  bool has_row_ = false;
};

// Fields that few calls have and a row does not hold: looked up for fabric calls, whose events are among them.
class Details {
 public:
  explicit Details(Database& database) : database_(database) {}
  Status fill(int64_t id, hal::Event& event) {
    if (!is_open_) {
      Result<Statement> statement = database_.prepare("SELECT flags, handle2 FROM details WHERE id = ?1");
      if (!statement.ok()) return statement.error();
      statement_ = std::move(*statement);
      is_open_ = true;
    }
    statement_.reset();
    statement_.bind(1, id);
    Result<bool> row = statement_.step();
    if (!row.ok()) return row.error();
    if (!*row) return {};
    if (!statement_.is_null(0)) {
      event.flags = statement_.uint64(0);
      event.set(Has::kFlags);
    }
    if (!statement_.is_null(1)) {
      event.handle2 = statement_.uint64(1);
      event.set(Has::kHandle2);
    }
    return {};
  }

 private:
  Database& database_;
  Statement statement_;
  bool is_open_ = false;
};

std::vector<hal::CollectiveHang::Rank> ranks_of(std::string_view list) {
  std::vector<hal::CollectiveHang::Rank> ranks;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    std::string_view word = list.substr(at, end - at);
    hal::CollectiveHang::Rank one;
    const bool is_pid = word.starts_with("pid ");
    if (is_pid) word.remove_prefix(4);
    uint32_t number = 0;
    for (const char c : word) number = c >= '0' && c <= '9' ? number * 10 + static_cast<uint32_t>(c - '0') : number;
    if (is_pid) {
      one.pid = number;
    } else {
      one.rank = static_cast<int32_t>(number);
    }
    ranks.push_back(one);
    at = end + 1;
  }
  return ranks;
}

Status emit_hangs(Database& database, int64_t session, uint64_t from_mono_ns, uint64_t to_mono_ns, ReplaySink& sink) {
  std::map<std::pair<uint64_t, int32_t>, uint32_t> pid_of;  // communicator, rank
  INGERO_TRY(database.each_row(
      fmt::format("SELECT c.comm_id_hash, c.rank, p.pid FROM communicators c JOIN processes p ON p.id = c.process "
                  "WHERE c.session = {} AND c.comm_id_hash IS NOT NULL AND c.rank IS NOT NULL",
                  session),
      [&](const Statement& row) {
        pid_of[{row.uint64(0), static_cast<int32_t>(row.integer(1))}] = static_cast<uint32_t>(row.integer(2));
      }));
  const auto with_pids = [&](uint64_t comm_id_hash, std::vector<hal::CollectiveHang::Rank> ranks) {
    for (auto& one : ranks) {
      const auto known = one.rank ? pid_of.find({comm_id_hash, *one.rank}) : pid_of.end();
      if (known != pid_of.end()) one.pid = known->second;
    }
    return ranks;
  };
  return database.each_row(
      fmt::format("SELECT comm_id_hash, number, coalesce(call, ''), entered_mono_ns, waited_ns, is_over, present, "
                  "missing, nranks FROM collective_hangs WHERE session = {}",
                  session),
      [&](const Statement& row) {
        hal::CollectiveHang hang;
        hang.comm_id_hash = row.uint64(0);
        hang.number = row.uint64(1);
        hang.entered_mono_ns = row.uint64(3);
        hang.waited_ns = row.uint64(4);
        const bool is_before =
            hang.entered_mono_ns < from_mono_ns && from_mono_ns - hang.entered_mono_ns > hang.waited_ns;
        if (is_before || hang.entered_mono_ns > to_mono_ns) return;
        hang.is_over = row.integer(5) != 0;
        hang.present = with_pids(hang.comm_id_hash, ranks_of(row.bytes(6)));
        hang.missing = with_pids(hang.comm_id_hash, ranks_of(row.bytes(7)));
        sink.hang(hang, row.text(2));
      });
}

// The replay of one recording.
class RowReplay {
 public:
  RowReplay(Database& database, const Selection& selection, ReplaySink& sink)
      : database_(database),
        sink_(sink),
        is_whole_(selection.whole()),
        from_(selection.from_wall_ns ? sql_wall_ns(*selection.from_wall_ns) : INT64_MIN),
        to_(selection.to_wall_ns ? sql_wall_ns(*selection.to_wall_ns) : INT64_MAX),
        least_seq_(selection.first_seq.value_or(0)),
        waits_(dictionary_, from_, to_),
        details_(database) {}

  Status run();

 private:
  Status find_blocks();
  Status begin(int64_t session);
  Status end(int64_t seq);
  Status begin_silent();
  bool place(const ReplayedRow& row);
  Status emit(const ReplayedRow& row);

  Database& database_;
  ReplaySink& sink_;
  const bool is_whole_;
  const int64_t from_, to_;  // wall time
  const int64_t least_seq_;
  ReplayDictionary dictionary_;
  ReplayedEvents events_{dictionary_};
  Arrivals arrivals_;
  ReplayWaits waits_;
  Details details_;
  ReplaySides sides_;
  Offsets offsets_;
  int64_t first_ = 0, last_ = INT64_MAX;  // rows that are read
  std::optional<int64_t> session_;        // that has begun; any number may be one's
  std::set<int64_t> begun_;
  // Of the row at hand.
  hal::Event event_;
  const ReplayedClock* clock_ = nullptr;
  const ReplayedThread* thread_ = nullptr;
};

// Only the blocks that may hold something of the time range are read.
Status RowReplay::find_blocks() {
  if (is_whole_) return {};
  first_ = INT64_MAX;
  last_ = -1;
  return each_block(database_, from_, to_, BlockOrder::kOldestFirst, [&](int64_t first, int64_t last) {
    first_ = std::min(first_, std::max(first, least_seq_));
    last_ = std::max(last_, std::min(last, INT64_MAX - 1));
    return true;
  });
}

Status RowReplay::begin(int64_t session) {
  session_ = session;
  begun_.insert(session);
  const ReplayedSession& facts = dictionary_.sessions[session];
  sink_.begin(facts.node, facts.cpus, false);
  sink_.session(session);
  dictionary_.emit_calls(sink_);
  for (size_t id = 0; id < dictionary_.symbol_of_probe.size(); ++id) {
    sink_.probe(static_cast<uint32_t>(id), dictionary_.symbol_of_probe[id]);
  }
  dictionary_.emit_processes(session, sink_);
  offsets_ = {};
  for (const ReplayedClock& one : dictionary_.clocks) {
    if (one.session == session) offsets_.add(one.mono_ns, one.wall_ns);
  }
  // What is left out is as unknown as what was before the recording.
  if (facts.started_wall_ns > 0) sink_.started(offsets_.mono_of(std::max(facts.started_wall_ns, from_)));
  if (facts.probe_ns > 0) sink_.probe_cost(facts.probe_ns);
  const uint64_t from = from_ == INT64_MIN ? 0 : offsets_.mono_of(from_);
  const uint64_t to = to_ == INT64_MAX ? ~uint64_t{0} : offsets_.mono_of(to_);
  INGERO_TRY(sides_.load(database_, session, offsets_, from, to));
  return emit_hangs(database_, session, from, to, sink_);
}

// `seq`: the next session's first row.
Status RowReplay::end(int64_t seq) {
  INGERO_TRY(waits_.feed(seq, *session_, sink_));
  sides_.feed(~uint64_t{0}, sink_);
  const int64_t stopped = dictionary_.sessions[*session_].stopped_wall_ns;
  sink_.end(is_whole_ && stopped > 0 ? std::optional(offsets_.mono_of(stopped)) : std::nullopt);
  return {};
}

// Who made the call and when. False: the row makes no sense, or lies outside the time range.
bool RowReplay::place(const ReplayedRow& row) {
  if (!events_.place(row, event_)) return false;
  clock_ = events_.clock();
  thread_ = events_.thread();
  if (is_whole_) return true;
  const int64_t wall = wrapping_sum(clock_->wall_ns, row.integer(Column::start));
  if (wall >= from_) return wall <= to_;
  return static_cast<uint64_t>(from_) - static_cast<uint64_t>(wall) <= static_cast<uint64_t>(event_.duration_ns);
}

Status RowReplay::emit(const ReplayedRow& row) {
  if (!place(row)) return {};
  if (clock_->session != session_) {
    if (session_) INGERO_TRY(end(row.seq()));
    INGERO_TRY(begin(clock_->session));
  }
  INGERO_TRY(waits_.feed(row.seq(), *session_, sink_));
  dictionary_.emit(*thread_, sink_);
  events_.fill(row, event_);
  if (event_.kind == hal::Kind::kFabric && row.has(Column::detail)) {
    INGERO_TRY(details_.fill(row.integer(Column::detail), event_));
  }
  const uint64_t soon = event_.start_mono_ns + kAheadNs;
  if (sides_.next_mono_ns() <= soon) sides_.feed(soon, sink_);
  sink_.event(event_);
  if (event_.kind == hal::Kind::kHost) return waits_.take(row.seq(), event_, sink_);
  if (event_.kind != hal::Kind::kCollective || !row.state().finished() || arrivals_.next_seq() == ~uint64_t{0}) {
    return {};
  }
  return arrivals_.take(row.seq(), event_, sink_);
}

// A session without any event may hold samples: a port that fell while nothing used it.
Status RowReplay::begin_silent() {
  std::vector<int64_t> silent;
  for (const auto& [id, facts] : dictionary_.sessions) {
    if (!begun_.contains(id)) silent.push_back(id);
  }
  for (const int64_t id : silent) {
    INGERO_TRY(begin(id));
    INGERO_TRY(end(0));
  }
  return {};
}

Status RowReplay::run() {
  INGERO_TRY(dictionary_.load(database_));
  INGERO_TRY(arrivals_.open(database_));
  INGERO_TRY(find_blocks());
  INGERO_TRY(waits_.open(database_, first_));
  Result<Statement> rows =
      database_.prepare("SELECT seq, " + kReplayed.sql() + " FROM event_rows" +
                        (is_whole_ ? "" : fmt::format(" WHERE seq BETWEEN {} AND {}", first_, last_)));
  if (!rows.ok()) return rows.error();
  const ReplayedRow row(*rows);
  for (;;) {
    Result<bool> more = rows->step();
    if (!more.ok()) return more.error();
    if (!*more) break;
    INGERO_TRY(emit(row));
  }
  if (session_) INGERO_TRY(end(is_whole_ ? INT64_MAX : last_ + 1));
  return is_whole_ ? begin_silent() : Status{};
}

// `mapped`: what it was.
struct MappingKept {
  Database& database;
  sqlite3_int64 mapped;
  ~MappingKept() { sqlite3_file_control(database.get(), "main", SQLITE_FCNTL_MMAP_SIZE, &mapped); }
};

}  // namespace

Status replay(const Reader& reader, const Selection& selection, ReplaySink& sink) {
  Reader::Impl& impl = reader.impl();
  INGERO_TRY(impl.refresh());
  // Pages of a mapped file count as this process's memory: of a large recording they would be all of it.
  sqlite3_int64 mapped = kMappedBytes;
  sqlite3_file_control(impl.database.get(), "main", SQLITE_FCNTL_MMAP_SIZE, &mapped);
  const MappingKept kept{impl.database, mapped};
  Snapshot snapshot;
  INGERO_TRY(snapshot.begin(impl.database));
  return impl.format->replay(impl.database, selection, sink);
}

Status replay_rows(Database& database, const Selection& selection, ReplaySink& sink) {
  return RowReplay(database, selection, sink).run();
}

}  // namespace ingero::store
