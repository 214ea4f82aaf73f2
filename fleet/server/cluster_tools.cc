// The table of the cluster's tools, and the way of one question: see cluster_tools.h.
#include "fleet/server/cluster_tools.h"

#include <algorithm>

#include "base/text.h"
#include "fleet/server/analysis.h"
#include "serve/tools/sanitize.h"
#include "serve/tools/schema.h"

namespace ingero::fleet::server {
namespace {

using serve::tools::list_of;
using serve::tools::object_of;
using serve::tools::property;

constexpr size_t kMaxAnswerBytes = 1 << 20, kKeptForCuts = 4096;
constexpr size_t kMaxStatementBytes = 64 << 10, kMaxTextBytes = 256;
constexpr size_t kMaxTop = 1000, kMaxSqlRows = 10'000, kMaxRank = 1 << 20;
constexpr uint64_t kMaxTime_ns = 4'102'444'800'000'000'000;  // 2100

std::string text(const Json& input, const char* name) { return input.value(name, std::string()); }

// "5m": the time that long before now; 0 where nothing is said.
Result<uint64_t> since_of(const Cluster& cluster, const Json& input) {
  const std::string since = text(input, "since");
  if (since.empty()) return uint64_t{0};
  const auto length = parse_duration_ns(since);
  if (!length.ok()) return Error(Errc::kInvalid, fmt::format("\"since\": {}", length.error().message()));
  const uint64_t now_ns = cluster.clock().wall_ns();
  return now_ns > *length ? now_ns - *length : 1;
}

// A list that is as long as it may be goes on, for all that is known.
void note_top(const Json& list, const Json& input, const char* what, Json& answer) {
  const size_t top = input["top_n"].get<size_t>();
  if (list.size() < top) return;
  answer["cut"].push_back(fmt::format("at most {} {} are given; there may be more (top_n)", top, what));
}

Result<Json> find_outlier_nodes(Cluster& cluster, const Json& input, const store::Clusters& /*readable*/) {
  OutlierQuery query;
  query.cluster = text(input, "cluster_id");
  query.threshold = input["threshold"].get<double>();
  query.min_effect = input["min_effect"].get<double>();
  query.top_n = input["top_n"].get<size_t>();
  const auto since_ns = since_of(cluster, input);
  INGERO_TRY(since_ns);
  query.since_ns = *since_ns;
  auto answer = cluster.outliers(query);
  INGERO_TRY(answer);
  note_top((*answer)["outliers"], input, "outliers", *answer);
  return answer;
}

Result<Json> event_history(Cluster& cluster, const Json& input, const store::Clusters& /*readable*/) {
  store::HistoryQuery query;
  query.cluster = text(input, "cluster_id");
  query.node = text(input, "node_id");
  query.metric = text(input, "metric_name");
  query.operation = text(input, "op_type");
  if (input.contains("rank")) query.rank = input["rank"].get<int64_t>();
  query.limit = input["limit"].get<size_t>();
  const auto since_ns = since_of(cluster, input);
  INGERO_TRY(since_ns);
  query.from_ns = input.value("from_ns", *since_ns);
  query.to_ns = input.value("to_ns", query.to_ns);
  return cluster.history(query);
}

Result<Json> clocks(Cluster& cluster, const Json& input, const store::Clusters& /*readable*/) {
  return cluster.clocks(text(input, "cluster_id"), text(input, "node_id"));
}
Result<Json> hangs(Cluster& cluster, const Json& input, const store::Clusters& /*readable*/) {
  return cluster.hangs(text(input, "cluster_id"));
}

Result<Json> incidents(Cluster& cluster, const Json& input, const store::Clusters& /*readable*/) {
  const auto since_ns = since_of(cluster, input);
  INGERO_TRY(since_ns);
  auto answer = cluster.incidents(text(input, "cluster_id"), *since_ns, input["top_n"].get<size_t>());
  INGERO_TRY(answer);
  note_top((*answer)["incidents"], input, "incidents", *answer);
  return answer;
}

Result<Json> effects(Cluster& cluster, const Json& input, const store::Clusters& /*readable*/) {
  EffectsQuery query;
  query.cluster = text(input, "cluster_id");
  if (input.contains("job_id")) query.job = text(input, "job_id");
  query.node = text(input, "node_id");
  query.windows = input["windows"].get<size_t>();
  query.top_n = input["top_n"].get<size_t>();
  const auto since_ns = since_of(cluster, input);
  INGERO_TRY(since_ns);
  query.from_ns = input.value("from_ns", *since_ns);
  Json answer = cluster.effects(query);
  note_top(answer["nodes"], input, "nodes", answer);
  if (const size_t others = answer["other_jobs"].get<size_t>(); others > 0) {
    answer["cut"].push_back(fmt::format("{} of the same selection {} left out (cluster_id, job_id)",
                                        plural(others, "other job"), others == 1 ? "is" : "are"));
  }
  return answer;
}

Result<Json> run_sql(Cluster& cluster, const Json& input, const store::Clusters& readable) {
  if (input.contains("query") && input.contains("sql")) {
    return Error(Errc::kInvalid, "\"query\" and \"sql\" are two names of one thing: give one of them");
  }
  const std::string statement = text(input, input.contains("query") ? "query" : "sql");
  if (statement.empty()) return Error(Errc::kInvalid, "\"query\": the statement is missing");
  return cluster.sql(statement, input["limit"].get<uint64_t>(), readable);
}

Result<Json> run_analysis(Cluster& cluster, const Json& input, const store::Clusters& readable) {
  if (input.contains("query") || input.contains("sql")) {
    // It would look as if the rows were of this cluster only.
    if (input.contains("cluster_id")) {
      return Error(Errc::kInvalid, "\"cluster_id\": a statement says itself what it asks (WHERE cluster_id = ...)");
    }
    return run_sql(cluster, input, readable);
  }
  const auto since_ns = since_of(cluster, input);
  INGERO_TRY(since_ns);
  return analyse(cluster, {text(input, "cluster_id"), *since_ns, input["top_n"].get<size_t>()});
}

Json input_of(Json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}
Json text_input(const char* what) { return property("string", what, {{"maxLength", kMaxTextBytes}}); }
Json cluster_input() { return text_input("Only this cluster; default: all"); }
Json since_input(const char* what) { return property("string", what, {{"maxLength", 64}}); }
Json time_input(const char* what) { return property("integer", what, {{"minimum", 0}, {"maximum", kMaxTime_ns}}); }
Json count_input(const char* what, size_t usual, size_t most) {
  return property("integer", what, {{"default", usual}, {"minimum", 1}, {"maximum", most}});
}
Json number_input(const char* what, double usual) {
  return property("number", what, {{"default", usual}, {"minimum", 0}});
}
Json statement_input(const char* what) {
  return property("string", what, {{"minLength", 1}, {"maxLength", kMaxStatementBytes}});
}

// `lists`: members that are lists, each with the form of its items. All are required, and so is `cut`.
Json output_of(std::string_view members, std::initializer_list<std::pair<const char*, Json>> lists) {
  Json output = object_of(members);
  const auto add = [&output](const char* name, Json items) {
    output["properties"][name] = list_of(std::move(items));
    output["required"].push_back(name);
  };
  for (const auto& [name, items] : lists) add(name, items);
  add("cut", {{"type", "string"}});
  output["properties"]["cut"]["description"] = "What this answer leaves out, in sentences";
  return output;
}

Json incident_output() {
  return object_of(
      "id:string cluster_id:string job_id:string? kind:string class:string state:string persistence:string? "
      "node_id:string? rank:integer? "
      "communicator:string from_ns:integer to_ns:integer confidence:number cause:string? evidence:object");
}
Json outlier_output() {
  return object_of(
      "cluster_id:string job_id:string? node_id:string rank:integer? kind:string class:string state:string "
      "scope:string effect:number score:number threshold:number lateness_s_per_step:number? since_ns:integer "
      "confidence:number? communicator:string delayed_count:integer delayed:array evidence:object cause:string? "
      "sentence:string");
}
Json job_output() {
  return object_of(
      "cluster_id:string job_id:string? compares:string ranks:integer not_observed_ranks:integer window_s:integer "
      "last_window_end_ns:integer detectable_effect:number? late_windows:integer imbalance:array");
}
Json sql_output() {
  Json output = output_of("columns:array data:array", {});
  output["properties"]["meta"] = object_of("rows:integer truncated:boolean duration_ms:integer");
  output["required"].push_back("meta");
  return output;
}
// Of the analysis and of a statement, so that nothing is required but `cut`.
Json analysis_output() {
  Json output = output_of("sentences:array cluster_id:string?", {{"hangs", incident_output()},
                                                                 {"outliers", outlier_output()},
                                                                 {"incidents", incident_output()},
                                                                 {"jobs", job_output()}});
  output["properties"]["not_compared"] = object_of(
      "late:integer ahead:integer other_period:integer "
      "too_many_jobs:integer too_many_ranks:integer ranks_of_node:integer too_many_windows:integer "
      "refused_points:integer undecodable:integer");
  output["properties"]["store"] = object_of(
      "bytes:integer nodes:integer points_from_ns:integer? windows_from_ns:integer? minutes_from_ns:integer? "
      "hours_from_ns:integer?");
  output["properties"].update(sql_output()["properties"]);
  output["required"] = {"cut"};
  return output;
}

ClusterTool effects_tool() {
  Json input{
      {"cluster_id", text_input("Only this cluster; default: the one with the largest job")},
      {"job_id", text_input("Only this job, \"\" being one without a name; default: the largest")},
      {"node_id", text_input("Only this node, and each of its ranks")},
      {"windows", count_input("Maximum number of windows, the newest", EffectsQuery().windows, detect::kCourseWindows)},
      {"since", since_input("Only windows of the last 30s, 5m")},
      {"from_ns", time_input("Only windows that begin then or later, in nanoseconds since 1970; counts instead "
                             "of since")},
      {"top_n", count_input("Maximum number of nodes", EffectsQuery().top_n, store::kMaxNodes)}};
  Json output = output_of(
      "cluster_id:string? job_id:string? compares:string? window_s:integer from_ns:integer window_count:integer "
      "other_jobs:integer",
      {{"nodes", object_of("node_id:string ranks:array latest_percent:array worst_percent:array")},
       {"ranks", object_of("rank:integer effect_percent:array")}});
  output["properties"]["from_ns"]["description"] = "Begin of the first window; each is window_s long";
  output["properties"]["nodes"]["description"] =
      "latest_percent: of each of its ranks in the newest window; worst_percent: of its worst rank in each window";
  output["properties"]["ranks"]["description"] = "Of the node that was asked for";
  return {"fleet.cluster.effects",
          "fleet_cluster_effects",
          "Ranks by time",
          "How many percent more own work than the median of its peers each node's worst rank had in each of the last "
          "windows, and each of its ranks in the newest one (null: it was not compared); the worst nodes of now first. "
          "With `node_id`: each of its ranks in each window.",
          input_of(std::move(input)),
          std::move(output),
          false,
          effects};
}

ClusterTool event_history_tool() {
  Json input{{"cluster_id", cluster_input()},
             {"node_id", text_input("Only this node")},
             {"metric_name", text_input("Only this metric")},
             {"op_type", text_input("Only points with this operation")},
             {"rank", property("integer", "Only this rank", {{"minimum", 0}, {"maximum", kMaxRank - 1}})},
             {"since", since_input("Only of the last 30s, 5m, 2h, 1d")},
             {"from_ns", time_input("From this time, in nanoseconds since 1970; counts instead of since")},
             {"to_ns", time_input("Up to this time")},
             {"limit", count_input("Maximum number of events", 100, store::kMaxHistoryRows)}};
  Json output = output_of("count:integer is_cut:boolean",
                          {{"events", object_of("timestamp_ns:integer cluster_id:string node_id:string "
                                                "metric_name:string rank:integer? nranks:integer? "
                                                "value_double:number? value_int:integer? attrs:object")}});
  output["properties"]["count"]["description"] = "Events that are given";
  output["properties"]["is_cut"]["description"] = "Whether there are more";
  return {"fleet.cluster.event_history",
          "fleet_cluster_event_history",
          "What nodes sent",
          "Data points of any sender, newest first, each with all of its attributes.",
          input_of(std::move(input)),
          std::move(output),
          false,
          event_history};
}

ClusterTool find_outlier_nodes_tool() {
  Json input{{"cluster_id", cluster_input()},
             {"threshold", number_input("Only ranks with this score: 3.5 is suspect, 7 is named", detect::kNamed)},
             {"min_effect", number_input("Only ranks whose steps take longer by this share", detect::kFloor)},
             {"since", since_input("Also incidents that ended in the last 30s, 5m, 2h, 1d")},
             {"top_n", count_input("Maximum number of ranks", OutlierQuery().top_n, kMaxTop)}};
  return {
      "fleet.cluster.find_outlier_nodes",
      "fleet_cluster_find_outlier_nodes",
      "Who is late",
      "The ranks that the others wait for, those that are named first, then by score: node, since when, how late, "
      "why, how sure, and which ranks wait. Where most ranks of a node are slow it is the node (kind `slow_node`, rank "
      "null, `evidence.ranks`). What is compared is a rank's own work, so waiting ranks are not accused. "
      "`detectable_effect` of "
      "a job: how slow a rank must be to be named in a minute; `imbalance`: ranks of one role (a pipeline stage, say) "
      "whose share of the work is larger, so that the others wait for all of them.",
      input_of(std::move(input)),
      output_of("cluster_id:string?",
                {{"outliers", outlier_output()}, {"jobs", job_output()}, {"ended", incident_output()}}),
      false,
      find_outlier_nodes};
}

ClusterTool clocks_tool() {
  return {
      "fleet.cluster.clocks",
      "fleet_cluster_clocks",
      "How far clocks are apart",
      "Each node's wall clock less this server's, and how far wrong that can be, as the node measured it with what it "
      "sent: times of two nodes are in order only where they are further apart than this. Nodes that do not measure "
      "it are counted. With `node_id`: how far the clock of each other node is from that one's (`difference_ns`: that "
      "one's less the other's), by the messages of both, by collectives that both took part in, or both.",
      input_of(
          {{"cluster_id", cluster_input()}, {"node_id", text_input("A node: compare its clock with the others'")}}),
      output_of("cluster_id:string? node_id:string? unknown_nodes:integer",
                {{"clocks", object_of("cluster_id:string node_id:string offset_ns:integer within_ns:integer "
                                      "age_s:integer")},
                 {"differences", object_of("cluster_id:string node_id:string difference_ns:integer? within_ns:integer? "
                                           "by:string collectives:integer")}}),
      false,
      clocks};
}

ClusterTool hangs_tool() {
  return {"fleet.cluster.hangs",
          "fleet_cluster_hangs",
          "Who did not arrive",
          "Hanging jobs: the ranks that did not come to a collective or did not leave it, with their nodes, and how "
          "many wait.",
          input_of({{"cluster_id", cluster_input()}}),
          output_of("cluster_id:string?",
                    {{"hangs", incident_output()},
                     {"jobs", object_of("cluster_id:string job_id:string? communicators:integer "
                                        "unnumbered_ranks:integer window_s:integer hang_after_s:number")}}),
          false,
          hangs};
}

ClusterTool incidents_tool() {
  Json input{{"cluster_id", cluster_input()},
             {"since", since_input("Only what lasted into the last 30s, 5m, 2h, 1d")},
             {"top_n", count_input("Maximum number of incidents", 100, kMaxTop)}};
  return {"fleet.cluster.incidents",
          "fleet_cluster_incidents",
          "Incidents",
          "Ranks that were late and jobs that hung, newest first: open, over, or silent (nothing comes of them any "
          "more).",
          input_of(std::move(input)),
          output_of("", {{"incidents", incident_output()}}),
          false,
          incidents};
}

ClusterTool run_analysis_tool() {
  Json input{{"cluster_id", cluster_input()},
             {"since", property("string", "Incidents of the last 30s, 5m, 2h, 1d",
                                {{"default", "1h"}, {"minLength", 1}, {"maxLength", 64}})},
             {"top_n", count_input("Maximum number of ranks, and of incidents", 10, kMaxTop)},
             {"query", statement_input("An SQL statement instead: answered as by run_sql")},
             {"sql", statement_input("Alias of query")},
             {"limit", count_input("Maximum number of rows of the statement", 1000, kMaxSqlRows)}};
  return {"fleet.cluster.run_analysis",
          "fleet_cluster_run_analysis",
          "What is wrong, in sentences",
          "Begin here. The state of all jobs, the cause first: who did not arrive, who is late and why, incidents of "
          "the last hour, what is not observed or not compared, and how far back the store reaches; `sentences` and "
          "the same as data. With `query`: the rows of one SQL statement that only reads.",
          input_of(std::move(input)),
          analysis_output(),
          true,
          run_analysis};
}

ClusterTool run_sql_tool() {
  Json input{{"query", statement_input("The statement")},
             {"sql", statement_input("Alias of query")},
             {"limit", count_input("Maximum number of rows", 1000, kMaxSqlRows)}};
  return {"fleet.cluster.run_sql",
          "fleet_cluster_run_sql",
          "SQL",
          "One SQL statement that only reads (SQLite, or ClickHouse where the server stores there). Tables: events "
          "(timestamp_ns, cluster_id, node_id, metric_name, rank, nranks, value_double, value_int, attrs), nodes, "
          "windows, device_states, arrivals, minutes, hours, incidents; pragma_table_info (DESCRIBE TABLE) has their "
          "columns.",
          input_of(std::move(input)),
          sql_output(),
          true,
          run_sql};
}

std::string_view last_part(const ClusterTool& tool) { return tool.name.substr(tool.name.rfind('.') + 1); }

// Of a token that reads some clusters only: a question is about one of them. A statement is held to them by its engine.
Status limit_to(const store::Clusters& readable, const ClusterTool& tool, Json& input) {
  const bool is_statement = input.contains("query") || input.contains("sql");
  if (readable.are_all || is_statement || !tool.input["properties"].contains("cluster_id")) return {};
  const std::string name = text(input, "cluster_id");
  if (name.empty() && readable.names.size() == 1) {
    input["cluster_id"] = *readable.names.begin();
    return {};
  }
  if (!name.empty() && readable.have(name)) return {};
  return Error(Errc::kPermission,
               name.empty() ? "this token reads some clusters only, and none is named"
                            : fmt::format("cluster {}: this token does not read it", printable(name, 128)),
               fmt::format("\"cluster_id\" (--cluster-id): one of {}",
                           printable(fmt::format("{}", fmt::join(readable.names, ", ")))));
}

// Makes `answer` printable, and as short as it may be.
Status finish(Json& answer) {
  std::vector<std::string> cuts;
  if (answer.contains("cut")) cuts = answer["cut"].get<std::vector<std::string>>();
  answer.erase("cut");
  serve::tools::clean(answer, cuts, kMaxAnswerBytes);
  if (!serve::tools::shorten(answer, kMaxAnswerBytes - kKeptForCuts, cuts)) {
    return Error(Errc::kFull, fmt::format("the answer is longer than {}", format_bytes(kMaxAnswerBytes)),
                 "ask for less: by cluster, by node, by time, by a smaller limit");
  }
  answer["cut"] = std::move(cuts);
  return {};
}

}  // namespace

const std::vector<ClusterTool>& cluster_tools() {
  static const std::vector<ClusterTool> tools = {
      clocks_tool(), effects_tool(),   event_history_tool(), find_outlier_nodes_tool(),
      hangs_tool(),  incidents_tool(), run_analysis_tool(),  run_sql_tool()};
  return tools;
}

const ClusterTool* find_cluster_tool(std::string_view name) {
  const auto& tools = cluster_tools();
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const ClusterTool& tool) {
    return name == tool.name || name == tool.plain_name || name == last_part(tool);
  });
  return found == tools.end() ? nullptr : &*found;
}

const std::vector<std::string_view>& heavy_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const ClusterTool& tool : cluster_tools()) {
      if (tool.is_heavy) all.push_back(last_part(tool));
    }
    return all;
  }();
  return names;
}

Result<Json> ask(Cluster& cluster, const ClusterTool& tool, const Json& input, const store::Clusters& readable) {
  try {
    INGERO_TRY(serve::tools::check_schema(tool.input, input));
    Json whole = serve::tools::with_defaults(tool.input, input);
    INGERO_TRY(limit_to(readable, tool, whole));
    auto answer = tool.answer(cluster, whole, readable);
    INGERO_TRY(answer);
    INGERO_TRY(finish(*answer));
    return answer;
  } catch (const std::exception& error) {  // of the JSON library, or of memory
    return Error(Errc::kIo, fmt::format("{}: {}", tool.name, error.what()));
  }
}

}  // namespace ingero::fleet::server
