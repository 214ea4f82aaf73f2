// Dispatches the methods of MCP, and answers in the form of the revision that the client asked for.
#include "serve/mcp/protocol.h"

#include <algorithm>

#include "base/text.h"
#include "serve/tools/query_service.h"
#include "serve/tools/sanitize.h"

namespace ingero::serve::mcp {
namespace {

constexpr const char* kServerInfoKey = "io.modelcontextprotocol/serverInfo";
constexpr int kListLifeMs = 300'000;  // lists change with the program only

// Ends one request with an error; caught in handle().
struct Refusal {
  int code;
  std::string message;
  Json data = nullptr;
};

bool is_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

const Json& member(const Json& object, const char* name) {
  static const Json none;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? *found : none;
}

std::string required_text(const Json& params, const char* name) {
  const Json& value = member(params, name);
  if (!value.is_string()) throw Refusal{kInvalidParams, fmt::format("params.{} must be a string", name)};
  return value.get<std::string>();
}

Json text_block(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

}  // namespace

struct Protocol::Request {
  Json id;
  std::string method;
  const Json& params;
  bool is_modern = false;
  const std::atomic<bool>* cancel;
};

Json error_response(const Json& id, int code, const std::string& message, Json data) {
  Json error{{"code", code}, {"message", printable(message, 2000)}};
  if (!data.is_null()) error["data"] = std::move(data);
  return {{"jsonrpc", "2.0"}, {"id", is_id(id) ? id : Json(nullptr)}, {"error", std::move(error)}};
}

Result<std::string> Provider::resource_text(const std::string& uri) {
  return Error(Errc::kInvalid, fmt::format("unknown resource {}", printable(uri, 200)));
}

std::optional<Json> Protocol::handle(const Json& message, const std::atomic<bool>* cancel) {
  const Json& id = member(message, "id");
  if (!message.is_object() || member(message, "jsonrpc") != "2.0") {
    return error_response(id, kInvalidRequest, "not a JSON-RPC 2.0 message");
  }
  if (!message.contains("method")) {
    // An answer to a question that was never asked.
    if (message.contains("result") || message.contains("error")) return std::nullopt;
    return error_response(id, kInvalidRequest, "the message has no method");
  }
  if (!message["method"].is_string()) return error_response(id, kInvalidRequest, "method must be a string");
  const bool is_notification = !message.contains("id");
  if (!is_notification && !is_id(id)) return error_response(id, kInvalidRequest, "id must be a string or an integer");
  const Json& params = member(message, "params");
  if (!params.is_null() && !params.is_object()) {
    if (is_notification) return std::nullopt;
    return error_response(id, kInvalidParams, "params must be an object");
  }
  if (is_notification) return std::nullopt;  // initialized, cancelled (the transport's): nothing to say
  Request request{id, message["method"].get<std::string>(), params, false, cancel};
  try {
    const Json& revision = member(member(params, "_meta"), kRevisionKey);
    if (!revision.is_null()) {
      if (revision != kModernRevision) {
        throw Refusal{kUnsupportedRevision,
                      "Unsupported protocol version",
                      {{"supported", Json::array({kModernRevision})}, {"requested", revision}}};
      }
      request.is_modern = true;
    }
    Json result = answer(request);
    if (request.is_modern) {
      result["resultType"] = "complete";
      result["_meta"] = {{kServerInfoKey, server_info()}};
      const bool is_list = request.method.ends_with("/list") || request.method == "resources/read" ||
                           request.method == "server/discover";
      if (is_list) {
        result["ttlMs"] = request.method == "resources/read" ? 0 : kListLifeMs;
        result["cacheScope"] = request.method == "resources/read" ? "private" : "public";
      }
    }
    return Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
  } catch (const Refusal& refusal) {
    return error_response(id, refusal.code, refusal.message, refusal.data);
  } catch (const std::exception& error) {
    return error_response(id, kInternalError, error.what());
  }
}

Json Protocol::answer(const Request& request) {
  const std::string& method = request.method;
  if (method == "server/discover" && request.is_modern) return discover();
  if (method == "initialize" && !request.is_modern) return initialize(request);
  if (method == "ping" && !request.is_modern) return Json::object();
  if (method == "tools/list") return list_tools(request);
  if (method == "tools/call") return call_tool(request);
  if (method == "prompts/list") return paged(request, "prompts", provider_.prompts());
  if (method == "prompts/get") return get_prompt(request);
  if (method == "resources/list") return list_resources(request);
  if (method == "resources/templates/list") return paged(request, "resourceTemplates", Json::array());
  if (method == "resources/read") return read_resource(request);
  throw Refusal{kMethodNotFound, fmt::format("unknown method {}", printable(method, 100))};
}

Json Protocol::server_info() const {
  return {{"name", "ingero"}, {"title", provider_.words().title}, {"version", options_.version}};
}

Json Protocol::capabilities() const {
  Json all{{"tools", Json::object()}};
  if (!provider_.prompts().empty()) all["prompts"] = Json::object();
  if (!provider_.resources().empty()) all["resources"] = Json::object();
  return all;
}

Json Protocol::initialize(const Request& request) const {
  const std::string asked = required_text(request.params, "protocolVersion");
  const bool is_known = std::find(std::begin(kRevisions), std::end(kRevisions), asked) != std::end(kRevisions);
  return {{"protocolVersion", is_known ? asked : std::string(kRevisions[0])},
          {"capabilities", capabilities()},
          {"serverInfo", server_info()},
          {"instructions", provider_.words().instructions}};
}

Json Protocol::discover() const {
  return {{"supportedVersions", Json::array({kModernRevision})},
          {"capabilities", capabilities()},
          {"instructions", provider_.words().instructions}};
}

// A cursor is the number of the entry that comes next.
Json Protocol::paged(const Request& request, const char* name, const Json& all) const {
  size_t from = 0;
  if (const Json& cursor = member(request.params, "cursor"); !cursor.is_null()) {
    const auto number = cursor.is_string() ? parse_u64(cursor.get<std::string>()) : std::nullopt;
    if (!number || *number == 0 || *number >= all.size())
      throw Refusal{kInvalidParams, "cursor: not one of this server's"};
    from = *number;
  }
  const size_t to = std::min(all.size(), from + options_.page_size);
  Json page = Json::array();
  for (size_t i = from; i < to; ++i) page.push_back(all[i]);
  Json result{{name, std::move(page)}};
  if (to < all.size()) result["nextCursor"] = std::to_string(to);
  return result;
}

namespace {

// The members of an answer and their types, without what is in them: each model reads the list before its first
// question, and pays for every word of it. `ingero ask NAME --schema` and /api/v1/tools/list have all of it.
Json outline(const Json& schema) {
  Json members = Json::object();
  for (const auto& [name, member] : schema["properties"].items())
    members[name] = member.contains("type") ? Json{{"type", member["type"]}} : Json::object();
  return {{"type", "object"}, {"properties", std::move(members)}};
}

}  // namespace

Json Protocol::list_tools(const Request& request) const {
  Json all = Json::array();
  for (const ToolEntry& tool : provider_.tools()) {
    all.push_back({{"name", tool.name},
                   {"title", tool.title},
                   {"description", tool.description},
                   {"inputSchema", tool.input},
                   {"outputSchema", outline(tool.output)},
                   {"annotations",
                    {{"readOnlyHint", tool.only_reads},
                     {"destructiveHint", false},
                     {"idempotentHint", true},
                     {"openWorldHint", tool.reaches_out}}}});
  }
  return paged(request, "tools", all);
}

Json Protocol::call_tool(const Request& request) {
  const std::string name = required_text(request.params, "name");
  if (!provider_.has_tool(name)) {
    throw Refusal{kInvalidParams, fmt::format("unknown tool \"{}\"", printable(name, 64))};
  }
  const Json& given = member(request.params, "arguments");
  if (!given.is_null() && !given.is_object()) throw Refusal{kInvalidParams, "params.arguments must be an object"};
  const Json input = given.is_null() ? Json::object() : given;
  const auto answer = provider_.ask(name, input, request.cancel);
  if (!answer.ok()) {
    const Json error = tools::error_json(answer.error());
    const std::string text = error["class"].get<std::string>() + ": " + error["error"].get<std::string>();
    // No structure: clients hold that to the tool's schema, in failures too.
    return {{"content", Json::array({text_block(text)})}, {"isError", true}};
  }
  // Three texts, so that the middle one is JSON as it is.
  return {{"content", Json::array({text_block(provider_.words().preamble + "\n" + std::string(tools::kOpens)),
                                   text_block(answer->shown.dump()), text_block(std::string(tools::kCloses))})},
          {"structuredContent", answer->structured},
          {"isError", false}};
}

Json Protocol::get_prompt(const Request& request) const {
  const std::string name = required_text(request.params, "name");
  const Json all = provider_.prompts();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Json& one) { return one["name"] == name; });
  if (found == all.end()) throw Refusal{kInvalidParams, fmt::format("unknown prompt \"{}\"", printable(name, 64))};
  const Json& focus = member(member(request.params, "arguments"), "focus");
  if (!focus.is_null() && (!focus.is_string() || focus.get_ref<const std::string&>().size() > 1000)) {
    throw Refusal{kInvalidParams, "arguments.focus must be a string of at most 1000 bytes"};
  }
  const std::string text =
      provider_.prompt_text(name, focus.is_null() ? "" : printable(focus.get<std::string>(), 1000));
  return {{"description", (*found)["description"]},
          {"messages", Json::array({{{"role", "user"}, {"content", text_block(text)}}})}};
}

Json Protocol::list_resources(const Request& request) const {
  return paged(request, "resources", provider_.resources());
}

Json Protocol::read_resource(const Request& request) {
  const std::string uri = required_text(request.params, "uri");
  const auto text = provider_.resource_text(uri);
  if (!text.ok()) {
    // The earlier revisions have a number of their own for what is not there.
    const bool is_unknown = text.error().code() == Errc::kInvalid;
    throw Refusal{is_unknown ? (request.is_modern ? kInvalidParams : -32002) : kInternalError,
                  text.error().text(),
                  {{"uri", printable(uri, 200)}}};
  }
  return {{"contents", Json::array({{{"uri", uri}, {"mimeType", "text/plain"}, {"text", *text}}})}};
}

}  // namespace ingero::serve::mcp
