// Routes, their description, and the inputs of tools checked member by member: see cluster_api.h.
#include "fleet/server/cluster_api.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace ingero::fleet::server {
namespace {

namespace http = ingero::serve::http;

constexpr std::string_view kToolPrefix = "/api/v1/tools/";
constexpr std::string_view kSqlPath = "/api/v1/sql";
constexpr size_t kMaxTop = 1000, kMaxSqlRows = 10'000;

http::Response json(int status, const Json& body, std::string note = {}) {
  return {status, "application/json", dump(body), {}, std::move(note)};
}

http::Response failed(const Error& error) {
  struct Meaning {
    int status;
    const char* word;
  };
  const Meaning meaning = error.code() == Errc::kInvalid    ? Meaning{400, "bad_input"}
                          : error.code() == Errc::kNotFound ? Meaning{404, "not_found"}
                          : error.code() == Errc::kBusy     ? Meaning{504, "timed_out"}
                          : error.code() == Errc::kFull     ? Meaning{403, "refused"}
                                                            : Meaning{500, "internal"};
  return json(meaning.status, Json{{"error", error.text()}, {"class", meaning.word}},
              fmt::format("{}: {}", meaning.word, error.text()));
}

// The members of a tool's input, each read once; what is left over is an error.
class Input {
 public:
  explicit Input(const Json& input) : input_(input) {}

  void read(const char* name, std::string& into) {
    if (const Json* value = find(name)) {
      if (!value->is_string()) return fail(name, "text");
      into = value->get<std::string>();
    }
  }
  void read(const char* name, double& into, double min) {
    if (const Json* value = find(name)) {
      if (!value->is_number() || value->get<double>() < min) return fail(name, fmt::format("a number from {}", min));
      into = value->get<double>();
    }
  }
  void read(const char* name, size_t& into, size_t max) {
    if (const Json* value = find(name)) {
      if (!value->is_number_unsigned() || value->get<uint64_t>() < 1 || value->get<uint64_t>() > max) {
        return fail(name, fmt::format("a whole number from 1 to {}", max));
      }
      into = value->get<uint64_t>();
    }
  }
  void read(const char* name, std::optional<int64_t>& into) {
    if (const Json* value = find(name)) {
      if (!value->is_number_integer()) return fail(name, "a whole number");
      into = value->get<int64_t>();
    }
  }
  void read_time(const char* name, uint64_t& into) {
    if (const Json* value = find(name)) {
      if (!value->is_number_unsigned()) return fail(name, "nanoseconds since 1970");
      into = value->get<uint64_t>();
    }
  }
  // "5m": so long before now.
  void read_since(uint64_t now_ns, uint64_t& into) {
    std::string text;
    read("since", text);
    if (text.empty()) return;
    const auto length = parse_duration_ns(text);
    if (!length.ok()) return fail("since", length.error().message());
    into = now_ns > *length ? now_ns - *length : 1;
  }
  Status end() const {
    if (!error_.empty()) return Error(Errc::kInvalid, error_);
    for (const auto& [name, value] : input_.items()) {
      if (known_.count(name) == 0) return Error(Errc::kInvalid, fmt::format("{}: not known here", printable(name, 64)));
    }
    return {};
  }

