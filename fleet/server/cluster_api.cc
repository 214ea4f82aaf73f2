// Routes and their description: see cluster_api.h.
#include "fleet/server/cluster_api.h"

#include "base/text.h"
#include "fleet/server/cluster_mcp.h"
#include "fleet/server/cluster_tools.h"
#include "serve/mcp/streamable.h"
#include "serve/page/page.h"
#include "serve/tools/query_service.h"

namespace ingero::fleet::server {
namespace {

namespace http = ingero::serve::http;
namespace page = ingero::serve::page;

constexpr std::string_view kToolPrefix = "/api/v1/tools/";
constexpr std::string_view kSqlPath = "/api/v1/sql";

http::Response json(int status, const Json& body, std::string note = {}) {
  return {status, "application/json", dump(body), {}, std::move(note)};
}

http::Response failed(const Error& error) {
  const Json body = serve::tools::error_json(error);
  return json(serve::tools::fault_status(error.code()), body,
              body["class"].get<std::string>() + ": " + body["error"].get<std::string>());
}

// The name of the tool that a path calls; empty: none.
std::string_view tool_of(std::string_view path) {
  if (path == kSqlPath) return "run_sql";
  return path.starts_with(kToolPrefix) ? path.substr(kToolPrefix.size()) : std::string_view();
}

const store::Clusters& readable_by(const Cluster& cluster, const http::Request& request) {
  return cluster.tokens().clusters_of(request.header("Authorization"));
}

http::Response call_tool(Cluster& cluster, const http::Request& request) {
  const std::string_view name = tool_of(request.path);
  if (request.method != "POST") {
    http::Response response = failed(Error(Errc::kInvalid, "tools are called with POST"));
    response.status = 405;
    response.headers.emplace_back("Allow", "POST");
    return response;
  }
  const ClusterTool* tool = find_cluster_tool(name);
  if (tool == nullptr) {
    return failed(Error(Errc::kNotFound, fmt::format("no tool is called {}", printable(name, 64)),
                        "GET /api/v1/tools lists them"));
  }
  if (tool->is_heavy && !http::has_json_type(request)) {
    http::Response response = failed(Error(Errc::kInvalid, "the header Content-Type must be application/json",
                                           "curl: -H 'Content-Type: application/json'"));
    response.status = 415;
    return response;
  }
  const Json input = request.body.empty() ? Json::object() : parse_json(request.body);
  if (!input.is_object()) return failed(Error(Errc::kInvalid, "the body must be a JSON object"));
  const auto answer = ask(cluster, *tool, input, readable_by(cluster, request));
  return answer.ok() ? json(200, *answer, std::string(tool->name)) : failed(answer.error());
}

Json tool_list() {
  Json list = Json::array();
  for (const ClusterTool& tool : cluster_tools()) {
    list.push_back({{"name", tool.name},
                    {"also", tool.plain_name},
                    {"title", tool.title},
                    {"description", tool.description},
                    {"input", tool.input},
                    {"output", tool.output}});
  }
  return {{"tools", std::move(list)}};
}

Json content_of(Json schema) { return {{"application/json", {{"schema", std::move(schema)}}}}; }

// The answer of a path, and those that any path may give instead.
Json answers_of(const char* what, Json content) {
  Json answers{{"200", {{"description", what}, {"content", std::move(content)}}}};
  const Json error = content_of({{"$ref", "#/components/schemas/Error"}});
  for (const auto& [status, meaning] : {std::pair{"400", "The input is wrong"},
                                        {"401", "No token, or a wrong one"},
                                        {"403", "Refused"},
                                        {"404", "Not found"},
                                        {"500", "Internal"},
                                        {"504", "Took longer than allowed"}}) {
    answers[status] = {{"description", meaning}, {"content", error}};
  }
  return answers;
}

Json describe(const ClusterTool& tool, std::string_view id) {
  return {{"post",
           {{"operationId", id},
            {"summary", tool.title},
            {"description", tool.description},
            {"requestBody", {{"content", content_of(tool.input)}}},
            {"responses", answers_of("The answer", content_of(tool.output))}}}};
}

// OpenAPI 3.1 (spec.openapis.org/oas/v3.1.0).
Json description(const std::string& version) {
  const auto get = [](const char* summary) {
    return Json{
        {"get", {{"summary", summary}, {"responses", answers_of("A JSON object", content_of({{"type", "object"}}))}}}};
  };
  const auto text = [](const char* summary, const char* type) {
    return Json{{"summary", summary}, {"responses", answers_of("Text", {{type, Json::object()}})}};
  };
  Json paths{{"/api/versions", get("Version and capabilities, without a token")},
             {"/api/v1/health", get("What was received, and how far back the store reaches")},
             {"/api/v1/time", get("This server's clock: timestamp_ns, since 1970")},
             {"/api/v1/tools", get("The tools, and what they take and give")},
             {"/api/v1/openapi.json", get("This description")},
             {"/api/v1/threshold", get("What the nodes of a cluster classify themselves by")},
             {"/metrics", {{"get", text("Of this server, for Prometheus", "text/plain")}}}};
  const auto parameter = [](const char* name, bool is_required) {
    return Json{{"name", name}, {"in", "query"}, {"required", is_required}, {"schema", {{"type", "string"}}}};
  };
  paths["/api/v1/threshold"]["get"]["parameters"] =
      Json::array({parameter("cluster_id", true), parameter("node_id", false)});
  for (const ClusterTool& tool : cluster_tools()) {
    paths[std::string(kToolPrefix) + std::string(tool.name)] = describe(tool, tool.plain_name);
  }
  paths[std::string(kSqlPath)] = describe(*find_cluster_tool(tool_of(kSqlPath)), "sql");
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "ingero fleet"}, {"version", version}}},
          {"components",
           {{"schemas", {{"Error", serve::tools::object_of("error:string class:string")}}},
            {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
          {"security", Json::array({Json{{"token", Json::array()}}})},
          {"paths", std::move(paths)}};
}

http::Response threshold(Cluster& cluster, const http::Request& request) {
  const std::string name = request.parameter("cluster_id");
  if (name.empty()) return failed(Error(Errc::kInvalid, "cluster_id: which cluster's threshold"));
  if (!readable_by(cluster, request).have(name)) {
    return failed(
        Error(Errc::kPermission, fmt::format("cluster {}: this token does not read it", printable(name, 128))));
  }
  const Threshold found = cluster.threshold(name, request.parameter("node_id"));
  if (!found.is_known) {
    return failed(Error(Errc::kNotFound, fmt::format("cluster {}: nothing has been compared yet", printable(name, 128)),
                        "nodes send windows or health scores to /v1/metrics"));
  }
  Json answer{{"threshold", found.value}, {"quorum_met", found.has_quorum}};
  if (found.score) answer["score"] = *found.score;
  return json(200, answer);
}

// By interface and reason, those that there are.
Json refused_requests(const InterfaceRefusals& refusals) {
  Json all = Json::object();
  for (const auto& [interface, its] : refusals) {
    Json& reasons = all[std::string(interface)] = Json::object();
    for (size_t i = 0; i < http::kRefusedCount; ++i) {
      if (const uint64_t count = its->of(http::Refused(i)); count > 0) reasons[http::kRefusedNames[i]] = count;
    }
  }
  return all;
}

}  // namespace

