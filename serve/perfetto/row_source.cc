// The rows of our own recordings: of event_rows, with what collectives have besides.
#include "serve/perfetto/row_source.h"

#include <algorithm>

#include "base/text.h"
#include "store/read/event_row_reader.h"

namespace ingero::serve::perfetto {
namespace {

using store::Column;
using store::Value;

constexpr size_t kMaxName = 200;  // of a kernel: C++ templates make names of kilobytes

constexpr store::EventColumns kShown(2, {Column::duration,    Column::site,       Column::thread,     Column::state,
                                         Column::return_code, Column::stream,     Column::bytes,      Column::address,
                                         Column::handle,      Column::function,   Column::geometry,   Column::device,
                                         Column::stack,       Column::preempted,  Column::runqueue,   Column::blocked,
                                         Column::io,          Column::culprit,    Column::culprit_ns, Column::arg0,
                                         Column::arg1,        Column::parent_call});
using ShownRow = store::EventRowReader<kShown, store::QueriedRow>;

// After those columns, in this order.
constexpr const char* kOfCollectives =
    "c.comm_id_hash, c.rank, c.nranks, x.number, w.wait_ns, x.peer, "
    "CASE WHEN x.is_part THEN NULL ELSE coalesce(x.communicator, -1) END";
constexpr Number kCollectives[] = {Number::kHash, Number::kRank, Number::kRanks,       Number::kSequence,
                                   Number::kWait, Number::kPeer, Number::kCommunicator};

constexpr std::string_view kOutcomes[] = {"", "unwound", "exited", "execed", "in flight", "never returned"};

// The wall time of an event, by its node's clock.
constexpr const char* kWall = "k.wall_ns + e.start";

// What is taken off it, as SQL.
std::string taken_off(const store::NodeClocks& clocks) {
  std::string cases;
  for (const store::NodeClock& one : clocks.nodes()) {
    if (one.clock && one.clock->offset_ns != 0) {
      cases += fmt::format(" WHEN {} THEN {}", store::quoted_sql(one.node), one.clock->offset_ns);
    }
  }
  return cases.empty() ? "" : " - CASE k.node" + cases + " ELSE 0 END";
}

class StoredRows final : public RowSource {
 public:
  explicit StoredRows(const store::NodeClocks& clocks) : taken_off_(taken_off(clocks)) {}
  Status load(const store::Reader& reader, RecordedNames& names) override;
  std::string select() const override {
    return std::string("SELECT e.seq, ") + kWall + taken_off_ + " AS at, " + kShown.sql(0, "e.") + ", " +
           kOfCollectives +
           " FROM event_rows e JOIN clocks k ON k.id = e.clock LEFT JOIN exchanges x ON x.seq = e.seq "
           "LEFT JOIN communicators c ON c.id = x.communicator LEFT JOIN barrier_waits w ON w.exchange = x.exchange";
  }
  store::Conditions conditions(const store::Selection& selection) const override;
  const char* extent_sql() const override { return "SELECT min(start_wall_ns), max(end_wall_ns) FROM blocks"; }
  std::string_view count_all() const override { return "SELECT count(*), NULL FROM event_rows"; }
  bool decode(std::span<const Value> row, RecordedNames& names, RecordedEvent& event) override;

