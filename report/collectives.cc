// Reads a recording's collectives per communicator for the report: calls, waits, late ranks and hangs.
#include "report/collectives.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/table.h"
#include "store/read/selection_sql.h"

namespace ingero::report {
namespace {

using store::Bound;
using store::Value;

constexpr size_t kMaxCommunicators = 16;
constexpr size_t kMaxLast = 3;

struct Gathering {
  const store::Reader& reader;
  store::QueryLimits limits;
  std::map<std::optional<uint64_t>, CommunicatorReport> found;

  template <typename Take>
  Status each(const std::string& sql, std::span<const Bound> values, const Take& take) {
    const auto outcome = reader.query(
        sql, limits,
        [&](std::span<const Value> row) {
          take(row);
          return true;
        },
        {}, values);
    return outcome.ok() ? Status{} : Status{outcome.error()};
  }
};

Status gather_ops(Gathering& gathering, const store::Conditions& conditions) {
  return gathering.each("SELECT comm_id_hash, call, count(*), " + store::sum_of_sizes("bytes") +
                            ", count(barrier_wait_ns), avg(barrier_wait_ns), max(barrier_wait_ns), max(nranks), "
                            "count(DISTINCT communicator) FROM collectives" +
                            conditions.where() + " GROUP BY 1, 2 ORDER BY 3 DESC",
                        conditions.bound(), [&](std::span<const Value> row) {
                          CommunicatorReport& report = gathering.found[row[0].as_uint64()];
                          CollectiveOp op;
                          op.call = row[1].as_text();
                          op.calls = static_cast<uint64_t>(row[2].integer);
                          op.bytes = row[3].as_uint64();
                          op.waited = static_cast<uint64_t>(row[4].integer);
                          if (!row[5].is_null()) op.average_wait_ns = static_cast<uint64_t>(row[5].real);
                          op.max_wait_ns = row[6].as_uint64();
                          report.comm_id_hash = row[0].as_uint64();
                          if (report.comm_id_hash) report.nranks = row[7].as_int64();
                          report.ranks_seen = std::max(report.ranks_seen, static_cast<uint64_t>(row[8].integer));
                          report.calls += op.calls;
                          report.ops.push_back(std::move(op));
                        });
}

Status gather_arrivals(Gathering& gathering, const store::Conditions& conditions) {
  // The bare columns are those of the row with the greatest skew: SQLite's rule for max().
  INGERO_TRY(gathering.each(
      "SELECT comm_id_hash, last_rank, last_pid, count(*), max(skew_ns), late_ns, call, seq FROM collective_arrivals" +
          conditions.where() + " GROUP BY 1, 2, 3 ORDER BY 5 DESC",
      conditions.bound(), [&](std::span<const Value> row) {
        CommunicatorReport& report = gathering.found[row[0].as_uint64()];
        if (report.last.size() >= kMaxLast) return;
        report.last.push_back({row[1].as_int64(), row[2].as_int64(), static_cast<uint64_t>(row[3].integer),
                               static_cast<uint64_t>(row[4].integer), static_cast<uint64_t>(row[5].integer),
                               row[6].as_text(), static_cast<uint64_t>(row[7].integer)});
      }));
  // One that was entered on several nodes of a merged recording has a row for each.
  return gathering.each("SELECT comm_id_hash, count(DISTINCT seq), max(skew_ns) FROM collective_arrivals" +
                            conditions.where() + " GROUP BY 1",
                        conditions.bound(), [&](std::span<const Value> row) {
                          CommunicatorReport& report = gathering.found[row[0].as_uint64()];
                          report.rounds = static_cast<uint64_t>(row[1].integer);
                          report.max_skew_ns = row[2].as_uint64();
                        });
}

Status gather_hangs(Gathering& gathering, const store::Selection& selection) {
  store::Conditions conditions;
  conditions.add_range(selection, "timestamp", "timestamp + waited_ns");
  return gathering.each(
      "SELECT comm_id_hash, number, call, present, missing, waited_ns, is_over FROM (SELECT h.*, h.entered_mono_ns + "
      "coalesce((SELECT k.wall_ns - k.mono_ns FROM clocks k WHERE k.session = h.session AND k.mono_ns <= "
      "h.entered_mono_ns ORDER BY k.mono_ns DESC LIMIT 1), (SELECT k.wall_ns - k.mono_ns FROM clocks k WHERE k.session "
      "= h.session ORDER BY k.mono_ns LIMIT 1), 0) AS timestamp FROM collective_hangs h)" +
          conditions.where() + " ORDER BY waited_ns DESC LIMIT 32",
      conditions.bound(), [&](std::span<const Value> row) {
        const auto at = gathering.found.find(row[0].as_uint64());
        if (at == gathering.found.end()) return;
        at->second.hangs.push_back({static_cast<uint64_t>(row[1].integer), row[2].as_text(), row[3].as_text(),
                                    row[4].as_text(), static_cast<uint64_t>(row[5].integer), row[6].integer != 0});
      });
}

std::string who(const LastArriver& last) {
  if (last.rank) return fmt::format("rank {}", *last.rank) + (last.pid ? fmt::format(" (pid {})", *last.pid) : "");
  return last.pid ? fmt::format("pid {}", *last.pid) : "a rank";
}

}  // namespace

Result<std::vector<CommunicatorReport>> gather_collectives(const store::Reader& reader,
                                                           const store::Selection& selection, uint64_t time_ns) {
  Gathering gathering{reader, {}, {}};
  gathering.limits.time_ns = time_ns;
  if (!reader.holds().collectives) return std::vector<CommunicatorReport>{};
  bool has_tables = false;
  INGERO_TRY(gathering.each("SELECT 1 FROM sqlite_master WHERE name = 'collective_arrivals'", {},
                            [&](std::span<const Value>) { has_tables = true; }));
  if (!has_tables) return std::vector<CommunicatorReport>{};

  // Who came last is a question over all ranks, so a process selects calls only.
  store::Conditions of_time, of_calls;
  of_time.add_range(selection, "timestamp", "timestamp");
  of_calls.add("NOT is_part");
  of_calls.add_range(selection, "timestamp", "timestamp");
  of_calls.add_pid(selection, "pid");
  INGERO_TRY(gather_ops(gathering, of_calls));
  if (gathering.found.empty()) return std::vector<CommunicatorReport>{};
  INGERO_TRY(gather_arrivals(gathering, of_time));
  INGERO_TRY(gather_hangs(gathering, selection));

  std::vector<CommunicatorReport> reports;
  for (auto& [hash, report] : gathering.found) {
    if (report.calls > 0) reports.push_back(std::move(report));
  }
  std::stable_sort(reports.begin(), reports.end(),
                   [](const CommunicatorReport& a, const CommunicatorReport& b) { return a.calls > b.calls; });
  if (reports.size() > kMaxCommunicators) reports.resize(kMaxCommunicators);
  return reports;
}

std::string collectives_text(const std::vector<CommunicatorReport>& communicators, bool colour) {
  std::string out;
  for (const CommunicatorReport& report : communicators) {
    if (!report.comm_id_hash) {
      out += "  Made before the recording began, or not seen made:\n";
    } else {
      out += fmt::format("  Communicator {:016x}: {}, {} of them in this recording\n", *report.comm_id_hash,
                         report.nranks ? fmt::format("{} ranks", *report.nranks) : "ranks unknown", report.ranks_seen);
    }
    Table table({{"CALL", Align::kLeft}, {"CALLS"}, {"BYTES"}, {"WAITS"}, {"AVG WAIT"}, {"MAX WAIT"}});
    for (const CollectiveOp& op : report.ops) {
      table.add_row({printable(op.call, 64), fmt::format("{}", op.calls), op.bytes ? format_bytes(*op.bytes) : "-",
                     fmt::format("{}", op.waited), op.average_wait_ns ? format_duration(*op.average_wait_ns) : "-",
                     op.max_wait_ns ? format_duration(*op.max_wait_ns) : "-"});
    }
    out += table.render(colour, 4);
    if (report.rounds > 0) {
      out +=
          fmt::format("    {} entered by several ranks, at most {} from the first to the last\n",
                      report.rounds == 1 ? std::string("1 collective") : fmt::format("{} collectives", report.rounds),
                      format_duration(report.max_skew_ns.value_or(0)));
    }
    for (const LastArriver& last : report.last) {
      out += fmt::format(
          "    {} came last {}, at most {} after the first and {} after the one before it ({} number {})\n", who(last),
          last.times == 1 ? std::string("once") : fmt::format("{} times", last.times),
          format_duration(last.max_skew_ns), format_duration(last.late_ns), printable(last.call, 64), last.number);
    }
    for (const StoredHang& hang : report.hangs) {
      out += styled(fmt::format("    {} number {}: ranks {} waited {} for ranks {}{}", printable(hang.call, 64),
                                hang.number, printable(hang.present, 500), format_duration(hang.waited_ns),
                                printable(hang.missing, 500), hang.is_over ? "" : ", to the recording's end"),
                    Style::kRed, colour) +
             "\n";
    }
  }
  return out;
}

}  // namespace ingero::report
