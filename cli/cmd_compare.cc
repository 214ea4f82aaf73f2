// ingero compare: two recordings side by side, for the question "what is different since yesterday?".
//
// It asks the tool of the same name, so that a person and a model read the same figures.
#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/serving.h"
#include "report/table.h"

namespace ingero::cli {
namespace {

constexpr size_t kShownCalls = 20, kShownChains = 5;

struct CompareOptions {
  std::string before, after, timeout = "30s";
  bool json = false, all = false;
};

std::string duration_text(const Json& ns) {
  return ns.is_number() ? format_duration(static_cast<uint64_t>(ns.get<double>())) : "-";
}
std::string number_text(const Json& number) {
  return number.is_number() ? fmt::format("{:.6g}", number.get<double>()) : "-";
}

// "1.21x" is after by before; what is as it was needs no word.
report::Cell ratio_cell(const Json& ratio, bool more_is_worse) {
  if (!ratio.is_number()) return "-";
  const double times = ratio.get<double>();
  const bool worse = more_is_worse ? times >= 1.2 : times <= 0.8;
  return {fmt::format("{:.2f}x", times), worse ? report::Style::kRed : report::Style::kPlain};
}

std::string side_text(std::string_view word, const std::string& path, const Json& side, const Context& context) {
  std::string text = fmt::format(
      "{} {}: {} events in {}\n", report::styled(word, report::Style::kBold, context.colour), printable(path, 200),
      number_text(side["events"]),
      duration_text(side["seconds"].is_number() ? Json(side["seconds"].get<double>() * 1e9) : Json(nullptr)));
  size_t shown = 0;
  for (const Json& chain : side["chains"]) {
    if (shown++ == kShownChains) break;
    text += fmt::format("  [{}] {}\n", chain["severity"].get<std::string>(),
                        printable(chain["summary"].get<std::string>(), 300));
  }
  const auto total = side["chains_total"].get<uint64_t>();
  if (total == 0) text += "  No incident.\n";
  if (total > kShownChains) text += fmt::format("  and {} more (ingero explain)\n", total - kShownChains);
  return text;
}

std::string calls_text(const Json& calls, bool all, const Context& context) {
  using report::Align;
  report::Table table({{"CALL", Align::kLeft},
                       {"LAYER", Align::kLeft},
                       {"A SECOND"},
                       {"AFTER"},
                       {""},
                       {"P50"},
                       {"AFTER"},
                       {""},
                       {"P99"},
                       {"AFTER"},
                       {""}});
  size_t shown = 0;
  for (const Json& call : calls) {
    if (!all && shown == kShownCalls) break;
    ++shown;
    table.add_row({call["op"].get<std::string>(), call["layer"].get<std::string>(),
                   number_text(call["per_second"]["before"]), number_text(call["per_second"]["after"]),
                   ratio_cell(call["per_second"]["ratio"], false), duration_text(call["p50_ns"]["before"]),
                   duration_text(call["p50_ns"]["after"]), ratio_cell(call["p50_ns"]["ratio"], true),
                   duration_text(call["p99_ns"]["before"]), duration_text(call["p99_ns"]["after"]),
                   ratio_cell(call["p99_ns"]["ratio"], true)});
  }
  std::string text = table.render(context.colour);
  if (shown < calls.size()) text += fmt::format("and {} more (--all)\n", calls.size() - shown);
  return text;
}

Result<int> run_compare(const CompareOptions& options, Context& context) {
  if (options.after.empty()) {
    return Error(Errc::kInvalid, "compare takes two recordings, the earlier one first", "see 'ingero compare --help'");
  }
  for (const std::string* path : {&options.before, &options.after}) {
    std::error_code ignored;
    if (!std::filesystem::exists(*path, ignored)) {
      return Error(Errc::kNotFound, fmt::format("{} does not exist", printable(*path, 200)),
                   "compare takes two recordings, the earlier one first");
    }
  }
  ServingOptions serving;
  serving.database = options.before;
  serving.others = {options.after};
  serving.timeout = options.timeout;
  auto service = open_service(serving, false, context);
  if (!service.ok()) return service.error();
  const std::string name = std::filesystem::path(options.after).filename();
  const auto answer = (*service)->ask("compare", {{"before", Json::object()}, {"after", {{"recording", name}}}});
  if (!answer.ok()) return answer.error();
  if (options.json) {
    context.out << dump_indented(*answer);
    return kExitDone;
  }
  context.out << side_text("Before:", options.before, (*answer)["before"], context)
              << side_text("After: ", options.after, (*answer)["after"], context) << '\n'
              << calls_text((*answer)["calls"], options.all, context);
  return kExitDone;
}

}  // namespace

void add_compare(Command root, Context& context) {
  const Command command = root.add_command("compare", "Compare two recordings: causes, rates and durations of calls");
  auto options = std::make_shared<CompareOptions>();
  command.add_option("before", options->before, "The earlier recording").usage("BEFORE");
  command.add_option("after", options->after, "The later recording").usage("AFTER");
  command.add_flag("--all", options->all, "Every call, not only the 20 that changed most");
  command.add_option("--timeout", options->timeout, "Give up after this time (0: never)").duration().show_default();
  command.add_flag("--json", options->json, "JSON, as the tool compare answers");
  command.footer(
      "Examples:\n"
      "  ingero compare yesterday.db today.db\n"
      "  ingero compare before.db after.db --json | jq '.calls[0]'\n"
      "  ingero ask compare --schema      compares two parts of one recording");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_compare(*options, context); }; });
}

}  // namespace ingero::cli
