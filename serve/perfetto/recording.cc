// Dictionaries into memory, and the one query whose rows are the events.
#include "serve/perfetto/recording.h"

#include <algorithm>

#include "base/text.h"
#include "store/read/selection_sql.h"

namespace ingero::serve::perfetto {
namespace {

using store::Value;

constexpr size_t kMaxName = 200;  // of a kernel: C++ templates make names of kilobytes

// Of the queries below; the numbers follow in the order of Number.
enum Column : size_t { kSeq, kStart, kDuration, kProbe, kThread, kState, kNumbers };

constexpr const char* kRows =
    "SELECT e.seq, k.wall_ns + e.start AS at, e.duration AS lasted, e.site, e.thread, e.state, e.return_code, "
    "e.stream, e.bytes, e.address, e.handle, e.function, e.geometry, e.device, e.stack, e.preempted, e.runqueue, "
    "e.blocked, e.io, e.culprit, e.culprit_ns, e.arg0, e.arg1, e.parent_call, c.comm_id_hash, c.rank, c.nranks, "
    "x.number, w.wait_ns, x.peer, CASE WHEN x.is_part THEN NULL ELSE coalesce(x.communicator, -1) END "
    "FROM event_rows e JOIN clocks k ON k.id = e.clock LEFT JOIN exchanges x ON x.seq = e.seq "
    "LEFT JOIN communicators c ON c.id = x.communicator LEFT JOIN barrier_waits w ON w.exchange = x.exchange";

// `timestamp` of host events is their end there. The state is packed as event_row.h packs it.
constexpr const char* kLegacyRows =
    "SELECT e.seq, CASE WHEN e.kind = 'host' THEN e.timestamp - e.duration ELSE e.timestamp END AS at, "
    "e.duration AS lasted, e.source * 65536 + e.op, NULL, CASE WHEN e.failed THEN 8 ELSE 0 END, e.ret_code, e.stream, "
    "e.bytes, e.address, NULL, NULL, NULL, e.gpu_id, e.stack_hash, NULL, NULL, NULL, NULL, NULL, NULL, e.arg0, e.arg1, "
    "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, e.node, e.pid, e.tid, e.comm FROM events e";
constexpr size_t kLegacyNode = kNumbers + static_cast<size_t>(Number::kCount);

constexpr std::string_view kOutcomes[] = {"", "unwound", "exited", "execed", "in flight", "never returned"};

std::string text_of(const Value& value, size_t most = kMaxName) {
  return value.type == Value::Type::kText ? printable(value.text, most) : std::string();
}

std::optional<int64_t> number_of(const Value& value) {
  return value.type == Value::Type::kInteger ? std::optional<int64_t>(value.integer) : std::nullopt;
}

store::QueryLimits no_limits() {
  store::QueryLimits limits;
  limits.time_ns = 0;
  return limits;
}

template <typename Take>
Status each(const store::Reader& reader, std::string_view sql, const Take& take) {
  const auto outcome = reader.query(sql, no_limits(), [&](std::span<const Value> row) {
    take(row);
    return true;
  });
  return outcome.ok() ? Status{} : Status{outcome.error()};
}

store::Conditions conditions_of(const store::Selection& selection, bool is_legacy) {
  store::Conditions conditions;
  if (is_legacy) {
    conditions.add_range(selection, "at", "at + coalesce(lasted, 0)");
    conditions.add_pid(selection, "e.pid");
    return conditions;
  }
  // Only the blocks that may hold something of the range are read.
  if (selection.from_wall_ns) {
    conditions.add("e.seq >= (SELECT coalesce(min(first), 0) FROM blocks WHERE end_wall_ns >= ?)",
                   store::sql_wall_ns(*selection.from_wall_ns));
  }
  if (selection.to_wall_ns) {
    conditions.add("e.seq <= (SELECT coalesce(max(last), 0) FROM blocks WHERE start_wall_ns <= ?)",
                   store::sql_wall_ns(*selection.to_wall_ns));
  }
  conditions.add_range(selection, "at", "at + coalesce(lasted, 0)");
  if (selection.pid) {
    conditions.add("e.thread IN (SELECT id FROM threads WHERE pid = ?)", int64_t{*selection.pid});
  }
  return conditions;
}

}  // namespace

void Recording::add_node(const std::string& node) {
  if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end()) nodes_.push_back(node);
}

size_t Recording::add_process(RecordedProcess process, std::tuple<std::string, int64_t, int64_t> key) {
  const auto [found, is_new] = process_keys_.try_emplace(std::move(key), processes_.size());
  if (is_new) {
    add_node(process.node);
    processes_.push_back(std::move(process));
  }
  return found->second;
}

