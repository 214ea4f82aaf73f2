// Keeps the place in a recording, and what may still change behind it: calls in flight, communicators.
#include "store/read/follow.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "base/wrapping.h"
#include "store/read/device_rows.h"
#include "store/read/reader_impl.h"
#include "store/read/replay_dictionary.h"
#include "store/read/replay_events.h"
#include "store/read/scan.h"

namespace ingero::store {
namespace {

using hal::Has;

constexpr size_t kMaxLosses = 65536;
constexpr int64_t kReadingsEveryNs = 1'000'000'000;

constexpr const char* kExchangeOf =
    "SELECT exchange, communicator, number, \"group\", is_part FROM exchanges WHERE seq = ?1";

std::optional<uint64_t> uint64_if(const Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.uint64(column));
}

int64_t clipped_ns(uint64_t ns) { return static_cast<int64_t>(std::min(ns, uint64_t{1} << 62)); }

auto facts_of(const hal::Communicator& one) {
  return std::tie(one.pid, one.made_mono_ns, one.ended_mono_ns, one.comm_id_hash, one.library_hash, one.rank,
                  one.nranks);
}

}  // namespace

struct Follower::State {
  ReplayDictionary dictionary;
  ReplayedEvents events{dictionary};
  size_t emitted_devices = 0;     // of the dictionary's
  int64_t readings_until_ns = 0;  // those before were given
  int64_t readings_due_ns = 0;    // of the events' time
  int64_t last_seq = 0;
  std::set<int64_t> in_flight;
  std::optional<int64_t> session;
  struct Known {
    int64_t session;
    hal::Communicator communicator;
  };
  std::map<int64_t, Known> communicators;
  int64_t last_loss = 0;  // rowid
  struct Loss {
    int64_t session;
    uint32_t pid;
    uint64_t wall_ns;
  };
  std::vector<Loss> losses;  // of runs that have not begun
  hal::Event event;

  Status load(Database& database, FollowSink& sink);
  Status load_communicators(Database& database, FollowSink& sink);
  Status load_losses(Database& database, FollowSink& sink);
  void emit_devices(FollowSink& sink);
  Status load_readings(Database& database, int64_t wall_ns, FollowSink& sink);
  Status look_at_in_flight(Database& database, Statement& exchanges, FollowSink& sink);
  Result<Followed> read(Database& database, uint64_t max_rows, FollowSink& sink);
  Status give(Database& database, const ReplayedRow& row, Statement& exchanges, bool was_open, FollowSink& sink);
  void begin(int64_t id, FollowSink& sink);
  void stop(FollowSink& sink);
};

Status Follower::State::load(Database& database, FollowSink& sink) {
  const size_t calls = dictionary.kinds.size();
  INGERO_TRY(dictionary.load(database));
  if (session && dictionary.kinds.size() != calls) dictionary.emit_calls(sink);
  if (session) emit_devices(sink);
  if (session) dictionary.emit_changed(sink);
  INGERO_TRY(load_communicators(database, sink));
  return load_losses(database, sink);
}

void Follower::State::emit_devices(FollowSink& sink) {
  for (; emitted_devices < dictionary.device_refs.size(); ++emitted_devices) {
    sink.event_device(static_cast<uint32_t>(emitted_devices + 1), dictionary.device_refs[emitted_devices]);
  }
}

// Those until a moment after the events that are given now: a long recording has more than anybody keeps.
Status Follower::State::load_readings(Database& database, int64_t wall_ns, FollowSink& sink) {
  if (wall_ns < readings_due_ns && wall_ns + 2 * kReadingsEveryNs > readings_due_ns) return {};
  readings_due_ns = wall_ns + kReadingsEveryNs;
  hal::DeviceSample sample;
  const auto give = [&] {
    if (!sample.devices.empty()) sink.devices(sample);
    sample = {};
  };
  const Status read = database.each_row(
      fmt::format("SELECT {}, d.position, d.parent_uuid FROM device_values v JOIN devices d ON d.id = v.device "
                  "WHERE v.timestamp > {} AND "
                  "v.timestamp <= {} AND d.session = {} AND v.name IN ('utilization_ratio', 'power_watts', "
                  "'temperature_celsius', 'clock_hertz', 'throttle_power_active', 'throttle_thermal_active', "
                  "'throttle_sw_active', 'throttle_hw_active') ORDER BY v.timestamp, v.device",
                  kReadingColumns, readings_until_ns, readings_due_ns, *session),
      [&](const Statement& row) {
        readings_until_ns = row.integer(0);
        const bool is_other = row.uint64(0) != sample.wall_ns;
        if (is_other || (!sample.devices.empty() && sample.devices.front().vendor != row.text(4))) give();
        if (!add_reading(row, sample)) return;
        hal::Device& device = sample.devices.back();
        device.position = static_cast<uint32_t>(row.integer(8));
        device.parent_uuid = row.text(9);
      });
  INGERO_TRY(read);
  give();
  return {};
}

