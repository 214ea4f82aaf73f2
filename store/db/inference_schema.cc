// The tables of inference, and the views over them.
#include "store/db/inference_schema.h"

namespace ingero::store {

std::string inference_tables() {
  return R"sql(
CREATE TABLE inference_workload_rows (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, process INTEGER NOT NULL,
  cgroup_id INTEGER, stream INTEGER, phase TEXT NOT NULL, functions INTEGER, engine INTEGER, first INTEGER NOT NULL,
  last INTEGER NOT NULL, steps INTEGER NOT NULL, total_ns INTEGER NOT NULL, min_ns INTEGER NOT NULL,
  max_ns INTEGER NOT NULL, idle_ns INTEGER NOT NULL, launches INTEGER NOT NULL, graph_launches INTEGER NOT NULL,
  copied_bytes INTEGER NOT NULL, slow_1_5x INTEGER NOT NULL, slow_2x INTEGER NOT NULL, slow_3x INTEGER NOT NULL,
  relearned INTEGER NOT NULL, healthy INTEGER NOT NULL, mean_ns INTEGER, p95_ns INTEGER, histogram BLOB NOT NULL);
CREATE TABLE inference_step_rows (id INTEGER PRIMARY KEY, workload INTEGER NOT NULL, tid INTEGER NOT NULL,
  timestamp INTEGER NOT NULL, start_mono_ns INTEGER NOT NULL, end_mono_ns INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL, idle_ns INTEGER NOT NULL, wait_ns INTEGER NOT NULL, launches INTEGER NOT NULL,
  graph_launches INTEGER NOT NULL, copies INTEGER NOT NULL, copied_bytes INTEGER NOT NULL, sets INTEGER NOT NULL,
  collectives INTEGER NOT NULL, mean_gap_ns INTEGER, slow TEXT, baseline_mean_ns INTEGER, baseline_p95_ns INTEGER,
  weight INTEGER NOT NULL);
CREATE INDEX idx_inference_step_rows_timestamp ON inference_step_rows(timestamp);
CREATE INDEX idx_inference_step_rows_slow ON inference_step_rows(timestamp) WHERE slow IS NOT NULL;
CREATE TABLE inference_engines (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, process INTEGER NOT NULL,
  name TEXT NOT NULL, model TEXT, url TEXT NOT NULL, found INTEGER NOT NULL, pid INTEGER NOT NULL);
CREATE TABLE inference_engine_metrics (engine INTEGER NOT NULL, timestamp INTEGER NOT NULL, name TEXT NOT NULL,
  source_name TEXT NOT NULL, model TEXT NOT NULL, unit TEXT NOT NULL, kind TEXT NOT NULL, value REAL, count INTEGER,
  sum REAL, interval_mean REAL, interval_p95 REAL, PRIMARY KEY (engine, timestamp, name, source_name, model))
  WITHOUT ROWID;
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
)sql";
}

}  // namespace ingero::store
