// Routes, statuses and the description of both: see api.h.
#include "serve/api/api.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "serve/api/endpoints.h"

namespace ingero::serve::api {
namespace {

constexpr std::string_view kToolPrefix = "/api/v1/tools/";

http::Response json(int status, const Json& body, std::string note = {}) {
  return {status, "application/json", dump(body), {}, std::move(note)};
}

http::Response failed(const Error& error) {
  const Json body = tools::error_json(error);
  return json(tools::fault_status(error.code()), body,
              body["class"].get<std::string>() + ": " + body["error"].get<std::string>());
}

Json tool_json(const tools::Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"input", tool.input},
          {"output", tool.output}};
}

Result<Json> list_tools(Api& api, const http::Request&) {
  Json list = Json::array();
  for (const tools::Tool* tool : api.service().tools()) list.push_back(tool_json(*tool));
  return Json{{"tools", std::move(list)}};
}

Result<Json> versions(Api& api, const http::Request&) {
  return Json{{"versions", Json::array({"v1"})}, {"ingero", api.version()}};
}

// Well when the recording can be read, or has not begun.
Result<Json> health(Api& api, const http::Request&) {
  Json out{{"status", "ok"}, {"recording", nullptr}, {"live", nullptr}};
  auto lease = api.service().acquire();
  if (!lease.ok() && lease.error().code() != Errc::kNotFound) return lease.error();
  if (lease.ok()) {
    out["recording"] = (*lease)->version();
    out["live"] = (*lease)->is_live();
  }
  return out;
}

Result<Json> sql(Api& api, const http::Request& request) {
  Json body = parse_json(request.body);
  if (!body.is_object()) return Error(Errc::kInvalid, "the body must be a JSON object");
  if (body.contains("sql") && !body.contains("query")) {
    body["query"] = body["sql"];
    body.erase("sql");
  }
  auto answer = api.service().ask("run_sql", body);
  if (!answer.ok()) return answer.error();
  return tools::QueryService::shown("run_sql", body, *answer);
}

Result<Json> describe(Api& api, const http::Request&) { return api.description(); }

Json description_schema() { return tools::object_of("openapi:string info:object paths:object"); }

http::Response call_tool(Api& api, const http::Request& request) {
  const std::string name = request.path.substr(kToolPrefix.size());
  if (request.method != "POST") {
    http::Response response = failed(Error(Errc::kInvalid, "tools are called with POST"));
    response.status = 405;
    response.headers.emplace_back("Allow", "POST");
    return response;
  }
  Json input = request.body.empty() ? Json::object() : parse_json(request.body);
  if (input.is_discarded()) return failed(Error(Errc::kInvalid, "the body is not JSON"));
  const auto answer = api.service().ask(name, input);
  if (!answer.ok()) return failed(answer.error());
  return json(200, tools::QueryService::shown(name, input, *answer), name);
}

// Statements and pages to a person on call are what another site's form must not send.
bool needs_json_type(std::string_view path) {
  static constexpr std::string_view kPaths[] = {"/api/v1/sql", "/api/v1/query", "/api/v1/tools/run_sql",
                                                "/api/v1/tools/query_fleet", "/api/v1/tools/pagerduty_trigger"};
  return std::find(std::begin(kPaths), std::end(kPaths), path) != std::end(kPaths);
}

Json error_schema() { return tools::object_of("error:string class:string"); }

Json answers_of(Json schema) {
  const auto of = [](const char* what, Json content) {
    return Json{{"description", what}, {"content", {{"application/json", {{"schema", std::move(content)}}}}}};
  };
  const Json error{{"$ref", "#/components/schemas/Error"}};
  Json answers{{"200", of("The answer", std::move(schema))}};
  for (const auto& [status, what] : {std::pair{"400", "Bad input"},
                                     {"401", "No secret, or a wrong one"},
                                     {"403", "Refused"},
                                     {"404", "Not found"},
                                     {"429", "Too many requests"},
                                     {"500", "Internal"},
                                     {"504", "Took longer than allowed"}}) {
    answers[status] = of(what, error);
  }
  return answers;
}

Json body_of(Json schema) {
  return {{"required", true}, {"content", {{"application/json", {{"schema", std::move(schema)}}}}}};
}

}  // namespace

