// Rows to events again, straight from the row table.
#include "store/read/replay.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "store/db/event_row.h"
#include "store/read/reader_impl.h"
#include "store/read/replay_sides.h"
#include "store/read/scan.h"
#include "store/read/selection_sql.h"

namespace ingero::store {
namespace {

using hal::Has;

constexpr sqlite3_int64 kMappedBytes = 128 << 20;
constexpr int64_t kMaxIds = int64_t{1} << 24;

template <typename T>
T& at_id(std::vector<T>& values, int64_t id) {
  if (static_cast<size_t>(id) >= values.size()) values.resize(static_cast<size_t>(id) + 1);
  return values[static_cast<size_t>(id)];
}

struct Clock {
  int64_t session = -1, mono_ns = 0, wall_ns = 0;
};
struct Thread {
  uint32_t pid = 0, tid = 0;
  int64_t process = -1;
  uint64_t cgroup_id = 0;
  std::array<char, 16> comm{};
};
struct PreemptedBy {
  uint32_t pid = 0;
  std::array<char, 16> comm{};
};
struct SessionFacts {
  std::string node;
  uint64_t cpus = 0;
  int64_t stopped_wall_ns = 0;  // 0: it has not, or was killed
};

void copy_name(std::array<char, 16>& name, std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), name.size() - 1), name.begin());
}

// The dictionary entries that a row's small ids refer to.
class Dictionary {
 public:
  Status load(Database& database);
  void emit_calls(ReplaySink& sink) const;
  void emit_processes(int64_t session, ReplaySink& sink);
  void emit(const Thread& thread, ReplaySink& sink) {
    if (thread.process == reported_last_ || thread.process < 0) return;
    reported_last_ = thread.process;
    int64_t& reported = reported_[thread.pid];
    if (reported == thread.process + 1) return;
    reported = thread.process + 1;
    if (static_cast<size_t>(thread.process) < processes_.size()) {
      sink.process(processes_[static_cast<size_t>(thread.process)].second);
    }
  }

  std::vector<Clock> clocks;
  std::vector<Thread> threads;
  std::vector<PreemptedBy> preemptors;
  std::vector<uint64_t> stacks;
  std::vector<hal::CallId> call_of_probe;
  std::vector<std::string> symbol_of_probe;
  std::vector<uint64_t> functions;  // handles
  std::vector<hal::Kind> kinds;     // by call
  std::map<int64_t, SessionFacts> sessions;

 private:
  struct CallText {
    std::string name, op, layer, vendor;
    hal::Kind kind;
    bool synchronising;
  };
  std::map<hal::CallId, CallText> calls_;
  std::vector<std::pair<int64_t, hal::Process>> processes_;  // with their session
  std::unordered_map<uint32_t, int64_t> reported_;
  int64_t reported_last_ = -1;
};

