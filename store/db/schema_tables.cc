// The tables and views that docs/formats documents and users query, and the few statements with their vendor-named
// columns. Nothing else in store/ knows a vendor.
#include "store/db/schema.h"

namespace ingero::store {

std::string documented_tables() {
  return R"sql(
CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL);
INSERT INTO sources VALUES (1, 'CUDA', 'CUDA runtime API'), (2, 'NVIDIA', 'NVIDIA kernel driver (reserved)'),
  (3, 'HOST', 'Scheduler, memory and process events of the host'), (4, 'DRIVER', 'CUDA driver API'),
  (5, 'IO', 'Block device requests'), (6, 'TCP', 'TCP retransmissions'), (7, 'NET', 'Socket sends and receives'),
  (8, 'CUDA_GRAPH', 'CUDA graph API'), (9, 'NCCL', 'Collective communication');
CREATE TABLE ops (source_id INTEGER NOT NULL, op_id INTEGER NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL,
  PRIMARY KEY (source_id, op_id)) WITHOUT ROWID;
CREATE TABLE causal_chains (id TEXT PRIMARY KEY, detected_at INTEGER NOT NULL, severity TEXT NOT NULL,
  summary TEXT NOT NULL, root_cause TEXT NOT NULL, explanation TEXT NOT NULL, recommendations TEXT NOT NULL DEFAULT '',
  cuda_op TEXT NOT NULL DEFAULT '', cuda_p99_us INTEGER NOT NULL DEFAULT 0, cuda_p50_us INTEGER NOT NULL DEFAULT 0,
  tail_ratio REAL NOT NULL DEFAULT 0, timeline TEXT NOT NULL DEFAULT '', node TEXT NOT NULL DEFAULT '');
CREATE TABLE system_snapshots (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp INTEGER NOT NULL UNIQUE, cpu_pct REAL,
  mem_pct REAL, mem_avail INTEGER, swap_mb INTEGER, load_avg REAL, psi_cpu_some REAL, psi_io_some REAL,
  psi_io_full REAL, psi_mem_some REAL, psi_mem_full REAL, major_faults INTEGER);
CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, started_at INTEGER NOT NULL,
  stopped_at INTEGER NOT NULL DEFAULT 0, gpu_model TEXT NOT NULL DEFAULT '', gpu_driver TEXT NOT NULL DEFAULT '',
  cpu_model TEXT NOT NULL DEFAULT '', cpu_cores INTEGER, mem_total INTEGER, kernel TEXT NOT NULL DEFAULT '',
  os_release TEXT NOT NULL DEFAULT '', cuda_ver TEXT NOT NULL DEFAULT '', python_ver TEXT NOT NULL DEFAULT '',
  ingero_ver TEXT NOT NULL DEFAULT '', pid_filter TEXT NOT NULL DEFAULT '', flags TEXT NOT NULL DEFAULT '',
  node TEXT NOT NULL DEFAULT '', rank INTEGER, local_rank INTEGER, world_size INTEGER,
  policy TEXT NOT NULL, sample_every INTEGER NOT NULL);
CREATE TABLE process_names (pid INTEGER PRIMARY KEY, name TEXT NOT NULL, seen_at INTEGER NOT NULL DEFAULT 0);
CREATE TABLE event_aggregates (bucket INTEGER NOT NULL, source INTEGER NOT NULL, op INTEGER NOT NULL,
  pid INTEGER NOT NULL DEFAULT 0, count INTEGER NOT NULL, stored INTEGER NOT NULL, sum_dur INTEGER NOT NULL,
  min_dur INTEGER, max_dur INTEGER, sum_arg0 INTEGER NOT NULL,
  PRIMARY KEY (bucket, source, op, pid)) WITHOUT ROWID;
CREATE TABLE event_aggregates_5s (bucket INTEGER NOT NULL, source INTEGER NOT NULL, op INTEGER NOT NULL,
  pid INTEGER NOT NULL DEFAULT 0, count INTEGER NOT NULL, stored INTEGER NOT NULL, sum_dur INTEGER NOT NULL,
  min_dur INTEGER, max_dur INTEGER, sum_arg0 INTEGER NOT NULL,
  PRIMARY KEY (bucket, source, op, pid)) WITHOUT ROWID;
CREATE TABLE cgroup_metadata (cgroup_id INTEGER PRIMARY KEY, container_id TEXT NOT NULL DEFAULT '',
  cgroup_path TEXT NOT NULL DEFAULT '', pod_name TEXT NOT NULL DEFAULT '', namespace TEXT NOT NULL DEFAULT '',
  pod_uid TEXT NOT NULL DEFAULT '', slurm_job TEXT NOT NULL DEFAULT '');
