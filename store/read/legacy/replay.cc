// Replays a legacy recording: its rows as events, so that the engine can evaluate it like one of ours.
#include <algorithm>

#include "store/read/legacy/legacy.h"
#include "store/read/reader_impl.h"
#include "store/read/replay_sides.h"
#include "store/read/selection_sql.h"

namespace ingero::store {
namespace {

using hal::Has;

// False: the row makes no sense.
bool event_of(const Statement& row, const CallInfo& info, LegacyWords words, hal::Kind kind, size_t call,
              hal::Event& event) {
  event = hal::Event{};
  event.call = static_cast<hal::CallId>(call);
  event.kind = kind;
  event.pid = static_cast<uint32_t>(row.integer(4));
  event.tid = static_cast<uint32_t>(row.integer(5));
  event.start_mono_ns = row.uint64(0);
  event.duration_ns = row.uint64(1);
  event.set(Has::kDuration);
  if (event.duration_ns > event.start_mono_ns) return false;
  if (info.host) {
    event.start_mono_ns -= event.duration_ns;
    if (event.duration_ns == 0) event.clear(Has::kDuration);
    event.arg0 = row.uint64(7);
    event.arg1 = row.uint64(8);
    event.set(Has::kArg0);
    event.set(Has::kArg1);
  } else {
    event.return_code = row.integer(6);
    event.failed = event.return_code != 0;
    event.set(Has::kReturnCode);
  }
  // Reads a value from the legacy row's two words, where they hold it and are not NULL.
  const auto word = [&](char meaning) {
    const int column = words.column(meaning, 7);
    return column < 0 || row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
  };
  if (const auto bytes = word('b')) {
    event.bytes = static_cast<uint64_t>(*bytes);
    event.set(Has::kBytes);
  }
  if (const auto direction = word('d')) {
    constexpr hal::Direction kKinds[] = {hal::Direction::kHostToHost, hal::Direction::kHostToDevice,
                                         hal::Direction::kDeviceToHost, hal::Direction::kDeviceToDevice,
                                         hal::Direction::kDefault};
    if (*direction >= 0 && *direction < 5) {
      event.direction = kKinds[*direction];
      event.set(Has::kDirection);
    }
  }
  if (const auto address = word('a')) {
    event.address = static_cast<uint64_t>(*address);
    event.set(Has::kAddress);
  }
  if (!row.is_null(10) && row.integer(10) != 0) {
    event.stack_id = row.uint64(10);
    event.set(Has::kStack);
  }
  return true;
}

}  // namespace

Status replay_legacy(Database& database, const Selection& selection, ReplaySink& sink) {
  Result<Names> names = load_legacy_names(database);
  if (!names.ok()) return names.error();
  LegacyCalls calls;
  INGERO_TRY(calls.load(database));
  Result<std::optional<int64_t>> has_node =
      database.integer("SELECT count(*) FROM pragma_table_info('events', 'main') WHERE name = 'node'");
  if (!has_node.ok()) return has_node.error();
  const bool nodes = has_node->value_or(0) > 0;
  const int64_t from = selection.from_wall_ns ? sql_wall_ns(*selection.from_wall_ns) : 0;
  const int64_t to = selection.to_wall_ns ? sql_wall_ns(*selection.to_wall_ns) : INT64_MAX;
  std::string node;
  bool begun = false;
  ReplaySides sides;
  hal::Event event;
  const auto begin = [&](const std::string& next) -> Status {
    if (begun) sink.end(std::nullopt);
    begun = true;
    node = next;
    uint64_t cpus = 0;
    INGERO_TRY(database.each_row("SELECT coalesce(cpu_cores, 0) FROM sessions LIMIT 1",
                                 [&](const Statement& row) { cpus = row.uint64(0); }));
    sink.begin(node, cpus, true);
    for (size_t id = 0; id < names->calls() && id < hal::kNoCall; ++id) {
      const CallInfo* call = names->call(id);
      const auto kind = call == nullptr ? std::nullopt : hal::kind_of(call->kind);
      if (kind) {
        sink.call(static_cast<hal::CallId>(id), {call->name, call->op_name, call->layer, call->vendor, *kind,
                                                 call->synchronising, false, call->below_runtime});
      }
    }
    INGERO_TRY(database.each_row("SELECT pid, name FROM main.process_names", [&](const Statement& row) {
      hal::Process process;
      process.pid = static_cast<uint32_t>(row.integer(0));
      process.comm = row.text(1);
      sink.process(process);
    }));
    return sides.load_snapshots(database, "(SELECT *, NULL AS interrupt_pct FROM system_snapshots)", Offsets());
  };
  Status status;
  const std::string sql = fmt::format(
      "SELECT timestamp, duration, source, op, pid, tid, ret_code, arg0, arg1, {}, stack_hash FROM main.events WHERE "
      "timestamp BETWEEN {} AND {} ORDER BY 10, timestamp, rowid",
      nodes ? "coalesce(node, '')" : "''", from, to);
  INGERO_TRY(database.each_row(sql, [&](const Statement& row) {
    if (!status.ok()) return;
    const size_t call = calls.call(row.integer(2), row.integer(3));
    const CallInfo* info = call == Names::kNone ? nullptr : names->call(call);
    const auto kind = info == nullptr ? std::nullopt : hal::kind_of(info->kind);
    if (!kind || row.integer(0) < 0) return;
    if (!begun || row.bytes(9) != node) status = begin(row.text(9));
    if (!event_of(row, *info, calls.words(call), *kind, call, event)) return;
    sides.feed(event.start_mono_ns + kAheadNs, sink);
    sink.event(event);
  }));
  if (begun) sink.end(std::nullopt);
  return status;
}

}  // namespace ingero::store
