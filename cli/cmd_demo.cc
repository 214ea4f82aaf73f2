// ingero demo: a planted cause, made-up events, and what explain says of them; through the real store and engine.
#include <filesystem>
#include <thread>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "backends/registry.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/demo_scenarios.h"
#include "cli/engine_feed.h"
#include "cli/options.h"
#include "cli/report.h"
#include "store/reader.h"
#include "store/writer.h"

namespace ingero::cli {
namespace {

constexpr uint64_t kStartMonoNs = 3'600'000'000'000;
constexpr uint64_t kStepNs = 100'000'000;  // events are handed on as a live recording does

struct DemoOptions {
  std::string scenario = "incident";
  std::string duration = "0";
  double speed = 1;
  bool json = false, verbose = false, no_gpu = false, gpu = false, stack = true;
};

// A folder that is gone when this is.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::string name = (std::filesystem::temp_directory_path() / "ingero-demo-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return errno_error(fmt::format("mkdtemp({})", name));
    return TemporaryFolder(std::move(name));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

Status record(const DemoScenario& scenario, const DemoOptions& options, uint64_t limit_ns, const std::string& path,
              Context& context) {
  static const hal::CallTable calls(backends::all_backends());
  hal::LossLedger ledger;
  store::WriterOptions writing;
  writing.path = path;
  writing.session.node = "demo";
  writing.session.flags = std::string(scenario.name);
  auto writer = store::Writer::open(writing, calls, ledger);
  INGERO_TRY(writer);
  EngineFeed feed(calls, ledger);
  const uint64_t wall_ns = context.clock->wall_ns();
  const DemoTrace trace = make_demo(scenario, calls, kStartMonoNs, wall_ns);
  const auto begin = std::chrono::steady_clock::now();
  auto next = trace.events.begin();
  auto snapshot = trace.snapshots.begin();
  for (uint64_t at = kStepNs; next != trace.events.end(); at += kStepNs) {
    if (limit_ns != 0 && at > limit_ns) break;
    Parcel parcel;
    parcel.wall_offset_ns = static_cast<int64_t>(wall_ns) - static_cast<int64_t>(kStartMonoNs);
    if (at == kStepNs) parcel.processes = trace.processes;
    for (; snapshot != trace.snapshots.end() && snapshot->wall_ns < wall_ns + at; ++snapshot) {
      parcel.snapshots.push_back(*snapshot);
    }
    for (; next != trace.events.end() && next->end_mono_ns() < kStartMonoNs + at; ++next) {
      parcel.records.events.push_back(*next);
    }
    parcel.complete_mono_ns = kStartMonoNs + at;
    for (const hal::Process& process : parcel.processes) (*writer)->add_process(process);
    for (const hal::SystemSnapshot& one : parcel.snapshots) (*writer)->add_snapshot(one);
    for (const hal::Event& event : parcel.records.events) {
      if (event.site != 0) (*writer)->add_site(event.site, {event.call, std::string(calls[event.call].name), "", ""});
    }
    INGERO_TRY((*writer)->write(parcel.records.events));
    feed.take(parcel);
    feed.write(**writer);
    (*writer)->set_complete(wall_ns + at);
    if (options.speed > 0) {
      std::this_thread::sleep_until(
          begin + std::chrono::nanoseconds(static_cast<int64_t>(static_cast<double>(at) / options.speed)));
    }
  }
  feed.finish(**writer);
  return (*writer)->close();
}

Result<int> show(const DemoScenario& scenario, const DemoOptions& options, uint64_t limit_ns, Context& context) {
  auto folder = TemporaryFolder::make();
  INGERO_TRY(folder);
  const std::string path = folder->path() + "/demo.db";
  if (!options.json) {
    context.err << fmt::format("demo {}: {} (made-up events, no GPU needed)\n", scenario.name, scenario.sentence);
    context.err.flush();
  }
  INGERO_TRY(record(scenario, options, limit_ns, path, context));
  const auto reader = store::Reader::open(path);
  INGERO_TRY(reader);
  ReportOptions report_options;
  report_options.slowest = options.verbose ? 10 : 3;
  auto report = gather_report(**reader, {}, report_options);
  INGERO_TRY(report);
  report->path = fmt::format("of the demo scenario {}", scenario.name);
  context.out << (options.json ? report_json(*report, false) : report_text(*report, false, context.colour));
  context.out.flush();
  return kExitDone;
}

Result<int> run_demo(const DemoOptions& options, Context& context) {
  const auto limit = parse_duration_ns(options.duration);
  if (!limit.ok()) return limit.error().in("--duration");
  if (options.gpu) {
    return Error(Errc::kNotSupported, "demo --gpu: this demonstration makes its events itself",
                 "trace a program of yours: ingero trace -- python3 train.py");
  }
  if (options.scenario == "all") {
    for (const DemoScenario& scenario : demo_scenarios()) {
      const auto shown = show(scenario, options, *limit, context);
      if (!shown.ok()) return shown.error();
      if (!options.json) context.out << "\n";
    }
    return kExitDone;
  }
  const DemoScenario* scenario = find_demo(options.scenario);
  if (scenario == nullptr) {
    std::string names;
    for (const DemoScenario& one : demo_scenarios())
      names += std::string(names.empty() ? "" : ", ") + std::string(one.name);
    return Error(Errc::kInvalid, fmt::format("demo: no scenario is called '{}'", printable(options.scenario)),
                 "one of " + names + ", all");
  }
  return show(*scenario, options, *limit, context);
}

}  // namespace

void add_demo(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("demo", "Show what explain finds, with made-up events");
  auto options = std::make_shared<DemoOptions>();
  command->add_option("scenario", options->scenario, "Which one, or all")->type_name("SCENARIO")->capture_default_str();
  command->add_option("-d,--duration", options->duration, "Stop after this much of the scenario (0: all of it)")
      ->check(duration_check())
      ->capture_default_str();
  command->add_option("--speed", options->speed, "Times real time; 0 does not wait")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_flag("--json", options->json, "JSON, as explain --json");
  command->add_flag("-v,--verbose", options->verbose, "More of the slowest calls");
  CLI::Option* no_gpu =
      command->add_flag("--no-gpu", options->no_gpu, "Made-up events, also where there is a GPU (always so)");
  command->add_flag("--gpu", options->gpu, "Refused: trace a program of yours instead")->excludes(no_gpu);
  command->add_option("--stack", options->stack, "Accepted; made-up events have no stacks")->capture_default_str();
  std::string footer = "Scenarios:\n";
  for (const DemoScenario& one : demo_scenarios()) {
    std::string names(one.name);
    for (const std::string_view alias : one.aliases) names += ", " + std::string(alias);
    footer += fmt::format("  {:<42} {}\n", names, one.sentence);
  }
  command->footer(footer + "Examples:\n  ingero demo incident --speed 10\n  ingero demo --no-gpu all --speed 0");
  command->callback(
      [&context, options] { context.action = [&context, options] { return run_demo(*options, context); }; });
}

}  // namespace ingero::cli
