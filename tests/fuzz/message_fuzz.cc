// Any bytes as a message of the Model Context Protocol, at both transports: answered as JSON-RPC, or not at all.
// INGERO_FUZZ_RECORDING names the recording that is asked; without it the tools say that there is none.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/json.h"
#include "cli/backend_flags.h"
#include "cli/commands.h"
#include "serve/mcp/protocol.h"
#include "serve/mcp/recording_provider.h"
#include "serve/mcp/streamable.h"

using namespace ingero;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct Server {
  static serve::tools::QueryServiceOptions options() {
    serve::tools::QueryServiceOptions made;
    const char* recording = std::getenv("INGERO_FUZZ_RECORDING");
    made.database = recording == nullptr ? "none" : recording;
    made.time_ns = 1'000'000'000;
    made.machine = {cli::check_document,
                    [](const std::string& scenario) { return cli::demo_document(scenario, system_clock()); }};
    return made;
  }

  serve::tools::QueryService service{options(), cli::vendor_names(), system_clock()};
  serve::mcp::RecordingProvider provider{service};
  serve::mcp::Protocol protocol{provider, {"1"}};
};

void check_message(const Json& said) {
  require(said.is_object() && said["jsonrpc"] == "2.0" && said.contains("id"));
  require(said.contains("result") != said.contains("error"));
  // What comes from the message or a recording is text: written as it is, it must be UTF-8.
  require(!said.dump().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Server server;
  const std::string body(reinterpret_cast<const char*>(data), size);
  const serve::http::Request request{
      "POST", "/mcp", body,
      [](const char* name) { return std::string(name) == "Content-Type" ? "application/json" : ""; },
      [](const char*) { return ""; }};
  const serve::http::Response response = serve::mcp::answer_http(server.protocol, request);
  require(response.status == 200 || response.status == 202 || response.status == 400);
  require(response.body.empty() == (response.status == 202));
  if (!response.body.empty()) {
    const Json said = Json::parse(response.body);
    if (!said.is_array()) check_message(said);
    for (const Json& one : said.is_array() ? said : Json::array()) check_message(one);
  }
  // The revision of 2026 wants headers over HTTP; here it comes through.
  const Json message = parse_json(body);
  if (message.is_discarded()) return 0;
  if (const auto said = server.protocol.handle(message)) check_message(*said);
  return 0;
}
