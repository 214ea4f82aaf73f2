// The rows of a legacy recording that a timeline reads: found by an index of times in place of blocks.
#include "store/read/legacy/legacy.h"

namespace ingero::store {
namespace {

class LegacyTimelineRows final : public TimelineRows {
 public:
  Status load(Database& database) override;
  Result<std::optional<int64_t>> last(Database& database) override {
    return database.integer("SELECT max(rowid) FROM main.events");
  }
  Result<std::optional<int64_t>> first(Database&) override { return std::optional<int64_t>(); }
  Status each(Database& database, int64_t first, int64_t last, const On& on) override {
    return each_where(database, "seq BETWEEN ?1 AND ?2", first, last, on);
  }
  Result<bool> each_between(Database& database, int64_t from, int64_t to, uint64_t longest_ns, size_t most,
                            const On& on) override;

 private:
  Status each_where(Database& database, const char* condition, int64_t first, int64_t last, const On& on);

  LegacyCalls calls_;
};

Status LegacyTimelineRows::load(Database& database) {
  Result<Names> names = load_legacy_names(database);
  if (!names.ok()) return names.error();
  names_ = std::move(*names);
  calls_ = {};
  return calls_.load(database);
}

// A row has one time: the start, or of host events the end.
Result<bool> LegacyTimelineRows::each_between(Database& database, int64_t from, int64_t to, uint64_t longest_ns,
                                              size_t most, const On& on) {
  from = bounded(from) - static_cast<int64_t>(longest_ns);
  to = bounded(to) + static_cast<int64_t>(longest_ns);
  Result<Statement> counting = database.prepare(fmt::format(
      "SELECT count(*) FROM (SELECT 1 FROM main.events WHERE timestamp BETWEEN ?1 AND ?2 LIMIT {})", most + 1));
  if (!counting.ok()) return counting.error();
  counting->bind(1, from).bind(2, to);
  Result<bool> row = counting->step();
  if (!row.ok()) return row.error();
  if (counting->uint64(0) > most) return false;
  INGERO_TRY(each_where(database, "timestamp BETWEEN ?1 AND ?2 ORDER BY timestamp", from, to, on));
  return true;
}

Status LegacyTimelineRows::each_where(Database& database, const char* condition, int64_t first, int64_t last,
                                      const On& on) {
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
    row.call = calls_.call(rows->integer(3), rows->integer(4));
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

}  // namespace

std::unique_ptr<TimelineRows> make_legacy_timeline_rows() { return std::make_unique<LegacyTimelineRows>(); }

}  // namespace ingero::store
