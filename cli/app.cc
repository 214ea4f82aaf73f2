// From the arguments to the command and its exit status, so that tests run the program without a process.
#include "cli/app.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/legacy/legacy_flags.h"
#include "kernelside/libbpf_log.h"

namespace ingero::cli {
namespace {

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

// What ingero.yaml sets of a command that runs for long: others are typed by people who see what they type.
Result<std::vector<FlagSetting>> settings_of(const std::vector<std::string>& arguments, Context& context) {
  const auto command = std::find_if(arguments.begin(), arguments.end(),
                                    [](const std::string& one) { return one.empty() || one[0] != '-'; });
  if (command == arguments.end() || *command != "trace") return std::vector<FlagSetting>();
  auto configuration = Configuration::read(context.environment);
  INGERO_TRY(configuration);
  context.configuration = std::move(*configuration);
  return context.configuration.flags(*command);
}

std::string sentence_of(const std::vector<FlagSetting>& settings) {
  const std::string& place = settings.front().place;
  std::string names;
  for (const FlagSetting& one : settings) names += (names.empty() ? "--" : ", --") + one.name;
  return fmt::format("{} sets {}", place.substr(0, place.rfind(':', place.rfind(':') - 1)), names);
}

}  // namespace

Parser make_parser(Context& context) {
  Parser parser("ingero", "Traces what programs ask of their GPUs and what the host did to them meanwhile.",
                "Run 'ingero COMMAND --help' for a command's flags and examples.");
  const Command root = parser.root();
  root.add_flag_callback(
      "--debug", [] { set_log_level(LogLevel::kInfo); }, "Diagnostics on standard error");
  root.add_flag("--version", "Show the version and exit");
  refuse_legacy_flags(root, "ingero", context);
  add_check(root, context);
  add_trace(root, context);
  add_query(root, context);
  add_explain(root, context);
  add_compare(root, context);
  add_export(root, context);
  add_merge(root, context);
  add_annotate(root, context);
  add_ask(root, context);
  add_mcp(root, context);
  add_dashboard(root, context);
  add_fleet(root, context);
  add_fleet_push(root, context);
  add_demo(root, context);
  add_version(root, context);
  add_completion(root, context);
  parser.add_help_flags();
  return parser;
}

int run(std::vector<std::string> arguments, Context& context) {
  try {
    kernelside::print_libbpf_messages(context.environment.variable("INGERO_BPF_DEBUG").has_value());
    // --version alone is a command in flag's clothing.
    if (arguments.size() == 1 && arguments.front() == "--version") arguments = {"version"};
    // Alone: what there is. "help COMMAND" is how others spell it.
    if (arguments.empty()) arguments = {"--help"};
    if (arguments.front() == "help" && arguments.size() <= 2) {
      arguments.erase(arguments.begin());
      arguments.emplace_back("--help");
    }
    Parser parser = make_parser(context);
    const auto settings = settings_of(arguments, context);
    if (!settings.ok()) return fail(context, settings.error().text(), kExitUsage);
    const auto help = parser.parse(std::move(arguments), *settings);
    if (!help.ok()) return fail(context, help.error().text(), kExitUsage);
    if (*help) {
      context.out << **help;
      context.out.flush();
      return kExitDone;
    }
    if (context.refusal) return fail(context, context.refusal->text(), kExitUsage);
    if (!settings->empty()) {
      context.err << fmt::format("ingero: {}\n", sentence_of(*settings));
    }
    if (!context.action) return fail(context, "no command given (see 'ingero --help')", kExitUsage);
    const Result<int> result = context.action();
    if (!result.ok()) {
      return fail(context, result.error().text(), result.error().code() == Errc::kInvalid ? kExitUsage : kExitFailed);
    }
    context.out.flush();
    if (!context.out.good() && reader_is_gone()) return *result;  // it has had enough: no failure of ours
    if (!context.out.good()) return fail(context, "cannot write to standard output", kExitFailed);
    return *result;
  } catch (const std::exception& error) {
    return fail(context, text_of_exception(error), kExitFailed);
  }
}

}  // namespace ingero::cli
