// ingero ask: one question to the registry of tools, as a model or a browser would ask it.

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/serving.h"
#include "report/table.h"

namespace ingero::cli {
namespace {

struct AskOptions {
  ServingOptions serving;
  std::string tool, input = "{}";
  bool schema = false;
};

Result<int> list_tools(Context& context) {
  report::Table table({{"TOOL", report::Align::kLeft}, {"WHAT IT SAYS", report::Align::kLeft}});
  for (const auto& tool : serve::tools::all_tools()) {
    table.add_row({report::Cell(std::string(tool.name)), report::Cell(std::string(tool.title))});
  }
  context.out << table.render(context.colour);
  return kExitDone;
}

Result<int> run_ask(const AskOptions& options, Context& context) {
  if (options.tool.empty()) return list_tools(context);
  const auto* tool = serve::tools::find_tool(options.tool);
  if (tool == nullptr) {
    return Error(Errc::kInvalid, fmt::format("unknown tool \"{}\"", printable(options.tool, 64)),
                 "'ingero ask' without a name lists the tools");
  }
  if (options.schema) {
    context.out << dump_indented({{"name", tool->name},
                                  {"title", tool->title},
                                  {"description", tool->description},
                                  {"input", tool->input},
                                  {"output", tool->output}});
    return kExitDone;
  }
  const Json input = parse_json(options.input);
  if (input.is_discarded())
    return Error(Errc::kInvalid, "--json: not valid JSON: expected an object such as '{\"limit\": 3}'");
  auto service = open_service(options.serving, true, context);
  if (!service.ok()) return service.error();
  const auto answer = (*service)->ask(options.tool, input);
  if (!answer.ok()) {
    const Error& error = answer.error();
    const bool is_input = error.code() == Errc::kInvalid && error.hint().empty();
    return Error(error.code(),
                 fmt::format("{} ({}): {}", options.tool, serve::tools::fault_name(error.code()), error.message()),
                 is_input ? fmt::format("see 'ingero ask {} --schema'", options.tool) : error.hint());
  }
  context.out << dump_indented(serve::tools::QueryService::shown(options.tool, input, *answer));
  return kExitDone;
}

}  // namespace

void add_ask(Command root, Context& context) {
  const Command command =
      root.add_command("ask", "Ask one of the tools that models and dashboards use; alone: list them");
  auto options = std::make_shared<AskOptions>();
  command.add_option("tool", options->tool, "Its name").type_name("TOOL");
  command.add_option("--json", options->input, "What to ask, as JSON").type_name("OBJECT").show_default();
  add_query_service_options(command, options->serving);
  command.add_flag("--schema", options->schema, "Show what the tool takes and gives instead");
  command.footer(
      "Examples:\n"
      "  ingero ask\n"
      "  ingero ask get_causal_chains --db run.db\n"
      "  ingero ask run_sql --db run.db --json '{\"query\": \"SELECT 1 FROM events\"}'\n"
      "  ingero ask compare --db run.db \\\n"
      "      --json '{\"before\": {\"to\": \"02:26\"}, \"after\": {\"from\": \"02:26\"}}'");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_ask(*options, context); }; });
}

}  // namespace ingero::cli