CREATE TABLE cgroup_schedstat (cgroup_id INTEGER NOT NULL, p99_off_cpu INTEGER NOT NULL,
  total_off_cpu INTEGER NOT NULL, event_count INTEGER NOT NULL, window_start INTEGER NOT NULL,
  window_end INTEGER NOT NULL, PRIMARY KEY (cgroup_id, window_end)) WITHOUT ROWID;
CREATE TABLE annotations (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp INTEGER NOT NULL, labels TEXT NOT NULL,
  pid INTEGER NOT NULL DEFAULT 0, start_time INTEGER NOT NULL DEFAULT 0, span_start INTEGER, span_end INTEGER,
  peer_uid INTEGER, peer_gid INTEGER, peer_pid INTEGER);
CREATE INDEX idx_annotations_timestamp ON annotations(timestamp);
CREATE TABLE schema_info (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO schema_info VALUES ('version', '1.0'),
  ('timestamp_unit', 'nanoseconds (Unix epoch), when the call started'),
  ('duration_unit', 'nanoseconds; NULL when unknown'),
  ('unknown_note', 'What is not known is NULL, never 0.'),
  ('arg0_note', 'By kind: bytes of allocations and copies, kernel function of launches, stream of synchronisations'),
  ('arg1_note', 'By kind: copy direction (0 h2h, 1 h2d, 2 d2h, 3 d2d, 4 default, 5 unknown), address of allocations, stream of launches'),
  ('ret_code_note', 'What the call returned; NULL when it returns nothing or did not return. failed says what it means.'),
  ('example_query', 'SELECT e.id, s.name AS source, o.name AS op, e.duration/1000 AS dur_us, e.pid FROM events e JOIN sources s ON e.source = s.id JOIN ops o ON e.source = o.source_id AND e.op = o.op_id ORDER BY e.timestamp DESC LIMIT 20'),
  ('vendor_neutral_note', 'SELECT kind, vendor, count(*) FROM events GROUP BY 1, 2'),
  ('node_note', 'events.id is node:sequence; causal_chains.id is node:descriptor.'),
  ('event_aggregates_note', 'Per minute, counting every event; count minus stored were not kept as rows.'),
  ('loss_note', 'Table loss: everything known to be missing, by name.');
)sql";
}

std::string documented_views() {
  return R"sql(
CREATE VIEW cuda_events AS SELECT id, timestamp AS timestamp_ns, duration AS duration_ns, call AS op, source,
  op AS op_id, kind, pid, tid, comm, gpu_id, stream, bytes, direction, kernel, arg0, arg1, ret_code, outcome,
  stack_hash, node, rank, cgroup_id FROM events WHERE source IN (1, 4, 8);
)sql" + tcp_view() +
         "CREATE VIEW nccl_events AS SELECT id, timestamp AS timestamp_ns, duration AS duration_ns, " +
         collective_name_sql("call") +
         " AS op, call, rank, world_size AS nranks, NULL AS comm_id_hash, pid, tid, comm, cgroup_id, NULL AS datatype, "
         "NULL AS reduce_op, bytes AS count_bytes, NULL AS seq, stream, ret_code, outcome, node "
         "FROM events WHERE kind IN ('collective', 'p2p');\n";
}

std::string tcp_view() {
  return fmt::format(R"sql(
CREATE VIEW tcp_events AS SELECT {} AS id, k.wall_ns + e.start AS timestamp_ns,
  'tcp_retransmit_skb' AS event, t.pid AS pid, t.tid AS tid, coalesce(t.comm, p.comm) AS comm,
  CASE d.family WHEN 2 THEN 'ipv4' WHEN 10 THEN 'ipv6' END AS family, d.saddr AS saddr, d.sport AS sport,
  d.daddr AS daddr, d.dport AS dport, d.state AS state, d.sequence AS seq, t.cgroup_id AS cgroup_id, k.node AS node
  FROM tcp_details d JOIN event_rows e ON e.seq = d.seq LEFT JOIN clocks k ON k.id = e.clock
  LEFT JOIN threads t ON t.id = e.thread LEFT JOIN processes p ON p.id = t.process;
)sql",
                     kEventId);
}