Status Follower::State::load_communicators(Database& database, FollowSink& sink) {
  return database.each_row(
      "SELECT c.id, c.session, p.pid, c.made_mono_ns, c.ended_mono_ns, c.comm_id_hash, c.rank, c.nranks, "
      "c.library_hash "
      "FROM communicators c JOIN processes p ON p.id = c.process ORDER BY c.id",
      [&](const Statement& row) {
        hal::Communicator one;
        one.id = row.uint64(0);
        one.pid = static_cast<uint32_t>(row.integer(2));
        one.made_mono_ns = row.is_null(3) ? 0 : row.uint64(3);
        one.ended_mono_ns = uint64_if(row, 4);
        one.comm_id_hash = uint64_if(row, 5);
        if (!row.is_null(6)) one.rank = static_cast<int32_t>(row.integer(6));
        if (!row.is_null(7)) one.nranks = static_cast<int32_t>(row.integer(7));
        one.library_hash = uint64_if(row, 8);
        const auto known = communicators.find(row.integer(0));
        if (known != communicators.end() && facts_of(known->second.communicator) == facts_of(one)) return;
        if (known == communicators.end() && communicators.size() >= kMaxCommunicators) return;
        communicators.insert_or_assign(row.integer(0), Known{row.integer(1), one});
        if (session == row.integer(1)) sink.communicator(one);
      });
}

Status Follower::State::load_losses(Database& database, FollowSink& sink) {
  return database.each_row(
      fmt::format("SELECT rowid, session, coalesce(pid, 0), timestamp FROM lost_calls WHERE rowid > {} ORDER BY rowid",
                  last_loss),
      [&](const Statement& row) {
        last_loss = row.integer(0);
        const Loss loss{row.integer(1), static_cast<uint32_t>(row.integer(2)), row.uint64(3)};
        if (session == loss.session) {
          sink.lost(loss.pid, loss.wall_ns);
        } else if (losses.size() < kMaxLosses) {
          losses.push_back(loss);
        }
      });
}

void Follower::State::begin(int64_t id, FollowSink& sink) {
  session = id;
  readings_until_ns = readings_due_ns = 0;
  const ReplayedSession& facts = dictionary.sessions[id];
  sink.run({id, facts.node, static_cast<uint64_t>(std::max<int64_t>(0, facts.started_wall_ns)), facts.is_sampled_out});
  dictionary.emit_calls(sink);
  dictionary.emit_processes(id, sink);
  for (const auto& [number, known] : communicators) {
    if (known.session == id) sink.communicator(known.communicator);
  }
  emit_devices(sink);
  std::erase_if(losses, [&](const Loss& loss) {
    if (loss.session == id) sink.lost(loss.pid, loss.wall_ns);
    return loss.session == id;
  });
}

void Follower::State::stop(FollowSink& sink) {
  if (!session) return;
  const int64_t stopped = dictionary.sessions[*session].stopped_wall_ns;
  sink.stopped(stopped > 0 ? std::optional(static_cast<uint64_t>(stopped)) : std::nullopt);
  std::erase_if(communicators, [&](const auto& known) { return known.second.session == *session; });
  in_flight.clear();
  session.reset();
}

