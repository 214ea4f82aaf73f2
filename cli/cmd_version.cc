// ingero version: what this program is.
#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace ingero::cli {

void add_version(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("version", "Show the version");
  command->footer("Example:\n  ingero version");
  command->callback([&context] {
    context.action = [&context]() -> Result<int> {
      context.out << "ingero " << INGERO_VERSION << '\n';
      return kExitDone;
    };
  });
}

}  // namespace ingero::cli
