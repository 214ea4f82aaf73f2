// The program: passes the process's arguments, streams and environment to run().
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "base/environment.h"
#include "base/text.h"
#include "cli/app.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  ingero::cli::Context context(std::cout, std::cerr);
  context.out_is_terminal = isatty(STDOUT_FILENO) != 0;
  context.err_is_terminal = isatty(STDERR_FILENO) != 0;
  context.colour = context.out_is_terminal && !ingero::environment("NO_COLOR") &&
                   ingero::environment("TERM").value_or("dumb") != "dumb";
  std::vector<std::string> arguments(argv + 1, argv + argc);
  // Under this name it is the cluster's server: `ingero-echo serve`.
  if (ingero::file_name(argv[0]) == "ingero-echo") arguments.insert(arguments.begin(), "fleet");
  const int status = ingero::cli::run(std::move(arguments), context);
  if (context.unfinished.empty()) return status;
  std::cout.flush();
  std::cerr.flush();
  _exit(status);
}
