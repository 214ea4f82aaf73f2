// The tables of what threads waited for and did on the CPU, and the view of waits.
#include "store/db/waits_schema.h"

#include <fmt/format.h>

#include "hal/wait.h"
#include "store/db/schema.h"

namespace ingero::store {
namespace {

std::string wait_view() {
  std::string kinds = "CASE w.kind";
  for (size_t kind = 0; kind < hal::kWaitKinds; ++kind) {
    kinds += fmt::format(" WHEN {} THEN '{}'", kind, hal::name_of(static_cast<hal::WaitKind>(kind)));
  }
  kinds += " END";
  return fmt::format(R"sql(
CREATE VIEW thread_waits AS SELECT {} AS id, k.wall_ns + e.start AS timestamp, t.pid AS pid, t.tid AS tid,
  coalesce(t.comm, p.comm) AS comm, e.duration AS duration, {} AS kind, w.syscall AS syscall, w.object AS object,
  (SELECT name FROM wait_objects o WHERE o.session = k.session AND o.kind = w.kind AND o.object = w.object
    AND o.file_system IS w.file_system) AS object_name, w.descriptor AS descriptor, w.flags & 1 AS is_write, (w.flags >> 1) & 1 AS timed_out,
  f.family AS peer_family, f.local_port AS local_port, f.peer_port AS peer_port, f.accepted AS accepted,
  a.pid AS waker_pid, a.tid AS waker_tid, a.comm AS waker_comm, w.waker_syscall AS waker_syscall,
  w.minor_faults AS minor_faults, e.preempted AS preempted_ns, e.runqueue AS runqueue_ns, e.blocked AS blocked_ns,
  e.io AS io_ns, k.mono_ns + e.start AS start_mono_ns, k.session AS session, e.seq AS seq,
  w.file_system AS file_system FROM waits w JOIN event_rows e ON e.seq = w.seq LEFT JOIN clocks k ON k.id = e.clock
  LEFT JOIN threads t ON t.id = e.thread LEFT JOIN processes p ON p.id = t.process
  LEFT JOIN wait_peers f ON f.id = w.peer LEFT JOIN wakers a ON a.id = w.waker;
)sql",
                     kEventId, kinds);
}

}  // namespace

std::string wait_tables() {
  return R"sql(
CREATE TABLE wakers (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, tid INTEGER NOT NULL, comm TEXT NOT NULL,
  kernel_thread INTEGER NOT NULL);
CREATE TABLE wait_peers (id INTEGER PRIMARY KEY, family INTEGER NOT NULL, local_port INTEGER, peer_port INTEGER,
  address BLOB, accepted INTEGER NOT NULL, inode INTEGER);
CREATE TABLE waits (seq INTEGER PRIMARY KEY, kind INTEGER NOT NULL, flags INTEGER NOT NULL, syscall INTEGER,
  object INTEGER, descriptor INTEGER, peer INTEGER, waker INTEGER, waker_syscall INTEGER, minor_faults INTEGER);
CREATE TABLE wait_totals (seq INTEGER NOT NULL, thread INTEGER NOT NULL, mono_ns INTEGER NOT NULL,
  kind INTEGER NOT NULL, ns INTEGER NOT NULL, PRIMARY KEY (seq, thread, mono_ns, kind)) WITHOUT ROWID;
CREATE TABLE cpu_samples (seq INTEGER NOT NULL, thread INTEGER NOT NULL, clock INTEGER NOT NULL,
  start INTEGER NOT NULL, weight_ns INTEGER NOT NULL, stack INTEGER, system INTEGER NOT NULL,
  PRIMARY KEY (seq, thread, clock, start)) WITHOUT ROWID;
CREATE TABLE wait_objects (session INTEGER NOT NULL, kind INTEGER NOT NULL, object INTEGER NOT NULL,
  name TEXT NOT NULL, PRIMARY KEY (session, kind, object)) WITHOUT ROWID;
)sql";
}

// Until then a file was its inode alone. An expression in the index, for NULLs differ from each other.
std::string file_systems_of_waits() {
  return R"sql(
DROP VIEW IF EXISTS thread_waits;
ALTER TABLE waits ADD COLUMN file_system INTEGER;
CREATE TABLE named_objects AS SELECT * FROM wait_objects;
DROP TABLE wait_objects;
CREATE TABLE wait_objects (session INTEGER NOT NULL, kind INTEGER NOT NULL, object INTEGER NOT NULL,
  name TEXT NOT NULL, file_system INTEGER);
CREATE UNIQUE INDEX wait_objects_apart ON wait_objects (session, kind, object, coalesce(file_system, 0));
INSERT INTO wait_objects SELECT session, kind, object, name, NULL FROM named_objects;
DROP TABLE named_objects;
)sql" + wait_view();
}

}  // namespace ingero::store
