-- A recording of soft-RoCE in a guest, as a test fixture (soft_roce_alone.sql): made by tests/kernels/keep.py.
BEGIN TRANSACTION;
CREATE TABLE annotations (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp INTEGER NOT NULL, labels TEXT NOT NULL,
  pid INTEGER NOT NULL DEFAULT 0, start_time INTEGER NOT NULL DEFAULT 0, span_start INTEGER, span_end INTEGER,
  peer_uid INTEGER, peer_gid INTEGER, peer_pid INTEGER, session INTEGER);
CREATE TABLE barrier_waits (exchange INTEGER PRIMARY KEY, wait_ns INTEGER NOT NULL);
CREATE TABLE blocks (first INTEGER PRIMARY KEY, last INTEGER NOT NULL, start_wall_ns INTEGER NOT NULL,
  end_wall_ns INTEGER NOT NULL);
CREATE TABLE call_stats (call INTEGER NOT NULL, process INTEGER NOT NULL, count INTEGER NOT NULL,
  errors INTEGER NOT NULL, never_returned INTEGER NOT NULL, stored INTEGER NOT NULL, timed INTEGER NOT NULL,
  total_ns INTEGER NOT NULL, min_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL, preempted_ns INTEGER NOT NULL,
  runqueue_ns INTEGER NOT NULL, blocked_ns INTEGER NOT NULL, io_ns INTEGER NOT NULL, bytes INTEGER,
  histogram BLOB NOT NULL, PRIMARY KEY (call, process)) WITHOUT ROWID;
CREATE TABLE calls (id INTEGER PRIMARY KEY, name TEXT NOT NULL, op_name TEXT NOT NULL, vendor TEXT NOT NULL,
  backend TEXT NOT NULL, layer TEXT NOT NULL, kind TEXT NOT NULL, rule INTEGER NOT NULL, source INTEGER NOT NULL,
  op INTEGER NOT NULL, synchronising INTEGER NOT NULL, UNIQUE (backend, layer, name));
CREATE TABLE causal_chains (id TEXT PRIMARY KEY, detected_at INTEGER NOT NULL, severity TEXT NOT NULL,
  summary TEXT NOT NULL, root_cause TEXT NOT NULL, explanation TEXT NOT NULL, recommendations TEXT NOT NULL DEFAULT '',
  cuda_op TEXT NOT NULL DEFAULT '', cuda_p99_us INTEGER NOT NULL DEFAULT 0, cuda_p50_us INTEGER NOT NULL DEFAULT 0,
  tail_ratio REAL NOT NULL DEFAULT 0, timeline TEXT NOT NULL DEFAULT '', node TEXT NOT NULL DEFAULT '', rule TEXT, grade TEXT, confidence REAL, pid INTEGER, tid INTEGER, process TEXT, rank INTEGER, onset INTEGER, ended INTEGER, resolved_at INTEGER, lost_ns INTEGER, evidence TEXT, symptoms TEXT, stack_hash INTEGER);
CREATE TABLE cgroup_metadata (cgroup_id INTEGER PRIMARY KEY, container_id TEXT NOT NULL DEFAULT '',
  cgroup_path TEXT NOT NULL DEFAULT '', pod_name TEXT NOT NULL DEFAULT '', namespace TEXT NOT NULL DEFAULT '',
  pod_uid TEXT NOT NULL DEFAULT '', slurm_job TEXT NOT NULL DEFAULT '');
CREATE TABLE cgroup_schedstat (cgroup_id INTEGER NOT NULL, p99_off_cpu INTEGER NOT NULL,
  total_off_cpu INTEGER NOT NULL, event_count INTEGER NOT NULL, window_start INTEGER NOT NULL,
  window_end INTEGER NOT NULL, PRIMARY KEY (cgroup_id, window_end)) WITHOUT ROWID;
CREATE TABLE cgroup_throttling (session INTEGER NOT NULL, timestamp INTEGER NOT NULL, mono_ns INTEGER NOT NULL,
  cgroup_id INTEGER, pid INTEGER NOT NULL, path TEXT NOT NULL, periods INTEGER NOT NULL, throttled_ns INTEGER NOT NULL);
CREATE TABLE clocks (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, mono_ns INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL, node TEXT NOT NULL, sample_every INTEGER NOT NULL, seq_offset INTEGER NOT NULL DEFAULT 0);
INSERT INTO "clocks" VALUES(0,1,103280418761,1795464350999690642,'guest',1,0);
CREATE TABLE collective_hangs (session INTEGER NOT NULL, comm_id_hash INTEGER NOT NULL, number INTEGER NOT NULL,
  call TEXT, entered_mono_ns INTEGER NOT NULL, waited_ns INTEGER NOT NULL, is_over INTEGER NOT NULL,
  present TEXT NOT NULL, missing TEXT NOT NULL, nranks INTEGER,
  PRIMARY KEY (session, comm_id_hash, number)) WITHOUT ROWID;
CREATE TABLE communicators (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, process INTEGER NOT NULL,
  handle INTEGER NOT NULL, made_by TEXT, made_mono_ns INTEGER, ended_mono_ns INTEGER, comm_id_hash INTEGER,
  rank INTEGER, nranks INTEGER, parent INTEGER);
CREATE TABLE culprits (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, comm TEXT NOT NULL);
CREATE TABLE details (id INTEGER PRIMARY KEY, flags INTEGER, peer_device INTEGER, handle2 INTEGER);
CREATE TABLE device_calls (device INTEGER NOT NULL, process INTEGER NOT NULL, count INTEGER NOT NULL,
  errors INTEGER NOT NULL, total_ns INTEGER NOT NULL, PRIMARY KEY (device, process)) WITHOUT ROWID;
CREATE TABLE device_errors (timestamp INTEGER NOT NULL, session INTEGER NOT NULL, vendor TEXT NOT NULL,
  pci_address TEXT, kind TEXT NOT NULL, code INTEGER, meaning TEXT, pid INTEGER, process TEXT,
  message TEXT NOT NULL);
CREATE TABLE device_processes (device INTEGER NOT NULL, timestamp INTEGER NOT NULL, pid INTEGER NOT NULL,
  memory_bytes INTEGER, PRIMARY KEY (timestamp, device, pid)) WITHOUT ROWID;
CREATE TABLE device_values (device INTEGER NOT NULL, timestamp INTEGER NOT NULL, name TEXT NOT NULL,
  part TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (timestamp, device, name, part)) WITHOUT ROWID;
CREATE TABLE devices (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, vendor TEXT NOT NULL, uuid TEXT,
  pci_address TEXT, name TEXT, driver TEXT, position INTEGER, parent_uuid TEXT);
CREATE TABLE event_aggregates (bucket INTEGER NOT NULL, source INTEGER NOT NULL, op INTEGER NOT NULL,
  pid INTEGER NOT NULL DEFAULT 0, count INTEGER NOT NULL, stored INTEGER NOT NULL, sum_dur INTEGER NOT NULL,
  min_dur INTEGER, max_dur INTEGER, sum_arg0 INTEGER NOT NULL,
  PRIMARY KEY (bucket, source, op, pid)) WITHOUT ROWID;
