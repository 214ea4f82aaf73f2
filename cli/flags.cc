// Declares the shared flags and turns their text into a selection, so that every command reads them alike.
#include "cli/flags.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/text.h"

namespace ingero::cli {
void add_range_options(Command command, RangeOptions& options, const std::string& live_default) {
  const Flag since =
      command
          .add_option("--since", options.since,
                      "The last 5m, 2h, 1d ...; of a finished recording from its end (default: " + live_default +
                          " of a live one, else all)")
          .duration();
  command.add_option("--from", options.from, "From \"2026-11-21 02:26\", \"02:26:36\" (UTC: with a Z)")
      .type_name("TIME")
      .excludes(since);
  command.add_option("--to", options.to, "Up to this time").type_name("TIME").excludes(since);
  command.add_option("--run", options.run, "This run of several, or all (default: the last)").type_name("N|all");
}

void add_label_option(Command command, std::string& label) {
  command.add_option("--label", label, "Only while this label held, e.g. step=17").type_name("KEY=VALUE");
}

void add_database_option(Command command, std::string& database) {
  command.add_option("-d,--db", database, "The recording (else $INGERO_DB, ~/.ingero/ingero.db)").type_name("FILE");
}

Status check_node(const std::string& node, std::string_view flag) {
  if (node.find(':') == std::string::npos) return {};
  return Error(Errc::kInvalid,
               fmt::format("{} {}: ':' separates the node from the sequence in event ids", flag, printable(node, 256)),
               "leave the ':' out");
}

bool has_recording(const std::string& database, const Context& context) {
  if (!database.empty() || !context.environment.variable("INGERO_DB").value_or("").empty()) return true;
  const auto place = store::locate(context.environment);
  std::error_code ignored;
  return place.ok() && std::filesystem::exists(place->path, ignored);
}

Result<std::unique_ptr<store::Reader>> open_recording(const std::string& database, const Context& context) {
  auto place = store::locate(context.environment, database);
  if (!place.ok()) return place.error();
  auto reader = store::Reader::open(place->path);
  if (!reader.ok() && reader.error().code() == Errc::kNotFound && database.empty()) {
    return Error{Errc::kNotFound, reader.error().message(),
                 "record with 'sudo ingero trace', or name a file with --db"};
  }
  // Whatever is wrong with the file, the command line was right.
  if (!reader.ok() && reader.error().code() == Errc::kInvalid) {
    return Error{Errc::kIo, reader.error().message(), reader.error().hint()};
  }
  return reader;
}

Result<SelectedPart> select_part(const PartOptions& options, const store::Reader& reader, const Context& context,
                                 uint64_t live_default_ns, uint64_t time_ns) {
  const uint64_t default_ns = options.label.empty() ? live_default_ns : 0;
  const auto range = store::resolve_range(options.range, reader, *context.clock, default_ns, "--");
  if (!range.ok()) return range.error();
  if (!range->run_note.empty()) context.err << "ingero: " << range->run_note << '\n';
  SelectedPart part;
  part.run = range->run;
  part.selection.from_wall_ns = range->from_wall_ns;
  part.selection.to_wall_ns = range->to_wall_ns;
  if (options.pid_given) part.selection.pid = options.pid;
  if (options.last > 0) INGERO_TRY(store::select_last(reader, options.last, time_ns, part.selection));
  if (!options.label.empty()) INGERO_TRY(store::narrow_by_label(reader, options.label, part.selection));
  return part;
}

}  // namespace ingero::cli
