// The query service as the protocol asks it: see recording_provider.h.
#include "serve/mcp/recording_provider.h"

namespace ingero::serve::mcp {

std::vector<ToolEntry> RecordingProvider::tools() const {
  std::vector<ToolEntry> entries;
  for (const tools::Tool* tool : service_.tools()) {
    entries.push_back({tool->name, tool->title, tool->description, tool->input, tool->output,
                       tool->requirement != tools::Requirement::kPager,
                       tool->requirement != tools::Requirement::kNothing});
  }
  return entries;
}

Result<ToolAnswer> RecordingProvider::ask(const std::string& name, const Json& input, const std::atomic<bool>* cancel) {
  auto answer = service_.ask(name, input, cancel);
  INGERO_TRY(answer);
  Json shown = tools::QueryService::shown(name, input, *answer);
  return ToolAnswer{std::move(*answer), std::move(shown)};
}

}  // namespace ingero::serve::mcp
