// The Model Context Protocol without a transport: a message in, an answer out.
//
// Revisions 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25 (negotiated by `initialize`), and 2026-07-28, where each
// request names its revision in `_meta`. Keeps no state: any request can be answered at any time, in any thread.
// Everything in a message is hostile until checked; what is not JSON-RPC is answered with JSON-RPC's errors.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "serve/mcp/provider.h"

namespace ingero::serve::mcp {

inline constexpr std::string_view kRevisions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
inline constexpr std::string_view kModernRevision = "2026-07-28";
inline constexpr size_t kMaxInBatch = 32;  // messages
inline constexpr const char* kRevisionKey = "io.modelcontextprotocol/protocolVersion";

// JSON-RPC's numbers, and the protocol's own.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kUnsupportedRevision = -32022;
inline constexpr int kTooMany = -32000;

struct ProtocolOptions {
  std::string version;     // of the program
  size_t page_size = 100;  // entries of a list in one answer
};

Json error_response(const Json& id, int code, const std::string& message, Json data = nullptr);

class Protocol {
 public:
  Protocol(Provider& provider, ProtocolOptions options) : provider_(provider), options_(std::move(options)) {}

  // The answer to a request; nothing for a notification or an answer. `cancel`: set by another thread, ends the work.
  std::optional<Json> handle(const Json& message, const std::atomic<bool>* cancel = nullptr);

 private:
  struct Request;
  Json answer(const Request& request);
  Json capabilities() const;
  Json server_info() const;
  Json initialize(const Request& request) const;
  Json discover() const;
  Json list_tools(const Request& request) const;
  Json call_tool(const Request& request);
  Json list_resources(const Request& request) const;
  Json read_resource(const Request& request);
  Json get_prompt(const Request& request) const;
  Json paged(const Request& request, const char* name, const Json& all) const;

  Provider& provider_;
  ProtocolOptions options_;
};

}  // namespace ingero::serve::mcp
