// The legacy dashboard's endpoints, answered by today's tools where one says the same: see endpoints.h.
#include "serve/api/endpoints.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "serve/api/legacy/names.h"
#include "store/db/json_rows.h"
#include "store/read/selection_sql.h"
#include "store/read/time_range.h"

namespace ingero::serve::api {
namespace {

using store::Bound;
using store::Value;

constexpr uint64_t kMaxSnapshots = 10'000;
constexpr size_t kChainTextBytes = 16 << 10;  // a timeline is JSON, and must not be cut
constexpr uint64_t kTimeNs = 30'000'000'000;

Result<Json> rows(const store::Reader& reader, const std::string& sql, std::vector<Bound> bound = {},
                  size_t text_bytes = 1024) {
  store::QueryLimits limits;
  limits.rows = kMaxSnapshots;
  limits.time_ns = kTimeNs;
  std::vector<std::string> names;
  Json list = Json::array();
  const auto outcome = reader.query(
      sql, limits,
      [&](std::span<const Value> values) {
        Json row = Json::object();
        for (size_t i = 0; i < values.size(); ++i) {
          row[names[i]] = values[i].type == Value::Type::kText ? Json(printable(values[i].text, text_bytes))
                                                               : store::json_of(values[i]);
        }
        list.push_back(std::move(row));
        return true;
      },
      [&](std::span<const std::string_view> given) { names.assign(given.begin(), given.end()); }, bound);
  if (!outcome.ok()) return outcome.error();
  return list;
}

Json without_nulls(Json row) {
  for (auto at = row.begin(); at != row.end();) at = at->is_null() ? row.erase(at) : std::next(at);
  return row;
}

Json input_with_since(const http::Request& request) {
  Json input = Json::object();
  if (const std::string since = request.parameter("since"); !since.empty()) input["since"] = since;
  return input;
}

// The part that ?since= means, as a condition on `timestamp`.
Result<uint64_t> from_of(const store::Reader& reader, const http::Request& request, const Clock& clock,
                         const char* otherwise) {
  std::string since = request.parameter("since");
  if (since.empty()) since = otherwise;
  if (since.empty()) return uint64_t{0};
  const auto range = store::resolve_range({since, "", "", "all"}, reader, clock, 0, "");
  if (!range.ok()) return range.error();
  return range->from_wall_ns.value_or(0);
}

Json us(const Json& ns) { return ns.is_number() ? Json(std::round(ns.get<double>() / 10) / 100) : Json(nullptr); }

Json chain_of(const Json& chain, bool whole) {
  Json out{{"id", chain["id"]},
           {"detected_at", chain["detected_at"]},
           {"severity", chain["severity"]},
           {"summary", chain["summary"]},
           {"root_cause", chain["root_cause"]},
           {"explanation", chain["explanation"]},
           {"recommendations", chain["recommendations"]}};
  if (!whole) return out;
  out[kChainOp] = chain["op"];
  out[kChainP99] = chain["slowest_us"];
  out[kChainP50] = chain["usual_us"];
  const bool both = chain["slowest_us"].is_number() && chain["usual_us"].is_number() && chain["usual_us"] != 0;
  out["tail_ratio"] =
      both ? Json(std::round(100 * chain["slowest_us"].get<double>() / chain["usual_us"].get<double>()) / 100)
           : Json(nullptr);
  Json timeline = Json::array();
  for (const Json& step : chain["timeline"]) timeline.push_back({{"layer", step["layer"]}, {"detail", step["detail"]}});
  out["timeline"] = timeline.empty() ? Json(nullptr) : std::move(timeline);
  out["node"] = chain["node"];
  return without_nulls(std::move(out));
}

Json snapshot_names(Json row) { return without_nulls(std::move(row)); }

Result<Json> latest_system(const store::Reader& reader) {
  auto found = rows(reader,
                    "SELECT cpu_pct AS cpu_percent, mem_pct AS mem_percent, swap_mb, load_avg FROM system_snapshots "
                    "ORDER BY timestamp DESC LIMIT 1");
  if (!found.ok()) return found.error();
  return found->empty() ? Json(nullptr) : snapshot_names((*found)[0]);
}

// The chains that a legacy recording has in it, as its own dashboard listed them; null: another one, whose chains are
// those that the engine finds. `columns`: of the table.
Result<Json> stored_chains(const store::Reader& reader, const char* columns, uint64_t from_wall_ns) {
  if (reader.layout() != store::Layout::kLegacy) return Json(nullptr);
  return rows(reader, fmt::format("SELECT {} FROM causal_chains WHERE detected_at >= ? ORDER BY detected_at", columns),
              {Bound::of(static_cast<int64_t>(from_wall_ns))}, kChainTextBytes);
}

Result<Json> overview(Api& api, const http::Request& request) {
  const auto stats = api.service().ask("get_trace_stats", input_with_since(request));
  if (!stats.ok()) return stats.error();
  const auto chains = api.service().ask("get_causal_chains", {{"top_n", 1}});
  if (!chains.ok()) return chains.error();
  auto lease = api.service().acquire();
  if (!lease.ok()) return lease.error();
  auto sessions = rows(**lease, "SELECT count(*) AS n FROM sessions");
  if (!sessions.ok()) return sessions.error();
  auto system = latest_system(**lease);
  if (!system.ok()) return system.error();
  auto gpu =
      rows(**lease, fmt::format("SELECT gpu_model AS model, gpu_driver AS driver_version, {} AS {} FROM sessions WHERE "
                                "gpu_model <> '' ORDER BY started_at DESC LIMIT 1",
                                kRuntimeVersionColumn, kRuntimeVersion));
  if (!gpu.ok()) return gpu.error();
  Json out{
      {"event_count", (*stats)["events"]}, {"chain_count", (*chains)["total"]}, {"session_count", (*sessions)[0]["n"]}};
  if (!system->is_null()) out["system"] = *system;
  if (!(*chains)["chains"].empty()) out["top_chain"] = chain_of((*chains)["chains"][0], false);
  if (!gpu->empty()) out["gpu"] = (*gpu)[0];
  const auto stored = stored_chains(**lease, "count(*) AS n", 0);
  if (!stored.ok()) return stored.error();
  if (!stored->is_null()) out["earlier_chain_count"] = (*stored)[0]["n"];
  return out;
}

Result<Json> ops(Api& api, const http::Request& request) {
  const auto stats = api.service().ask("get_trace_stats", input_with_since(request));
  if (!stats.ok()) return stats.error();
  Json list = Json::array();
  for (const char* part : {"calls", "host"}) {
    for (const Json& call : (*stats)[part]) {
      list.push_back(
          without_nulls({{"operation", call["op"]},
                         {"source", layer_name(call["layer"].get<std::string>(), call["kind"].get<std::string>())},
                         {"count", call["count"]},
                         {"p50_us", us(call["p50_ns"])},
                         {"p95_us", us(call["p95_ns"])},
                         {"p99_us", us(call["p99_ns"])},
                         {"avg_us", us(call["avg_ns"])},
                         {"min_us", us(call["min_ns"])},
                         {"max_us", us(call["max_ns"])}}));
    }
  }
  auto lease = api.service().acquire();
  if (!lease.ok()) return lease.error();
  auto system = latest_system(**lease);
  if (!system.ok()) return system.error();
  Json out{{"mode", list.empty() ? "empty" : "percentile"}, {"ops", std::move(list)}};
  if (!system->is_null()) out["system"] = *system;
  return out;
}

Result<Json> chains(Api& api, const http::Request& request) {
  Json input = input_with_since(request);
  input["top_n"] = -1;
  const auto found = api.service().ask("get_causal_chains", input);
  if (!found.ok()) return found.error();
  Json list = Json::array();
  for (const Json& chain : (*found)["chains"]) list.push_back(chain_of(chain, true));
  Json out{{"chains", std::move(list)}};
  auto lease = api.service().acquire();
  if (!lease.ok()) return lease.error();
  const auto from = from_of(**lease, request, api.service().clock(), "");
  if (!from.ok()) return from.error();
  auto stored = stored_chains(**lease, kStoredChain, *from);
  if (!stored.ok()) return stored.error();
  for (Json& chain : *stored) {
    chain["detected_at"] = format_wall(chain["detected_at"].get<uint64_t>());
    for (const char* list_of : {"recommendations", "timeline"}) {
      chain[list_of] = chain[list_of].is_string() ? parse_json(chain[list_of].get<std::string>()) : Json(nullptr);
    }
    chain = without_nulls(std::move(chain));
  }
  if (!stored->is_null()) out["earlier_chains"] = std::move(*stored);
  return out;
}

Result<Json> snapshots(Api& api, const http::Request& request) {
  auto lease = api.service().acquire();
  if (!lease.ok()) return lease.error();
  const auto from = from_of(**lease, request, api.service().clock(), "60s");
  if (!from.ok()) return from.error();
  auto list =
      rows(**lease,
           "SELECT timestamp, cpu_pct AS cpu_percent, mem_pct AS mem_percent, mem_avail AS mem_avail_mb, swap_mb, "
           "load_avg FROM system_snapshots WHERE timestamp >= ? ORDER BY timestamp",
           {Bound::of(static_cast<int64_t>(*from))});
  if (!list.ok()) return list.error();
  for (Json& row : *list) row["timestamp"] = format_wall(row["timestamp"].get<uint64_t>());
  return Json{{"snapshots", std::move(*list)}};
}

Result<Json> capabilities(Api& api, const http::Request&) {
  auto lease = api.service().acquire();
  if (!lease.ok()) return lease.error();
  const bool has_samples = (*lease)->holds().devices;
  Json list = Json::array();
  for (const Capability& one : kCapabilities) {
    bool available = false;
    const bool is_sample = one.sql != nullptr && std::string_view(one.sql).find("_samples") != std::string_view::npos;
    if (one.sql != nullptr && (has_samples || !is_sample)) {
      const auto outcome = (*lease)->query(one.sql, {}, [&](std::span<const Value> row) {
        available = row[0].integer != 0;
        return false;
      });
      if (!outcome.ok()) return outcome.error();
    }
    Json row{{"id", one.id}, {"label", one.label}, {"available", available}};
    if (!available && one.required_tool[0] != '\0') row["required_tool"] = one.required_tool;
    list.push_back(std::move(row));
  }
  return list;
}

std::string graph_part() {
  return fmt::format(" FROM events e WHERE e.kind = 'graph' AND {} AND e.timestamp >= ?1", store::kOutermostOfKind);
}

Result<Json> graph_metrics(Api& api, const http::Request& request) {
  auto lease = api.service().acquire();
  if (!lease.ok()) return lease.error();
  const auto from = from_of(**lease, request, api.service().clock(), "");
  if (!from.ok()) return from.error();
  auto found = rows(
      **lease,
      std::string("SELECT sum(e.call LIKE '%BeginCapture%') AS captures, sum(e.call LIKE '%GraphInstantiate%') AS "
                  "instantiations, sum(e.call LIKE '%GraphLaunch') AS launches, count(*) AS total_events, avg(CASE "
                  "WHEN e.call LIKE '%EndCapture' THEN e.duration END) / 1000.0 AS avg_capture_dur_us, avg(CASE WHEN "
                  "e.call LIKE '%GraphInstantiate%' THEN e.duration END) / 1000.0 AS avg_instantiate_dur_us, "
                  "(sum(e.call LIKE '%GraphLaunch') - 1) * 1e9 / nullif(max(CASE WHEN e.call LIKE '%GraphLaunch' THEN "
                  "e.timestamp END) - min(CASE WHEN e.call LIKE '%GraphLaunch' THEN e.timestamp END), 0) AS "
                  "launch_rate_per_sec") +
          graph_part(),
      {Bound::of(static_cast<int64_t>(*from))});
  if (!found.ok()) return found.error();
  Json row = (*found)[0];
  for (const char* count : {"captures", "instantiations", "launches"}) {
    if (row[count].is_null()) row[count] = 0;  // of no events there are none
  }
  return row;
}

Result<Json> graph_events(Api& api, const http::Request& request) {
  auto lease = api.service().acquire();
  if (!lease.ok()) return lease.error();
  const auto from = from_of(**lease, request, api.service().clock(), "");
  if (!from.ok()) return from.error();
  const auto hex = [](const char* column) {
    return fmt::format("CASE WHEN {0} IS NOT NULL THEN printf('0x%llx', {0}) END", column);
  };
  auto list = rows(
      **lease,
      fmt::format("SELECT e.timestamp, e.pid, e.comm, e.op_name AS op, e.duration / 1000.0 AS duration_us, {} AS "
                  "stream_handle, CASE WHEN e.call NOT LIKE '%GraphLaunch' THEN {} END AS graph_handle, CASE WHEN "
                  "e.call LIKE '%GraphLaunch' THEN {} END AS exec_handle, CASE WHEN e.call LIKE '%BeginCapture%' THEN "
                  "e.flags END AS capture_mode, e.ret_code{} ORDER BY e.timestamp DESC LIMIT 100",
                  hex("e.stream"), hex("e.handle"), hex("e.handle"), graph_part()),
      {Bound::of(static_cast<int64_t>(*from))});
  if (!list.ok()) return list.error();
  for (Json& row : *list) {
    row["timestamp"] = format_wall(row["timestamp"].get<uint64_t>());
    row = without_nulls(std::move(row));
  }
  return list;
}

Result<Json> query(Api& api, const http::Request& request) {
  const Json body = parse_json(request.body);
  if (!body.is_object() || !body.contains("sql") || !body["sql"].is_string()) {
    return Error(Errc::kInvalid, "the body must be an object with \"sql\", a string");
  }
  Json input{{"query", body["sql"]}};
  if (body.contains("limit")) input["limit"] = body["limit"];
  const auto answer = api.service().ask("run_sql", input);
  if (!answer.ok()) return answer.error();
  return Json{{"columns", (*answer)["columns"]}, {"rows", (*answer)["data"]}};
}

Result<Json> time_now(Api& api, const http::Request&) {
  return Json{{"timestamp_ns", api.service().clock().wall_ns()}};
}

Json list_in(const char* name, const char* items) {
  Json schema = tools::object_of("");
  schema["properties"][name] = tools::list_of(tools::object_of(items));
  schema["required"].push_back(name);
  return schema;
}

}  // namespace

std::span<const Endpoint> legacy_endpoints() {
  using tools::list_of;
  using tools::object_of;
  static const Endpoint endpoints[] = {
      {"GET", "/api/v1/overview", "Counts, the host's last snapshot, the worst causal chain", true,
       [] { return object_of("event_count:integer chain_count:integer session_count:integer"); }, overview},
      {"GET", "/api/v1/ops", "Figures of calls and host events, in microseconds", true,
       [] {
         Json schema = list_in("ops", "operation:string source:string count:integer");
         schema["properties"]["mode"] = {{"type", "string"}};
         schema["required"].push_back("mode");
         return schema;
       },
       ops},
      {"GET", "/api/v1/chains", "Causal chains, worst first", true,
       [] {
         return list_in("chains",
                        "id:string detected_at:string severity:string summary:string root_cause:string "
                        "explanation:string");
       },
       chains},
      {"GET", "/api/v1/snapshots", "The host's load (the last 60s)", true,
       [] {
         return list_in("snapshots",
                        "timestamp:string cpu_percent:number? mem_percent:number? mem_avail_mb:integer? "
                        "swap_mb:integer? load_avg:number?");
       },
       snapshots},
      {"GET", "/api/v1/capabilities", "What the recording has something of", false,
       [] { return list_of(object_of("id:string label:string available:boolean")); }, capabilities},
      {"GET", "/api/v1/graph-metrics", "Graphs in figures", true,
       [] {
         return object_of(
             "captures:integer instantiations:integer launches:integer total_events:integer "
             "avg_capture_dur_us:number? avg_instantiate_dur_us:number? launch_rate_per_sec:number?");
       },
       graph_metrics},
      {"GET", "/api/v1/graph-events", "The latest hundred graph calls", true,
       [] { return list_of(object_of("timestamp:string pid:integer op:string")); }, graph_events},
      {"POST", "/api/v1/query", "One SQL statement that only reads: {\"sql\": ..., \"limit\": 1000}", false,
       [] { return object_of("columns:array rows:array"); }, query},
      {"GET", "/api/v1/time", "This machine's wall clock", false, [] { return object_of("timestamp_ns:integer"); },
       time_now},
  };
  return endpoints;
}

}  // namespace ingero::serve::api
