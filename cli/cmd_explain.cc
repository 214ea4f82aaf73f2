// ingero explain: what a recording says was slow, failed or never ended, and what the host did to those threads.
#include <algorithm>
#include <chrono>
#include <thread>

#include "base/json.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/backend_flags.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/fleet_flags.h"
#include "cli/fleet_rows.h"
#include "report/chain_follower.h"
#include "report/flame_graph.h"
#include "report/report.h"
#include "store/read/call_names.h"

namespace ingero::cli {
namespace {

constexpr std::chrono::milliseconds kFollowEvery{500};
constexpr uint64_t kExplainedByDefaultNs = 300ULL * 1'000'000'000;

struct ExplainOptions : PartOptions {
  std::string file, database;  // the same: FILE and --db FILE
  std::string op;
  bool annotations = false;
  uint32_t slowest = 10;
  std::string timeout;
  FleetOptions fleet;
  bool per_process = false;
  bool chains = false;
  bool follow = false;
  bool json = false;
  bool folded = false;
  std::string flame;
};

// --folded and --flame: notes on what the flame graph leaves out go to the error stream.
Result<int> show_flames(const ExplainOptions& options, const store::Reader& reader, const store::Selection& selection,
                        uint64_t time_ns, Context& context) {
  const auto flames = report::gather_flames(reader, selection, time_ns);
  if (!flames.ok()) return flames.error();
  if (flames->folded.empty()) {
    return Error(Errc::kNotFound, fmt::format("no call of the selected part of {} has a stack", reader.path()),
                 "record with trace --stack auto (the default) or --stack all");
  }
  if (options.folded) {
    context.out << report::folded_text(*flames);
  } else {
    auto file = OutputFile::create(options.flame);
    INGERO_TRY(file);
    INGERO_TRY(file->write(
        report::flame_svg(*flames, "Time in GPU calls by where they were made: " + printable(reader.path(), 200))));
    INGERO_TRY(file->commit());
  }
  context.err << "ingero: " << report::coverage_text(*flames) << '\n';
  return kExitDone;
}

// Follows until the recording ends. What is pending at the end is still printed.
Result<int> follow(const ExplainOptions& options, const store::Selection& selection, uint64_t time_ns,
                   Context& context) {
  report::ChainFollower follower;
  for (bool is_live = true; is_live && context.out.good();) {
    const auto reader = open_recording(options.database, context);
    if (!reader.ok()) return reader.error();
    is_live = (*reader)->is_live();
    auto chains = report::stored_chains(**reader, selection, time_ns);
    if (!chains.ok()) return chains.error();
    report::add_lines(**reader, *chains);
    for (const auto& change : follower.next(*chains)) {
      context.out << (options.json ? report::change_json(change) : report::change_text(change, context.colour));
    }
    context.out.flush();
    if (is_live) std::this_thread::sleep_for(kFollowEvery);
  }
  context.err << fmt::format("ingero: the recording has ended; {}\n", plural(follower.followed(), "causal chain"));
  return kExitDone;
}

// --nodes: their causal chains.
Result<int> ask_fleet(const ExplainOptions& options, const fleet::Fleet& fleet, Context& context) {
  if (!options.database.empty()) {
    return Error(Errc::kInvalid, "a recording and --nodes cannot be combined: give only one");
  }
  if (!options.op.empty() || options.annotations || options.last > 0 || options.per_process || options.follow ||
      options.folded || !options.flame.empty()) {
    return Error(
        Errc::kInvalid,
        "explain --nodes shows causal chains only: remove --op, --last, --annotations, --per-process, --follow, "
        "--folded and --flame",
        "with --nodes give --since, --from, --to, --label, --pid or --json");
  }
  Json input = Json::object();
  if (!options.range.since.empty()) input["since"] = options.range.since;
  if (!options.range.from.empty()) input["from"] = options.range.from;
  if (!options.range.to.empty()) input["to"] = options.range.to;
  if (!options.label.empty()) input["label"] = options.label;
  if (options.pid_given) input["pid"] = options.pid;
  INGERO_TRY(explain_fleet(fleet, std::move(input), options.json, context));
  return kExitDone;
}

Result<int> run_explain(const ExplainOptions& given, Context& context) {
  ExplainOptions options = given;
  if (!options.file.empty() && !options.database.empty()) {
    return Error{Errc::kInvalid, "the recording is named twice, by --db and by the first argument"};
  }
  if (!options.file.empty()) options.database = options.file;
  const auto fleet = open_fleet(options.fleet, options.timeout, !has_recording(options.database, context), context);
  if (!fleet.ok()) return fleet.error();
  if (*fleet != nullptr) return ask_fleet(options, **fleet, context);
  const auto timeout = parse_duration_ns(options.timeout.empty() ? "30s" : options.timeout);
  if (!timeout.ok()) return timeout.error().in("--timeout");
  const auto reader = open_recording(options.database, context);
  if (!reader.ok()) return reader.error();
  (*reader)->map_little();  // it is read once from end to end: what has been read need not stay
  auto part = select_part(options, **reader, context, kExplainedByDefaultNs, *timeout);
  if (!part.ok()) return part.error();
  INGERO_TRY(store::find_calls(**reader, "--op", options.op, {.time_ns = *timeout}));
  store::Selection& selection = part->selection;
  selection.op = options.op;
  if (options.follow) return follow(options, selection, *timeout, context);
  if (options.folded || !options.flame.empty()) {
    return show_flames(options, **reader, selection, *timeout, context);
  }
  if (options.chains) {
    auto chains = report::stored_chains(**reader, selection, *timeout);
    if (!chains.ok()) return chains.error();
    if (options.annotations) INGERO_TRY(report::add_labels(**reader, *chains));
    const auto clocks = store::NodeClocks::load(**reader, {.time_ns = *timeout});
    if (!clocks.ok()) return clocks.error();
    context.out << (options.json ? report::chains_json(*chains)
                                 : report::chains_text(*chains, *clocks, context.colour));
    if (clocks->are_several()) context.err << "ingero: " << store::order_sentence(*clocks) << '\n';
    return kExitDone;
  }
  report::ReportOptions report_options;
  report_options.per_process = options.per_process;
  report_options.slowest = options.slowest;
  report_options.time_ns = *timeout;
  report_options.run = part->run;
  auto report = report::gather_report(**reader, selection, report_options, vendor_names());
  if (!report.ok()) return report.error();
  if (options.annotations) INGERO_TRY(report::add_labels(**reader, *report));
  context.out << (options.json ? report::report_json(*report, options.per_process)
                               : report::report_text(*report, options.per_process, context.colour));
  return kExitDone;
}

}  // namespace

void add_explain(Command root, Context& context) {
  const Command command = root.add_command("explain", "Say what was slow, failed or never returned, and why");
  auto options = std::make_shared<ExplainOptions>();
  command.add_option("file", options->file, "The recording").usage("[FILE]");
  add_database_option(command, options->database);
  add_range_options(command, options->range, "5m");
  command.add_option("-p,--pid", options->pid, "Only this process").type_name("PID").reports(options->pid_given);
  command.add_option("--op", options->op, "Only this call, upper or lower case").type_name("NAME");
  add_label_option(command, options->label);
  command.add_flag("--annotations", options->annotations, "Say which labels held at each cause and slow call");
  command.add_option("--last", options->last, "Only the last N events").type_name("N").positive();
  command.add_option("--slowest", options->slowest, "How many of the slowest calls to list")
      .type_name("N")
      .range(0, 10'000)
      .show_default();
  command.add_option("--timeout", options->timeout, "Give up after this (0: never; nodes 5s)")
      .duration()
      .show_default("30s");
  add_fleet_options(command, options->fleet);
  const Flag per_process = command.add_flag("--per-process", options->per_process, "Figures of each process by itself");
  command.add_flag("--chains", options->chains, "The causal chains stored in the recording").excludes(per_process);
  const Flag folded = command.add_flag("--folded", options->folded, "Stacks, one a line, with the microseconds spent");
  const Flag flame = command.add_option("--flame", options->flame, "Write a flame graph of the calls' time here (SVG)")
                         .type_name("FILE")
                         .excludes(folded);
  command.add_flag("--follow", options->follow, "Print each cause as it is found")
      .excludes(per_process)
      .excludes(folded)
      .excludes(flame);
  command.add_flag("--json", options->json, "JSON, with every figure in nanoseconds");
  command.rare_flags("timeout annotations slowest");
  command.footer(
      "Examples:\n"
      "  ingero explain                        what the agent saw in the last 5 minutes\n"
      "  ingero explain --follow               what it sees from now on\n"
      "  ingero explain run.db --since 30s     the end of a finished recording\n"
      "  ingero explain --db run.db --from 14:05 --to 14:10 --pid 4321\n"
      "  ingero explain --db run.db --per-process --json | jq .");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_explain(*options, context); }; });
}

}  // namespace ingero::cli
