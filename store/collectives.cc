// Tables of collectives, and the transaction's share of them.
#include "store/collectives.h"

#include <fmt/format.h>

#include "store/schema.h"

namespace ingero::store {
namespace {

int64_t signed_of(uint64_t value) { return static_cast<int64_t>(value); }

template <typename T>
Statement& bind_known(Statement& statement, int index, const std::optional<T>& value) {
  return statement.bind_if(index, value.has_value(), static_cast<int64_t>(value.value_or(T{})));
}

// A code's name, or the code itself: a type newer than this program is still told from others.
// A vendor's code by its name where that is known, else the number as text.
void bind_name(Statement& statement, int index, std::optional<uint32_t> code, std::string_view name) {
  if (!code) {
    statement.bind_null(index);
  } else {
    statement.bind(index, name.empty() ? std::string_view(fmt::format("{}", *code)) : name);
  }
}

std::string_view datatype_name(const hal::Backend* owner, std::optional<uint32_t> code) {
  return owner != nullptr && code && *code < owner->datatypes.size() ? owner->datatypes[*code].name
                                                                     : std::string_view();
}

std::string_view reduction_name(const hal::Backend* owner, std::optional<uint32_t> code) {
  return owner != nullptr && code && *code < owner->reductions.size() ? owner->reductions[*code] : std::string_view();
}

std::string_view name_of(hal::Role role) {
  switch (role) {
    case hal::Role::kInit:
      return "init";
    case hal::Role::kInitAll:
      return "init all";
    case hal::Role::kSplit:
      return "split";
    case hal::Role::kShrink:
      return "shrink";
    case hal::Role::kGrow:
      return "grow";
    default:
      return {};
  }
}

// "0,1,5"; a rank that is not known is "pid 1234".
std::string list_of(const std::vector<hal::CollectiveHang::Rank>& ranks) {
  std::string list;
  for (const auto& rank : ranks) {
    if (!list.empty()) list += ',';
    list += rank.rank ? fmt::format("{}", *rank.rank) : fmt::format("pid {}", rank.pid);
  }
  return list;
}

}  // namespace

std::string collective_tables() {
  return R"sql(
CREATE TABLE communicators (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, process INTEGER NOT NULL,
  handle INTEGER NOT NULL, made_by TEXT, made_mono_ns INTEGER, ended_mono_ns INTEGER, comm_id_hash INTEGER,
  rank INTEGER, nranks INTEGER, parent INTEGER);
CREATE TABLE exchanges (seq INTEGER PRIMARY KEY, exchange INTEGER NOT NULL, communicator INTEGER, handle INTEGER,
  new_handle INTEGER, number INTEGER, "group" INTEGER, is_part INTEGER NOT NULL, count INTEGER, datatype TEXT,
  reduce_op TEXT, root INTEGER, peer INTEGER, color INTEGER, key INTEGER);
CREATE TABLE barrier_waits (exchange INTEGER PRIMARY KEY, wait_ns INTEGER NOT NULL);
CREATE TABLE collective_hangs (session INTEGER NOT NULL, comm_id_hash INTEGER NOT NULL, number INTEGER NOT NULL,
  call TEXT, entered_mono_ns INTEGER NOT NULL, waited_ns INTEGER NOT NULL, is_over INTEGER NOT NULL,
  present TEXT NOT NULL, missing TEXT NOT NULL, nranks INTEGER,
  PRIMARY KEY (session, comm_id_hash, number)) WITHOUT ROWID;
)sql";
}

std::string collectives_view() {
  return fmt::format(R"sql(
CREATE VIEW collectives AS SELECT {} AS id, k.wall_ns + e.start AS timestamp, e.duration AS duration,
  s.name AS call, s.kind AS kind, s.vendor AS vendor, t.pid AS pid, t.tid AS tid,
  coalesce(t.comm, p.comm) AS comm, c.comm_id_hash AS comm_id_hash, c.rank AS rank, c.nranks AS nranks,
  x.number AS seq, x.count AS count, e.bytes AS bytes, x.datatype AS datatype, x.reduce_op AS reduce_op, x.root AS root,
  x.peer AS peer, e.stream AS stream, w.wait_ns AS barrier_wait_ns, e.return_code AS ret_code, e.state AS state,
  x.handle AS communicator_handle, x.communicator AS communicator, c.made_by AS made_by, c.parent AS parent,
  k.mono_ns + e.start AS start_mono_ns, x."group" AS group_mono_ns, x.is_part AS is_part,
  p.rank AS global_rank, p.local_rank AS local_rank, p.world_size AS world_size, k.node AS node, k.session AS session,
  t.cgroup_id AS cgroup_id, e.seq AS row
  FROM exchanges x JOIN event_rows e ON e.seq = x.seq LEFT JOIN clocks k ON k.id = e.clock
  LEFT JOIN threads t ON t.id = e.thread LEFT JOIN processes p ON p.id = t.process LEFT JOIN sites s ON s.id = e.site
  LEFT JOIN communicators c ON c.id = x.communicator LEFT JOIN barrier_waits w ON w.exchange = x.exchange
  WHERE s.kind IN ('collective', 'p2p');
)sql",
                     kEventId);
}

