// Per-call statistics: from the histograms for a whole recording, from the rows for a part of one.
#include "store/read/summary.h"

#include <algorithm>
#include <map>

#include "store/db/aggregates.h"
#include "store/db/event_row.h"
#include "store/read/reader_impl.h"
#include "store/read/scan.h"

namespace ingero::store {
namespace {

struct Group {
  Totals totals;
  Histogram histogram;
  std::vector<uint64_t> durations;  // when percentiles are to be exact
};

struct GroupKey {
  size_t call = 0;
  int64_t process = -1;  // -1: all together
  auto operator<=>(const GroupKey&) const = default;
};
using Groups = std::map<GroupKey, Group>;

uint64_t nearest_rank(std::vector<uint64_t>& values, size_t percent) {
  const size_t rank = (values.size() * percent + 99) / 100;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank == 0 ? 0 : rank - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void set_percentiles(Group& group, bool exact, CallStats& stats) {
  stats.percentiles_exact = exact;
  if (group.totals.timed == 0) return;
  if (exact) {
    stats.p50_ns = nearest_rank(group.durations, 50);
    stats.p95_ns = nearest_rank(group.durations, 95);
    stats.p99_ns = nearest_rank(group.durations, 99);
    return;
  }
  // A bucket's middle may lie outside what was seen.
  const auto within = [&](double p) {
    return std::clamp(group.histogram.percentile(p), group.totals.min_ns, group.totals.max_ns);
  };
  stats.p50_ns = within(0.50);
  stats.p95_ns = within(0.95);
  stats.p99_ns = within(0.99);
}

CallStats stats_of(const CallInfo& call, const ProcessInfo* process, Group& group, bool exact) {
  const Totals& totals = group.totals;
  CallStats stats;
  stats.call = call.name;
  stats.op = call.op_name;
  stats.vendor = call.vendor;
  stats.layer = call.layer;
  stats.kind = call.kind;
  stats.source = call.source;
  stats.op_id = call.op;
  stats.synchronising = call.synchronising;
  if (process != nullptr) {
    stats.pid = process->pid;
    stats.process = process->comm;
    stats.node = process->node;
  }
  stats.count = totals.count;
  stats.errors = totals.errors;
  stats.unfinished = totals.never_returned;
  stats.stored = totals.stored;
  stats.timed = totals.timed;
  stats.total_ns = totals.total_ns;
  stats.min_ns = totals.timed == 0 ? 0 : totals.min_ns;
  stats.max_ns = totals.max_ns;
  stats.preempted_ns = totals.off_ns[0];
  stats.runqueue_ns = totals.off_ns[1];
  stats.blocked_ns = totals.off_ns[2];
  stats.io_ns = totals.off_ns[3];
  if (totals.has_bytes) stats.bytes = totals.bytes;
  set_percentiles(group, exact, stats);
  return stats;
}

// Groups being filled from rows. The map is only asked when call or process change.
class Collector {
 public:
  Collector(bool per_process, bool exact) : per_process_(per_process), exact_(exact) {}

  Group& group(size_t call, int64_t process) {
    const GroupKey key{call, per_process_ ? process : -1};
    if (!per_process_) {
      if (call >= by_call_.size()) by_call_.resize(call + 1, nullptr);
      if (by_call_[call] == nullptr) by_call_[call] = &groups_[key];
      return *by_call_[call];
    }
    if (last_ == nullptr || key != last_key_) {
      last_ = &groups_[key];
      last_key_ = key;
    }
    return *last_;
  }

  void add(const ScannedRow& row) {
    Group& group = this->group(row.call, row.process);
    Totals& totals = group.totals;
    if (!row.finished) {
      ++totals.never_returned;
      return;
    }
    ++totals.count;
    ++totals.stored;
    totals.errors += row.failed ? 1 : 0;
    if (row.has_bytes) {
      totals.has_bytes = true;
      totals.bytes += row.bytes;
    }
    if (!row.timed) return;
    ++totals.timed;
    totals.total_ns += row.duration_ns;
    totals.min_ns = std::min(totals.min_ns, row.duration_ns);
    totals.max_ns = std::max(totals.max_ns, row.duration_ns);
    totals.off_ns[0] += row.off.preempted_ns;
    totals.off_ns[1] += row.off.runqueue_ns;
    totals.off_ns[2] += row.off.blocked_ns;
    totals.off_ns[3] += row.off.io_ns;
    if (exact_) {
      group.durations.push_back(row.duration_ns);
    } else {
      group.histogram.add(row.duration_ns);
    }
  }
  Groups& groups() { return groups_; }

 private:
  bool per_process_, exact_;
  Groups groups_;
  std::vector<Group*> by_call_;
  GroupKey last_key_;
  Group* last_ = nullptr;
};

// The stored histograms, and the rows that came after they were written.
Status collect_stored(Database& database, const Names& names, const Filter& filter, Collector& collector) {
  Result<Statement> rows =
      database.prepare(fmt::format("SELECT call, process, {}, histogram FROM call_stats", kTotalsColumns));
  if (!rows.ok()) return rows.error();
  for (;;) {
    Result<bool> row = rows->step();
    if (!row.ok()) return row.error();
    if (!*row) break;
    const int64_t process = names.canonical(rows->integer(1));
    const auto call = static_cast<size_t>(rows->integer(0));
    if (!filter.accepts(names, call, process)) continue;
    Group& group = collector.group(call, process);
    group.totals.merge(read_totals(*rows, 2));
    if (!group.histogram.merge_encoded(rows->bytes(15))) {
      return Error(Errc::kCorrupt, fmt::format("{}: call_stats: a histogram is damaged", database.path()));
    }
  }
  Result<Statement> flights =
      database.prepare("SELECT s.call, f.process FROM in_flight f JOIN sites s ON s.id = f.site");
  if (!flights.ok()) return flights.error();
  for (;;) {
    Result<bool> row = flights->step();
    if (!row.ok()) return row.error();
    if (!*row) break;
    const int64_t process = names.canonical(flights->integer(1));
    const auto call = static_cast<size_t>(flights->integer(0));
    if (filter.accepts(names, call, process)) ++collector.group(call, process).totals.never_returned;
  }
  Result<std::optional<int64_t>> through =
      database.integer("SELECT value FROM store_state WHERE key = 'aggregated_through'");
  if (!through.ok()) return through.error();
  const int64_t next = std::min(through->value_or(0), INT64_MAX - 1) + 1;
  return scan_rows(database, names, filter, next, [&](const ScannedRow& row) {
    if (row.finished) collector.add(row);
  });
}

// Names, histograms and rows of one moment, also while they grow; the names that `collector` numbers calls by.
Result<Names> collect(Reader::Impl& impl, const Selection& selection, bool from_rows, Collector& collector) {
  Snapshot snapshot;
  INGERO_TRY(snapshot.begin(impl.database));
  Result<Names> names = impl.format->load_names(impl.database);
  if (!names.ok()) return names;
  const Filter filter(*names, selection);
  if (from_rows || !impl.format->has_totals) {
    INGERO_TRY(impl.format->scan(impl.database, *names, filter, [&](const ScannedRow& row) { collector.add(row); }));
  } else {
    INGERO_TRY(collect_stored(impl.database, *names, filter, collector));
  }
  return names;
}

// All of a summary but its calls.
Result<Summary> frame_of(const Reader& reader, const Selection& selection) {
  Reader::Impl& impl = reader.impl();
  Result<std::optional<TimeSpan>> span = reader.time_span();
  if (!span.ok()) return span.error();
  Summary summary;
  if (*span) {
    summary.span = **span;
    if (selection.from_wall_ns) {
      summary.span->first_wall_ns = std::max(summary.span->first_wall_ns, *selection.from_wall_ns);
    }
    if (selection.to_wall_ns) summary.span->last_wall_ns = std::min(summary.span->last_wall_ns, *selection.to_wall_ns);
    if (summary.span->first_wall_ns > summary.span->last_wall_ns) summary.span.reset();
  }
  if (!impl.format->holds.losses) return summary;
  Result<std::optional<int64_t>> pruned =
      impl.database.integer("SELECT value FROM store_state WHERE key = 'rows_pruned'");
  if (!pruned.ok()) return pruned.error();
  summary.rows_pruned = static_cast<uint64_t>(pruned->value_or(0));
  return summary;
}

void add_calls(const Names& names, Groups& groups, bool exact, Summary& summary) {
  for (auto& [key, group] : groups) {
    const CallInfo* call = names.call(key.call);
    if (call == nullptr) continue;
    const ProcessInfo* process = key.process < 0 ? nullptr : names.process(key.process);
    summary.events += group.totals.count + group.totals.never_returned;
    CallStats& stats = summary.calls.emplace_back(stats_of(*call, process, group, exact));
    stats.single_stepped = call->single_stepped;
    if (call->single_stepped) stats.single_step_ns = names.single_step_ns();
  }
  std::sort(summary.calls.begin(), summary.calls.end(), [](const CallStats& a, const CallStats& b) {
    return std::tie(b.total_ns, b.count, a.call, a.pid) < std::tie(a.total_ns, a.count, b.call, b.pid);
  });
}

// The groups of each call, whatever its process.
Groups together(const Groups& per_process) {
  Groups all;
  for (const auto& [key, group] : per_process) {
    Group& sum = all[{key.call, -1}];
    sum.totals.merge(group.totals);
    sum.histogram.merge(group.histogram);
    sum.durations.insert(sum.durations.end(), group.durations.begin(), group.durations.end());
  }
  return all;
}

bool is_exact(const Reader& reader, const Selection& selection, Percentiles percentiles) {
  return !reader.impl().format->has_totals || percentiles == Percentiles::kExact || !selection.whole();
}

}  // namespace

Result<Summary> summarise(const Reader& reader, const Selection& selection, bool per_process, Percentiles percentiles) {
  INGERO_TRY(reader.impl().refresh());
  auto summary = frame_of(reader, selection);
  if (!summary.ok()) return summary;
  const bool exact = is_exact(reader, selection, percentiles);
  Collector collector(per_process, exact);
  Result<Names> names = collect(reader.impl(), selection, exact, collector);
  if (!names.ok()) return names.error();
  add_calls(*names, collector.groups(), exact, *summary);
  return summary;
}

Result<Summaries> summarise_both(const Reader& reader, const Selection& selection, Percentiles percentiles) {
  INGERO_TRY(reader.impl().refresh());
  auto frame = frame_of(reader, selection);
  if (!frame.ok()) return frame.error();
  const bool exact = is_exact(reader, selection, percentiles);
  Collector collector(true, exact);
  Result<Names> names = collect(reader.impl(), selection, exact, collector);
  if (!names.ok()) return names.error();
  Summaries both{*frame, *frame};
  Groups all = together(collector.groups());
  add_calls(*names, all, exact, both.all);
  add_calls(*names, collector.groups(), exact, both.per_process);
  return both;
}

Result<std::vector<Distribution>> distributions(const Reader& reader, const Selection& selection, uint32_t per_octave) {
  Reader::Impl& impl = reader.impl();
  INGERO_TRY(impl.refresh());
  Collector collector(false, false);
  Result<Names> names = collect(impl, selection, !selection.whole(), collector);
  if (!names.ok()) return names.error();
  std::vector<std::pair<const Group*, Distribution>> made;
  for (const auto& [key, group] : collector.groups()) {
    const CallInfo* call = names->call(key.call);
    if (call == nullptr || group.totals.timed == 0) continue;
    Distribution one{call->name, call->op_name, call->layer, call->kind, group.totals.timed, {}};
    group.histogram.each([&](size_t bucket, uint64_t count) {
      // Buckets are exact below the first whole octave: the grid is laid over values, not over them.
      const uint64_t least = Histogram::least_of(bucket);
      const auto bits = static_cast<unsigned>(std::bit_width(least));
      const uint64_t step = bits == 0 ? 1 : std::max<uint64_t>((uint64_t{1} << (bits - 1)) / per_octave, 1);
      const uint64_t start = least / step * step;
      if (one.buckets.empty() || one.buckets.back().first != start) one.buckets.emplace_back(start, 0);
      one.buckets.back().second += count;
    });
    made.emplace_back(&group, std::move(one));
  }
  std::sort(made.begin(), made.end(), [](const auto& a, const auto& b) {
    return std::tie(b.first->totals.total_ns, a.second.call) < std::tie(a.first->totals.total_ns, b.second.call);
  });
  std::vector<Distribution> list;
  list.reserve(made.size());
  for (auto& [group, one] : made) list.push_back(std::move(one));
  return list;
}

Result<std::vector<LossCount>> losses(const Reader& reader) {
  std::vector<LossCount> counts;
  Result<QueryOutcome> outcome = reader.query(
      "SELECT name, max(severity), max(sentence), sum(count) FROM loss GROUP BY name HAVING sum(count) > 0 ORDER BY 1",
      {}, [&](std::span<const Value> row) {
        counts.push_back({std::string(row[0].text), std::string(row[1].text), std::string(row[2].text),
                          static_cast<uint64_t>(row[3].integer)});
        return true;
      });
  if (!outcome.ok()) return outcome.error();
  return counts;
}

Result<std::vector<LostOfProcess>> lost_by_process(const Reader& reader, std::optional<int64_t> run) {
  std::vector<LostOfProcess> found;
  if (!reader.holds().losses) return found;
  const std::string sql = fmt::format(
      "SELECT pid, max(comm), sum(calls), min(timestamp), max(timestamp) FROM lost_calls {} GROUP BY session, pid "
      "ORDER BY 3 DESC LIMIT {}",
      run ? fmt::format("WHERE session = {}", *run) : std::string(), kMaxLosers);
  const auto outcome = reader.query(sql, {}, [&](std::span<const Value> row) {
    LostOfProcess one;
    if (!row[0].is_null()) one.pid = static_cast<uint32_t>(row[0].integer);
    one.name = std::string(row[1].as_text());
    one.calls = static_cast<uint64_t>(row[2].integer);
    one.first_wall_ns = static_cast<uint64_t>(row[3].integer);
    one.last_wall_ns = static_cast<uint64_t>(row[4].integer);
    found.push_back(std::move(one));
    return true;
  });
  if (!outcome.ok()) return outcome.error();
  return found;
}

}  // namespace ingero::store
