// ingero export: a recording for other programs: timelines for Perfetto and chrome://tracing, rows, folded stacks.
#include <optional>

#include "base/destination.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/fleet_flags.h"
#include "cli/fleet_rows.h"
#include "cli/legacy/legacy_flags.h"
#include "cli/progress.h"
#include "report/event_rows.h"
#include "report/flame_graph.h"
#include "report/frame_text.h"
#include "serve/perfetto/cluster_timeline.h"
#include "serve/perfetto/timeline.h"

namespace ingero::cli {
namespace {

struct ExportOptions : PartOptions {
  std::string format, database, output, timeout;
  FleetOptions fleet;
};

// What was written and what could not be; on standard error.
struct Summary {
  std::string text;
  std::vector<std::string> left_out;  // and what is not known
};

serve::perfetto::TimelineFormat format_of(const ExportOptions& options) {
  using Format = serve::perfetto::TimelineFormat;
  return options.format == "chrome" ? Format::kChrome : Format::kPerfetto;
}

Result<Summary> export_timeline(const ExportOptions& options, const store::Reader& reader,
                                const store::Selection& selection, const store::NodeClocks& clocks, Destination& to,
                                Progress& progress) {
  namespace perfetto = serve::perfetto;
  perfetto::TimelineOptions wanted;
  wanted.selection = selection;
  wanted.format = format_of(options);
  wanted.clocks = clocks;
  wanted.line_of = [](std::string_view stored) {
    const auto frames = symbols::parse_frames(stored);
    const symbols::StackFrame* line = symbols::line_of(frames);
    return line == nullptr ? std::string() : report::line_text(*line);
  };
  if (progress.wanted()) wanted.progress = [&](uint64_t done, uint64_t all) { progress.update(done, all); };
  const auto totals = perfetto::write_timeline(reader, wanted, [&](std::string_view bytes) { return to.write(bytes); });
  if (!totals.ok()) return totals.error();
  Summary summary;
  summary.text = fmt::format("{} events, {} causal chains, {} annotations, {} values of counters", totals->events,
                             totals->chains, totals->annotations, totals->counters);
  if (totals->unplaced > 0) {
    summary.left_out.push_back(fmt::format("{} rows name no call, thread or time and are left out", totals->unplaced));
  }
  if (totals->shortened > 0) {
    summary.left_out.push_back(fmt::format("{} slices overlap too many others and are shortened", totals->shortened));
  }
  if (totals->unfollowed > 0) {
    summary.left_out.push_back(
        fmt::format("{} allocations of unknown size are not in the memory counters", totals->unfollowed));
  }
  return summary;
}

Result<Summary> export_any(const ExportOptions& options, const store::Reader& reader, const store::Selection& selection,
                           const store::NodeClocks& clocks, Destination& to, Progress& progress) {
  if (options.format == "perfetto" || options.format == "chrome") {
    return export_timeline(options, reader, selection, clocks, to, progress);
  }
  const auto sink = [&](std::string_view bytes) { return to.write(bytes); };
  if (options.format == "folded") {
    const auto flames = report::gather_flames(reader, selection, 0);
    if (!flames.ok()) return flames.error();
    INGERO_TRY(sink(report::folded_text(*flames)));
    return Summary{report::coverage_text(*flames), {}};
  }
  std::function<void(uint64_t)> update;
  if (progress.wanted()) update = [&](uint64_t done) { progress.update(done, 0); };
  const auto rows = report::export_rows(
      reader, selection, options.format == "csv" ? report::RowFormat::kCsv : report::RowFormat::kJsonl, sink, update);
  if (!rows.ok()) return rows.error();
  return Summary{fmt::format("{} events", *rows), {}};
}

// --nodes: the windows and the incidents of clusters.
Result<Summary> export_cluster(const ExportOptions& options, const fleet::Fleet& fleet, Destination& to,
                               const Context& context) {
  if (!options.database.empty()) {
    return Error(Errc::kInvalid, "--nodes and --db cannot be combined: give only one",
                 "--nodes writes the timeline of a cluster, --db that of a recording");
  }
  const bool is_chosen = !options.range.from.empty() || !options.range.to.empty() || options.pid_given ||
                         !options.label.empty() || options.last > 0;
  if (is_chosen || (options.format != "perfetto" && options.format != "chrome")) {
    return Error(Errc::kInvalid,
                 "export --nodes writes the timeline of a cluster: --format perfetto or chrome, and --since",
                 "export a node's recording on its machine");
  }
  const std::string since = options.range.since.empty() ? "1h" : options.range.since;
  const auto back_ns = parse_duration_ns(since);
  if (!back_ns.ok()) return back_ns.error().in("--since");
  const auto chains = ask_and_warn(fleet, {{"action", "chains"}, {"limit", 10'000}, {"since", since}});
  if (!chains.ok()) return chains.error();
  for (const Json& node : (*chains)["nodes"]) {
    if (node["kind"] != "node") continue;
    return Error(Errc::kNotSupported,
                 fmt::format("export --nodes: {} is a node, whose recording is exported on its machine",
                             node["node"].get<std::string>()),
                 "name the API of 'ingero fleet serve', or run ingero export there");
  }
  const uint64_t now_ns = context.clock->wall_ns();
  serve::perfetto::ClusterTimeline timeline(
      format_of(options), [&](std::string_view bytes) { return to.write(bytes); }, (*chains)["chains"],
      now_ns - std::min(now_ns, *back_ns), now_ns, fleet.cluster());
  INGERO_TRY(fleet.ask_in_pages((*chains)["nodes"], [&] { return timeline.next(); },
                                [&](const Json& rows) { return timeline.add(rows); }));
  const auto totals = timeline.finish();
  if (!totals.ok()) return totals.error();
  Summary summary{fmt::format("{} windows, {} incidents", totals->windows, totals->incidents), {}};
  if (totals->left_out > 0)
    summary.left_out.push_back(fmt::format("{} make no sense and are left out", totals->left_out));
  return summary;
}

Result<Summary> export_recording(const ExportOptions& options, Destination& to, Context& context) {
  const auto reader = open_recording(options.database, context);
  if (!reader.ok()) return reader.error();
  (*reader)->map_little();
  const auto part = select_part(options, **reader, context, kLiveDefaultNs, 0);
  if (!part.ok()) return part.error();
  const auto clocks = store::NodeClocks::load(**reader, {.time_ns = 0});
  if (!clocks.ok()) return clocks.error();
  Progress progress(context);
  auto summary = export_any(options, **reader, part->selection, *clocks, to, progress);
  if (summary.ok() && clocks->are_several() && options.format != "folded")
    summary->left_out.push_back(store::order_sentence(*clocks));
  return summary;
}

Result<int> run_export(const ExportOptions& options, Context& context) {
  if (options.format == "parquet") {
    return Error(Errc::kNotSupported, "export --format parquet: this program does not write Parquet",
                 "export csv and let DuckDB convert it: duckdb -c \"COPY (FROM read_csv('run.csv')) TO "
                 "'run.parquet' (FORMAT parquet)\"");
  }
  const auto fleet = open_fleet(options.fleet, options.timeout, false, context);
  if (!fleet.ok()) return fleet.error();
  if (options.format == "perfetto" && context.out_is_terminal && (options.output.empty() || options.output == "-")) {
    return Error(Errc::kInvalid, "a Perfetto trace is binary and cannot go to a terminal", "name a file with -o FILE");
  }
  auto destination = Destination::open(options.output, context.out);
  if (!destination.ok()) return destination.error();
  const auto summary = *fleet == nullptr ? export_recording(options, *destination, context)
                                         : export_cluster(options, **fleet, *destination, context);
  // It is not a failure when the pipe's reader closes it: run() distinguishes that from a write error.
  if (!summary.ok() && !context.out.good()) return kExitDone;
  if (!summary.ok()) return summary.error();
  INGERO_TRY(destination->commit());
  for (const std::string& sentence : summary->left_out) context.err << "ingero: " << sentence << '\n';
  if (!destination->is_file()) return kExitDone;
  context.err << fmt::format("ingero: {}: {}, {}\n", printable(options.output), summary->text,
                             format_bytes(destination->bytes()));
  if (options.format == "perfetto" && options.output.ends_with(".json")) {
    context.err
        << "ingero: this is Perfetto's binary format whatever the file is called; --format chrome writes JSON\n";
  }
  return kExitDone;
}

}  // namespace

void add_export(Command root, Context& context) {
  const Command command = root.add_command("export", "Write a recording for other programs: timelines, rows, stacks");
  auto options = std::make_shared<ExportOptions>();
  command
      .add_option("--format", options->format,
                  "perfetto: a timeline for ui.perfetto.dev; chrome: the same as JSON; csv, jsonl: the events; folded: "
                  "stacks for flame graph programs")
      .required()
      .one_of({"perfetto", "chrome", "csv", "jsonl", "folded", "parquet"});
  command
      .add_option("-o,--output", options->output,
                  "Output file; it appears when it is complete (default: standard output)")
      .type_name("FILE");
  add_database_option(command, options->database);
  add_range_options(command, options->range, "1h");
  command.add_option("--last", options->last, "Only the last N events").type_name("N");
  command.add_option("-p,--pid", options->pid, "Only this process").type_name("PID").reports(options->pid_given);
  add_label_option(command, options->label);
  command.add_option("--timeout", options->timeout, "With --nodes: give up after this (default: 5s)").duration();
  refuse_legacy_flags(command, "export", context);
  add_fleet_options(command, options->fleet,
                    "The timeline of these clusters ('ingero fleet serve'): HOST:PORT,... (perfetto and chrome only; "
                    "not with --db)");
  command.footer(
      "Examples:\n"
      "  ingero export --format perfetto --db run.db -o run.pftrace\n"
      "  ingero export --format chrome --db run.db --since 10s -o run.json\n"
      "  ingero export --format jsonl --db run.db | jq -c 'select(.failed == 1)'");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_export(*options, context); }; });
}

}  // namespace ingero::cli