Status Dictionary::load(Database& database) {
  const auto valid = [](int64_t id) { return id >= 0 && id < kMaxIds; };
  INGERO_TRY(database.each_row("SELECT id, session, mono_ns, wall_ns FROM clocks", [&](const Statement& row) {
    if (valid(row.integer(0))) at_id(clocks, row.integer(0)) = {row.integer(1), row.integer(2), row.integer(3)};
  }));
  INGERO_TRY(database.each_row("SELECT id, pid, tid, process, coalesce(cgroup_id, 0), coalesce(comm, '') FROM threads",
                               [&](const Statement& row) {
                                 if (!valid(row.integer(0))) return;
                                 Thread& thread = at_id(threads, row.integer(0));
                                 thread.pid = static_cast<uint32_t>(row.integer(1));
                                 thread.tid = static_cast<uint32_t>(row.integer(2));
                                 thread.process = row.integer(3);
                                 thread.cgroup_id = row.uint64(4);
                                 copy_name(thread.comm, row.text(5));
                               }));
  INGERO_TRY(database.each_row("SELECT id, pid, comm FROM culprits", [&](const Statement& row) {
    if (!valid(row.integer(0))) return;
    PreemptedBy& preempted_by = at_id(preemptors, row.integer(0));
    preempted_by.pid = static_cast<uint32_t>(row.integer(1));
    copy_name(preempted_by.comm, row.text(2));
  }));
  INGERO_TRY(database.each_row("SELECT id, hash FROM stacks", [&](const Statement& row) {
    if (valid(row.integer(0))) at_id(stacks, row.integer(0)) = row.uint64(1);
  }));
  INGERO_TRY(database.each_row(
      "SELECT id, name, op_name, layer, vendor, kind, synchronising FROM calls", [&](const Statement& row) {
        if (row.integer(0) < 0 || row.integer(0) >= hal::kNoCall) return;
        const auto kind = hal::kind_of(row.text(5));
        if (!kind) return;
        const auto id = static_cast<hal::CallId>(row.integer(0));
        calls_[id] = {row.text(1), row.text(2), row.text(3), row.text(4), *kind, row.integer(6) != 0};
        at_id(kinds, id) = *kind;
      }));
  INGERO_TRY(database.each_row("SELECT id, handle FROM functions", [&](const Statement& row) {
    if (valid(row.integer(0))) at_id(functions, row.integer(0)) = row.uint64(1);
  }));
  INGERO_TRY(database.each_row("SELECT id, call, coalesce(symbol, '') FROM sites", [&](const Statement& row) {
    if (!valid(row.integer(0))) return;
    const auto call = static_cast<hal::CallId>(row.integer(1));
    const auto before = call_of_probe.size();
    at_id(call_of_probe, row.integer(0));
    std::fill(call_of_probe.begin() + static_cast<std::ptrdiff_t>(before), call_of_probe.end(), hal::kNoCall);
    call_of_probe[static_cast<size_t>(row.integer(0))] = calls_.contains(call) ? call : hal::kNoCall;
    at_id(symbol_of_probe, row.integer(0)) = row.text(2);
  }));
  INGERO_TRY(
      database.each_row("SELECT id, node, coalesce(cpu_cores, 0), stopped_at FROM sessions", [&](const Statement& row) {
        sessions[row.integer(0)] = {row.text(1), row.uint64(2), row.integer(3)};
      }));
  return database.each_row(
      "SELECT id, session, pid, coalesce(parent_pid, 0), coalesce(start_mono_ns, 0), coalesce(comm, ''), "
      "coalesce(cgroup_id, 0), coalesce(cgroup_path, ''), coalesce(container_id, ''), coalesce(pod_uid, ''), "
      "coalesce(rank, -1) FROM processes ORDER BY id",
      [&](const Statement& row) {
        if (!valid(row.integer(0))) return;
        hal::Process process;
        process.pid = static_cast<uint32_t>(row.integer(2));
        process.parent_pid = static_cast<uint32_t>(row.integer(3));
        process.start_mono_ns = row.uint64(4);
        process.comm = row.text(5);
        process.cgroup_id = row.uint64(6);
        process.cgroup_path = row.text(7);
        process.container_id = row.text(8);
        process.pod_uid = row.text(9);
        process.rank = static_cast<int32_t>(row.integer(10));
        at_id(processes_, row.integer(0)) = {row.integer(1), std::move(process)};
      });
}

void Dictionary::emit_calls(ReplaySink& sink) const {
  for (const auto& [id, call] : calls_) {
    sink.call(
        id, {call.name, call.op, call.layer, call.vendor, call.kind, call.synchronising, is_below_runtime(call.layer)});
  }
}

void Dictionary::emit_processes(int64_t session, ReplaySink& sink) {
  reported_.clear();
  reported_last_ = -1;
  // The others come with their first event, as when they were recorded.
  std::vector<bool> has_events(processes_.size());
  for (const Thread& thread : threads) {
    if (static_cast<size_t>(thread.process) < has_events.size()) has_events[static_cast<size_t>(thread.process)] = true;
  }
  for (size_t id = 0; id < processes_.size(); ++id) {
    if (processes_[id].first != session || processes_[id].second.pid == 0 || has_events[id]) continue;
    sink.process(processes_[id].second);
  }
}

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

Status emit_hangs(Database& database, int64_t session, ReplaySink& sink) {
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
        hang.is_over = row.integer(5) != 0;
        hang.present = ranks_of(row.bytes(6));
        hang.missing = ranks_of(row.bytes(7));
        sink.hang(hang, row.text(2));
      });
}