Result<Recording> Recording::load(const store::Reader& reader) {
  Recording recording;
  recording.reader_ = &reader;
  const Status status = reader.layout() == store::Layout::kCurrent ? recording.load_current() : recording.load_legacy();
  if (!status.ok()) return status.error();
  return recording;
}

Status Recording::load_current() {
  std::unordered_map<int64_t, size_t> ids;
  INGERO_TRY(each(*reader_, "SELECT node FROM sessions ORDER BY id", [&](auto row) { add_node(text_of(row[0])); }));
  // One process that several runs of the agent saw is one: by its start, else by the run that saw it.
  INGERO_TRY(each(*reader_,
                  "SELECT p.id, p.pid, coalesce(p.start_mono_ns, -p.session), p.comm, p.rank, p.world_size, s.node "
                  "FROM processes p LEFT JOIN sessions s ON s.id = p.session ORDER BY p.id",
                  [&](auto row) {
                    RecordedProcess process{text_of(row[6]), text_of(row[3]), static_cast<uint32_t>(row[1].integer),
                                            number_of(row[4]), number_of(row[5])};
                    auto key = std::tuple(process.node, row[1].integer, row[2].integer);
                    ids[row[0].integer] = add_process(std::move(process), std::move(key));
                  }));
  INGERO_TRY(each(*reader_, "SELECT id, pid, tid, process, comm FROM threads ORDER BY id", [&](auto row) {
    const auto known = ids.find(row[3].integer);
    const size_t process = known != ids.end() ? known->second
                                              : add_process({nodes_.empty() ? "" : nodes_.front(),
                                                             text_of(row[4]),
                                                             static_cast<uint32_t>(row[1].integer),
                                                             {},
                                                             {}},
                                                            {std::string(), row[1].integer, 0});
    thread_ids_[row[0].integer] = threads_.size();
    threads_.push_back({process, static_cast<uint32_t>(row[2].integer), text_of(row[4])});
  }));
  INGERO_TRY(each(*reader_, "SELECT id, name, op_name, layer, kind FROM calls", [&](auto row) {
    const auto kind = hal::kind_of(row[4].text);
    if (kind) calls_[row[0].integer] = {text_of(row[1]), text_of(row[2]), text_of(row[3]), *kind};
  }));
  INGERO_TRY(
      each(*reader_, "SELECT id, call FROM sites", [&](auto row) { call_of_probe_[row[0].integer] = row[1].integer; }));
  INGERO_TRY(each(*reader_, "SELECT id, name FROM functions WHERE name IS NOT NULL",
                  [&](auto row) { kernels_[row[0].integer] = text_of(row[1]); }));
  INGERO_TRY(each(*reader_,
                  "SELECT id, printf('%d,%d,%d x %d,%d,%d', grid_x, grid_y, grid_z, block_x, block_y, block_z) FROM "
                  "geometries WHERE grid_x IS NOT NULL AND block_x IS NOT NULL",
                  [&](auto row) { geometries_[row[0].integer] = text_of(row[1]); }));
  INGERO_TRY(each(*reader_, "SELECT id, gpu_id FROM event_devices WHERE gpu_id IS NOT NULL",
                  [&](auto row) { devices_[row[0].integer] = row[1].integer; }));
  INGERO_TRY(each(*reader_, "SELECT id, comm || ' (' || pid || ')' FROM culprits",
                  [&](auto row) { preemptors_[row[0].integer] = text_of(row[1]); }));
  return each(*reader_, "SELECT id, hash FROM stacks", [&](auto row) { stacks_[row[0].integer] = row[1].integer; });
}

Status Recording::load_legacy() {
  INGERO_TRY(each(*reader_, "SELECT node FROM sessions ORDER BY id", [&](auto row) { add_node(text_of(row[0])); }));
  INGERO_TRY(each(
      *reader_,
      "SELECT DISTINCT source * 65536 + op, call, op_name, coalesce(layer, 'OTHER'), coalesce(kind, "
      "'host') FROM events",
      [&](auto row) {
        const auto kind = hal::kind_of(row[4].text);
        calls_[row[0].integer] = {text_of(row[1]), text_of(row[2]), text_of(row[3]), kind.value_or(hal::Kind::kHost)};
        call_of_probe_[row[0].integer] = row[0].integer;
      }));
  return each(*reader_, "SELECT DISTINCT node, pid, tid, comm FROM events ORDER BY timestamp",
              [&](auto row) { legacy_thread(row[0].text, row[1].integer, row[2].integer, row[3].text); });
}