CREATE TABLE event_aggregates_5s (bucket INTEGER NOT NULL, source INTEGER NOT NULL, op INTEGER NOT NULL,
  pid INTEGER NOT NULL DEFAULT 0, count INTEGER NOT NULL, stored INTEGER NOT NULL, sum_dur INTEGER NOT NULL,
  min_dur INTEGER, max_dur INTEGER, sum_arg0 INTEGER NOT NULL,
  PRIMARY KEY (bucket, source, op, pid)) WITHOUT ROWID;
CREATE TABLE event_devices (id INTEGER PRIMARY KEY, ordinal INTEGER, vendor TEXT, gpu_id INTEGER, uuid TEXT,
  pci_address TEXT);
CREATE TABLE event_rows (seq INTEGER PRIMARY KEY, start INTEGER, duration INTEGER, site INTEGER, thread INTEGER, state INTEGER, clock INTEGER, return_code INTEGER, preempted INTEGER, runqueue INTEGER, blocked INTEGER, io INTEGER, stream INTEGER, bytes INTEGER, address INTEGER, source_address INTEGER, function INTEGER, geometry INTEGER, handle INTEGER, device INTEGER, detail INTEGER, culprit INTEGER, culprit_ns INTEGER, parent_call INTEGER, parent_gap INTEGER, stack INTEGER, arg0 INTEGER, arg1 INTEGER);
CREATE TABLE exchanges (seq INTEGER PRIMARY KEY, exchange INTEGER NOT NULL, communicator INTEGER, handle INTEGER,
  new_handle INTEGER, number INTEGER, "group" INTEGER, is_part INTEGER NOT NULL, count INTEGER, datatype TEXT,
  reduce_op TEXT, root INTEGER, peer INTEGER, color INTEGER, key INTEGER);
CREATE TABLE fabric_counters (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, device TEXT NOT NULL, port INTEGER,
  name TEXT NOT NULL, origin TEXT NOT NULL, unit TEXT NOT NULL);
INSERT INTO "fabric_counters" VALUES(1,1,'rxe0',1,'ack_deferred','port_hw','count');
INSERT INTO "fabric_counters" VALUES(2,1,'rxe0',1,'completer_retry_err','port_hw','count');
INSERT INTO "fabric_counters" VALUES(3,1,'rxe0',1,'duplicate_request','port_hw','count');
INSERT INTO "fabric_counters" VALUES(4,1,'rxe0',1,'link_downed','port_hw','count');
INSERT INTO "fabric_counters" VALUES(5,1,'rxe0',1,'out_of_seq_request','port_hw','count');
INSERT INTO "fabric_counters" VALUES(6,1,'rxe0',1,'rcvd_pkts','port_hw','count');
INSERT INTO "fabric_counters" VALUES(7,1,'rxe0',1,'rcvd_rnr_err','port_hw','count');
INSERT INTO "fabric_counters" VALUES(8,1,'rxe0',1,'rcvd_seq_err','port_hw','count');
INSERT INTO "fabric_counters" VALUES(9,1,'rxe0',1,'rdma_recvs','port_hw','count');
INSERT INTO "fabric_counters" VALUES(10,1,'rxe0',1,'rdma_sends','port_hw','count');
INSERT INTO "fabric_counters" VALUES(11,1,'rxe0',1,'retry_exceeded_err','port_hw','count');
INSERT INTO "fabric_counters" VALUES(12,1,'rxe0',1,'retry_rnr_exceeded_err','port_hw','count');
INSERT INTO "fabric_counters" VALUES(13,1,'rxe0',1,'send_err','port_hw','count');
INSERT INTO "fabric_counters" VALUES(14,1,'rxe0',1,'send_rnr_err','port_hw','count');
INSERT INTO "fabric_counters" VALUES(15,1,'rxe0',1,'sent_pkts','port_hw','count');
CREATE TABLE fabric_gids (session INTEGER NOT NULL, timestamp INTEGER NOT NULL, device TEXT NOT NULL,
  port INTEGER NOT NULL, position INTEGER NOT NULL, gid TEXT NOT NULL, type TEXT, netdev TEXT);
INSERT INTO "fabric_gids" VALUES(1,1795464350100114307,'rxe0',1,0,'fe80:0000:0000:0000:b0be:4aff:febb:658f','RoCE v2','v0');
INSERT INTO "fabric_gids" VALUES(1,1795464350100114307,'rxe0',1,1,'0000:0000:0000:0000:0000:ffff:0a09:0001','RoCE v2','v0');
INSERT INTO "fabric_gids" VALUES(1,1795464351972365539,'rxe0',1,0,'fe80:0000:0000:0000:b0be:4aff:febb:658f','RoCE v2','v0');
INSERT INTO "fabric_gids" VALUES(1,1795464351972365539,'rxe0',1,1,'0000:0000:0000:0000:0000:ffff:0a09:0001','RoCE v2','v0');
INSERT INTO "fabric_gids" VALUES(1,1795464353989818239,'rxe0',1,0,'fe80:0000:0000:0000:b0be:4aff:febb:658f','RoCE v2','v0');
INSERT INTO "fabric_gids" VALUES(1,1795464353989818239,'rxe0',1,1,'0000:0000:0000:0000:0000:ffff:0a09:0001','RoCE v2','v0');
CREATE TABLE fabric_links (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, timestamp INTEGER NOT NULL,
  device TEXT NOT NULL, port INTEGER NOT NULL, link_layer TEXT, state INTEGER, physical_state INTEGER,
  rate_bits_per_second INTEGER, driver TEXT, firmware TEXT, board TEXT, node_guid TEXT, netdev TEXT, pci_address TEXT,
  numa_node INTEGER);
INSERT INTO "fabric_links" VALUES(1,1,1795464350100114307,'rxe0',1,'Ethernet',4,5,10000000000,'rdma_rxe',NULL,NULL,'b0be:4aff:febb:658f','v0',NULL,NULL);
INSERT INTO "fabric_links" VALUES(2,1,1795464351972365539,'rxe0',1,'Ethernet',1,3,10000000000,'rdma_rxe',NULL,NULL,'b0be:4aff:febb:658f','v0',NULL,NULL);
INSERT INTO "fabric_links" VALUES(3,1,1795464353989818239,'rxe0',1,'Ethernet',4,5,10000000000,'rdma_rxe',NULL,NULL,'b0be:4aff:febb:658f','v0',NULL,NULL);
CREATE TABLE fabric_values (counter INTEGER NOT NULL, timestamp INTEGER NOT NULL, value INTEGER NOT NULL,
  delta INTEGER, change INTEGER NOT NULL, PRIMARY KEY (timestamp, counter)) WITHOUT ROWID;