std::string documented_collective_view() {
  return "DROP VIEW nccl_events;\nCREATE VIEW nccl_events AS SELECT id, timestamp AS timestamp_ns, "
         "duration AS duration_ns, " +
         collective_name_sql("call") +
         " AS op, call, rank, nranks, comm_id_hash, pid, tid, comm, cgroup_id, datatype, reduce_op, "
         "bytes AS count_bytes, seq, stream, ret_code, " +
         outcome_sql("state & 7") +
         " AS outcome, node, count, root, peer, barrier_wait_ns, group_mono_ns, communicator_handle, global_rank, "
         "local_rank, world_size, vendor FROM collectives WHERE NOT is_part;\n";
}

const char* const kInsertSession =
    "INSERT INTO sessions (started_at, gpu_model, gpu_driver, cpu_model, cpu_cores, mem_total, kernel, os_release, "
    "cuda_ver, python_ver, ingero_ver, pid_filter, flags, node, rank, local_rank, world_size, policy, sample_every) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";

const char* const kUpsertChain =
    "INSERT OR REPLACE INTO causal_chains (id, detected_at, severity, summary, root_cause, explanation, "
    "recommendations, cuda_op, cuda_p99_us, cuda_p50_us, tail_ratio, timeline, node, rule, grade, confidence, pid, "
    "tid, "
    "process, rank, onset, ended, resolved_at, lost_ns, evidence, symptoms, stack_hash) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, "
    "?24, ?25, ?26, ?27)";

std::string engine_tables() {
  return R"sql(
ALTER TABLE causal_chains ADD COLUMN rule TEXT;
ALTER TABLE causal_chains ADD COLUMN grade TEXT;
ALTER TABLE causal_chains ADD COLUMN confidence REAL;
ALTER TABLE causal_chains ADD COLUMN pid INTEGER;
ALTER TABLE causal_chains ADD COLUMN tid INTEGER;
ALTER TABLE causal_chains ADD COLUMN process TEXT;
ALTER TABLE causal_chains ADD COLUMN rank INTEGER;
ALTER TABLE causal_chains ADD COLUMN onset INTEGER;
ALTER TABLE causal_chains ADD COLUMN ended INTEGER;
ALTER TABLE causal_chains ADD COLUMN resolved_at INTEGER;
ALTER TABLE causal_chains ADD COLUMN lost_ns INTEGER;
ALTER TABLE causal_chains ADD COLUMN evidence TEXT;
ALTER TABLE causal_chains ADD COLUMN symptoms TEXT;
ALTER TABLE causal_chains ADD COLUMN stack_hash INTEGER;
ALTER TABLE system_snapshots ADD COLUMN steal_pct REAL;
ALTER TABLE system_snapshots ADD COLUMN interrupt_pct REAL;
CREATE VIEW chains AS SELECT id, detected_at, severity, summary, root_cause, explanation, recommendations, timeline,
  cuda_op AS op, cuda_p99_us AS p99_us, cuda_p50_us AS p50_us, tail_ratio, node, rule, grade, confidence, pid, tid,
  process, rank, onset, ended, resolved_at, lost_ns, evidence, symptoms, stack_hash FROM causal_chains;
CREATE TABLE cgroup_throttling (session INTEGER NOT NULL, timestamp INTEGER NOT NULL, mono_ns INTEGER NOT NULL,
  cgroup_id INTEGER, pid INTEGER NOT NULL, path TEXT NOT NULL, periods INTEGER NOT NULL, throttled_ns INTEGER NOT NULL);
)sql";
}

std::string collective_name_sql(const std::string& column) {
  constexpr const char* kNames[][2] = {
      {"AllReduce", "ALL_REDUCE"},
      {"AllGather", "ALL_GATHER"},
      {"ReduceScatter", "REDUCE_SCATTER"},
      {"Broadcast", "BROADCAST"},
      {"Bcast", "BROADCAST"},
      {"Reduce", "REDUCE"},
      {"AlltoAll", "ALL_TO_ALL"},
      {"AllToAll", "ALL_TO_ALL"},
      {"AllToAllv", "ALL_TO_ALLV"},
      {"Gather", "GATHER"},
      {"Scatter", "SCATTER"},
      {"Send", "SEND"},
      {"Recv", "RECV"},
      {"GroupStart", "GROUP_START"},
      {"GroupEnd", "GROUP_END"},
  };
  std::string sql = "CASE " + column;
  for (const auto& [symbol, name] : kNames) sql += fmt::format(" WHEN 'nccl{}' THEN '{}'", symbol, name);
  return sql + fmt::format(" ELSE {} END", column);
}

}  // namespace ingero::store