std::vector<std::string> open_paths() {
  std::vector<std::string> all = page::paths(page::About::kCluster);
  all.emplace_back(kOpenPath);
  return all;
}

http::Weight weight_of(const std::string& path, const std::string& body) {
  if (path == kMcpPath) return serve::mcp::weight_of(body, heavy_names());
  const std::string_view name = tool_of(path);
  if (name.empty()) return http::Weight::kLight;
  const ClusterTool* tool = find_cluster_tool(name);
  return tool != nullptr && tool->is_heavy ? http::Weight::kHeavy : http::Weight::kUsual;
}

http::Response answer(Cluster& cluster, const http::Request& request, const ApiFacts& facts) {
  if (request.path == kSqlPath || request.path.starts_with(kToolPrefix)) return call_tool(cluster, request);
  if (request.path == kMcpPath) return answer_mcp(cluster, request, facts.version);
  if (auto file = page::answer(page::About::kCluster, request, facts.asks_token)) return std::move(*file);
  if (request.method != "GET") {
    http::Response response = failed(Error(Errc::kInvalid, "only tools are called with POST"));
    response.status = 405;
    response.headers.emplace_back("Allow", "GET");
    return response;
  }
  if (request.path == kOpenPath) {
    const std::string two_parts = facts.version.substr(0, facts.version.find('.', facts.version.find('.') + 1));
    return json(200, Json{{"version", two_parts},
                          {"capabilities",
                           {"otlp_http", "otlp_grpc", "tools", "mcp", "analysis", "sql", "threshold", "hangs"}}});
  }
  if (request.path == "/metrics") {
    if (!readable_by(cluster, request).are_all) {
      return failed(Error(Errc::kPermission, "they are of all clusters, and this token reads only some"));
    }
    const auto metrics = cluster.metrics(facts.refusals);
    return metrics.ok() ? http::Response{200, "text/plain; version=0.0.4; charset=utf-8", *metrics, {}, {}}
                        : failed(metrics.error());
  }
  if (request.path == "/api/v1/openapi.json") return json(200, description(facts.version));
  if (request.path == "/api/v1/tools") return json(200, tool_list());
  if (request.path == "/api/v1/time") return json(200, Json{{"timestamp_ns", cluster.clock().wall_ns()}});
  if (request.path == "/api/v1/threshold") return threshold(cluster, request);
  if (request.path == "/api/v1/health") {
    auto health = cluster.health(readable_by(cluster, request));
    if (!health.ok()) return failed(health.error());
    (*health)["received"]["refused_requests"] = refused_requests(facts.refusals);
    (*health)["dashboard_url"] = json_or_null(facts.dashboard_url);
    return json(200, *health);
  }
  return failed(Error(Errc::kNotFound,
                      "the page is at /, the API below /api/v1: tools, sql, threshold, health, time, openapi.json; the "
                      "protocol at /mcp; and "
                      "/metrics"));
}

}  // namespace ingero::fleet::server