INSERT INTO "fabric_values" VALUES(1,1795464350100114307,3408,NULL,0);
INSERT INTO "fabric_values" VALUES(2,1795464350100114307,8,NULL,0);
INSERT INTO "fabric_values" VALUES(3,1795464350100114307,8,NULL,0);
INSERT INTO "fabric_values" VALUES(4,1795464350100114307,1,NULL,0);
INSERT INTO "fabric_values" VALUES(5,1795464350100114307,0,NULL,0);
INSERT INTO "fabric_values" VALUES(6,1795464350100114307,29016,NULL,0);
INSERT INTO "fabric_values" VALUES(7,1795464350100114307,0,NULL,0);
INSERT INTO "fabric_values" VALUES(8,1795464350100114307,0,NULL,0);
INSERT INTO "fabric_values" VALUES(9,1795464350100114307,3400,NULL,0);
INSERT INTO "fabric_values" VALUES(10,1795464350100114307,3400,NULL,0);
INSERT INTO "fabric_values" VALUES(11,1795464350100114307,0,NULL,0);
INSERT INTO "fabric_values" VALUES(12,1795464350100114307,0,NULL,0);
INSERT INTO "fabric_values" VALUES(13,1795464350100114307,0,NULL,0);
INSERT INTO "fabric_values" VALUES(14,1795464350100114307,0,NULL,0);
INSERT INTO "fabric_values" VALUES(15,1795464350100114307,29016,NULL,0);
INSERT INTO "fabric_values" VALUES(4,1795464351972365539,2,1,2);
CREATE TABLE functions (id INTEGER PRIMARY KEY, process INTEGER NOT NULL, handle INTEGER NOT NULL, name TEXT);
CREATE TABLE geometries (id INTEGER PRIMARY KEY, grid_x INTEGER, grid_y INTEGER, grid_z INTEGER, block_x INTEGER,
  block_y INTEGER, block_z INTEGER, shared_bytes INTEGER);
CREATE TABLE in_flight (tid INTEGER NOT NULL, start_mono_ns INTEGER NOT NULL, seq INTEGER NOT NULL,
  site INTEGER NOT NULL, process INTEGER NOT NULL, PRIMARY KEY (tid, start_mono_ns)) WITHOUT ROWID;
CREATE TABLE inference_engine_metrics (engine INTEGER NOT NULL, timestamp INTEGER NOT NULL, name TEXT NOT NULL,
  source_name TEXT NOT NULL, model TEXT NOT NULL, unit TEXT NOT NULL, kind TEXT NOT NULL, value REAL, count INTEGER,
  sum REAL, interval_mean REAL, interval_p95 REAL, PRIMARY KEY (engine, timestamp, name, source_name, model))
  WITHOUT ROWID;
CREATE TABLE inference_engines (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, process INTEGER NOT NULL,
  name TEXT NOT NULL, model TEXT, url TEXT NOT NULL, found INTEGER NOT NULL, pid INTEGER NOT NULL);
CREATE TABLE inference_step_rows (id INTEGER PRIMARY KEY, workload INTEGER NOT NULL, tid INTEGER NOT NULL,
  timestamp INTEGER NOT NULL, start_mono_ns INTEGER NOT NULL, end_mono_ns INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL, idle_ns INTEGER NOT NULL, wait_ns INTEGER NOT NULL, launches INTEGER NOT NULL,
  graph_launches INTEGER NOT NULL, copies INTEGER NOT NULL, copied_bytes INTEGER NOT NULL, sets INTEGER NOT NULL,
  collectives INTEGER NOT NULL, mean_gap_ns INTEGER, slow TEXT, baseline_mean_ns INTEGER, baseline_p95_ns INTEGER,
  weight INTEGER NOT NULL);
CREATE TABLE inference_workload_rows (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, process INTEGER NOT NULL,
  cgroup_id INTEGER, stream INTEGER, phase TEXT NOT NULL, functions INTEGER, engine INTEGER, first INTEGER NOT NULL,
  last INTEGER NOT NULL, steps INTEGER NOT NULL, total_ns INTEGER NOT NULL, min_ns INTEGER NOT NULL,
  max_ns INTEGER NOT NULL, idle_ns INTEGER NOT NULL, launches INTEGER NOT NULL, graph_launches INTEGER NOT NULL,
  copied_bytes INTEGER NOT NULL, slow_1_5x INTEGER NOT NULL, slow_2x INTEGER NOT NULL, slow_3x INTEGER NOT NULL,
  relearned INTEGER NOT NULL, healthy INTEGER NOT NULL, mean_ns INTEGER, p95_ns INTEGER, histogram BLOB NOT NULL);
CREATE TABLE loss (session INTEGER NOT NULL, name TEXT NOT NULL, room TEXT NOT NULL, severity TEXT NOT NULL,
  count INTEGER NOT NULL, sentence TEXT NOT NULL, PRIMARY KEY (session, name)) WITHOUT ROWID;
CREATE TABLE never_returned (seq INTEGER PRIMARY KEY);
CREATE TABLE ops (source_id INTEGER NOT NULL, op_id INTEGER NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL,
  PRIMARY KEY (source_id, op_id)) WITHOUT ROWID;
CREATE TABLE process_names (pid INTEGER PRIMARY KEY, name TEXT NOT NULL, seen_at INTEGER NOT NULL DEFAULT 0);
CREATE TABLE processes (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, pid INTEGER NOT NULL, parent_pid INTEGER,
  start_mono_ns INTEGER, uid INTEGER, comm TEXT, command_line TEXT, cgroup_id INTEGER, cgroup_path TEXT,
  container_id TEXT, pod_uid TEXT, slurm_job TEXT, rank INTEGER, local_rank INTEGER, world_size INTEGER);
CREATE TABLE schema_info (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "schema_info" VALUES('arg0_note','By kind: bytes of allocations and copies, kernel function of launches, stream of synchronisations');
INSERT INTO "schema_info" VALUES('arg1_note','By kind: copy direction (0 h2h, 1 h2d, 2 d2h, 3 d2d, 4 default, 5 unknown), address of allocations, stream of launches');
INSERT INTO "schema_info" VALUES('duration_unit','nanoseconds; NULL when unknown');
INSERT INTO "schema_info" VALUES('event_aggregates_note','Per minute, counting every event; count minus stored were not kept as rows.');
INSERT INTO "schema_info" VALUES('example_query','SELECT e.id, s.name AS source, o.name AS op, e.duration/1000 AS dur_us, e.pid FROM events e JOIN sources s ON e.source = s.id JOIN ops o ON e.source = o.source_id AND e.op = o.op_id ORDER BY e.timestamp DESC LIMIT 20');
INSERT INTO "schema_info" VALUES('loss_note','Table loss: everything known to be missing, by name.');
INSERT INTO "schema_info" VALUES('node_note','events.id is node:sequence; causal_chains.id is node:descriptor.');
INSERT INTO "schema_info" VALUES('ret_code_note','What the call returned; NULL when it returns nothing or did not return. failed says what it means.');
INSERT INTO "schema_info" VALUES('timestamp_unit','nanoseconds (Unix epoch), when the call started');
INSERT INTO "schema_info" VALUES('unknown_note','What is not known is NULL, never 0.');
INSERT INTO "schema_info" VALUES('vendor_neutral_note','SELECT kind, vendor, count(*) FROM events GROUP BY 1, 2');
INSERT INTO "schema_info" VALUES('version','1.0');
CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL, what TEXT NOT NULL);
INSERT INTO "schema_migrations" VALUES(20,1795464348596059451,'compact rows, dictionaries, histograms');
INSERT INTO "schema_migrations" VALUES(21,1795464348596059451,'communicators and their collectives');
INSERT INTO "schema_migrations" VALUES(22,1795464348596059451,'samples of fabric adapters and devices');
INSERT INTO "schema_migrations" VALUES(23,1795464348596059451,'chains with grade, evidence and symptoms; limits and theft of CPUs');
INSERT INTO "schema_migrations" VALUES(24,1795464348596059451,'devices of events by uuid and address');
INSERT INTO "schema_migrations" VALUES(25,1795464348596059451,'steps and workloads of inference, and what its engines say of themselves');
INSERT INTO "schema_migrations" VALUES(26,1795464348596059451,'sessions of several nodes');
CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, started_at INTEGER NOT NULL,
  stopped_at INTEGER NOT NULL DEFAULT 0, gpu_model TEXT NOT NULL DEFAULT '', gpu_driver TEXT NOT NULL DEFAULT '',
  cpu_model TEXT NOT NULL DEFAULT '', cpu_cores INTEGER, mem_total INTEGER, kernel TEXT NOT NULL DEFAULT '',
  os_release TEXT NOT NULL DEFAULT '', cuda_ver TEXT NOT NULL DEFAULT '', python_ver TEXT NOT NULL DEFAULT '',
  ingero_ver TEXT NOT NULL DEFAULT '', pid_filter TEXT NOT NULL DEFAULT '', flags TEXT NOT NULL DEFAULT '',
  node TEXT NOT NULL DEFAULT '', rank INTEGER, local_rank INTEGER, world_size INTEGER,
  policy TEXT NOT NULL, sample_every INTEGER NOT NULL);