 private:
  const Json* find(const char* name) {
    known_.insert(name);
    const auto found = input_.find(name);
    return found == input_.end() || found->is_null() ? nullptr : &*found;
  }
  void fail(const char* name, const std::string& wanted) {
    if (error_.empty()) error_ = fmt::format("{}: must be {}", name, wanted);
  }
  const Json& input_;
  std::set<std::string> known_;
  std::string error_;
};

Result<Json> find_outlier_nodes(Cluster& cluster, const Json& given) {
  OutlierQuery query;
  Input input(given);
  input.read("cluster_id", query.cluster);
  input.read("threshold", query.threshold, 0);
  input.read("min_effect", query.min_effect, 0);
  input.read("top_n", query.top_n, kMaxTop);
  input.read_since(cluster.clock().wall_ns(), query.since_ns);
  INGERO_TRY(input.end());
  return cluster.outliers(query);
}

Result<Json> event_history(Cluster& cluster, const Json& given) {
  store::HistoryQuery query;
  Input input(given);
  input.read("cluster_id", query.cluster);
  input.read("node_id", query.node);
  input.read("metric_name", query.metric);
  input.read("op_type", query.operation);
  input.read("rank", query.rank);
  input.read("limit", query.limit, store::kMaxHistoryRows - 1);
  input.read_since(cluster.clock().wall_ns(), query.from_ns);
  input.read_time("from_ns", query.from_ns);
  input.read_time("to_ns", query.to_ns);
  INGERO_TRY(input.end());
  return cluster.history(query);
}

Result<Json> hangs(Cluster& cluster, const Json& given) {
  std::string name;
  Input input(given);
  input.read("cluster_id", name);
  INGERO_TRY(input.end());
  return cluster.hangs(name);
}

Result<Json> incidents(Cluster& cluster, const Json& given) {
  std::string name;
  uint64_t since_ns = 0;
  size_t top_n = 100;
  Input input(given);
  input.read("cluster_id", name);
  input.read("top_n", top_n, kMaxTop);
  input.read_since(cluster.clock().wall_ns(), since_ns);
  INGERO_TRY(input.end());
  return cluster.incidents(name, since_ns, top_n);
}

// `sql` is accepted for `query`, as at a node's API.
Result<Json> run_sql(Cluster& cluster, const Json& given) {
  std::string statement;
  size_t limit = 1000;
  Input input(given);
  input.read("query", statement);
  input.read("sql", statement);
  input.read("limit", limit, kMaxSqlRows);
  INGERO_TRY(input.end());
  if (statement.empty()) return Error(Errc::kInvalid, "query: the statement is missing");
  return cluster.sql(statement, limit);
}

struct Tool {
  std::string_view name, plain_name, description;
  Result<Json> (*answer)(Cluster& cluster, const Json& input);
};
constexpr Tool kTools[] = {
    {"fleet.cluster.event_history", "fleet_cluster_event_history",
     "Points of any sender, newest first: by cluster_id, node_id, rank, metric_name, op_type, since, from_ns, to_ns; "
     "limit",
     event_history},
    {"fleet.cluster.find_outlier_nodes", "fleet_cluster_find_outlier_nodes",
     "The ranks that the others wait for: by cluster_id; threshold, min_effect, since, top_n", find_outlier_nodes},
    {"fleet.cluster.hangs", "fleet_cluster_hangs",
     "The ranks that did not come to a collective or did not leave it, and how many wait: by cluster_id", hangs},
    {"fleet.cluster.incidents", "fleet_cluster_incidents", "Incidents, newest first: by cluster_id, since; top_n",
     incidents},
    {"fleet.cluster.run_sql", "fleet_cluster_run_sql",
     "One SQL statement that only reads (SQLite): query; limit. Tables: events, nodes, windows, minutes, hours, "
     "incidents",
     run_sql},
};

bool is_called(const Tool& tool, std::string_view name) {
  return name == tool.name || name == tool.plain_name || name == tool.name.substr(tool.name.rfind('.') + 1);
}

// The name of the tool that a path calls; empty: none.
std::string_view tool_of(std::string_view path) {
  if (path == kSqlPath) return "run_sql";
  return path.starts_with(kToolPrefix) ? path.substr(kToolPrefix.size()) : std::string_view();
}

const Tool* find_tool(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kTools), std::end(kTools), [&](const Tool& one) { return is_called(one, name); });
  return found == std::end(kTools) ? nullptr : found;
}

http::Response call_tool(Cluster& cluster, const http::Request& request) {
  const std::string_view name = tool_of(request.path);
  if (request.method != "POST") {
    http::Response response = failed(Error(Errc::kInvalid, "tools are called with POST"));
    response.status = 405;
    response.headers.emplace_back("Allow", "POST");
    return response;
  }
  const Tool* tool = find_tool(name);
  if (tool == nullptr) {
    return failed(Error(Errc::kNotFound, fmt::format("no tool is called {}", printable(name, 64)),
                        "GET /api/v1/tools lists them"));
  }
  if (tool->answer == run_sql && !http::has_json_type(request)) {
    http::Response response = failed(Error(Errc::kInvalid, "Content-Type must be application/json"));
    response.status = 415;
    return response;
  }
  const Json input = request.body.empty() ? Json::object() : parse_json(request.body);
  if (!input.is_object()) return failed(Error(Errc::kInvalid, "the body must be a JSON object"));
  const auto answer = tool->answer(cluster, input);
  return answer.ok() ? json(200, *answer, std::string(tool->name)) : failed(answer.error());
}