size_t Recording::legacy_thread(std::string_view node, int64_t pid, int64_t tid, std::string_view comm) {
  RecordedProcess process{printable(node), printable(comm), static_cast<uint32_t>(pid), {}, {}};
  auto key = std::tuple(process.node, pid, int64_t{0});
  const size_t index = add_process(std::move(process), std::move(key));
  const auto [found, is_new] = legacy_threads_.try_emplace({index, tid}, threads_.size());
  if (is_new) threads_.push_back({index, static_cast<uint32_t>(tid), printable(comm)});
  return found->second;
}

Status Recording::each_event(const store::Selection& selection, const std::function<Status(const RecordedEvent&)>& on) {
  const bool is_legacy = reader_->layout() == store::Layout::kLegacy;
  const store::Conditions conditions = conditions_of(selection, is_legacy);
  const std::string sql = (is_legacy ? kLegacyRows : kRows) + conditions.where() + " ORDER BY at, lasted DESC, e.seq";
  RecordedEvent event;
  Status status;
  const auto outcome = reader_->query(
      sql, no_limits(),
      [&](std::span<const Value> row) {
        const auto probe = call_of_probe_.find(row[kProbe].integer);
        event.call = probe == call_of_probe_.end() ? nullptr : call(probe->second);
        const auto thread = is_legacy ? thread_ids_.end() : thread_ids_.find(row[kThread].integer);
        const bool placed = is_legacy ? !row[kLegacyNode + 1].is_null() : thread != thread_ids_.end();
        if (event.call == nullptr || !placed || row[kStart].is_null()) {
          ++unplaced_;
          return true;
        }
        event.thread = is_legacy ? legacy_thread(row[kLegacyNode].text, row[kLegacyNode + 1].integer,
                                                 row[kLegacyNode + 2].integer, row[kLegacyNode + 3].text)
                                 : thread->second;
        event.seq = row[kSeq].integer;
        event.start_ns = row[kStart].integer;
        event.duration_ns.reset();
        // A time that cannot be is not known.
        const auto lasted = number_of(row[kDuration]);
        if (lasted && *lasted >= 0 && *lasted <= INT64_MAX - std::max<int64_t>(event.start_ns, 0)) {
          event.duration_ns = static_cast<uint64_t>(*lasted);
        }
        const int64_t state = row[kState].integer;
        const auto outcome_number = static_cast<size_t>(state & 7);
        event.outcome = outcome_number < std::size(kOutcomes) ? kOutcomes[outcome_number] : std::string_view();
        event.failed = ((state >> 3) & 1) != 0;
        const int64_t direction = (state >> 4) & 7;
        event.direction =
            direction == 0 || direction > 6 ? hal::Direction::kUnknown : static_cast<hal::Direction>(direction - 1);
        for (size_t i = 0; i < event.numbers.size(); ++i) event.numbers[i] = number_of(row[kNumbers + i]);
        status = on(event);
        return status.ok();
      },
      {}, conditions.bound());
  if (!outcome.ok()) return outcome.error();
  return status;
}

Result<Recording::Counted> Recording::count(const store::Selection& selection) const {
  const bool is_legacy = reader_->layout() == store::Layout::kLegacy;
  const store::Conditions conditions = conditions_of(selection, is_legacy);
  Counted counted;
  const auto outcome = reader_->query(
      selection.whole() && !selection.pid && !is_legacy
          ? "SELECT count(*), NULL FROM event_rows"
          : "SELECT count(*), min(at) FROM (" + std::string(is_legacy ? kLegacyRows : kRows) + conditions.where() + ")",
      no_limits(),
      [&](std::span<const Value> row) {
        counted = {static_cast<uint64_t>(row[0].integer), number_of(row[1])};
        return true;
      },
      {}, conditions.bound());
  if (!outcome.ok()) return outcome.error();
  return counted;
}

const RecordedCall* Recording::call(int64_t id) const {
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : &found->second;
}

namespace {
std::string_view text_at(const std::unordered_map<int64_t, std::string>& texts, int64_t id) {
  const auto found = texts.find(id);
  return found == texts.end() ? std::string_view() : std::string_view(found->second);
}
}  // namespace

std::string_view Recording::kernel(int64_t function) const { return text_at(kernels_, function); }
std::string_view Recording::geometry(int64_t id) const { return text_at(geometries_, id); }
std::string_view Recording::preempted_by(int64_t id) const { return text_at(preemptors_, id); }

std::optional<int64_t> Recording::device(int64_t id) const {
  if (reader_->layout() == store::Layout::kLegacy) return id;
  const auto found = devices_.find(id);
  return found == devices_.end() ? std::nullopt : std::optional<int64_t>(found->second);
}

std::optional<int64_t> Recording::stack_hash(int64_t id) const {
  if (reader_->layout() == store::Layout::kLegacy) return id;
  const auto found = stacks_.find(id);
  return found == stacks_.end() ? std::nullopt : std::optional<int64_t>(found->second);
}

}  // namespace ingero::serve::perfetto