std::span<const Endpoint> own_endpoints() {
  using tools::object_of;
  static const Endpoint endpoints[] = {
      {"GET", "/api/versions", "Versions of this API", false, [] { return object_of("versions:array ingero:string"); },
       versions},
      {"GET", "/api/v1/health", "Whether the recording can be read", false,
       [] { return object_of("status:string recording:string? live:boolean?"); }, health},
      {"GET", "/api/v1/openapi.json", "This description", false, description_schema, describe},
      {"GET", "/api/v1/tools/list", "The tools and what they take and give", false,
       [] { return object_of("tools:array"); }, list_tools},
      {"POST", "/api/v1/tools/list", "The same", false, [] { return object_of("tools:array"); }, list_tools},
      {"POST", "/api/v1/sql", "The tool run_sql; \"sql\" may stand for \"query\"", false,
       [] { return tools::find_tool("run_sql")->output; }, sql},
  };
  return endpoints;
}

http::Weight weight_of(const std::string& path) {
  static constexpr std::string_view kLight[] = {"/api/versions", "/api/v1/health", "/api/v1/openapi.json",
                                                "/api/v1/tools/list", "/api/v1/time"};
  if (std::find(std::begin(kLight), std::end(kLight), path) != std::end(kLight)) return http::Weight::kLight;
  return needs_json_type(path) ? http::Weight::kHeavy : http::Weight::kUsual;
}

http::Response Api::answer(const http::Request& request) {
  if (request.method == "POST" && needs_json_type(request.path) && !http::has_json_type(request)) {
    http::Response response = failed(Error(Errc::kInvalid, "the header Content-Type must be application/json",
                                           "curl: -H 'Content-Type: application/json'"));
    response.status = 415;
    return response;
  }
  bool is_known = false;
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  for (const auto& list : {own_endpoints(), legacy_endpoints()}) {
    for (const Endpoint& endpoint : list) {
      if (request.path != endpoint.path) continue;
      is_known = true;
      if (method != endpoint.method) continue;
      const auto answer = endpoint.answer(*this, request);
      return answer.ok() ? json(200, *answer) : failed(answer.error());
    }
  }
  if (is_known) {
    http::Response response =
        failed(Error(Errc::kInvalid, fmt::format("method {} is not allowed here", printable(request.method, 16))));
    response.status = 405;
    return response;
  }
  if (request.path.starts_with(kToolPrefix)) return call_tool(*this, request);
  return failed(Error(Errc::kNotFound, "no endpoint has this path", "/api/v1/openapi.json lists the endpoints"));
}

Json Api::description() const {
  Json paths = Json::object();
  for (const auto& list : {own_endpoints(), legacy_endpoints()}) {
    for (const Endpoint& endpoint : list) {
      const bool is_post = std::string_view(endpoint.method) == "POST";
      std::string id = std::string(is_post ? "post_" : "get_") + (endpoint.path + 5);
      std::replace_if(
          id.begin(), id.end(), [](char c) { return c == '/' || c == '-' || c == '.'; }, '_');
      Json operation{{"operationId", id}, {"summary", endpoint.summary}, {"responses", answers_of(endpoint.schema())}};
      if (endpoint.has_since) {
        operation["parameters"] = Json::array({{{"name", "since"},
                                                {"in", "query"},
                                                {"required", false},
                                                {"description", "Only the last 30s, 5m, 2h"},
                                                {"schema", {{"type", "string"}}}}});
      }
      if (is_post && std::string_view(endpoint.path) != "/api/v1/tools/list") {
        Json body = tools::object_of("sql:string");
        body["properties"]["limit"] = {{"type", "integer"}, {"minimum", 1}, {"maximum", 10000}, {"default", 1000}};
        operation["requestBody"] = body_of(std::move(body));
      }
      paths[endpoint.path][is_post ? "post" : "get"] = std::move(operation);
    }
  }
  for (const tools::Tool* one : service_.tools()) {
    const tools::Tool& tool = *one;
    paths[std::string(kToolPrefix) + std::string(tool.name)]["post"] = {{"operationId", tool.name},
                                                                        {"summary", tool.title},
                                                                        {"description", tool.description},
                                                                        {"requestBody", body_of(tool.input)},
                                                                        {"responses", answers_of(tool.output)}};
  }
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "ingero"}, {"version", version_}, {"description", "Questions about a recording of GPU calls"}}},
          {"paths", std::move(paths)},
          {"components",
           {{"schemas", {{"Error", error_schema()}}},
            {"securitySchemes", {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
          {"security", Json::array({Json::object(), {{"bearer", Json::array()}}})}};
}

}  // namespace ingero::serve::api