Json tool_list() {
  Json list = Json::array();
  for (const Tool& tool : kTools) {
    list.push_back({{"name", tool.name}, {"also", tool.plain_name}, {"description", tool.description}});
  }
  return {{"tools", std::move(list)}};
}

// OpenAPI 3.1 (spec.openapis.org/oas/v3.1.0).
Json description(const std::string& version) {
  const auto answers = [](const char* what) {
    return Json{{"200", {{"description", what}}}, {"400", {{"description", "the input is wrong"}}}};
  };
  const auto get = [&](const char* summary) {
    return Json{{"get", {{"summary", summary}, {"responses", answers("a JSON object")}}}};
  };
  Json paths{{"/api/versions", get("Version and capabilities, without a token")},
             {"/api/v1/health", get("What was received, and how far back the store reaches")},
             {"/api/v1/tools", get("The tools")},
             {"/api/v1/openapi.json", get("This description")},
             {"/api/v1/threshold", get("What the nodes of a cluster classify themselves by")},
             {"/metrics", {{"get", {{"summary", "Of this server, for Prometheus"}, {"responses", answers("text")}}}}}};
  const Json name{{"name", "cluster_id"}, {"in", "query"}, {"required", true}, {"schema", {{"type", "string"}}}};
  paths["/api/v1/threshold"]["get"]["parameters"] = Json::array({name});
  const auto post = [&](const Tool& tool, std::string_view id) {
    const Json content{{"application/json", {{"schema", {{"type", "object"}}}}}};
    return Json{{"post",
                 {{"summary", tool.description},
                  {"operationId", id},
                  {"requestBody", {{"content", content}}},
                  {"responses", answers("a JSON object")}}}};
  };
  for (const Tool& tool : kTools) {
    paths[std::string(kToolPrefix) + std::string(tool.name)] = post(tool, tool.plain_name);
  }
  paths[std::string(kSqlPath)] = post(*find_tool(tool_of(kSqlPath)), "sql");
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "ingero fleet"}, {"version", version}}},
          {"components", {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
          {"security", Json::array({Json{{"token", Json::array()}}})},
          {"paths", std::move(paths)}};
}

http::Response threshold(Cluster& cluster, const http::Request& request) {
  const std::string name = request.parameter("cluster_id");
  if (name.empty()) return failed(Error(Errc::kInvalid, "cluster_id: which cluster's threshold"));
  const Threshold found = cluster.threshold(name);
  if (!found.is_known) {
    return failed(Error(Errc::kNotFound, fmt::format("cluster {}: nothing has been compared yet", printable(name, 128)),
                        "nodes send windows or health scores to /v1/metrics"));
  }
  return json(200, Json{{"threshold", found.value}, {"quorum_met", found.has_quorum}});
}

}  // namespace

http::Weight weight_of(const std::string& path) {
  const Tool* tool = find_tool(tool_of(path));
  return tool != nullptr && tool->answer == run_sql ? http::Weight::kHeavy : http::Weight::kLight;
}

http::Response answer(Cluster& cluster, const http::Request& request, const std::string& version) {
  if (request.path == kSqlPath || request.path.starts_with(kToolPrefix)) return call_tool(cluster, request);
  if (request.method != "GET") {
    http::Response response = failed(Error(Errc::kInvalid, "only tools are called with POST"));
    response.status = 405;
    response.headers.emplace_back("Allow", "GET");
    return response;
  }
  if (request.path == kOpenPath) {
    const std::string two_parts = version.substr(0, version.find('.', version.find('.') + 1));
    return json(200, Json{{"version", two_parts},
                          {"capabilities", {"otlp_http", "otlp_grpc", "tools", "sql", "threshold", "hangs"}}});
  }
  if (request.path == "/metrics") {
    const auto metrics = cluster.metrics();
    return metrics.ok() ? http::Response{200, "text/plain; version=0.0.4; charset=utf-8", *metrics, {}, {}}
                        : failed(metrics.error());
  }
  if (request.path == "/api/v1/openapi.json") return json(200, description(version));
  if (request.path == "/api/v1/tools") return json(200, tool_list());
  if (request.path == "/api/v1/threshold") return threshold(cluster, request);
  if (request.path == "/api/v1/health") {
    const auto health = cluster.health();
    return health.ok() ? json(200, *health) : failed(health.error());
  }
  return failed(
      Error(Errc::kNotFound, "the API is below /api/v1: tools, sql, threshold, health, openapi.json; and /metrics"));
}

}  // namespace ingero::fleet::server
