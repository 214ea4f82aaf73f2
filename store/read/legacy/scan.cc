// The names of a legacy recording, and the scan of its rows.
#include "store/read/legacy/legacy.h"

namespace ingero::store {

Status LegacyCalls::load(Database& database) {
  return database.each_row(
      "SELECT source, op, arg0, arg1 FROM legacy_ops ORDER BY source, op", [&](const Statement& row) {
        const auto letter = [&row](int column) { return row.is_null(column) ? '\0' : row.text(column)[0]; };
        calls_[{row.integer(0), row.integer(1)}] = words_.size();
        words_.push_back({letter(2), letter(3)});
      });
}

Result<Names> load_legacy_names(Database& database) {
  Names names;
  INGERO_TRY(
      database.each_row("SELECT call, op_name, vendor, layer, kind, source, op, synchronising, below_runtime FROM "
                        "legacy_ops ORDER BY source, op",
                        [&](const Statement& row) { names.add_call(call_info(row, 0)); }));
  INGERO_TRY(database.each_row("SELECT pid, name FROM main.process_names", [&](const Statement& row) {
    names.add_process(row.integer(0)) = {static_cast<uint32_t>(row.integer(0)), row.text(1)};
  }));
  // A pid used on several nodes is ambiguous and gets no node.
  INGERO_TRY(
      database.each_row("SELECT pid, max(node) FROM events WHERE node <> '' GROUP BY pid HAVING min(node) = max(node)",
                        [&](const Statement& row) {
                          ProcessInfo& process = names.add_process(row.integer(0));
                          process.pid = static_cast<uint32_t>(row.integer(0));
                          process.node = row.text(1);
                        }));
  return names;
}

Status scan_legacy(Database& database, const Names& names, const Filter& filter, const OnScanned& on) {
  LegacyCalls calls;
  INGERO_TRY(calls.load(database));
  Result<Statement> rows = database.prepare(
      "SELECT rowid, duration, source, op, pid, ret_code, arg0, arg1 FROM main.events WHERE timestamp BETWEEN ?1 AND "
      "?2");
  if (!rows.ok()) return rows.error();
  rows->bind(1, filter.from()).bind(2, filter.to());
  ScannedRow scanned;
  for (;;) {
    Result<bool> row = rows->step();
    if (!row.ok()) return row.error();
    if (!*row) return {};
    scanned.call = calls.call(rows->integer(2), rows->integer(3));
    const CallInfo* const call = names.call(scanned.call);
    if (call == nullptr || !filter.accepts_call(scanned.call)) continue;
    scanned.process = rows->integer(4);
    if (filter.pid() && static_cast<uint32_t>(scanned.process) != *filter.pid()) continue;
    scanned.seq = rows->integer(0);
    scanned.timed = true;
    scanned.duration_ns = rows->uint64(1);
    scanned.failed = !call->host && rows->integer(5) != 0;
    const int bytes = calls.words(scanned.call).column('b', 6);
    scanned.has_bytes = bytes >= 0 && !rows->is_null(bytes);
    scanned.bytes = scanned.has_bytes ? rows->uint64(bytes) : 0;
    on(scanned);
  }
}

}  // namespace ingero::store
