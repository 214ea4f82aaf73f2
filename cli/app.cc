// Dispatch: see app.h. CLI11 throws; nothing of that leaves this file.
#include "cli/app.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>

#include <CLI/CLI.hpp>

#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/help.h"

namespace ingero::cli {
namespace {

// CLI11 may say things in several lines; a user reads one sentence.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return printable(trim(text), 1000);
}

const CLI::App& deepest_parsed(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : deepest_parsed(*chosen.front());
}

// The word in the place of a command, if it is not one. (The parser would only say that a command is missing.)
std::optional<std::string> unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  const auto word = std::find_if(arguments.begin(), arguments.end(),
                                 [](const std::string& argument) { return argument.empty() || argument[0] != '-'; });
  if (word == arguments.end()) return std::nullopt;
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const bool known = std::any_of(commands.begin(), commands.end(),
                                 [&](const CLI::App* command) { return command->get_name() == *word; });
  return known ? std::nullopt : std::optional<std::string>(*word);
}

// Whether standard output is a pipe whose reader has closed it.
bool reader_is_gone() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

int fail(Context& context, const std::string& sentence, int status) {
  context.err << "Error: " << one_line(sentence) << '\n';
  context.err.flush();
  return status;
}

}  // namespace

void build_app(CLI::App& app, Context& context) {
  app.name("ingero");
  app.description("Traces what programs ask of their GPUs and what the host did to them meanwhile.");
  app.footer("Run 'ingero COMMAND --help' for a command's flags and examples.");
  app.formatter(std::make_shared<HelpFormatter>());  // the commands inherit it
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Show this help and exit");
  app.add_flag_callback(
      "--debug", [] { set_log_level(LogLevel::kInfo); }, "Diagnostics on standard error");
  app.add_flag("--version")->description("Show the version and exit");
  add_check(app, context);
  add_trace(app, context);
  add_query(app, context);
  add_explain(app, context);
  add_export(app, context);
  add_merge(app, context);
  add_annotate(app, context);
  add_ask(app, context);
  add_mcp(app, context);
  add_dashboard(app, context);
  add_demo(app, context);
  add_version(app, context);
  add_completion(app, context);
  for (CLI::App* command : app.get_subcommands({})) {
    command->fallthrough();  // --debug may follow the command
    command->set_help_flag("-h,--help", "Show this help and exit");
  }
}

int run(std::vector<std::string> arguments, Context& context) {
  try {
    // --version alone is a command in flag's clothing.
    if (arguments.size() == 1 && arguments.front() == "--version") arguments = {"version"};
    CLI::App app;
    build_app(app, context);
    if (const auto word = unknown_command(app, arguments)) {
      return fail(context, fmt::format("unknown command \"{}\" (see 'ingero --help')", *word), kExitUsage);
    }
    try {
      std::reverse(arguments.begin(), arguments.end());
      app.parse(arguments);
    } catch (const CLI::CallForHelp&) {
      context.out << app.help();
      context.out.flush();
      return kExitDone;
    } catch (const CLI::ParseError& error) {
      const CLI::App& where = deepest_parsed(app);
      return fail(context, fmt::format("{} (see '{} --help')", one_line(error.what()), full_name(where)), kExitUsage);
    }
    if (!context.action) return fail(context, "nothing to do (see 'ingero --help')", kExitUsage);
    const Result<int> result = context.action();
    if (!result.ok()) {
      return fail(context, result.error().text(), result.error().code() == Errc::kInvalid ? kExitUsage : kExitFailed);
    }
    context.out.flush();
    if (!context.out.good() && reader_is_gone()) return *result;  // it has had enough: no failure of ours
    if (!context.out.good()) return fail(context, "write standard output: it does not take any more", kExitFailed);
    return *result;
  } catch (const std::exception& error) {
    return fail(context, fmt::format("internal error: {}", error.what()), kExitFailed);
  }
}

}  // namespace ingero::cli
