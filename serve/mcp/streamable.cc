// Headers and statuses of the protocol over HTTP: see streamable.h.
#include "serve/mcp/streamable.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace ingero::serve::mcp {
namespace {

http::Response json(int status, const Json& body, std::string note = {}) {
  return {status, "application/json", dump(body), {}, std::move(note)};
}

http::Response refused(int status, int code, const std::string& why, const Json& id = nullptr) {
  return json(status, error_response(id, code, why), why);
}

std::string text_at(const Json& message, std::initializer_list<const char*> path) {
  const Json* at = &message;
  for (const char* name : path) {
    if (!at->is_object() || !at->contains(name)) return {};
    at = &(*at)[name];
  }
  return at->is_string() ? at->get<std::string>() : std::string();
}

// The revision of 2026 repeats in headers what the body says, and both have to agree.
std::string header_fault(const http::Request& request, const Json& message) {
  const std::string revision = text_at(message, {"params", "_meta", kRevisionKey});
  const std::string version = request.header("MCP-Protocol-Version");
  if (revision.empty()) {
    if (version == kModernRevision && message.contains("id"))
      return "the body does not name the protocol version its header does";
    return {};
  }
  if (version != revision) return "MCP-Protocol-Version is not the version that the body names";
  const std::string method = text_at(message, {"method"});
  if (request.header("Mcp-Method") != method) return "Mcp-Method is not the method that the body names";
  const char* source = method == "tools/call" || method == "prompts/get" ? "name"
                       : method == "resources/read"                      ? "uri"
                                                                         : nullptr;
  if (source != nullptr && request.header("Mcp-Name") != text_at(message, {"params", source})) {
    return fmt::format("Mcp-Name is not params.{}", source);
  }
  return {};
}

bool knows(const std::string& version) {
  return version == kModernRevision ||
         std::find(std::begin(kRevisions), std::end(kRevisions), version) != std::end(kRevisions);
}

http::Response answer_batch(Protocol& protocol, const Json& messages) {
  if (messages.empty() || messages.size() > kMaxInBatch) {
    return refused(400, kInvalidRequest, "a batch holds 1 to 32 messages");
  }
  Json responses = Json::array();
  for (const Json& message : messages) {
    if (auto response = protocol.handle(message)) responses.push_back(std::move(*response));
  }
  return responses.empty() ? http::Response{202} : json(200, responses, "batch");
}

}  // namespace

http::Weight weight_of(const std::string& body, std::span<const std::string_view> heavy) {
  const auto has = [&body](std::string_view text) { return body.find(text) != std::string::npos; };
  if (has("\\u") || std::any_of(heavy.begin(), heavy.end(), has)) return http::Weight::kHeavy;
  return has("tools/call") || has("tools\\/call") ? http::Weight::kUsual : http::Weight::kLight;
}

http::Response answer_http(Protocol& protocol, const http::Request& request) {
  if (request.method != "POST") {
    http::Response response = refused(405, kTooMany, "this server has no streams and no sessions: POST only");
    response.headers.emplace_back("Allow", "POST");
    return response;
  }
  if (!http::has_json_type(request)) {
    return refused(415, kInvalidRequest, "Content-Type must be application/json");
  }
  const Json message = parse_json(request.body);
  if (message.is_discarded()) return refused(400, kParseError, "not JSON");
  if (message.is_array()) return answer_batch(protocol, message);
  const Json id = message.is_object() && message.contains("id") ? message["id"] : Json(nullptr);
  const std::string method = text_at(message, {"method"});
  const std::string version = request.header("MCP-Protocol-Version");
  if (!version.empty() && method != "initialize" && !knows(version)) {
    return json(400,
                error_response(id, kUnsupportedRevision, "Unsupported protocol version",
                               {{"supported", Json::array({kModernRevision})}, {"requested", printable(version, 32)}}),
                "unsupported protocol version");
  }
  if (const std::string fault = message.is_object() ? header_fault(request, message) : ""; !fault.empty()) {
    return refused(400, kHeaderMismatch, fault, id);
  }
  const auto response = protocol.handle(message);
  if (!response) return {202};
  int status = 200;
  if (response->contains("error")) {
    const int code = (*response)["error"]["code"].get<int>();
    const bool is_modern = version == kModernRevision;
    status = code == kInvalidRequest || code == kParseError || code == kUnsupportedRevision ? 400
             : code == kMethodNotFound && is_modern                                         ? 404
                                                                                            : 200;
  }
  const std::string name = text_at(message, {"params", "name"});
  return json(status, *response, method + (name.empty() ? "" : " " + name));
}

}  // namespace ingero::serve::mcp
