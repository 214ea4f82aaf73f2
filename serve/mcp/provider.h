// What a server of the protocol offers: tools and, where it has them, prompts and resources, with the words around
// them. The protocol asks it for all of these; what they are about is the provider's.
//
// A provider checks its inputs, and bounds and sanitizes its answers. Thread-safe: several requests at once.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace ingero::serve::mcp {

struct Words {
  std::string title;         // of the server
  std::string instructions;  // for a model, before it asks
  std::string preamble;      // before the data of an answer
};

// As tools/list has it; the schemas stay with the provider.
struct ToolEntry {
  std::string_view name, title, description;
  const Json& input;
  const Json& output;
  bool only_reads = true;
  bool reaches_out = false;  // beyond what the server has: other machines, people
};

struct ToolAnswer {
  Json structured;  // as the tool's output schema has it
  Json shown;       // the text of it: the same, or the short form that was asked for
};

class Provider {
 public:
  virtual ~Provider() = default;
  virtual Words words() const = 0;
  virtual std::vector<ToolEntry> tools() const = 0;
  virtual bool has_tool(const std::string& name) const = 0;
  // `name` is of a tool that is there. `cancel`, set by another thread, ends it with kBusy; null: cannot be cancelled.
  virtual Result<ToolAnswer> ask(const std::string& name, const Json& input, const std::atomic<bool>* cancel) = 0;

  // Lists as the protocol has them.
  virtual Json prompts() const { return Json::array(); }
  virtual std::string prompt_text(const std::string& /*name*/, const std::string& /*focus*/) const { return {}; }
  virtual Json resources() const { return Json::array(); }
  // kInvalid: no such resource.
  virtual Result<std::string> resource_text(const std::string& uri);
};

}  // namespace ingero::serve::mcp