std::string collective_views() {
  return collectives_view() + R"sql(
CREATE VIEW collective_arrivals AS SELECT comm_id_hash, seq, min(call) AS call, count(*) AS ranks, max(nranks) AS nranks,
  min(start_mono_ns) AS first_mono_ns, max(start_mono_ns) - min(start_mono_ns) AS skew_ns,
  max(start_mono_ns) - max(before) AS late_ns, max(CASE WHEN place = 1 THEN rank END) AS last_rank,
  max(CASE WHEN place = 1 THEN pid END) AS last_pid, min(timestamp) AS timestamp, node, session
  FROM (SELECT comm_id_hash, seq, call, nranks, start_mono_ns, rank, pid, timestamp, node, session,
    row_number() OVER (PARTITION BY session, comm_id_hash, seq ORDER BY start_mono_ns DESC) AS place,
    lag(start_mono_ns) OVER (PARTITION BY session, comm_id_hash, seq ORDER BY start_mono_ns) AS before
    FROM collectives WHERE comm_id_hash IS NOT NULL AND seq IS NOT NULL)
  GROUP BY session, comm_id_hash, seq HAVING count(*) > 1;
)sql";
}

Status Collectives::load(Database& database, int64_t session) {
  session_ = session;
  INGERO_TRY(database.integer_into("SELECT max(id) FROM communicators", communicators_before_));
  return database.integer_into("SELECT max(exchange) FROM exchanges", exchanges_before_);
}

Status Collectives::write(Database& database) {
  INGERO_TRY(write_communicators(database));
  INGERO_TRY(write_exchanges(database));
  if (!waits_.empty()) {
    Result<Statement> put = database.prepare("INSERT OR REPLACE INTO barrier_waits VALUES (?1, ?2)");
    if (!put.ok()) return put.error();
    for (const hal::BarrierWait& wait : waits_) {
      put->bind(1, exchanges_before_ + signed_of(wait.exchange_id)).bind(2, signed_of(wait.wait_ns));
      INGERO_TRY(put->run());
    }
  }
  return write_hangs(database);
}

Status Collectives::write_communicators(Database& database) {
  if (communicators_.empty()) return {};
  Result<Statement> put =
      database.prepare("INSERT OR REPLACE INTO communicators VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)");
  if (!put.ok()) return put.error();
  for (const auto& [told, process] : communicators_) {
    put->bind(1, communicators_before_ + signed_of(told.id)).bind(2, session_).bind(3, process);
    put->bind(4, signed_of(told.handle));
    const std::string_view made_by = name_of(told.made_by);
    put->bind_if(5, !made_by.empty(), made_by).bind_if(6, told.made_mono_ns != 0, signed_of(told.made_mono_ns));
    bind_known(*put, 7, told.ended_mono_ns);
    bind_known(*put, 8, told.comm_id_hash);
    bind_known(*put, 9, told.rank);
    bind_known(*put, 10, told.nranks);
    put->bind_if(11, told.parent_id.has_value(), communicators_before_ + signed_of(told.parent_id.value_or(0)));
    INGERO_TRY(put->run());
  }
  return {};
}

Status Collectives::write_exchanges(Database& database) {
  if (exchanges_.empty()) return {};
  Result<Statement> put = database.prepare(
      "INSERT OR REPLACE INTO exchanges VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)");
  if (!put.ok()) return put.error();
  for (const Made& made : exchanges_) {
    const hal::Exchange& x = made.exchange;
    const hal::Backend* owner = made.call < calls_.size() ? calls_[made.call].owner : nullptr;
    put->bind(1, made.seq).bind(2, exchanges_before_ + signed_of(x.exchange_id));
    put->bind_if(3, x.communicator_id.has_value(), communicators_before_ + signed_of(x.communicator_id.value_or(0)));
    bind_known(*put, 4, x.communicator);
    bind_known(*put, 5, x.new_communicator);
    bind_known(*put, 6, x.number);
    bind_known(*put, 7, x.group);
    put->bind(8, int64_t{x.is_part});
    bind_known(*put, 9, x.count);
    bind_name(*put, 10, x.datatype, datatype_name(owner, x.datatype));
    bind_name(*put, 11, x.reduce_op, reduction_name(owner, x.reduce_op));
    bind_known(*put, 12, x.root);
    bind_known(*put, 13, x.peer);
    bind_known(*put, 14, x.color);
    bind_known(*put, 15, x.key);
    INGERO_TRY(put->run());
  }
  return {};
}

Status Collectives::write_hangs(Database& database) {
  if (hangs_.empty()) return {};
  Result<Statement> put =
      database.prepare("INSERT OR REPLACE INTO collective_hangs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
  if (!put.ok()) return put.error();
  for (const hal::CollectiveHang& hang : hangs_) {
    put->bind(1, session_).bind(2, signed_of(hang.comm_id_hash)).bind(3, signed_of(hang.number));
    put->bind_if(4, hang.call < calls_.size(), hang.call < calls_.size() ? calls_[hang.call].name : std::string_view());
    put->bind(5, signed_of(hang.entered_mono_ns)).bind(6, signed_of(hang.waited_ns)).bind(7, int64_t{hang.is_over});
    put->bind(8, std::string_view(list_of(hang.present))).bind(9, std::string_view(list_of(hang.missing)));
    bind_known(*put, 10, hang.nranks);
    INGERO_TRY(put->run());
  }
  return {};
}

void Collectives::committed() {
  exchanges_.clear();
  communicators_.clear();
  waits_.clear();
  hangs_.clear();
}

}  // namespace ingero::store