 private:
  std::string taken_off_;
  std::unordered_map<int64_t, size_t> thread_ids_;
  std::unordered_map<int64_t, int64_t> call_of_probe_;
};

Status StoredRows::load(const store::Reader& reader, RecordedNames& names) {
  std::unordered_map<int64_t, size_t> ids;
  INGERO_TRY(
      each_row(reader, "SELECT node FROM sessions ORDER BY id", [&](auto row) { names.add_node(name_text(row[0])); }));
  // One process that several runs of the agent saw is one: by its start, else by the run that saw it.
  INGERO_TRY(each_row(reader,
                      "SELECT p.id, p.pid, coalesce(p.start_mono_ns, -p.session), p.comm, p.rank, p.world_size, s.node "
                      "FROM processes p LEFT JOIN sessions s ON s.id = p.session ORDER BY p.id",
                      [&](auto row) {
                        RecordedProcess process{name_text(row[6]), name_text(row[3]),
                                                static_cast<uint32_t>(row[1].integer), number_of(row[4]),
                                                number_of(row[5])};
                        auto key = std::tuple(process.node, row[1].integer, row[2].integer);
                        ids[row[0].integer] = names.add_process(std::move(process), std::move(key));
                      }));
  INGERO_TRY(each_row(reader, "SELECT id, pid, tid, process, comm FROM threads ORDER BY id", [&](auto row) {
    const auto known = ids.find(row[3].integer);
    const size_t process = known != ids.end() ? known->second
                                              : names.add_process({names.nodes.empty() ? "" : names.nodes.front(),
                                                                   name_text(row[4]),
                                                                   static_cast<uint32_t>(row[1].integer),
                                                                   {},
                                                                   {}},
                                                                  {std::string(), row[1].integer, 0});
    thread_ids_[row[0].integer] = names.threads.size();
    names.threads.push_back({process, static_cast<uint32_t>(row[2].integer), name_text(row[4])});
  }));
  INGERO_TRY(each_row(reader, "SELECT id, name, op_name, layer, kind FROM calls", [&](auto row) {
    const auto kind = hal::kind_of(row[4].text);
    if (kind) names.calls[row[0].integer] = {name_text(row[1]), name_text(row[2]), name_text(row[3]), *kind};
  }));
  INGERO_TRY(each_row(reader, "SELECT id, call FROM sites",
                      [&](auto row) { call_of_probe_[row[0].integer] = row[1].integer; }));
  INGERO_TRY(each_row(reader, "SELECT id, name FROM functions WHERE name IS NOT NULL",
                      [&](auto row) { names.kernels[row[0].integer] = name_text(row[1]); }));
  INGERO_TRY(
      each_row(reader,
               "SELECT id, printf('%d,%d,%d x %d,%d,%d', grid_x, grid_y, grid_z, block_x, block_y, block_z) FROM "
               "geometries WHERE grid_x IS NOT NULL AND block_x IS NOT NULL",
               [&](auto row) { names.geometries[row[0].integer] = name_text(row[1]); }));
  INGERO_TRY(each_row(reader, "SELECT id, gpu_id FROM event_devices WHERE gpu_id IS NOT NULL",
                      [&](auto row) { names.gpu_ids[row[0].integer] = row[1].integer; }));
  INGERO_TRY(each_row(reader, "SELECT id, comm || ' (' || pid || ')' FROM culprits",
                      [&](auto row) { names.preemptors[row[0].integer] = name_text(row[1]); }));
  return each_row(reader, "SELECT id, hash FROM stacks",
                  [&](auto row) { names.stack_hashes[row[0].integer] = row[1].integer; });
}

store::Conditions StoredRows::conditions(const store::Selection& selection) const {
  store::Conditions conditions;
  conditions.add_blocks(selection, "e.seq");
  const std::string end = std::string(kWall) + " + coalesce(e.duration, 0)";
  conditions.add_range(selection, kWall, end.c_str());
  if (selection.pid) {
    conditions.add("e.thread IN (SELECT id FROM threads WHERE pid = ?)", int64_t{*selection.pid});
  }
  return conditions;
}

bool StoredRows::decode(std::span<const Value> row, RecordedNames& names, RecordedEvent& event) {
  const store::QueriedRow values(row);
  const ShownRow shown(values);
  const auto probe = call_of_probe_.find(shown.integer(Column::site));
  event.call = probe == call_of_probe_.end() ? nullptr : names.call(probe->second);
  const auto thread = thread_ids_.find(shown.integer(Column::thread));
  if (event.call == nullptr || thread == thread_ids_.end()) return false;
  event.thread = thread->second;
  const store::EventState state = shown.state();
  const auto outcome = static_cast<size_t>(state.outcome());
  event.outcome = outcome < std::size(kOutcomes) ? kOutcomes[outcome] : std::string_view();
  event.failed = state.failed();
  event.direction = state.direction().value_or(hal::Direction::kUnknown);
  const auto put = [&](Number number, ShownRow::At column) {
    event.numbers[static_cast<size_t>(number)] = shown.integer_if(column);
  };
  put(Number::kReturn, Column::return_code);
  put(Number::kStream, Column::stream);
  put(Number::kBytes, Column::bytes);
  put(Number::kAddress, Column::address);
  put(Number::kHandle, Column::handle);
  put(Number::kFunction, Column::function);
  put(Number::kGeometry, Column::geometry);
  put(Number::kDevice, Column::device);
  put(Number::kStack, Column::stack);
  put(Number::kPreempted, Column::preempted);
  put(Number::kRunqueue, Column::runqueue);
  put(Number::kBlocked, Column::blocked);
  put(Number::kIo, Column::io);
  put(Number::kPreemptedBy, Column::culprit);
  put(Number::kPreemptedByNs, Column::culprit_ns);
  put(Number::kArg0, Column::arg0);
  put(Number::kArg1, Column::arg1);
  put(Number::kParent, Column::parent_call);
  size_t next = kShown.end();
  for (const Number number : kCollectives) event.numbers[static_cast<size_t>(number)] = number_of(row[next++]);
  return true;
}

}  // namespace

std::string name_text(const Value& value) {
  return value.type == Value::Type::kText ? printable(value.text, kMaxName) : std::string();
}

std::optional<int64_t> number_of(const Value& value) {
  return value.type == Value::Type::kInteger ? std::optional<int64_t>(value.integer) : std::nullopt;
}

store::QueryLimits no_limits() {
  store::QueryLimits limits;
  limits.time_ns = 0;
  return limits;
}

std::unique_ptr<RowSource> make_row_source(const store::NodeClocks& clocks) {
  return std::make_unique<StoredRows>(clocks);
}

}  // namespace ingero::serve::perfetto
