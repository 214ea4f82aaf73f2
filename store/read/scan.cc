// The dictionaries in memory, and the scan of the rows.
#include "store/read/scan.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/wrapping.h"
#include "store/read/blocks.h"
#include "store/read/call_names.h"
#include "store/read/event_row_reader.h"
#include "store/read/reader_impl.h"
#include "store/read/selection_sql.h"

namespace ingero::store {
namespace {

// Ids are dense; a hostile file's may not be. Beyond this they are not kept.
constexpr int64_t kMaxId = int64_t{1} << 26;

template <typename T>
void put(std::vector<T>& values, int64_t id, T value, T filler) {
  if (id < 0 || id >= kMaxId) return;
  if (static_cast<size_t>(id) >= values.size()) values.resize(static_cast<size_t>(id) + 1, filler);
  values[static_cast<size_t>(id)] = std::move(value);
}

constexpr EventColumns kScanned(1, {Column::duration, Column::site, Column::thread, Column::state, Column::start,
                                    Column::clock, Column::preempted, Column::runqueue, Column::blocked, Column::io,
                                    Column::bytes, Column::arg0});

}  // namespace

CallInfo call_info(const Statement& row, int first) {
  CallInfo call{row.text(first),
                row.text(first + 1),
                row.text(first + 2),
                row.text(first + 3),
                row.text(first + 4),
                row.integer(first + 5),
                row.integer(first + 6),
                row.integer(first + 7) != 0,
                row.integer(first + 8) != 0,
                false,
                false};
  call.host = call.kind == hal::name_of(hal::Kind::kHost);
  call.page_alloc = call.host && call.name == "mm_page_alloc";
  return call;
}

Result<Names> Names::load(Database& database) {
  Names names;
  INGERO_TRY(database.each_row(
      "SELECT id, name, op_name, vendor, layer, kind, source, op, synchronising, below_runtime FROM calls",
      [&](const Statement& row) {
        put<std::optional<CallInfo>>(names.calls_, row.integer(0), call_info(row, 1), std::nullopt);
      }));
  INGERO_TRY(database.each_row("SELECT id, call, coalesce(single_stepped, 0) FROM sites", [&](const Statement& row) {
    const auto call = static_cast<size_t>(row.integer(1));
    // A number of a call that is not there is that of none.
    const bool is_known = call < names.calls_.size() && names.calls_[call];
    put<size_t>(names.probes_, row.integer(0), is_known ? call : Names::kNone, Names::kNone);
    if (row.integer(2) != 0 && is_known) {
      names.calls_[call]->single_stepped = true;
    }
  }));
  Result<std::optional<int64_t>> step = database.integer("SELECT max(single_step_ns) FROM sessions");
  if (!step.ok()) return step.error();
  if (*step) names.single_step_ns_ = static_cast<uint64_t>(std::max<int64_t>(0, **step));
  INGERO_TRY(database.each_row("SELECT id, process FROM threads", [&](const Statement& row) {
    put<int64_t>(names.threads_, row.integer(0), row.integer(1), -1);
  }));
  INGERO_TRY(database.each_row("SELECT id, wall_ns FROM clocks", [&](const Statement& row) {
    put<int64_t>(names.clocks_, row.integer(0), row.integer(1), 0);
  }));
  std::map<std::tuple<std::string, int64_t, int64_t>, int64_t> first;
  INGERO_TRY(database.each_row(
      "SELECT id, pid, start_mono_ns, coalesce(comm, ''), (SELECT node FROM sessions WHERE id = p.session) FROM "
      "processes p ORDER BY id",
      [&](const Statement& row) {
        const int64_t id = row.integer(0);
        if (!row.is_null(2)) {
          const auto [same, is_new] = first.emplace(std::tuple(row.text(4), row.integer(1), row.integer(2)), id);
          if (!is_new) names.canonical_[id] = same->second;
        }
        names.processes_[id] = {static_cast<uint32_t>(row.integer(1)), row.text(3), row.text(4)};
      }));
  return names;
}

Filter::Filter(const Names& names, const Selection& selection)
    : pid_(selection.pid), first_seq_(selection.first_seq.value_or(0)) {
  if (selection.from_wall_ns) from_ = sql_wall_ns(*selection.from_wall_ns);
  if (selection.to_wall_ns) to_ = sql_wall_ns(*selection.to_wall_ns);
  const std::string wanted = plain_call_name(selection.op);
  calls_.resize(names.calls(), selection.op.empty());
  for (size_t i = 0; !selection.op.empty() && i < names.calls(); ++i) {
    const CallInfo* call = names.call(i);
    calls_[i] = call != nullptr && (plain_call_name(call->name) == wanted || plain_call_name(call->op_name) == wanted);
  }
}

Status Snapshot::begin(Database& database) {
  Result<Statement> statement = database.prepare("SELECT name FROM sqlite_master");
  if (!statement.ok()) return statement.error();
  standing_ = std::move(*statement);
  Result<bool> row = standing_.step();
  if (!row.ok()) return row.error();
  return {};
}

const char* const kOpenBeforeSql =
    "SELECT e.seq FROM (SELECT seq FROM in_flight UNION SELECT seq FROM never_returned) u "
    "JOIN event_rows e ON e.seq = u.seq JOIN clocks k ON k.id = e.clock JOIN sessions s ON s.id = k.session "
    "WHERE k.wall_ns + e.start + coalesce(e.duration, 0) < ?1 AND ?1 <= CASE WHEN s.stopped_at > 0 THEN s.stopped_at "
    "ELSE coalesce((SELECT min(n.started_at) FROM sessions n WHERE n.node = s.node AND n.started_at > s.started_at), "
    "9223372036854775807) END";

namespace {

// `in_range`: whether a row that starts at this wall time, and lasts this long, is wanted.
Status scan_statement(Statement& rows, const Names& names, const Filter& filter,
                      const std::function<bool(int64_t, uint64_t)>& in_range, const OnScanned& on) {
  const EventRowReader<kScanned, Statement> reader(rows);
  ScannedRow scanned;
  for (;;) {
    Result<bool> row = rows.step();
    if (!row.ok()) return row.error();
    if (!*row) return {};
    scanned.call = names.call_of_probe(reader.integer(Column::site));
    if (!filter.accepts_call(scanned.call)) continue;
    scanned.process = names.canonical(names.process_of_thread(reader.integer(Column::thread)));
    if (filter.pid() && !filter.accepts(names, scanned.call, scanned.process)) continue;
    scanned.seq = reader.seq();
    scanned.timed = reader.has(Column::duration);
    scanned.duration_ns = scanned.timed ? reader.uint64(Column::duration) : 0;
    if (in_range &&
        !in_range(wrapping_sum(names.wall_of_clock(reader.integer(Column::clock)), reader.integer(Column::start)),
                  scanned.duration_ns)) {
      continue;
    }
    const EventState state = reader.state();
    scanned.finished = state.finished();
    scanned.failed = state.failed();
    scanned.off = reader.off_cpu();
    std::optional<uint64_t> bytes = reader.uint64_if(Column::bytes);
    if (!bytes && names.call(scanned.call)->page_alloc) bytes = reader.uint64_if(Column::arg0);
    scanned.has_bytes = bytes.has_value();
    scanned.bytes = bytes.value_or(0);
    on(scanned);
  }
}

}  // namespace

Status scan_rows(Database& database, const Names& names, const Filter& filter, int64_t first_seq, const OnScanned& on) {
  const auto runs = block_runs(database, filter.from(), filter.to(), first_seq);
  if (!runs.ok()) return runs.error();
  const std::string columns = "SELECT seq, " + kScanned.sql() + " FROM event_rows WHERE seq ";
  Result<Statement> rows = database.prepare(columns + "BETWEEN ?1 AND ?2");
  if (!rows.ok()) return rows.error();
  std::function<bool(int64_t, uint64_t)> in_range;
  if (!filter.whole()) {
    in_range = [&](int64_t start, uint64_t duration_ns) {
      const bool ended_before =
          start < filter.from() && static_cast<uint64_t>(filter.from()) - static_cast<uint64_t>(start) > duration_ns;
      return start <= filter.to() && !ended_before;
    };
  }
  for (const auto& [first, last] : *runs) {
    rows->bind(1, first).bind(2, last);
    INGERO_TRY(scan_statement(*rows, names, filter, in_range, on));
  }
  if (filter.whole()) return {};
  Result<Statement> open = database.prepare(fmt::format("{}>= ?2 AND seq IN ({})", columns, kOpenBeforeSql));
  if (!open.ok()) return open.error();
  open->bind(1, filter.from()).bind(2, first_seq);
  return scan_statement(*open, names, filter, {}, on);
}

}  // namespace ingero::store
