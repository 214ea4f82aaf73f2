// A tool: one question that can be asked of a recording, declared once and answered over every door (MCP, HTTP, the
// command line), with what its handler may use.
//
// Handlers only read. What they give back is bounded, cleaned and completed by the desk (desk.h). Errors are classified
// by their code: kInvalid bad input, kNotFound, kBusy timed out or cancelled, kPermission, kNotSupported and kFull
// refused, everything else internal. Threads: a handler runs in one thread; several may run at once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "serve/tools/schema.h"
#include "store/reader.h"
#include "store/summary.h"

namespace ingero::store {
class Timeline;
}

namespace ingero::serve::tools {

// Which members of the report of `ingero explain --json` are wanted; docs/formats/explain.md says what each holds.
struct ReportParts {
  bool figures = false;         // recording, calls, host, processes, failures
  bool incidents = false;       // incidents, examined
  bool earlier_chains = false;  // earlier_chains; with incidents
  bool collectives = false;     // collectives
  bool inference = false;       // inference
  uint32_t slowest = 0;         // at most so many
  uint32_t per_call = 3;        // of each call
  uint32_t unfinished = 0;      // at most so many
};

// What the composition root computes: so that a tool's answer and a command's are one computation. Thread-safe.
class Findings {
 public:
  virtual ~Findings() = default;
  virtual Result<Json> report(const store::Reader& reader, const store::Selection& selection, const ReportParts& parts,
                              uint64_t time_ns) const = 0;
  virtual Result<Json> check() const = 0;                            // as `ingero check --json`
  virtual Result<Json> demo(const std::string& scenario) const = 0;  // as `ingero demo SCENARIO --json --speed 0`
  // The frames of stack_traces.frames as people read them, innermost first.
  virtual std::vector<std::string> frames(std::string_view stored) const = 0;
};

class Nodes;  // outside.h
class Pager;

struct Question {
  const Json& input;            // passed its schema; has its defaults
  const store::Reader* reader;  // null for a tool that needs no recording
  const store::Reader* other;   // the recording that input "recording" names, where a tool takes it
  const Findings& findings;
  const Clock& clock;
  store::QueryLimits limits;            // time and cancellation of the whole answer
  store::Timeline* timeline = nullptr;  // of the recording, kept between questions; null without one
  std::vector<std::string> cuts = {};   // what was left out, in sentences
  // What several tools make of the recording, kept between questions as answers are; `name`: what, and of which part.
  std::function<Result<Json>(const std::string& name, const std::function<Result<Json>()>& make)> shared = {};
  const Nodes* nodes = nullptr;  // of a tool that asks them
  Pager* pager = nullptr;        // of a tool that pages
};

// What a tool reaches for outside of this machine: without it the tool is not there.
enum class Beyond : uint8_t { kNothing, kNodes, kPager };

struct Tool {
  std::string_view name, title, description;
  Json input, output;
  bool needs_recording = true;
  bool is_lasting = true;  // the same answer as long as the recording is the same
  Result<Json> (*answer)(Question& question) = nullptr;
  // The short form (docs/formats/tools.md) of an answer; null: compact() in compact.h.
  Json (*compact)(const Json& answer) = nullptr;
  Beyond beyond = Beyond::kNothing;
};

// In the order in which they are listed; Desk::tools() has those that can be asked.
const std::vector<Tool>& all_tools();
const Tool* find_tool(std::string_view name);

// "bad_input", "refused", "not_found", "timed_out", "internal".
std::string_view fault_name(Errc code);

// Inputs that many tools share: "since", "from", "to", "label".
Json range_properties();
// An input schema: an object with these properties and no others.
Json input_of(Json properties, Json required = Json::array());
// The part of the recording that since, from, to, label, pid and op of `input` mean.
Result<store::Selection> selection_of(const Json& input, const store::Reader& reader, const Clock& clock);

// The rows of a statement, by column name. At most `most`; `cut` says what there is more of, and where.
Result<Json> rows_of(Question& question, const std::string& sql, const std::vector<store::Bound>& bound, uint64_t most,
                     std::string_view what);
// As rows_of shows one value.
Json json_of(const store::Value& value);

}  // namespace ingero::serve::tools
