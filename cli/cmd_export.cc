// ingero export: a recording for other programs: timelines for Perfetto and chrome://tracing, rows, folded stacks.
#include <optional>

#include "base/output_file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/progress.h"
#include "report/event_rows.h"
#include "report/flame_graph.h"
#include "report/frame_text.h"
#include "serve/perfetto/timeline.h"

namespace ingero::cli {
namespace {

struct ExportOptions : PartOptions {
  std::string format, database, output;
};

// Where the bytes go: the file that -o names, or standard output.
class Destination {
 public:
  static Result<Destination> open(const ExportOptions& options, Context& context) {
    Destination destination(context);
    if (!options.output.empty() && options.output != "-") {
      auto file = OutputFile::create(options.output);
      if (!file.ok()) return file.error();
      destination.file_.emplace(std::move(*file));
    } else if (options.format == "perfetto" && context.out_is_terminal) {
      return Error(Errc::kInvalid, "a Perfetto trace is binary and cannot go to a terminal",
                   "name a file with -o FILE");
    }
    return destination;
  }
  Status write(std::string_view bytes) {
    bytes_ += bytes.size();
    if (file_) return file_->write(bytes);
    context_->out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    // The reason is reported at the end, unless the reader has closed the pipe, which is not an error.
    return context_->out.good() ? Status{} : Status{Error(Errc::kIo, "cannot write to standard output")};
  }
  Status commit() { return file_ ? file_->commit() : Status{}; }
  uint64_t bytes() const { return bytes_; }
  bool is_file() const { return file_.has_value(); }

 private:
  explicit Destination(Context& context) : context_(&context) {}
  Context* context_;
  std::optional<OutputFile> file_;
  uint64_t bytes_ = 0;
};

// What was written and what could not be; on standard error.
struct Summary {
  std::string text;
  std::vector<std::string> left_out;
};

Result<Summary> export_timeline(const ExportOptions& options, const store::Reader& reader,
                                const store::Selection& selection, Destination& to, Progress& progress) {
  namespace perfetto = serve::perfetto;
  perfetto::TimelineOptions wanted;
  wanted.selection = selection;
  wanted.format = options.format == "chrome" ? perfetto::TimelineFormat::kChrome : perfetto::TimelineFormat::kPerfetto;
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
                           Destination& to, Progress& progress) {
  if (options.format == "perfetto" || options.format == "chrome") {
    return export_timeline(options, reader, selection, to, progress);
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

Result<int> run_export(const ExportOptions& options, Context& context) {
  if (options.format == "parquet") {
    return Error(Errc::kNotSupported, "export --format parquet: this program does not write Parquet",
                 "export csv and let DuckDB convert it: duckdb -c \"COPY (FROM read_csv('run.csv')) TO "
                 "'run.parquet' (FORMAT parquet)\"");
  }
  const auto reader = open_recording(options.database, context);
  if (!reader.ok()) return reader.error();
  (*reader)->map_little();
  const auto part = select_part(options, **reader, context, kLiveDefaultNs, 0);
  if (!part.ok()) return part.error();
  auto destination = Destination::open(options, context);
  if (!destination.ok()) return destination.error();
  std::optional<Progress> progress(context);
  const auto summary = export_any(options, **reader, part->selection, *destination, *progress);
  progress.reset();
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
  command.footer(
      "Examples:\n"
      "  ingero export --format perfetto --db run.db -o run.pftrace\n"
      "  ingero export --format chrome --db run.db --since 10s -o run.json\n"
      "  ingero export --format jsonl --db run.db | jq -c 'select(.failed == 1)'");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_export(*options, context); }; });
}

}  // namespace ingero::cli
