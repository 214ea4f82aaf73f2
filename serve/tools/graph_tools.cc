// Captured work: when a process captured, instantiated and launched graphs, and how often each is launched.
#include <cmath>

#include "serve/tools/tool_list.h"
#include "store/read/selection_sql.h"

namespace ingero::serve::tools {
namespace {

constexpr uint64_t kMaxEvents = 500;
constexpr double kHotPerSecond = 10;

Result<store::Conditions> graphs_part(Question& question) {
  const auto selection = rows_selection(question, question.input, *question.reader, kViewedRows, "graph calls");
  if (!selection.ok()) return selection.error();
  store::Conditions part;
  part.add(fmt::format("e.kind = 'graph' AND {}", store::kOutermostOfKind));
  part.add_events(*selection);
  return part;
}

// What a call does to a graph, by the end of its name: vendors agree on the words.
constexpr const char* kStep =
    "CASE WHEN e.call LIKE '%BeginCapture%' THEN 'begin_capture' WHEN e.call LIKE '%EndCapture' THEN 'end_capture' "
    "WHEN e.call LIKE '%GraphInstantiate%' THEN 'instantiate' WHEN e.call LIKE '%GraphLaunch' THEN 'launch' "
    "WHEN e.call LIKE '%GraphExecUpdate' THEN 'update' WHEN e.call LIKE '%GraphExecDestroy' THEN 'destroy' "
    "ELSE 'other' END";
// Handles have 64 bits; JSON numbers do not.
std::string hex(const std::string& column) {
  return fmt::format("CASE WHEN {0} IS NOT NULL THEN printf('0x%llx', {0}) END", column);
}

Result<Json> lifecycle(Question& question) {
  const auto part = graphs_part(question);
  if (!part.ok()) return part.error();
  auto events =
      rows_of(question,
              fmt::format("SELECT e.timestamp, {} AS step, e.op_name AS op, e.tid, e.duration AS duration_ns, {} AS "
                          "stream, {} AS handle, {} AS graph, e.ret_code AS return_code, e.failed FROM events e "
                          "WHERE {} ORDER BY e.timestamp, e.seq",
                          kStep, hex("e.stream"), hex("e.handle"), hex("e.handle2"), part->sql()),
              part->bound(), kMaxEvents, "graph calls");
  if (!events.ok()) return events.error();
  auto counts =
      rows_of(question,
              fmt::format("SELECT {} AS step, count(*) AS count, sum(e.failed = 1) AS failed FROM events e WHERE {} "
                          "GROUP BY 1 ORDER BY 2 DESC, 1",
                          kStep, part->sql()),
              part->bound(), 16, "steps");
  if (!counts.ok()) return counts.error();
  uint64_t captures = 0, launches = 0;
  for (const Json& row : *counts) {
    if (row["step"] == "end_capture") captures = row["count"].get<uint64_t>();
    if (row["step"] == "launch") launches = row["count"].get<uint64_t>();
  }
  return Json{
      {"steps", std::move(*counts)},
      {"replays_per_capture",
       captures == 0 ? Json(nullptr)
                     : Json(std::round(100.0 * static_cast<double>(launches) / static_cast<double>(captures)) / 100)},
      {"events", std::move(*events)}};
}

Result<Json> frequency(Question& question) {
  const auto part = graphs_part(question);
  if (!part.ok()) return part.error();
  const uint64_t window_ns =
      question.input.contains("window_seconds") ? question.input["window_seconds"].get<uint64_t>() * 1'000'000'000 : 0;
  std::string where = part->sql();
  if (window_ns > 0) {
    where += fmt::format(" AND e.timestamp >= (SELECT max(e.timestamp) FROM events e WHERE {}) - {}", part->sql(),
                         window_ns);
  }
  auto rows =
      rows_of(question,
              fmt::format("SELECT {} AS executable, sum({} = 'launch') AS launches, min(CASE WHEN {} = 'launch' THEN "
                          "e.timestamp END) AS first_launch, max(CASE WHEN {} = 'launch' THEN e.timestamp END) AS "
                          "last_launch FROM events e WHERE {} AND {} IN ('launch', 'instantiate') GROUP BY 1 "
                          "ORDER BY 2 DESC, 1",
                          hex("e.handle"), kStep, kStep, kStep, where, kStep),
              part->bound(), 100, "graphs");
  if (!rows.ok()) return rows.error();
  for (Json& row : *rows) {
    const auto launches = row["launches"].get<uint64_t>();
    row["per_second"] = nullptr;
    if (launches > 1 && row["last_launch"] > row["first_launch"]) {
      const auto span_ns = row["last_launch"].get<uint64_t>() - row["first_launch"].get<uint64_t>();
      row["per_second"] =
          std::round(100 * static_cast<double>(launches - 1) * 1e9 / static_cast<double>(span_ns)) / 100;
    }
    row["class"] = launches == 0 ? "never launched"
                   : row["per_second"].is_number() && row["per_second"].get<double>() >= kHotPerSecond ? "hot"
                                                                                                       : "cold";
  }
  auto captures = rows_of(
      question, fmt::format("SELECT count(*) AS count FROM events e WHERE {} AND {} = 'begin_capture'", where, kStep),
      part->bound(), 1, "counts");
  if (!captures.ok()) return captures.error();
  return Json{{"captures", (*captures)[0]["count"]}, {"graphs", std::move(*rows)}};
}

Json pid_input(const Json& more) {
  Json properties = range_properties();
  properties["pid"] = property("integer", "The process", {{"minimum", 1}, {"maximum", 4294967295U}});
  properties.update(more);
  return input_of(std::move(properties), {"pid"});
}

}  // namespace

std::vector<Tool> graph_tools() {
  Json life = object_of("replays_per_capture:number?");
  life["properties"]["steps"] = list_of(object_of("step:string count:integer failed:integer?"));
  life["properties"]["events"] =
      list_of(object_of("timestamp:integer step:string op:string tid:integer duration_ns:integer? stream:string? "
                        "handle:string? graph:string? "
                        "return_code:integer? failed:integer?"));
  life["required"].push_back("steps");
  life["required"].push_back("events");
  Json often = object_of("captures:integer");
  often["properties"]["graphs"] =
      list_of(object_of("executable:string? launches:integer first_launch:integer? last_launch:integer? "
                        "per_second:number? class:string"));
  often["required"].push_back("graphs");
  return {
      {"graph_lifecycle", "Life of a process's graphs",
       "Captures, instantiations and launches of GPU graphs of one process in the order of time, counted by step, with "
       "launches per capture.",
       pid_input(Json::object()), std::move(life), true, true, lifecycle, nullptr},
      {"graph_frequency", "How often graphs are launched",
       "Per executable graph of one process: launches, rate, hot (10 a second and more), cold or never launched; and "
       "how "
       "often the process captured.",
       pid_input({{"window_seconds", property("integer", "Only this many seconds, the last ones with graph calls",
                                              {{"minimum", 1}, {"maximum", 86400}})}}),
       std::move(often), true, true, frequency, nullptr}};
}

}  // namespace ingero::serve::tools
