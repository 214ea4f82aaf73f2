// Commands as functions: see findings.h.
#include "cli/findings.h"

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "cli/demo_scenarios.h"
#include "cli/report.h"
#include "cli/stack_frames.h"

namespace ingero::cli {

using serve::tools::Json;

Result<Json> CommandFindings::report(const store::Reader& reader, const store::Selection& selection,
                                     const serve::tools::ReportParts& parts, uint64_t time_ns) const {
  ReportOptions options;
  options.figures = parts.figures;
  options.incidents = parts.incidents;
  options.judges_earlier = parts.earlier_chains;
  options.collectives = parts.collectives;
  options.inference = parts.inference;
  options.slowest = parts.slowest;
  options.per_call = parts.per_call;
  options.unfinished = parts.unfinished;
  options.time_ns = time_ns;
  const auto report = gather_report(reader, selection, options);
  if (!report.ok()) return report.error();
  return report_document(*report);
}

Result<Json> CommandFindings::printed(std::vector<std::string> arguments) const {
  std::ostringstream out, err;
  Context context(out, err);
  context.clock = clock_;
  context.environment = environment_;
  const std::string name = arguments.front();
  run(std::move(arguments), context);
  Json json = Json::parse(out.str(), nullptr, false);
  if (!json.is_discarded()) return json;
  const std::string said = err.str();
  return Error(Errc::kIo, fmt::format("{}: {}", name, said.empty() ? "it said nothing" : printable(trim(said), 1000)));
}

Result<Json> CommandFindings::check() const { return printed({"check", "--json"}); }

Result<Json> CommandFindings::demo(const std::string& scenario) const {
  if (find_demo(scenario) == nullptr) {
    std::string names;
    for (const DemoScenario& one : demo_scenarios()) {
      names += std::string(names.empty() ? "" : ", ") + std::string(one.name);
    }
    return Error(Errc::kNotFound, fmt::format("no scenario is called \"{}\"", printable(scenario, 64)),
                 "there are " + names);
  }
  return printed({"demo", scenario, "--json", "--speed", "0"});
}

std::vector<std::string> CommandFindings::frames(std::string_view stored) const {
  std::vector<std::string> texts;
  for (const StackFrame& frame : parse_frames(stored)) {
    std::string text = frame_text(frame);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace ingero::cli
