// What a server of the protocol offers about a recording: the tools of the query service, the prompt to investigate,
// and what a model may read before it asks.
//
// Owns nothing; the query service outlives it. Thread-safe, as that is. Failure: the tool's, classified by its code.
#pragma once

#include "serve/mcp/provider.h"
#include "serve/tools/query_service.h"

namespace ingero::serve::mcp {

// Whose requests are heavy: SQL, and questions to nodes.
inline constexpr std::string_view kHeavyOfRecording[] = {"run_sql", "query_fleet"};

class RecordingProvider final : public Provider {
 public:
  explicit RecordingProvider(tools::QueryService& service) : service_(service) {}

  std::vector<ToolEntry> tools() const override;
  bool has_tool(const std::string& name) const override { return service_.find(name) != nullptr; }
  Result<ToolAnswer> ask(const std::string& name, const Json& input, const std::atomic<bool>* cancel) override;
  // prompt.cc
  Words words() const override;
  Json prompts() const override;
  std::string prompt_text(const std::string& name, const std::string& focus) const override;
  // resources.cc
  Json resources() const override;
  Result<std::string> resource_text(const std::string& uri) override;

 private:
  tools::QueryService& service_;
};

}  // namespace ingero::serve::mcp