Status replay_rows(Database& database, const Selection& selection, ReplaySink& sink) {
  Dictionary dictionary;
  INGERO_TRY(dictionary.load(database));
  Arrivals arrivals;
  INGERO_TRY(arrivals.open(database));
  std::string where;
  const int64_t from = selection.from_wall_ns ? sql_wall_ns(*selection.from_wall_ns) : INT64_MIN;
  const int64_t to = selection.to_wall_ns ? sql_wall_ns(*selection.to_wall_ns) : INT64_MAX;
  if (!selection.whole()) {
    int64_t first = INT64_MAX, last = -1;
    INGERO_TRY(database.each_row(
        fmt::format("SELECT min(first), max(last) FROM blocks WHERE end_wall_ns >= {} AND start_wall_ns <= {}", from,
                    to),
        [&](const Statement& row) {
          if (row.is_null(0)) return;
          first = row.integer(0);
          last = row.integer(1);
        }));
    where = fmt::format(" WHERE seq BETWEEN {} AND {}", first, last);
  }
  const bool with_targets = sink.wants_targets();
  Result<Statement> rows = database.prepare(
      "SELECT seq, start, duration, site, thread, state, clock, return_code, preempted, runqueue, blocked, io, bytes, "
      "address, handle, stack, culprit, culprit_ns, arg0, arg1, detail" +
      std::string(with_targets ? ", stream, device, function" : "") + " FROM event_rows" + where);
  if (!rows.ok()) return rows.error();
  int64_t session = -1;
  Offsets offsets;
  Details details(database);
  ReplaySides sides;
  std::set<int64_t> begun;
  const auto begin = [&](int64_t next) -> Status {
    session = next;
    begun.insert(next);
    const SessionFacts& facts = dictionary.sessions[session];
    sink.begin(facts.node, facts.cpus, false);
    dictionary.emit_calls(sink);
    for (size_t id = 0; with_targets && id < dictionary.symbol_of_probe.size(); ++id) {
      sink.probe(static_cast<uint32_t>(id), dictionary.symbol_of_probe[id]);
    }
    dictionary.emit_processes(session, sink);
    offsets = {};
    for (const Clock& one : dictionary.clocks) {
      if (one.session == session) offsets.add(one.mono_ns, one.wall_ns);
    }
    INGERO_TRY(sides.load(database, session, offsets, false));
    return emit_hangs(database, session, sink);
  };
  const auto end = [&]() -> Status {
    sides.feed(~uint64_t{0}, sink);
    const int64_t stopped = dictionary.sessions[session].stopped_wall_ns;
    sink.end(selection.whole() && stopped > 0 ? std::optional(offsets.mono_of(stopped)) : std::nullopt);
    return {};
  };
  hal::Event event;
  for (;;) {
    Result<bool> row = rows->step();
    if (!row.ok()) return row.error();
    if (!*row) break;
    const int64_t clock_id = rows->integer(6), thread_id = rows->integer(4), probe = rows->integer(3);
    if (clock_id < 0 || static_cast<size_t>(clock_id) >= dictionary.clocks.size()) continue;
    if (thread_id < 0 || static_cast<size_t>(thread_id) >= dictionary.threads.size()) continue;
    if (probe < 0 || static_cast<size_t>(probe) >= dictionary.call_of_probe.size()) continue;
    const hal::CallId call = dictionary.call_of_probe[static_cast<size_t>(probe)];
    if (call == hal::kNoCall) continue;
    const Clock& clock = dictionary.clocks[static_cast<size_t>(clock_id)];
    const Thread& thread = dictionary.threads[static_cast<size_t>(thread_id)];
    const int64_t start = rows->integer(1);
    event.present = 0;
    event.start_mono_ns = static_cast<uint64_t>(clock.mono_ns + start);
    event.wall_offset_ns = clock.wall_ns - clock.mono_ns;
    event.duration_ns = 0;
    if (!rows->is_null(2)) {
      event.duration_ns = rows->uint64(2);
      event.set(Has::kDuration);
    }
    if (!selection.whole()) {
      const int64_t wall = clock.wall_ns + start;
      if (wall > to || wall + static_cast<int64_t>(event.duration_ns) < from) continue;
    }
    if (clock.session != session) {
      if (session != -1) INGERO_TRY(end());
      INGERO_TRY(begin(clock.session));
    }
    dictionary.emit(thread, sink);
    event.call = call;
    event.probe = static_cast<uint32_t>(probe);
    event.kind = dictionary.kinds[call];
    event.pid = thread.pid;
    event.tid = thread.tid;
    event.cgroup_id = thread.cgroup_id;
    const int64_t state = rows->integer(5);
    event.outcome = outcome_of(state);
    event.failed = ((state >> kFailedBit) & 1) != 0;
    event.depth = static_cast<uint8_t>((state >> kDepthBit) & 15);
    if (const int64_t direction = (state >> kDirectionBit) & 7; direction != 0) {
      event.direction = static_cast<hal::Direction>(direction - 1);
      event.set(Has::kDirection);
    }
    const auto take = [&](int column, Has has, auto& into) {
      if (rows->is_null(column)) return;
      into = static_cast<std::decay_t<decltype(into)>>(rows->integer(column));
      event.set(has);
    };
    take(7, Has::kReturnCode, event.return_code);
    event.off = {};
    if (!rows->is_null(8)) {
      event.off = {rows->uint64(8), rows->uint64(9), rows->uint64(10), rows->uint64(11)};
      event.set(Has::kOffCpu);
    }
    take(12, Has::kBytes, event.bytes);
    take(13, Has::kAddress, event.address);
    take(14, Has::kHandle, event.handle);
    if (with_targets) {
      take(21, Has::kStream, event.stream);
      event.device_ref = rows->is_null(22) ? 0 : static_cast<uint32_t>(rows->integer(22));
      const auto function = rows->is_null(23) ? SIZE_MAX : static_cast<size_t>(rows->integer(23));
      if (function < dictionary.functions.size()) {
        event.function = dictionary.functions[function];
        event.set(Has::kFunction);
      }
    }
    if (!rows->is_null(15)) {
      const auto stack = static_cast<size_t>(rows->integer(15));
      if (stack < dictionary.stacks.size()) {
        event.stack_id = dictionary.stacks[stack];
        event.set(Has::kStack);
      }
    }
    if (!rows->is_null(16)) {
      const auto preempted_by = static_cast<size_t>(rows->integer(16));
      if (preempted_by < dictionary.preemptors.size()) {
        event.preempted_by_pid = dictionary.preemptors[preempted_by].pid;
        event.preempted_by_comm = dictionary.preemptors[preempted_by].comm;
        event.preempted_by_ns = rows->uint64(17);
        event.set(Has::kPreemptedBy);
      }
    }
    if (event.kind == hal::Kind::kFabric && !rows->is_null(20)) INGERO_TRY(details.fill(rows->integer(20), event));
    if (event.kind == hal::Kind::kHost) {
      event.comm = thread.comm;
      take(18, Has::kArg0, event.arg0);
      take(19, Has::kArg1, event.arg1);
    }
    if (sides.next_mono_ns() <= event.start_mono_ns + kAheadNs) sides.feed(event.start_mono_ns + kAheadNs, sink);
    sink.event(event);
    if (event.kind == hal::Kind::kCollective && is_finished(state) && arrivals.next_seq() != ~uint64_t{0}) {
      INGERO_TRY(arrivals.take(rows->integer(0), event, sink));
    }
  }
  if (session != -1) INGERO_TRY(end());
  // A session without any event may hold samples: a port that fell while nothing used it.
  if (!selection.whole()) return {};
  std::vector<int64_t> silent;
  for (const auto& [id, facts] : dictionary.sessions) {
    if (!begun.contains(id)) silent.push_back(id);
  }
  for (const int64_t id : silent) {
    INGERO_TRY(begin(id));
    INGERO_TRY(end());
  }
  return {};
}

// `mapped`: what it was.
struct MappingKept {
  Database& database;
  sqlite3_int64 mapped;
  ~MappingKept() { sqlite3_file_control(database.get(), "main", SQLITE_FCNTL_MMAP_SIZE, &mapped); }
};

}  // namespace

bool is_below_runtime(std::string_view layer) { return layer == "DRIVER"; }

Status replay(const Reader& reader, const Selection& selection, ReplaySink& sink) {
  Reader::Impl& impl = reader.impl();
  INGERO_TRY(impl.refresh());
  // Pages of a mapped file count as this process's memory: of a large recording they would be all of it.
  sqlite3_int64 mapped = kMappedBytes;
  sqlite3_file_control(impl.database.get(), "main", SQLITE_FCNTL_MMAP_SIZE, &mapped);
  const MappingKept kept{impl.database, mapped};
  Snapshot snapshot;
  INGERO_TRY(snapshot.begin(impl.database));
  return impl.layout == Layout::kLegacy ? replay_legacy(impl.database, selection, sink)
                                        : replay_rows(impl.database, selection, sink);
}

}  // namespace ingero::store
