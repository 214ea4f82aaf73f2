// A tool: one question about a recording, declared once and answered over every interface (MCP, HTTP, the command
// line), with what its handler may use.
//
// Handlers only read. The query service (query_service.h) bounds, sanitizes and completes their answers. Errors are
// classified by their code: kInvalid bad input, kNotFound, kBusy timed out or cancelled, kPermission, kNotSupported and
// kFull refused, everything else internal. Threads: a handler runs in one thread; several may run at once. Owns
// nothing: what a Question refers to is the query service's and outlives the answer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "report/report.h"
#include "serve/tools/schema.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::store {
class Timeline;
}

namespace ingero::serve::tools {

// Questions about this machine rather than a recording, made by the composition root. Thread-safe. A tool whose
// function is empty is not there.
struct MachineQuestions {
  std::function<Result<Json>()> check;                            // as `ingero check --json`
  std::function<Result<Json>(const std::string& scenario)> demo;  // as `ingero demo SCENARIO --json --speed 0`
};

class Nodes;  // remote.h
class Pager;

struct Question {
  const Json& input;            // passed its schema; has its defaults
  const store::Reader* reader;  // null for a tool that needs no recording
  const store::Reader* other;   // the recording that input "recording" names, where a tool takes it
  const report::VendorNames& names;
  const MachineQuestions& machine;
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
enum class Requirement : uint8_t { kNothing, kNodes, kPager, kCheck, kDemo };

struct Tool {
  std::string_view name, title, description;
  Json input, output;
  bool needs_recording = true;
  bool is_lasting = true;  // the same answer as long as the recording is the same
  Result<Json> (*answer)(Question& question) = nullptr;
  // The short form (docs/formats/tools.md) of an answer; null: compact() in compact.h.
  Json (*compact)(const Json& answer) = nullptr;
  Requirement requirement = Requirement::kNothing;
};

// In the order in which they are listed; QueryService::tools() has those that are available.
const std::vector<Tool>& all_tools();
const Tool* find_tool(std::string_view name);

// "bad_input", "refused", "not_found", "timed_out", "internal".
std::string_view fault_name(Errc code);
// The same as HTTP says it: 400, 403, 404, 504 or 500.
int fault_status(Errc code);

// Inputs that many tools share: "since", "from", "to", "run", "label".
Json range_properties();
// Members of answers about several nodes: how far their clocks are known, and what began first by them.
Json clocks_schema();
Json order_schema();
// An input schema: an object with these properties and no others.
Json input_of(Json properties, Json required = Json::array());
// The part of the recording that since, from, to, label, pid and op of `input` mean.
Result<store::Selection> selection_of(const Json& input, const store::Reader& reader, const Clock& clock);

// How many rows one answer about a live recording reads: some 100 ms of a core, so that it takes less than a second
// while the writer, the traced programs and other questions want the cores too.
inline constexpr uint64_t kScannedRows = 250'000;  // of the row table alone
inline constexpr uint64_t kViewedRows = 100'000;   // of the view `events`
inline constexpr uint64_t kReplayedRows = 40'000;  // through an engine

// The same for a tool that reads rows. Of a live recording only the last `most` of them are selected, and a cut says
// so: `what` is of that part, as "the slowest calls".
Result<store::Selection> rows_selection(Question& question, const Json& input, const store::Reader& reader,
                                        uint64_t most, std::string_view what);
// The same where the figures of the whole recording come from its histograms and only `what` from rows.
Result<store::Selection> figures_selection(Question& question, const Json& input, const store::Reader& reader,
                                           std::string_view what);

// The parts of a report that `options` name, as `ingero explain --json` has them; its time limit is the question's.
Result<Json> report_of(Question& question, const store::Reader& reader, const store::Selection& selection,
                       report::ReportOptions options);

// The rows of a statement, by column name. At most `most`; `cut` says what there is more of, and where.
Result<Json> rows_of(Question& question, const std::string& sql, const std::vector<store::Bound>& bound, uint64_t most,
                     std::string_view what);

}  // namespace ingero::serve::tools
