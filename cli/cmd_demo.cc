// ingero demo: a planted cause, made-up events, and what explain says of them; through the real store and engine.

#include "agent/demo/demo_recording.h"
#include "agent/demo/demo_scenarios.h"
#include "backends/registry.h"
#include "base/text.h"
#include "cli/backend_flags.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/help.h"
#include "report/report.h"
#include "store/read/reader.h"

namespace ingero::cli {
namespace {

struct DemoOptions {
  std::string scenario = "incident";
  std::string duration = "0";
  double speed = 1;
  bool json = false, verbose = false, no_gpu = false, gpu = false, stack = true;
};

Result<report::Report> report_of(const agent::DemoScenario& scenario, const agent::DemoPace& pace,
                                 const report::ReportOptions& options, const Clock& clock) {
  static const hal::CallTable calls(backends::all_backends());
  auto folder = agent::TemporaryFolder::make();
  INGERO_TRY(folder);
  const std::string path = folder->path() + "/demo.db";
  INGERO_TRY(agent::record_demo(scenario, calls, pace, path, clock));
  const auto reader = store::Reader::open(path);
  INGERO_TRY(reader);
  auto report = report::gather_report(**reader, {}, options, vendor_names());
  INGERO_TRY(report);
  report->path = fmt::format("of the demo scenario {}", scenario.name);
  return report;
}

Result<int> show(const agent::DemoScenario& scenario, const DemoOptions& options, uint64_t limit_ns, Context& context) {
  if (!options.json) {
    context.err << fmt::format("demo {}: {} (made-up events, no GPU needed)\n", scenario.name, scenario.sentence);
    context.err.flush();
  }
  report::ReportOptions wanted;
  wanted.slowest = options.verbose ? 10 : 3;
  const auto report = report_of(scenario, {options.speed, limit_ns}, wanted, *context.clock);
  INGERO_TRY(report);
  context.out << (options.json ? report::report_json(*report, false)
                               : report::report_text(*report, false, context.colour));
  context.out.flush();
  return kExitDone;
}

std::string scenario_names() {
  std::string names;
  for (const agent::DemoScenario& one : agent::demo_scenarios()) {
    names += std::string(names.empty() ? "" : ", ") + std::string(one.name);
  }
  return names;
}

Error unknown_scenario(Errc code, const std::string& name, std::string remedy) {
  return Error(code, fmt::format("demo: unknown scenario \"{}\"", printable(name, 64)), std::move(remedy));
}

Result<int> run_demo(const DemoOptions& options, Context& context) {
  const auto limit = parse_duration_ns(options.duration);
  if (!limit.ok()) return limit.error().in("--duration");
  if (options.gpu) {
    return Error(Errc::kNotSupported, "demo --gpu is not supported: the demo generates its own events",
                 "trace a program of yours: ingero trace -- python3 train.py");
  }
  if (options.scenario == "all") {
    const char* before = "[";  // with --json one array
    for (const agent::DemoScenario& scenario : agent::demo_scenarios()) {
      if (options.json) context.out << std::exchange(before, ",");
      const auto shown = show(scenario, options, *limit, context);
      if (!shown.ok()) return shown.error();
      if (!options.json) context.out << "\n";
    }
    if (options.json) context.out << "]\n";
    return kExitDone;
  }
  const agent::DemoScenario* scenario = agent::find_demo(options.scenario);
  if (scenario == nullptr) {
    return unknown_scenario(Errc::kInvalid, options.scenario, "choose one of: " + scenario_names() + ", all");
  }
  return show(*scenario, options, *limit, context);
}

}  // namespace

Result<Json> demo_document(const std::string& scenario, const Clock& clock) {
  const agent::DemoScenario* found = agent::find_demo(scenario);
  if (found == nullptr) {
    return unknown_scenario(Errc::kNotFound, scenario, "choose one of: " + scenario_names());
  }
  report::ReportOptions wanted;
  wanted.slowest = 3;
  const auto report = report_of(*found, {}, wanted, clock);
  INGERO_TRY(report);
  return report::report_document(*report);
}

void add_demo(Command root, Context& context) {
  const Command command = root.add_command("demo", "Show what explain finds, with made-up events");
  auto options = std::make_shared<DemoOptions>();
  command.add_option("scenario", options->scenario, "Which one, or all").type_name("SCENARIO").show_default();
  command.add_option("-d,--duration", options->duration, "Stop after this much of the scenario (0: all of it)")
      .duration()
      .show_default();
  command.add_option("--speed", options->speed, "Times real time; 0 does not wait")
      .not_negative()
      .type_name("N")
      .show_default();
  command.add_flag("--json", options->json, "JSON, as explain --json");
  command.add_flag("-v,--verbose", options->verbose, "More of the slowest calls");
  const Flag no_gpu = command.add_flag("--no-gpu", options->no_gpu, "Accepted; the demonstration never uses a GPU");
  command.add_flag("--gpu", options->gpu, "Refused: trace a program of yours instead").excludes(no_gpu);
  command.add_option("--stack", options->stack, "Accepted; made-up events have no stacks").show_default();
  std::string footer = "Scenarios:\n";
  for (const agent::DemoScenario& one : agent::demo_scenarios()) {
    std::string sentence(one.sentence);
    for (const std::string_view alias : one.aliases) sentence += fmt::format(" Or: {}.", alias);
    footer += help_entry("  " + std::string(one.name), sentence);
  }
  command.footer(footer + "Examples:\n  ingero demo incident --speed 10\n  ingero demo --no-gpu all --speed 0");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_demo(*options, context); }; });
}

}  // namespace ingero::cli
