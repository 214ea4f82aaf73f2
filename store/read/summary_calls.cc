// Single calls: the slowest, and those that never ended.
#include <algorithm>
#include <map>

#include "store/read/reader_impl.h"
#include "store/read/scan.h"
#include "store/read/summary.h"

namespace ingero::store {
namespace {

Result<std::vector<CallInstance>> fetch(const Reader& reader, const std::vector<int64_t>& seqs) {
  std::vector<CallInstance> calls;
  for (const int64_t seq : seqs) {
    const Bound bound[] = {Bound::of(seq)};
    Result<QueryOutcome> outcome = reader.query(
        "SELECT id, call, op_name, layer, library, kernel, outcome, comm, timestamp, duration, pid, tid, ret_code, "
        "failed, stream, bytes, address, arg0, arg1, direction, preempted_ns, runqueue_ns, blocked_ns, io_ns, "
        "culprit_pid, culprit_comm, culprit_ns, parent_call, "
        "(SELECT frames FROM stack_traces WHERE hash = stack_hash), gpu_id, gpu_uuid, node FROM events WHERE seq = ?1",
        {},
        [&](std::span<const Value> row) {
          CallInstance call;
          call.id = row[0].type == Value::Type::kInteger ? std::to_string(row[0].integer) : std::string(row[0].text);
          int index = 1;
          for (std::string* text :
               {&call.call, &call.op, &call.layer, &call.library, &call.kernel, &call.outcome, &call.process}) {
            *text = row[static_cast<size_t>(index++)].text;
          }
          call.start_wall_ns = static_cast<uint64_t>(row[8].integer);
          call.duration_ns = row[9].as_uint64();
          call.pid = static_cast<uint32_t>(row[10].integer);
          call.tid = static_cast<uint32_t>(row[11].integer);
          if (!row[12].is_null()) call.return_code = row[12].integer;
          call.failed = row[13].integer != 0;
          call.stream = row[14].as_uint64();
          call.bytes = row[15].as_uint64();
          call.address = row[16].as_uint64();
          call.arg0 = row[17].as_uint64();
          call.arg1 = row[18].as_uint64();
          call.direction = row[19].text;
          call.preempted_ns = row[20].as_uint64();
          call.runqueue_ns = row[21].as_uint64();
          call.blocked_ns = row[22].as_uint64();
          call.io_ns = row[23].as_uint64();
          if (!row[24].is_null()) call.preempted_by_pid = static_cast<uint32_t>(row[24].integer);
          call.preempted_by = row[25].text;
          call.preempted_by_ns = row[26].as_uint64();
          call.parent_call = row[27].text;
          call.frames_json = row[28].text;
          call.gpu_id = row[29].as_uint64();
          call.gpu_uuid = row[30].text;
          call.node = row[31].text;
          calls.push_back(std::move(call));
          return true;
        },
        {}, bound);
    if (!outcome.ok()) return outcome.error();
  }
  return calls;
}

struct Candidate {
  uint64_t duration_ns;
  int64_t seq;
  // Slowest first; of equals the earlier.
  bool operator<(const Candidate& other) const {
    return duration_ns != other.duration_ns ? duration_ns > other.duration_ns : seq < other.seq;
  }
};

// Keeps the first `limit` in order; the worst is in front of the heap.
void keep(std::vector<Candidate>& best, const Candidate& candidate, size_t limit) {
  if (best.size() == limit) {
    if (!(candidate < best.front())) return;
    std::pop_heap(best.begin(), best.end());
    best.pop_back();
  }
  best.push_back(candidate);
  std::push_heap(best.begin(), best.end());
}

}  // namespace

Result<std::vector<CallInstance>> slowest(const Reader& reader, const Selection& selection, uint32_t count,
                                          uint32_t per_call) {
  if (count == 0) return std::vector<CallInstance>();
  Reader::Impl& impl = reader.impl();
  INGERO_TRY(impl.refresh());
  std::vector<Candidate> best;
  {
    Snapshot snapshot;
    INGERO_TRY(snapshot.begin(impl.database));
    Result<Names> names = impl.format->load_names(impl.database);
    if (!names.ok()) return names.error();
    const Filter filter(*names, selection);
    std::map<size_t, std::vector<Candidate>> by_call;
    const auto take = [&](const ScannedRow& row) {
      if (!row.finished || !row.timed || names->call(row.call)->host) return;
      std::vector<Candidate>& list = per_call == 0 ? best : by_call[row.call];
      keep(list, {row.duration_ns, row.seq}, per_call == 0 ? count : per_call);
    };
    INGERO_TRY(impl.format->scan(impl.database, *names, filter, take));
    for (const auto& [call, list] : by_call) {
      for (const Candidate& candidate : list) keep(best, candidate, count);
    }
  }
  std::sort(best.begin(), best.end());
  std::vector<int64_t> seqs;
  seqs.reserve(best.size());
  for (const Candidate& candidate : best) seqs.push_back(candidate.seq);
  return fetch(reader, seqs);
}

Result<std::vector<DeviceTotals>> device_totals(const Reader& reader) {
  std::vector<DeviceTotals> totals;
  if (!reader.holds().devices) return totals;
  Result<QueryOutcome> outcome = reader.query(
      "SELECT vendor, gpu_uuid, gpu_pci_address, gpu_id, sum(calls), sum(errors), sum(total_ns), count(*) FROM "
      "calls_by_device GROUP BY 1, 2, 3, 4 ORDER BY 1, 4, 2",
      {}, [&](std::span<const Value> row) {
        DeviceTotals& one = totals.emplace_back();
        one.vendor = row[0].text;
        one.uuid = row[1].text;
        one.pci_address = row[2].text;
        one.gpu_id = row[3].as_uint64();
        uint64_t* const numbers[] = {&one.calls, &one.errors, &one.total_ns, &one.processes};
        for (size_t i = 0; i < std::size(numbers); ++i) *numbers[i] = row[4 + i].as_uint64().value_or(0);
        return true;
      });
  if (!outcome.ok()) return outcome.error();
  return totals;
}

Result<std::vector<CallInstance>> unfinished(const Reader& reader, const Selection& selection, uint32_t count) {
  Reader::Impl& impl = reader.impl();
  INGERO_TRY(impl.refresh());
  std::vector<int64_t> seqs;
  if (!impl.format->holds.unfinished) return std::vector<CallInstance>();
  {
    Snapshot snapshot;
    INGERO_TRY(snapshot.begin(impl.database));
    Result<Names> names = Names::load(impl.database);
    if (!names.ok()) return names.error();
    const Filter filter(*names, selection);
    Result<Statement> rows = impl.database.prepare(
        fmt::format("SELECT e.seq, e.site, e.thread, k.wall_ns + e.start FROM (SELECT seq FROM in_flight UNION SELECT "
                    "seq FROM never_returned) u JOIN event_rows e ON e.seq = u.seq JOIN clocks k ON k.id = e.clock "
                    "WHERE k.wall_ns + e.start >= ?1 OR e.seq IN ({})",
                    kOpenBeforeSql));
    if (!rows.ok()) return rows.error();
    rows->bind(1, filter.from());
    std::vector<std::pair<int64_t, int64_t>> found;  // start, seq: the earliest has waited longest
    for (;;) {
      Result<bool> row = rows->step();
      if (!row.ok()) return row.error();
      if (!*row) break;
      const size_t call = names->call_of_probe(rows->integer(1));
      const int64_t process = names->canonical(names->process_of_thread(rows->integer(2)));
      if (!filter.accepts(*names, call, process) || rows->integer(3) > filter.to()) continue;
      found.emplace_back(rows->integer(3), rows->integer(0));
    }
    std::sort(found.begin(), found.end());
    for (const auto& [start, seq] : found) {
      if (seqs.size() < count) seqs.push_back(seq);
    }
  }
  return fetch(reader, seqs);
}

}  // namespace ingero::store