Status Follower::State::give(Database& database, const ReplayedRow& row, Statement& exchanges, bool was_open,
                             FollowSink& sink) {
  if (!events.place(row, event)) return {};
  const int64_t of_session = events.clock()->session;
  if (session != of_session) {
    stop(sink);
    begin(of_session, sink);
  }
  dictionary.emit(*events.thread(), sink);
  events.fill(row, event);
  INGERO_TRY(load_readings(database, clipped_ns(event.start_wall_ns()), sink));
  event.parent_call = events.parent_of(row);
  if (event.parent_call != hal::kNoCall) event.set(Has::kParent);
  if (event.outcome == hal::Outcome::kInFlight && in_flight.size() < kMaxInFlight) in_flight.insert(row.seq());
  if (!hal::has_exchange(event.kind)) {
    sink.exchange(event, nullptr, was_open);
    return {};
  }
  exchanges.reset();
  exchanges.bind(1, row.seq());
  const Result<bool> found = exchanges.step();
  INGERO_TRY(found);
  if (!*found) {
    sink.exchange(event, nullptr, was_open);
    return {};
  }
  hal::Exchange exchange;
  exchange.exchange_id = exchanges.uint64(0);
  exchange.communicator_id = uint64_if(exchanges, 1);
  exchange.number = uint64_if(exchanges, 2);
  exchange.group = uint64_if(exchanges, 3);
  exchange.is_part = exchanges.integer(4) != 0;
  exchanges.reset();
  sink.exchange(event, &exchange, was_open);
  return {};
}

// A row of a call that has not returned is completed in its place.
Status Follower::State::look_at_in_flight(Database& database, Statement& exchanges, FollowSink& sink) {
  if (in_flight.empty()) return {};
  Result<Statement> rows = database.prepare("SELECT seq, " + kReplayed.sql() + " FROM event_rows WHERE seq = ?1");
  INGERO_TRY(rows);
  const ReplayedRow row(*rows);
  for (const int64_t seq : std::set<int64_t>(in_flight)) {
    rows->reset();
    rows->bind(1, seq);
    const Result<bool> found = rows->step();
    INGERO_TRY(found);
    if (*found && row.state().outcome() == hal::Outcome::kInFlight) continue;
    in_flight.erase(seq);
    if (*found) INGERO_TRY(give(database, row, exchanges, true, sink));
  }
  return {};
}

Result<Followed> Follower::State::read(Database& database, uint64_t max_rows, FollowSink& sink) {
  Followed followed;
  int64_t first = 0, complete = 0;
  INGERO_TRY(database.integer_into("SELECT coalesce(min(seq), 0) FROM event_rows", first));
  if (session && first > wrapping_sum(last_seq, 1)) sink.gap();
  INGERO_TRY(database.integer_into("SELECT coalesce(max(timestamp), 0) FROM system_snapshots", complete));
  INGERO_TRY(load(database, sink));
  Result<Statement> exchanges = database.prepare(kExchangeOf);
  INGERO_TRY(exchanges);
  INGERO_TRY(look_at_in_flight(database, *exchanges, sink));
  Result<Statement> rows = database.prepare(
      fmt::format("SELECT seq, {} FROM event_rows WHERE seq > {} ORDER BY seq", kReplayed.sql(), last_seq));
  INGERO_TRY(rows);
  const ReplayedRow row(*rows);
  for (;;) {
    const Result<bool> found = rows->step();
    INGERO_TRY(found);
    if (!*found) break;
    if (followed.rows == max_rows) {
      followed.has_more = true;
      break;
    }
    ++followed.rows;
    last_seq = row.seq();
    INGERO_TRY(give(database, row, *exchanges, false, sink));
  }
  if (!followed.has_more && complete > 0) followed.complete_wall_ns = static_cast<uint64_t>(complete);
  return followed;
}

Follower::Follower() : state_(std::make_unique<State>()) {}
Follower::~Follower() = default;

Result<Followed> Follower::read(const Reader& reader, uint64_t max_rows, FollowSink& sink) {
  if (!reader.holds().collectives) {
    return Error(Errc::kNotSupported,
                 fmt::format("{}: a recording of a legacy agent, which has no collectives", reader.path()),
                 "record with this version of ingero trace");
  }
  Reader::Impl& impl = reader.impl();
  INGERO_TRY(impl.refresh());
  Snapshot snapshot;
  INGERO_TRY(snapshot.begin(impl.database));
  return state_->read(impl.database, max_rows, sink);
}

void Follower::finish(FollowSink& sink) { state_->stop(sink); }

}  // namespace ingero::store
