// The tables of collectives, and their views.
#include "store/db/collectives_schema.h"

#include <fmt/format.h>

#include "store/db/schema.h"

namespace ingero::store {

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

}  // namespace ingero::store
