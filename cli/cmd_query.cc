// ingero query: SQL over a recording, or a listing of its events. Only reads; the store's engine enforces that.
#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/text.h"
#include "cli/backend_flags.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/fleet_flags.h"
#include "cli/fleet_rows.h"
#include "cli/legacy/legacy_flags.h"
#include "report/event_listing.h"
#include "report/row_printer.h"
#include "store/read/call_names.h"
#include "store/read/selection_sql.h"

namespace ingero::cli {
namespace {

constexpr uint64_t kDefaultRows = 10'000;
constexpr uint64_t kGlanceRows = 20;  // of a table that was asked for without saying of what

struct QueryOptions : PartOptions {
  std::vector<std::string> words;  // [FILE] [SQL]
  std::string database, op;
  bool annotations = false;
  uint64_t limit = 0;
  bool limit_given = false;
  std::string timeout;
  FleetOptions fleet;
  bool json = false;
  bool csv = false;
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

// Is this one word the recording, rather than the SQL?
bool names_a_file(const std::string& word) {
  const std::string small = lower(word);
  if (small.size() > 3 && small.find('\n') == std::string::npos && small.ends_with(".db") &&
      small.find(';') == std::string::npos) {
    return true;
  }
  std::error_code ignored;
  return word.size() < 4096 && std::filesystem::exists(word, ignored);
}

struct Request {
  std::string database;
  std::string sql;
};

Result<Request> split_words(const QueryOptions& options) {
  Request request{options.database, {}};
  auto words = options.words;
  if (words.size() == 2 || (words.size() == 1 && options.database.empty() && names_a_file(words.front()))) {
    if (!options.database.empty()) {
      return Error{Errc::kInvalid, "the recording is named twice, by --db and by the first argument"};
    }
    request.database = words.front();
    words.erase(words.begin());
  }
  if (!words.empty()) request.sql = words.front();
  if (!words.empty() && trim(request.sql).empty()) return Error{Errc::kInvalid, "the SQL is empty"};
  return request;
}

report::RowStyle style_of(const QueryOptions& options) {
  return options.json ? report::RowStyle::kJson : options.csv ? report::RowStyle::kCsv : report::RowStyle::kTable;
}

// Nothing says which events: the latest ones, as many as a screen shows.
bool is_glance(const QueryOptions& options) {
  return !options.limit_given && !options.json && !options.csv && options.op.empty() && !options.is_any();
}

Status list_events(const store::Reader& reader, const QueryOptions& options, const Context& context,
                   const store::QueryLimits& limits, report::RowStyle style, report::RowPrinter& printer) {
  const auto part = select_part(options, reader, context, kLiveDefaultNs, 0);
  if (!part.ok()) return part.error();
  std::optional<store::Labels> labels;
  if (options.annotations) {
    auto loaded = store::Labels::load(reader);
    if (!loaded.ok()) return loaded.error();
    labels = std::move(*loaded);
  }
  store::Conditions conditions;
  conditions.add_events(part->selection);
  const auto names = store::find_calls(reader, "--op", options.op, limits);
  INGERO_TRY(names);
  if (!options.op.empty()) conditions.add(store::is_of_calls(*names));
  // The latest events when there are too many, shown in the order of time.
  const std::string sql = fmt::format("SELECT * FROM ({}{} ORDER BY e.timestamp DESC LIMIT {}) ORDER BY 1",
                                      report::kEventListing, conditions.where(), limits.rows);
  store::QueryLimits no_row_limit = limits;
  no_row_limit.rows = 0;
  report::EventListing listing(vendor_names(), labels ? &*labels : nullptr,
                               !vendor_names().event(lower(options.op), 0).name.empty());
  printer.columns(listing.names(style));
  const auto outcome = reader.query(
      sql, no_row_limit,
      [&](std::span<const store::Value> values) {
        printer.row(listing.row(values, style));
        return true;
      },
      {}, conditions.bound());
  if (!outcome.ok()) return outcome.error();
  if (outcome->rows == limits.rows) {
    if (is_glance(options)) {
      context.err << fmt::format(
          "ingero: the latest {} events are shown (--limit N: more; --op, --pid, --since: which)\n", limits.rows);
      return {};
    }
    log_warning("the latest {} events are shown; there may be more (--limit)", limits.rows);
  }
  return {};
}

void warn_of_filters(const QueryOptions& options) {
  if (options.is_any() || !options.op.empty() || options.annotations) {
    log_warning(
        "--since, --from, --to, --pid, --label, --annotations and --op are ignored with SQL: put the condition in "
        "WHERE");
  }
}

Status run_sql(const store::Reader& reader, const std::string& sql, const QueryOptions& options,
               const store::QueryLimits& limits, report::RowPrinter& printer) {
  warn_of_filters(options);
  const auto outcome = reader.query(
      sql, limits,
      [&](std::span<const store::Value> values) {
        printer.row(values);
        return true;
      },
      [&](std::span<const std::string_view> names) { printer.columns(names); });
  if (!outcome.ok()) return outcome.error();
  if (outcome->truncated) log_warning("the first {} rows are shown; there are more (--limit)", limits.rows);
  return {};
}

// --nodes: the statement goes to all of them.
Result<int> ask_fleet(const QueryOptions& options, const Request& request, const fleet::Fleet& fleet,
                      Context& context) {
  if (!request.database.empty()) {
    return Error(Errc::kInvalid, "a recording and --nodes cannot be combined: give only one");
  }
  if (request.sql.empty()) return Error(Errc::kInvalid, "query --nodes needs an SQL statement");
  warn_of_filters(options);
  const report::RowStyle style = style_of(options);
  const auto printer = report::RowPrinter::make(style, {context.out, context.colour, context.out_is_terminal});
  INGERO_TRY(query_fleet(fleet, request.sql, options.limit, *printer));
  return kExitDone;
}

Result<int> run_query(const QueryOptions& options, Context& context) {
  const auto request = split_words(options);
  if (!request.ok()) return request.error();
  const bool may_ask_fleet = !request->sql.empty() && !has_recording(request->database, context);
  const auto fleet = open_fleet(options.fleet, options.timeout, may_ask_fleet, context);
  if (!fleet.ok()) return fleet.error();
  if (*fleet != nullptr) return ask_fleet(options, *request, **fleet, context);
  const auto timeout = parse_duration_ns(options.timeout.empty() ? "30s" : options.timeout);
  if (!timeout.ok()) return timeout.error().in("--timeout");
  const auto reader = open_recording(request->database, context);
  if (!reader.ok()) return reader.error();
  store::QueryLimits limits;
  limits.rows = options.limit != 0                           ? options.limit
                : request->sql.empty() && is_glance(options) ? kGlanceRows
                                                             : kDefaultRows;
  limits.time_ns = *timeout;
  const report::RowStyle style = style_of(options);
  const auto printer = report::RowPrinter::make(style, {context.out, context.colour, context.out_is_terminal});
  if (request->sql.empty()) {
    INGERO_TRY(list_events(**reader, options, context, limits, style, *printer));
  } else {
    INGERO_TRY(run_sql(**reader, request->sql, options, limits, *printer));
  }
  printer->finish();
  return kExitDone;
}

}  // namespace

void add_query(Command root, Context& context) {
  const Command command = root.add_command("query", "Ask a recording in SQL, or list its events");
  auto options = std::make_shared<QueryOptions>();
  command.add_option("words", options->words, "The recording, and a statement (else: list events)")
      .expected(0, 2)
      .usage("[FILE] [SQL]");
  add_database_option(command, options->database);
  add_range_options(command, options->range, "1h");
  command.add_option("--op", options->op, "List only this call, upper or lower case").type_name("NAME");
  command.add_option("-p,--pid", options->pid, "List only this process").type_name("PID").reports(options->pid_given);
  add_label_option(command, options->label);
  command.add_flag("--annotations", options->annotations, "List the labels that held at each event");
  command
      .add_option("--limit", options->limit,
                  "At most this many rows, or of each node (0: 10000; a table without a condition: the latest 20)")
      .type_name("N")
      .reports(options->limit_given);
  command.add_option("--timeout", options->timeout, "Give up after this (0: never; nodes 5s)")
      .duration()
      .show_default("30s");
  add_fleet_options(command, options->fleet);
  refuse_legacy_flags(command, "query", context);
  const Flag json = command.add_flag("--json", options->json, "An array of objects");
  command.add_flag("--csv", options->csv, "Comma-separated values").excludes(json);
  command.footer(
      "Examples:\n"
      "  ingero query run.db \"SELECT call, count(*) FROM events GROUP BY call\"\n"
      "  ingero query run.db \"SELECT kind, max(duration) FROM events GROUP BY 1\" --csv\n"
      "  ingero query --db run.db --since 2h --pid 4321 --json | jq .\n"
      "  ingero query --nodes gpu-01:8080,gpu-02:8080 \"SELECT count(*) FROM events\"\n"
      "Tables and views: events, sources, ops, process_names, stack_traces, sessions,\n"
      "system_snapshots, schema_info ... (docs/formats/store.md)");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_query(*options, context); }; });
}

}  // namespace ingero::cli
