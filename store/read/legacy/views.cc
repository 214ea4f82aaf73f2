// Legacy recordings (schema 0.8 to 0.10), seen through TEMP views with the names and columns of ours, so that every
// query and summary works on both. The file itself is not changed; what it does not hold is NULL.
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "hal/vocabulary.h"
#include "store/db/schema.h"
#include "store/read/legacy/legacy.h"

namespace ingero::store {
namespace {

// What the numbers mean, and which word arg0 and arg1 are.
struct LegacyOp {
  int source, op;
  const char* call;     // the symbol
  const char* op_name;  // as that agent shows it
  hal::Kind kind;
  bool synchronising;
  char arg0, arg1;  // b bytes, a address, s stream, f function, d direction, - something else
};
constexpr LegacyOp kOps[] = {
    {1, 1, "cudaMalloc", "cudaMalloc", hal::Kind::kAlloc, false, 'b', 'a'},
    {1, 2, "cudaFree", "cudaFree", hal::Kind::kFree, false, 'a', '-'},
    {1, 3, "cudaLaunchKernel", "cudaLaunchKernel", hal::Kind::kLaunch, false, 'f', 's'},
    {1, 4, "cudaMemcpy", "cudaMemcpy", hal::Kind::kMemcpy, true, 'b', 'd'},
    {1, 5, "cudaStreamSynchronize", "cudaStreamSync", hal::Kind::kSync, true, 's', '-'},
    {1, 6, "cudaDeviceSynchronize", "cudaDeviceSync", hal::Kind::kSync, true, '-', '-'},
    {1, 7, "cudaMemcpyAsync", "cudaMemcpyAsync", hal::Kind::kMemcpy, false, 'b', 'd'},
    {1, 8, "cudaMallocManaged", "cudaMallocManaged", hal::Kind::kAlloc, false, 'b', 'a'},
    {1, 9, "cudaMemcpy2D", "cudaMemcpy2D", hal::Kind::kMemcpy, true, '-', '-'},
    {1, 10, "cudaMemcpy2DAsync", "cudaMemcpy2DAsync", hal::Kind::kMemcpy, false, '-', '-'},
    {1, 11, "cudaMemcpyPeer", "cudaMemcpyPeer", hal::Kind::kMemcpy, true, 'b', 'd'},
    {1, 12, "cudaMemcpyPeerAsync", "cudaMemcpyPeerAsync", hal::Kind::kMemcpy, false, 'b', 'd'},
    {3, 1, "sched_switch", "sched_switch", hal::Kind::kHost, false, '-', '-'},
    {3, 2, "sched_wakeup", "sched_wakeup", hal::Kind::kHost, false, '-', '-'},
    {3, 3, "mm_page_alloc", "mm_page_alloc", hal::Kind::kHost, false, 'b', '-'},
    {3, 4, "oom_kill", "oom_kill", hal::Kind::kHost, false, '-', '-'},
    {3, 5, "process_exec", "process_exec", hal::Kind::kHost, false, '-', '-'},
    {3, 6, "process_exit", "process_exit", hal::Kind::kHost, false, '-', '-'},
    {3, 7, "process_fork", "process_fork", hal::Kind::kHost, false, '-', '-'},
    {3, 10, "pod_restart", "pod_restart", hal::Kind::kHost, false, '-', '-'},
    {3, 11, "pod_eviction", "pod_eviction", hal::Kind::kHost, false, '-', '-'},
    {3, 12, "pod_oom_kill", "pod_oom_kill", hal::Kind::kHost, false, '-', '-'},
    {3, 20, "mm_page_alloc_summary", "mm_page_alloc_summary", hal::Kind::kHost, false, '-', '-'},
    {3, 21, "sched_switch_summary", "sched_switch_summary", hal::Kind::kHost, false, '-', '-'},
    {4, 1, "cuLaunchKernel", "cuLaunchKernel", hal::Kind::kLaunch, false, 'f', '-'},
    {4, 2, "cuMemcpy", "cuMemcpy", hal::Kind::kMemcpy, true, 'b', '-'},
    {4, 3, "cuMemcpyAsync", "cuMemcpyAsync", hal::Kind::kMemcpy, false, 'b', '-'},
    {4, 4, "cuCtxSynchronize", "cuCtxSynchronize", hal::Kind::kSync, true, '-', '-'},
    {4, 5, "cuMemAlloc", "cuMemAlloc", hal::Kind::kAlloc, false, 'b', '-'},
    {4, 6, "cuMemAllocManaged", "cuMemAllocManaged", hal::Kind::kAlloc, false, 'b', '-'},
    {5, 1, "block_read", "block_read", hal::Kind::kHost, false, '-', '-'},
    {5, 2, "block_write", "block_write", hal::Kind::kHost, false, '-', '-'},
    {5, 3, "block_discard", "block_discard", hal::Kind::kHost, false, '-', '-'},
    {6, 1, "tcp_retransmit", "tcp_retransmit", hal::Kind::kHost, false, '-', '-'},
    {7, 1, "net_send", "net_send", hal::Kind::kHost, false, '-', 'b'},
    {7, 2, "net_recv", "net_recv", hal::Kind::kHost, false, '-', 'b'},
    {8, 1, "cudaStreamBeginCapture", "graphBeginCapture", hal::Kind::kGraph, false, '-', '-'},
    {8, 2, "cudaStreamEndCapture", "graphEndCapture", hal::Kind::kGraph, false, '-', '-'},
    {8, 3, "cudaGraphInstantiate", "graphInstantiate", hal::Kind::kGraph, false, '-', '-'},
    {8, 4, "cudaGraphLaunch", "graphLaunch", hal::Kind::kGraph, false, '-', '-'},
    {9, 1, "ncclCommInitRank", "CommInitRank", hal::Kind::kCommunicator, false, '-', '-'},
    {9, 2, "ncclCommDestroy", "CommDestroy", hal::Kind::kCommunicator, false, '-', '-'},
    {9, 3, "ncclAllReduce", "AllReduce", hal::Kind::kCollective, false, '-', '-'},
    {9, 4, "ncclAllGather", "AllGather", hal::Kind::kCollective, false, '-', '-'},
    {9, 5, "ncclReduceScatter", "ReduceScatter", hal::Kind::kCollective, false, '-', '-'},
    {9, 6, "ncclBcast", "Bcast", hal::Kind::kCollective, false, '-', '-'},
    {9, 7, "ncclSend", "Send", hal::Kind::kP2p, false, '-', '-'},
    {9, 8, "ncclRecv", "Recv", hal::Kind::kP2p, false, '-', '-'},
    {9, 9, "ncclCommInitAll", "CommInitAll", hal::Kind::kCommunicator, false, '-', '-'},
};

struct LegacySource {
  int id;
  const char *name, *vendor, *backend, *layer;
  bool below_runtime = false;
};
constexpr LegacySource kSources[] = {
    {1, "CUDA", "nvidia", "cuda", "CUDA"}, {2, "NVIDIA", "nvidia", "cuda", "NVIDIA"},
    {3, "HOST", "host", "host", "HOST"},   {4, "DRIVER", "nvidia", "cuda", "DRIVER", true},
    {5, "IO", "host", "host", "IO"},       {6, "TCP", "host", "host", "TCP"},
    {7, "NET", "host", "host", "NET"},     {8, "CUDA_GRAPH", "nvidia", "cuda", "CUDA"},
    {9, "NCCL", "nvidia", "nccl", "NCCL"},
};

// Documented tables and the columns that some of those versions lack.
struct Documented {
  const char* table;
  std::initializer_list<const char*> columns;
};
const Documented kDocumented[] = {
    {"causal_chains",
     {"id",      "detected_at", "severity",    "summary",    "root_cause", "explanation", "recommendations",
      "cuda_op", "cuda_p99_us", "cuda_p50_us", "tail_ratio", "timeline",   "node",        "rule",
      "grade",   "confidence",  "pid",         "tid",        "process",    "rank",        "onset",
      "ended",   "resolved_at", "lost_ns",     "evidence",   "symptoms",   "stack_hash"}},
    {"sessions",
     {"id", "started_at", "stopped_at", "gpu_model", "gpu_driver", "cpu_model", "cpu_cores", "mem_total", "kernel",
      "os_release", "cuda_ver", "python_ver", "ingero_ver", "pid_filter", "flags", "node", "rank", "local_rank",
      "world_size"}},
    {"system_snapshots",
     {"id", "timestamp", "cpu_pct", "mem_pct", "mem_avail", "swap_mb", "load_avg", "psi_cpu_some", "psi_io_some",
      "psi_io_full", "psi_mem_some", "psi_mem_full", "major_faults", "steal_pct", "interrupt_pct", "session"}},
    {"stack_traces", {"hash", "ips", "frames"}},
    {"process_names", {"pid", "name", "seen_at"}},
    {"event_aggregates",
     {"bucket", "source", "op", "pid", "count", "stored", "sum_dur", "min_dur", "max_dur", "sum_arg0"}},
    {"event_aggregates_5s",
     {"bucket", "source", "op", "pid", "count", "stored", "sum_dur", "min_dur", "max_dur", "sum_arg0"}},
    {"cgroup_metadata", {"cgroup_id", "container_id", "cgroup_path", "pod_name", "namespace"}},
    {"cgroup_schedstat", {"cgroup_id", "p99_off_cpu", "total_off_cpu", "event_count", "window_start", "window_end"}},
    {"annotations",
     {"id", "timestamp", "labels", "pid", "start_time", "span_start", "span_end", "peer_uid", "peer_gid", "peer_pid",
      "session"}},
    {"loss", {"session", "name", "room", "severity", "count", "sentence"}},
};

Result<std::set<std::string>> columns_of(Database& database, const std::string& table) {
  Result<Statement> statement =
      database.prepare(fmt::format("SELECT name FROM pragma_table_info('{}', 'main')", table));
  if (!statement.ok()) return statement.error();
  std::set<std::string> columns;
  for (;;) {
    Result<bool> row = statement->step();
    if (!row.ok()) return row.error();
    if (!*row) return columns;
    columns.insert(statement->text(0));
  }
}

std::string documented_view(const Documented& documented, const std::set<std::string>& there) {
  std::string list;
  for (const char* column : documented.columns) {
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", there.contains(column) ? "" : "NULL AS ", column);
  }
  return fmt::format("CREATE TEMP VIEW {} AS SELECT {} {};\n", documented.table, list,
                     there.empty() ? "WHERE 0" : fmt::format("FROM main.{}", documented.table));
}

std::string op_tables() {
  std::string sql =
      "CREATE TEMP TABLE legacy_ops (source INTEGER, op INTEGER, call, op_name, kind, vendor, backend, layer, "
      "synchronising, below_runtime, arg0, arg1, PRIMARY KEY (source, op)) WITHOUT ROWID;\nINSERT INTO legacy_ops "
      "VALUES ";
  const char* separator = "";
  for (const LegacyOp& op : kOps) {
    const LegacySource& source = kSources[op.source - 1];
    sql += fmt::format("{}({}, {}, '{}', '{}', '{}', '{}', '{}', '{}', {}, {}, '{}', '{}')", separator, op.source,
                       op.op, op.call, op.op_name, name_of(op.kind), source.vendor, source.backend, source.layer,
                       op.synchronising ? 1 : 0, source.below_runtime ? 1 : 0, op.arg0, op.arg1);
    separator = ", ";
  }
  sql += ";\nCREATE TEMP VIEW sources AS SELECT id, name, description FROM main.sources";
  for (const LegacySource& source : kSources) {
    sql +=
        fmt::format(" UNION ALL SELECT {0}, '{1}', '{1}' WHERE NOT EXISTS (SELECT 1 FROM main.sources WHERE id = {0})",
                    source.id, source.name);
  }
  return sql +
         ";\nCREATE TEMP VIEW sites AS SELECT op_name, call AS name, NULL AS symbol FROM temp.legacy_ops"
         ";\nCREATE TEMP VIEW calls AS SELECT call AS name, op_name, kind, vendor, layer, synchronising, NULL AS "
         "memory FROM "
         "temp.legacy_ops"
         ";\nCREATE TEMP VIEW event_rows AS SELECT rowid AS seq, 0 AS state FROM main.events"
         ";\nCREATE TEMP VIEW ops AS SELECT source_id, op_id, name, description FROM main.ops UNION ALL "
         "SELECT source, op, op_name, layer || ' ' || kind FROM legacy_ops l WHERE NOT EXISTS "
         "(SELECT 1 FROM main.ops o WHERE o.source_id = l.source AND o.op_id = l.op);\n";
}

std::string legacy_events_view(const std::set<std::string>& there) {
  const auto column = [&](const char* name) {
    return there.contains(name) ? fmt::format("e.{} AS {}", name, name) : fmt::format("NULL AS {}", name);
  };
  const auto word = [](const char* letter) {
    return fmt::format("CASE '{0}' WHEN o.arg0 THEN e.arg0 WHEN o.arg1 THEN e.arg1 END", letter);
  };
  std::string sql = "CREATE TEMP VIEW events AS SELECT ";
  for (const char* name : {"id", "timestamp", "pid", "tid", "source", "op", "duration", "gpu_id", "arg0", "arg1",
                           "ret_code", "stack_hash", "node", "rank", "local_rank", "world_size"}) {
    sql += column(name) + ", ";
  }
  sql += there.contains("comm") ? "coalesce(nullif(e.comm, ''), n.name) AS comm, " : "n.name AS comm, ";
  sql += column("stack_ips") + ", " + column("cgroup_id") + ", ";
  sql +=
      "o.kind AS kind, o.vendor AS vendor, o.backend AS backend, o.layer AS layer, "
      "coalesce(o.call, 'op ' || e.source || '/' || e.op) AS call, "
      "coalesce(o.op_name, 'op ' || e.source || '/' || e.op) AS op_name, NULL AS symbol, NULL AS library, "
      "NULL AS library_version, 'returned' AS outcome, "
      "CASE WHEN e.source IN (1, 4, 8, 9) THEN e.ret_code <> 0 END AS failed, CASE " +
      word("d") +
      " WHEN 0 THEN 'h2h' WHEN 1 THEN 'h2d' WHEN 2 THEN 'd2h' WHEN 3 THEN 'd2d' WHEN 4 THEN 'default' END "
      "AS direction, " +
      word("s") + " AS stream, " + word("b") + " AS bytes, " + word("a") + " AS address, NULL AS source_address, " +
      word("f") + " AS function";
  for (const char* name :
       {"kernel",          "grid_x",        "grid_y",      "grid_z",           "block_x",      "block_y",
        "block_z",         "shared_bytes",  "handle",      "handle2",          "peer_device",  "flags",
        "start_mono_ns",   "depth",         "parent_call", "parent_timestamp", "preempted_ns", "runqueue_ns",
        "blocked_ns",      "io_ns",         "culprit_pid", "culprit_comm",     "culprit_ns",   "gpu_uuid",
        "gpu_pci_address", "device_ordinal"}) {
    sql += fmt::format(", NULL AS {}", name);
  }
  return sql +
         ", 1 AS weight, NULL AS session, NULL AS process, e.rowid AS seq FROM main.events e "
         "LEFT JOIN legacy_ops o ON o.source = e.source AND o.op = e.op "
         "LEFT JOIN main.process_names n ON n.pid = e.pid;\n";
}

std::string detail_views() {
  const auto octets = [](const char* word) {
    return fmt::format(
        "printf('%d.%d.%d.%d', ({0}) & 255, (({0}) >> 8) & 255, (({0}) >> 16) & 255, (({0}) >> 24) & 255)", word);
  };
  return "CREATE TEMP VIEW cuda_events AS SELECT id, timestamp AS timestamp_ns, duration AS duration_ns, call AS op, "
         "source, op AS op_id, kind, pid, tid, comm, gpu_id, stream, bytes, direction, kernel, arg0, arg1, ret_code, "
         "outcome, stack_hash, node, rank, cgroup_id FROM temp.events WHERE source IN (1, 4, 8);\n"
         "CREATE TEMP VIEW tcp_events AS SELECT id, timestamp AS timestamp_ns, 'tcp_retransmit_skb' AS event, pid, "
         "tid, "
         "comm, 'ipv4' AS family, " +
         octets("arg0 >> 32") + " AS saddr, (arg1 >> 16) & 65535 AS sport, " + octets("arg0") +
         " AS daddr, arg1 & 65535 AS dport, gpu_id AS state, NULL AS seq, cgroup_id, node FROM temp.events "
         "WHERE source = 6;\n"
         "CREATE TEMP VIEW nccl_events AS SELECT id, timestamp AS timestamp_ns, duration AS duration_ns, " +
         collective_name_sql("call") +
         " AS op, call, rank, world_size AS nranks, NULL AS comm_id_hash, pid, tid, comm, cgroup_id, NULL AS datatype, "
         "NULL AS reduce_op, bytes AS count_bytes, NULL AS seq, stream, ret_code, outcome, node FROM temp.events "
         "WHERE source = 9;\n";
}

}  // namespace

Status create_legacy_views(Database& database) {
  std::string sql;
  bool has_names = false;
  for (const Documented& documented : kDocumented) {
    Result<std::set<std::string>> there = columns_of(database, documented.table);
    if (!there.ok()) return there.error();
    if (std::string_view(documented.table) == "process_names") has_names = !there->empty();
    bool complete = true;
    for (const char* column : documented.columns) complete = complete && there->contains(column);
    if (!complete) sql += documented_view(documented, *there);
  }
  Result<std::set<std::string>> events = columns_of(database, "events");
  if (!events.ok()) return events.error();
  for (const char* name : {"id", "timestamp", "pid", "tid", "source", "op", "duration", "arg0", "arg1", "ret_code"}) {
    if (!events->contains(name) || !has_names) {
      return Error(Errc::kCorrupt, fmt::format("{}: looks like a recording, but lacks events.{} or process_names",
                                               database.path(), name));
    }
  }
  sql +=
      "CREATE TEMP VIEW chains AS SELECT id, detected_at, severity, summary, root_cause, explanation, recommendations, "
      "timeline, cuda_op AS op, cuda_p99_us AS p99_us, cuda_p50_us AS p50_us, tail_ratio, node, rule, grade, "
      "confidence, "
      "pid, tid, process, rank, onset, ended, resolved_at, lost_ns, evidence, symptoms, stack_hash FROM "
      "causal_chains;\n";
  INGERO_TRY(database.execute(sql + op_tables() + legacy_events_view(*events) + detail_views()));
  const Result<std::string> others = empty_views_sql(database);
  INGERO_TRY(others);
  return database.execute(*others);
}

}  // namespace ingero::store