INSERT INTO "sessions" VALUES(1,1795464349000532780,1795464358021515261,'','','QEMU TCG CPU version 2.5+',2,1971,'6.12.117+deb13-amd64','','','','0.1.0','','','guest',NULL,NULL,NULL,'all',1);
CREATE TABLE sites (id INTEGER PRIMARY KEY, call INTEGER NOT NULL, symbol TEXT, library TEXT, library_version TEXT,
  name TEXT NOT NULL, op_name TEXT NOT NULL, vendor TEXT NOT NULL, backend TEXT NOT NULL, layer TEXT NOT NULL,
  kind TEXT NOT NULL, rule INTEGER NOT NULL, source INTEGER NOT NULL, op INTEGER NOT NULL,
  synchronising INTEGER NOT NULL);
CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL);
INSERT INTO "sources" VALUES(1,'CUDA','CUDA runtime API');
INSERT INTO "sources" VALUES(2,'NVIDIA','NVIDIA kernel driver (reserved)');
INSERT INTO "sources" VALUES(3,'HOST','Scheduler, memory and process events of the host');
INSERT INTO "sources" VALUES(4,'DRIVER','CUDA driver API');
INSERT INTO "sources" VALUES(5,'IO','Block device requests');
INSERT INTO "sources" VALUES(6,'TCP','TCP retransmissions');
INSERT INTO "sources" VALUES(7,'NET','Socket sends and receives');
INSERT INTO "sources" VALUES(8,'CUDA_GRAPH','CUDA graph API');
INSERT INTO "sources" VALUES(9,'NCCL','Collective communication');
CREATE TABLE stack_traces (hash INTEGER PRIMARY KEY, ips TEXT, frames TEXT);
CREATE TABLE stacks (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL);
CREATE TABLE store_state (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "store_state" VALUES('aggregated_through',0);
INSERT INTO "store_state" VALUES('rows_pruned',0);
CREATE TABLE system_snapshots (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp INTEGER NOT NULL UNIQUE, cpu_pct REAL,
  mem_pct REAL, mem_avail INTEGER, swap_mb INTEGER, load_avg REAL, psi_cpu_some REAL, psi_io_some REAL,
  psi_io_full REAL, psi_mem_some REAL, psi_mem_full REAL, major_faults INTEGER, steal_pct REAL, interrupt_pct REAL, session INTEGER);
CREATE TABLE tcp_details (seq INTEGER PRIMARY KEY, family INTEGER NOT NULL, state INTEGER NOT NULL,
  saddr TEXT NOT NULL, sport INTEGER NOT NULL, daddr TEXT NOT NULL, dport INTEGER NOT NULL,
  sequence INTEGER NOT NULL);
CREATE TABLE threads (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, tid INTEGER NOT NULL, process INTEGER NOT NULL,
  cgroup_id INTEGER, comm TEXT);
CREATE INDEX idx_annotations_timestamp ON annotations(timestamp);
CREATE VIEW cuda_events AS SELECT id, timestamp AS timestamp_ns, duration AS duration_ns, call AS op, source,
  op AS op_id, kind, pid, tid, comm, gpu_id, stream, bytes, direction, kernel, arg0, arg1, ret_code, outcome,
  stack_hash, node, rank, cgroup_id FROM events WHERE source IN (1, 4, 8);
CREATE VIEW collective_arrivals AS SELECT comm_id_hash, seq, min(call) AS call, count(*) AS ranks, max(nranks) AS nranks,
  min(start_mono_ns) AS first_mono_ns, max(start_mono_ns) - min(start_mono_ns) AS skew_ns,
  max(start_mono_ns) - max(before) AS late_ns, max(CASE WHEN place = 1 THEN rank END) AS last_rank,
  max(CASE WHEN place = 1 THEN pid END) AS last_pid, min(timestamp) AS timestamp, node, session
  FROM (SELECT comm_id_hash, seq, call, nranks, start_mono_ns, rank, pid, timestamp, node, session,
    row_number() OVER (PARTITION BY session, comm_id_hash, seq ORDER BY start_mono_ns DESC) AS place,
    lag(start_mono_ns) OVER (PARTITION BY session, comm_id_hash, seq ORDER BY start_mono_ns) AS before
    FROM collectives WHERE comm_id_hash IS NOT NULL AND seq IS NOT NULL)
  GROUP BY session, comm_id_hash, seq HAVING count(*) > 1;
CREATE VIEW nccl_events AS SELECT id, timestamp AS timestamp_ns, duration AS duration_ns, CASE call WHEN 'ncclAllReduce' THEN 'ALL_REDUCE' WHEN 'ncclAllGather' THEN 'ALL_GATHER' WHEN 'ncclReduceScatter' THEN 'REDUCE_SCATTER' WHEN 'ncclBroadcast' THEN 'BROADCAST' WHEN 'ncclBcast' THEN 'BROADCAST' WHEN 'ncclReduce' THEN 'REDUCE' WHEN 'ncclAlltoAll' THEN 'ALL_TO_ALL' WHEN 'ncclAllToAll' THEN 'ALL_TO_ALL' WHEN 'ncclAllToAllv' THEN 'ALL_TO_ALLV' WHEN 'ncclGather' THEN 'GATHER' WHEN 'ncclScatter' THEN 'SCATTER' WHEN 'ncclSend' THEN 'SEND' WHEN 'ncclRecv' THEN 'RECV' WHEN 'ncclGroupStart' THEN 'GROUP_START' WHEN 'ncclGroupEnd' THEN 'GROUP_END' ELSE call END AS op, call, rank, nranks, comm_id_hash, pid, tid, comm, cgroup_id, datatype, reduce_op, bytes AS count_bytes, seq, stream, ret_code, CASE state & 7 WHEN 0 THEN 'returned' WHEN 1 THEN 'unwound' WHEN 2 THEN 'exited' WHEN 3 THEN 'execed' WHEN 4 THEN 'in flight' WHEN 5 THEN 'never returned' END AS outcome, node, count, root, peer, barrier_wait_ns, group_mono_ns, communicator_handle, global_rank, local_rank, world_size, vendor FROM collectives WHERE NOT is_part;
CREATE VIEW fabric_samples AS SELECT v.timestamp AS timestamp, c.device AS device, c.port AS port, c.name AS name,
  v.value AS value, v.delta AS delta, c.unit AS unit, c.origin AS origin,
  CASE v.change WHEN 0 THEN 'first' WHEN 1 THEN 'same' WHEN 2 THEN 'grew' WHEN 3 THEN 'wrapped' WHEN 4 THEN 'reset'
    WHEN 5 THEN 'stuck' END AS change, c.session AS session
  FROM fabric_values v JOIN fabric_counters c ON c.id = v.counter;
CREATE VIEW device_samples AS SELECT v.timestamp AS timestamp, d.vendor AS vendor, d.uuid AS uuid,
  d.pci_address AS pci_address, d.name AS device, v.name AS name, v.part AS part, v.value AS value, d.session AS session
  FROM device_values v JOIN devices d ON d.id = v.device;
CREATE VIEW chains AS SELECT id, detected_at, severity, summary, root_cause, explanation, recommendations, timeline,
  cuda_op AS op, cuda_p99_us AS p99_us, cuda_p50_us AS p50_us, tail_ratio, node, rule, grade, confidence, pid, tid,
  process, rank, onset, ended, resolved_at, lost_ns, evidence, symptoms, stack_hash FROM causal_chains;
CREATE VIEW calls_by_device AS SELECT d.vendor AS vendor, d.gpu_id AS gpu_id, d.uuid AS gpu_uuid,
  d.pci_address AS gpu_pci_address, p.pid AS pid, p.comm AS comm, p.session AS session, sum(c.count) AS calls,
  sum(c.errors) AS errors, sum(c.total_ns) AS total_ns
  FROM device_calls c JOIN event_devices d ON d.id = c.device JOIN processes p ON p.id = c.process
  GROUP BY d.vendor, d.gpu_id, d.uuid, d.pci_address, c.process;
CREATE INDEX idx_inference_step_rows_timestamp ON inference_step_rows(timestamp);
CREATE INDEX idx_inference_step_rows_slow ON inference_step_rows(timestamp) WHERE slow IS NOT NULL;
CREATE VIEW inference_workloads AS SELECT w.id AS id, w.session AS session, p.pid AS pid, p.comm AS comm,
  w.cgroup_id AS cgroup_id, p.cgroup_path AS cgroup_path, w.stream AS stream, w.phase AS phase,
  w.functions AS functions, e.name AS engine, e.model AS model, e.pid AS engine_pid, w.first AS first, w.last AS last,
  w.steps AS steps, w.healthy AS healthy, w.slow_1_5x AS slow_1_5x, w.slow_2x AS slow_2x, w.slow_3x AS slow_3x,
  w.mean_ns AS mean_ns, w.p95_ns AS p95_ns, w.min_ns AS min_ns, w.max_ns AS max_ns, w.total_ns AS total_ns,
  w.idle_ns AS idle_ns, w.launches AS launches, w.graph_launches AS graph_launches, w.copied_bytes AS copied_bytes,
  w.relearned AS relearned, w.histogram AS histogram, w.process AS process, w.engine AS engine_id
  FROM inference_workload_rows w LEFT JOIN processes p ON p.id = w.process
  LEFT JOIN inference_engines e ON e.id = w.engine;
CREATE VIEW inference_steps AS SELECT r.id AS id, r.timestamp AS timestamp, r.duration_ns AS duration_ns,
  p.pid AS pid, r.tid AS tid, p.comm AS comm, w.stream AS stream, w.phase AS phase, r.slow AS slow,
  r.baseline_mean_ns AS baseline_mean_ns, r.baseline_p95_ns AS baseline_p95_ns, r.wait_ns AS wait_ns,
  r.idle_ns AS idle_ns, r.launches AS launches, r.graph_launches AS graph_launches, r.copies AS copies,
  r.copied_bytes AS copied_bytes, r.sets AS sets, r.collectives AS collectives, r.mean_gap_ns AS mean_gap_ns,
  CASE WHEN r.slow IS NOT NULL THEN (SELECT c.id FROM causal_chains c WHERE c.pid = p.pid
    AND c.onset <= r.timestamp + r.end_mono_ns - r.start_mono_ns AND coalesce(c.ended, c.detected_at) >= r.timestamp
    ORDER BY c.lost_ns DESC, c.id LIMIT 1) END AS incident,
  r.weight AS weight, r.workload AS workload, w.engine AS engine_id, w.cgroup_id AS cgroup_id,
  r.timestamp + r.end_mono_ns - r.start_mono_ns AS end, r.start_mono_ns AS start_mono_ns,
  r.end_mono_ns AS end_mono_ns, w.session AS session, w.process AS process
  FROM inference_step_rows r JOIN inference_workload_rows w ON w.id = r.workload
  LEFT JOIN processes p ON p.id = w.process;
CREATE VIEW gen_ai_metrics AS SELECT m.timestamp AS timestamp, e.name AS engine, e.pid AS engine_pid,
  CASE m.model WHEN '' THEN e.model ELSE m.model END AS model, m.name AS name, m.kind AS kind, m.unit AS unit,
  m.value AS value, m.count AS count, m.sum AS sum, m.interval_mean AS interval_mean, m.interval_p95 AS interval_p95,
  m.source_name AS source_name, e.url AS url, e.id AS engine_id, e.session AS session
  FROM inference_engine_metrics m JOIN inference_engines e ON e.id = m.engine;
CREATE VIEW inference_step_metrics AS SELECT s.id AS step, s.timestamp AS timestamp, s.pid AS pid, s.phase AS phase,
  s.slow AS slow, s.duration_ns AS duration_ns, m.timestamp AS read, m.engine AS engine, m.model AS model,
  m.name AS name, m.unit AS unit, m.value AS value, m.interval_mean AS interval_mean, m.interval_p95 AS interval_p95
  FROM inference_steps s JOIN gen_ai_metrics m ON m.engine_id = s.engine_id AND m.timestamp =
    (SELECT min(timestamp) FROM inference_engine_metrics WHERE engine = s.engine_id AND timestamp >= s.end);
CREATE VIEW events AS SELECT k.node || ':' || (e.seq - k.seq_offset) AS id, k.wall_ns + e.start AS timestamp, t.pid AS pid, t.tid AS tid, s.source AS source, s.op AS op, e.duration AS duration, (SELECT gpu_id FROM event_devices WHERE id = e.device) AS gpu_id, CASE s.rule WHEN 0 THEN (SELECT handle FROM functions WHERE id = e.function) WHEN 1 THEN e.bytes WHEN 2 THEN e.bytes WHEN 3 THEN e.bytes WHEN 4 THEN e.address WHEN 5 THEN coalesce(e.stream, e.handle) WHEN 6 THEN e.handle WHEN 7 THEN e.handle WHEN 8 THEN e.stream WHEN 9 THEN (SELECT ordinal FROM event_devices WHERE id = e.device) WHEN 10 THEN e.bytes WHEN 11 THEN e.bytes WHEN 12 THEN e.handle WHEN 13 THEN coalesce((SELECT handle FROM functions WHERE id = e.function), e.handle) WHEN 14 THEN e.handle WHEN 15 THEN e.arg0 END AS arg0, CASE s.rule WHEN 0 THEN e.stream WHEN 1 THEN CASE (e.state >> 4) & 7 WHEN 0 THEN NULL WHEN 1 THEN 5 ELSE ((e.state >> 4) & 7) - 2 END WHEN 2 THEN e.address WHEN 3 THEN e.address WHEN 4 THEN e.bytes WHEN 5 THEN NULL WHEN 6 THEN e.stream WHEN 7 THEN e.stream WHEN 8 THEN NULL WHEN 9 THEN NULL WHEN 10 THEN e.stream WHEN 11 THEN e.stream WHEN 12 THEN NULL WHEN 13 THEN NULL WHEN 14 THEN NULL WHEN 15 THEN e.arg1 END AS arg1, e.return_code AS ret_code, (SELECT hash FROM stacks WHERE id = e.stack) AS stack_hash, k.node AS node, (SELECT rank FROM processes WHERE id = t.process) AS rank, (SELECT local_rank FROM processes WHERE id = t.process) AS local_rank, (SELECT world_size FROM processes WHERE id = t.process) AS world_size, coalesce(t.comm, (SELECT comm FROM processes WHERE id = t.process)) AS comm, (SELECT ips FROM stacks JOIN stack_traces USING (hash) WHERE stacks.id = e.stack) AS stack_ips, t.cgroup_id AS cgroup_id, s.kind AS kind, s.vendor AS vendor, s.backend AS backend, s.layer AS layer, s.name AS call, s.op_name AS op_name, s.symbol AS symbol, s.library AS library, s.library_version AS library_version, CASE e.state & 7 WHEN 0 THEN 'returned' WHEN 1 THEN 'unwound' WHEN 2 THEN 'exited' WHEN 3 THEN 'execed' WHEN 4 THEN 'in flight' WHEN 5 THEN 'never returned' END AS outcome, CASE WHEN (e.state >> 3) & 1 THEN 1 WHEN e.return_code IS NULL THEN NULL ELSE 0 END AS failed, CASE ((e.state >> 4) & 7) - 1 WHEN 0 THEN 'unknown' WHEN 1 THEN 'h2h' WHEN 2 THEN 'h2d' WHEN 3 THEN 'd2h' WHEN 4 THEN 'd2d' WHEN 5 THEN 'default' END AS direction, e.stream AS stream, e.bytes AS bytes, e.address AS address, e.source_address AS source_address, (SELECT handle FROM functions WHERE id = e.function) AS function, (SELECT name FROM functions WHERE id = e.function) AS kernel, (SELECT grid_x FROM geometries WHERE id = e.geometry) AS grid_x, (SELECT grid_y FROM geometries WHERE id = e.geometry) AS grid_y, (SELECT grid_z FROM geometries WHERE id = e.geometry) AS grid_z, (SELECT block_x FROM geometries WHERE id = e.geometry) AS block_x, (SELECT block_y FROM geometries WHERE id = e.geometry) AS block_y, (SELECT block_z FROM geometries WHERE id = e.geometry) AS block_z, (SELECT shared_bytes FROM geometries WHERE id = e.geometry) AS shared_bytes, e.handle AS handle, (SELECT handle2 FROM details WHERE id = e.detail) AS handle2, (SELECT peer_device FROM details WHERE id = e.detail) AS peer_device, (SELECT flags FROM details WHERE id = e.detail) AS flags, k.mono_ns + e.start AS start_mono_ns, (e.state >> 7) & 15 AS depth, (SELECT name FROM calls WHERE id = e.parent_call) AS parent_call, k.wall_ns + e.start - e.parent_gap AS parent_timestamp, e.preempted AS preempted_ns, e.runqueue AS runqueue_ns, e.blocked AS blocked_ns, e.io AS io_ns, (SELECT pid FROM culprits WHERE id = e.culprit) AS culprit_pid, (SELECT comm FROM culprits WHERE id = e.culprit) AS culprit_comm, e.culprit_ns AS culprit_ns, CASE WHEN (e.state >> 11) & 1 THEN k.sample_every ELSE 1 END AS weight, k.session AS session, t.process AS process, e.seq AS seq, (SELECT uuid FROM event_devices WHERE id = e.device) AS gpu_uuid, (SELECT pci_address FROM event_devices WHERE id = e.device) AS gpu_pci_address, (SELECT ordinal FROM event_devices WHERE id = e.device) AS device_ordinal FROM event_rows e LEFT JOIN clocks k ON k.id = e.clock LEFT JOIN threads t ON t.id = e.thread LEFT JOIN sites s ON s.id = e.site;
CREATE VIEW tcp_events AS SELECT k.node || ':' || (e.seq - k.seq_offset) AS id, k.wall_ns + e.start AS timestamp_ns,
  'tcp_retransmit_skb' AS event, t.pid AS pid, t.tid AS tid, coalesce(t.comm, p.comm) AS comm,
  CASE d.family WHEN 2 THEN 'ipv4' WHEN 10 THEN 'ipv6' END AS family, d.saddr AS saddr, d.sport AS sport,
  d.daddr AS daddr, d.dport AS dport, d.state AS state, d.sequence AS seq, t.cgroup_id AS cgroup_id, k.node AS node
  FROM tcp_details d JOIN event_rows e ON e.seq = d.seq LEFT JOIN clocks k ON k.id = e.clock
  LEFT JOIN threads t ON t.id = e.thread LEFT JOIN processes p ON p.id = t.process;
CREATE VIEW collectives AS SELECT k.node || ':' || (e.seq - k.seq_offset) AS id, k.wall_ns + e.start AS timestamp, e.duration AS duration,
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
ALTER TABLE calls ADD COLUMN asynchronous INTEGER;
ALTER TABLE sites ADD COLUMN single_stepped INTEGER;
ALTER TABLE sessions ADD COLUMN single_step_ns INTEGER;
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
CREATE VIEW thread_waits AS SELECT k.node || ':' || (e.seq - k.seq_offset) AS id, k.wall_ns + e.start AS timestamp, t.pid AS pid, t.tid AS tid,
  coalesce(t.comm, p.comm) AS comm, e.duration AS duration, CASE w.kind WHEN 0 THEN 'unknown' WHEN 1 THEN 'preempted' WHEN 2 THEN 'throttled' WHEN 3 THEN 'stopped' WHEN 4 THEN 'traced' WHEN 5 THEN 'frozen' WHEN 6 THEN 'disk' WHEN 7 THEN 'reclaim' WHEN 8 THEN 'page fault' WHEN 9 THEN 'pipe' WHEN 10 THEN 'socket' WHEN 11 THEN 'futex' WHEN 12 THEN 'poll' WHEN 13 THEN 'child' WHEN 14 THEN 'sleep' WHEN 15 THEN 'driver' WHEN 16 THEN 'file' WHEN 17 THEN 'terminal' WHEN 18 THEN 'event file' WHEN 19 THEN 'io_uring' WHEN 20 THEN 'other' END AS kind, w.syscall AS syscall, w.object AS object,
  (SELECT name FROM wait_objects o WHERE o.session = k.session AND o.kind = w.kind AND o.object = w.object)
    AS object_name, w.descriptor AS descriptor, w.flags & 1 AS is_write, (w.flags >> 1) & 1 AS timed_out,
  f.family AS peer_family, f.local_port AS local_port, f.peer_port AS peer_port, f.accepted AS accepted,
  a.pid AS waker_pid, a.tid AS waker_tid, a.comm AS waker_comm, w.waker_syscall AS waker_syscall,
  w.minor_faults AS minor_faults, e.preempted AS preempted_ns, e.runqueue AS runqueue_ns, e.blocked AS blocked_ns,
  e.io AS io_ns, k.mono_ns + e.start AS start_mono_ns, k.session AS session, e.seq AS seq
  FROM waits w JOIN event_rows e ON e.seq = w.seq LEFT JOIN clocks k ON k.id = e.clock
  LEFT JOIN threads t ON t.id = e.thread LEFT JOIN processes p ON p.id = t.process
  LEFT JOIN wait_peers f ON f.id = w.peer LEFT JOIN wakers a ON a.id = w.waker;
CREATE TABLE step_rows (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, process INTEGER NOT NULL, tid INTEGER NOT NULL, number INTEGER NOT NULL, timestamp INTEGER NOT NULL, start_mono_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, content INTEGER NOT NULL, flags INTEGER NOT NULL, usual_ns INTEGER, slow_class TEXT, more_ns INTEGER, cause INTEGER, idle_low INTEGER NOT NULL, idle_high INTEGER NOT NULL, syncs INTEGER NOT NULL, submissions INTEGER NOT NULL, device_wait INTEGER, device_wait_low INTEGER, device_wait_high INTEGER, communication INTEGER, communication_low INTEGER, communication_high INTEGER, submit INTEGER, submit_low INTEGER, submit_high INTEGER, copy INTEGER, copy_low INTEGER, copy_high INTEGER, allocate INTEGER, allocate_low INTEGER, allocate_high INTEGER, other_call INTEGER, other_call_low INTEGER, other_call_high INTEGER, host INTEGER, host_low INTEGER, host_high INTEGER, page_fault INTEGER, page_fault_low INTEGER, page_fault_high INTEGER, cpu_wait INTEGER, cpu_wait_low INTEGER, cpu_wait_high INTEGER, throttled INTEGER, throttled_low INTEGER, throttled_high INTEGER, stopped INTEGER, stopped_low INTEGER, stopped_high INTEGER, disk INTEGER, disk_low INTEGER, disk_high INTEGER, reclaim INTEGER, reclaim_low INTEGER, reclaim_high INTEGER, pipe INTEGER, pipe_low INTEGER, pipe_high INTEGER, socket INTEGER, socket_low INTEGER, socket_high INTEGER, futex INTEGER, futex_low INTEGER, futex_high INTEGER, poll INTEGER, poll_low INTEGER, poll_high INTEGER, child INTEGER, child_low INTEGER, child_high INTEGER, sleep INTEGER, sleep_low INTEGER, sleep_high INTEGER, driver INTEGER, driver_low INTEGER, driver_high INTEGER, other_wait INTEGER, other_wait_low INTEGER, other_wait_high INTEGER, blocked INTEGER, blocked_low INTEGER, blocked_high INTEGER, unknown INTEGER, unknown_low INTEGER, unknown_high INTEGER);
CREATE INDEX idx_step_rows_timestamp ON step_rows(timestamp);
CREATE TABLE second_rows (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, process INTEGER NOT NULL, tid INTEGER NOT NULL, timestamp INTEGER NOT NULL, start_mono_ns INTEGER NOT NULL, idle_low INTEGER NOT NULL, idle_high INTEGER NOT NULL, syncs INTEGER NOT NULL, submissions INTEGER NOT NULL, device_wait INTEGER, device_wait_low INTEGER, device_wait_high INTEGER, communication INTEGER, communication_low INTEGER, communication_high INTEGER, submit INTEGER, submit_low INTEGER, submit_high INTEGER, copy INTEGER, copy_low INTEGER, copy_high INTEGER, allocate INTEGER, allocate_low INTEGER, allocate_high INTEGER, other_call INTEGER, other_call_low INTEGER, other_call_high INTEGER, host INTEGER, host_low INTEGER, host_high INTEGER, page_fault INTEGER, page_fault_low INTEGER, page_fault_high INTEGER, cpu_wait INTEGER, cpu_wait_low INTEGER, cpu_wait_high INTEGER, throttled INTEGER, throttled_low INTEGER, throttled_high INTEGER, stopped INTEGER, stopped_low INTEGER, stopped_high INTEGER, disk INTEGER, disk_low INTEGER, disk_high INTEGER, reclaim INTEGER, reclaim_low INTEGER, reclaim_high INTEGER, pipe INTEGER, pipe_low INTEGER, pipe_high INTEGER, socket INTEGER, socket_low INTEGER, socket_high INTEGER, futex INTEGER, futex_low INTEGER, futex_high INTEGER, poll INTEGER, poll_low INTEGER, poll_high INTEGER, child INTEGER, child_low INTEGER, child_high INTEGER, sleep INTEGER, sleep_low INTEGER, sleep_high INTEGER, driver INTEGER, driver_low INTEGER, driver_high INTEGER, other_wait INTEGER, other_wait_low INTEGER, other_wait_high INTEGER, blocked INTEGER, blocked_low INTEGER, blocked_high INTEGER, unknown INTEGER, unknown_low INTEGER, unknown_high INTEGER);
CREATE INDEX idx_second_rows_timestamp ON second_rows(timestamp);
CREATE TABLE causes (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, parent INTEGER, class TEXT NOT NULL, role TEXT, pids TEXT, object TEXT, stack_hash INTEGER, is_write INTEGER NOT NULL);
CREATE TABLE cause_rows (id INTEGER PRIMARY KEY, process INTEGER NOT NULL, tid INTEGER NOT NULL, timestamp INTEGER NOT NULL, step INTEGER, cause INTEGER NOT NULL, times INTEGER NOT NULL, ns INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL);
CREATE INDEX idx_cause_rows_timestamp ON cause_rows(timestamp);
CREATE VIEW steps AS SELECT r.id AS id, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.number AS number, r.duration_ns AS duration_ns, r.flags & 1 AS is_usual, (r.flags >> 1) & 1 AS is_slow, r.usual_ns AS usual_ns, r.slow_class AS slow_class, r.more_ns AS more_ns, r.cause AS cause, r.idle_low AS idle_low, r.idle_high AS idle_high, r.syncs AS syncs, r.submissions AS submissions, r.content AS content, r.start_mono_ns AS start_mono_ns, r.session AS session, r.process AS process FROM step_rows r JOIN processes p ON p.id = r.process;
CREATE VIEW step_classes AS SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'device_wait' AS class, r.device_wait AS ns, coalesce(r.device_wait_low, 0) AS low, coalesce(r.device_wait_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.device_wait IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'communication' AS class, r.communication AS ns, coalesce(r.communication_low, 0) AS low, coalesce(r.communication_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.communication IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'submit' AS class, r.submit AS ns, coalesce(r.submit_low, 0) AS low, coalesce(r.submit_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.submit IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'copy' AS class, r.copy AS ns, coalesce(r.copy_low, 0) AS low, coalesce(r.copy_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.copy IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'allocate' AS class, r.allocate AS ns, coalesce(r.allocate_low, 0) AS low, coalesce(r.allocate_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.allocate IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'other_call' AS class, r.other_call AS ns, coalesce(r.other_call_low, 0) AS low, coalesce(r.other_call_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.other_call IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'host' AS class, r.host AS ns, coalesce(r.host_low, 0) AS low, coalesce(r.host_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.host IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'page_fault' AS class, r.page_fault AS ns, coalesce(r.page_fault_low, 0) AS low, coalesce(r.page_fault_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.page_fault IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'cpu_wait' AS class, r.cpu_wait AS ns, coalesce(r.cpu_wait_low, 0) AS low, coalesce(r.cpu_wait_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.cpu_wait IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'throttled' AS class, r.throttled AS ns, coalesce(r.throttled_low, 0) AS low, coalesce(r.throttled_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.throttled IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'stopped' AS class, r.stopped AS ns, coalesce(r.stopped_low, 0) AS low, coalesce(r.stopped_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.stopped IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'disk' AS class, r.disk AS ns, coalesce(r.disk_low, 0) AS low, coalesce(r.disk_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.disk IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'reclaim' AS class, r.reclaim AS ns, coalesce(r.reclaim_low, 0) AS low, coalesce(r.reclaim_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.reclaim IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'pipe' AS class, r.pipe AS ns, coalesce(r.pipe_low, 0) AS low, coalesce(r.pipe_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.pipe IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'socket' AS class, r.socket AS ns, coalesce(r.socket_low, 0) AS low, coalesce(r.socket_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.socket IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'futex' AS class, r.futex AS ns, coalesce(r.futex_low, 0) AS low, coalesce(r.futex_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.futex IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'poll' AS class, r.poll AS ns, coalesce(r.poll_low, 0) AS low, coalesce(r.poll_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.poll IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'child' AS class, r.child AS ns, coalesce(r.child_low, 0) AS low, coalesce(r.child_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.child IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'sleep' AS class, r.sleep AS ns, coalesce(r.sleep_low, 0) AS low, coalesce(r.sleep_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.sleep IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'driver' AS class, r.driver AS ns, coalesce(r.driver_low, 0) AS low, coalesce(r.driver_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.driver IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'other_wait' AS class, r.other_wait AS ns, coalesce(r.other_wait_low, 0) AS low, coalesce(r.other_wait_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.other_wait IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'blocked' AS class, r.blocked AS ns, coalesce(r.blocked_low, 0) AS low, coalesce(r.blocked_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.blocked IS NOT NULL UNION ALL SELECT r.id AS step, r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, r.number AS number, 'unknown' AS class, r.unknown AS ns, coalesce(r.unknown_low, 0) AS low, coalesce(r.unknown_high, 0) AS high FROM step_rows r JOIN processes p ON p.id = r.process WHERE r.unknown IS NOT NULL;
CREATE VIEW budget AS SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'device_wait' AS class, r.device_wait AS ns, coalesce(r.device_wait_low, 0) AS low, coalesce(r.device_wait_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.device_wait IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'communication' AS class, r.communication AS ns, coalesce(r.communication_low, 0) AS low, coalesce(r.communication_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.communication IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'submit' AS class, r.submit AS ns, coalesce(r.submit_low, 0) AS low, coalesce(r.submit_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.submit IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'copy' AS class, r.copy AS ns, coalesce(r.copy_low, 0) AS low, coalesce(r.copy_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.copy IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'allocate' AS class, r.allocate AS ns, coalesce(r.allocate_low, 0) AS low, coalesce(r.allocate_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.allocate IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'other_call' AS class, r.other_call AS ns, coalesce(r.other_call_low, 0) AS low, coalesce(r.other_call_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.other_call IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'host' AS class, r.host AS ns, coalesce(r.host_low, 0) AS low, coalesce(r.host_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.host IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'page_fault' AS class, r.page_fault AS ns, coalesce(r.page_fault_low, 0) AS low, coalesce(r.page_fault_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.page_fault IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'cpu_wait' AS class, r.cpu_wait AS ns, coalesce(r.cpu_wait_low, 0) AS low, coalesce(r.cpu_wait_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.cpu_wait IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'throttled' AS class, r.throttled AS ns, coalesce(r.throttled_low, 0) AS low, coalesce(r.throttled_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.throttled IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'stopped' AS class, r.stopped AS ns, coalesce(r.stopped_low, 0) AS low, coalesce(r.stopped_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.stopped IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'disk' AS class, r.disk AS ns, coalesce(r.disk_low, 0) AS low, coalesce(r.disk_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.disk IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'reclaim' AS class, r.reclaim AS ns, coalesce(r.reclaim_low, 0) AS low, coalesce(r.reclaim_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.reclaim IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'pipe' AS class, r.pipe AS ns, coalesce(r.pipe_low, 0) AS low, coalesce(r.pipe_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.pipe IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'socket' AS class, r.socket AS ns, coalesce(r.socket_low, 0) AS low, coalesce(r.socket_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.socket IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'futex' AS class, r.futex AS ns, coalesce(r.futex_low, 0) AS low, coalesce(r.futex_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.futex IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'poll' AS class, r.poll AS ns, coalesce(r.poll_low, 0) AS low, coalesce(r.poll_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.poll IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'child' AS class, r.child AS ns, coalesce(r.child_low, 0) AS low, coalesce(r.child_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.child IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'sleep' AS class, r.sleep AS ns, coalesce(r.sleep_low, 0) AS low, coalesce(r.sleep_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.sleep IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'driver' AS class, r.driver AS ns, coalesce(r.driver_low, 0) AS low, coalesce(r.driver_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.driver IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'other_wait' AS class, r.other_wait AS ns, coalesce(r.other_wait_low, 0) AS low, coalesce(r.other_wait_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.other_wait IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'blocked' AS class, r.blocked AS ns, coalesce(r.blocked_low, 0) AS low, coalesce(r.blocked_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.blocked IS NOT NULL UNION ALL SELECT r.timestamp AS timestamp, p.pid AS pid, r.tid AS tid, p.comm AS comm, r.session AS session, 'unknown' AS class, r.unknown AS ns, coalesce(r.unknown_low, 0) AS low, coalesce(r.unknown_high, 0) AS high FROM second_rows r JOIN processes p ON p.id = r.process WHERE r.unknown IS NOT NULL;
CREATE VIEW blame AS SELECT c.timestamp AS timestamp, p.pid AS pid, c.tid AS tid, p.comm AS comm, c.step AS step, c.cause AS cause, (WITH RECURSIVE path(id, parent, text, depth) AS (SELECT id, parent, coalesce(role, '?') || ': ' || class || coalesce(' ' || object, ''), 0 FROM causes WHERE id = c.cause UNION ALL SELECT u.id, u.parent, coalesce(u.role, '?') || ': ' || u.class || coalesce(' ' || u.object, '') || ' <- ' || path.text, path.depth + 1 FROM causes u JOIN path ON u.id = path.parent WHERE path.depth < 8) SELECT text FROM path ORDER BY depth DESC LIMIT 1) AS path, c.times AS times, c.ns AS ns, c.low AS low, c.high AS high FROM cause_rows c JOIN processes p ON p.id = c.process;
COMMIT;
ALTER TABLE processes ADD COLUMN settings TEXT; PRAGMA user_version = 30;
PRAGMA application_id = 1229866834; ALTER TABLE sessions ADD COLUMN probe_ns INTEGER; CREATE TABLE lost_calls (session INTEGER NOT NULL, timestamp INTEGER NOT NULL, pid INTEGER, comm TEXT, calls INTEGER NOT NULL, waited_ns INTEGER NOT NULL); ALTER TABLE calls ADD COLUMN below_runtime INTEGER NOT NULL DEFAULT 0; UPDATE calls SET below_runtime = layer = 'DRIVER'; ALTER TABLE communicators ADD COLUMN library_hash INTEGER; PRAGMA user_version = 33;
