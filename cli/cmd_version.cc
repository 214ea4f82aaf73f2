// ingero version: what this program is.

#include "cli/commands.h"

namespace ingero::cli {

void add_version(Command root, Context& context) {
  const Command command = root.add_command("version", "Show the version");
  command.footer("Example:\n  ingero version");
  command.on_parsed([&context] {
    context.action = [&context]() -> Result<int> {
      context.out << "ingero " << INGERO_VERSION << '\n';
      return kExitDone;
    };
  });
}

}  // namespace ingero::cli
