// The program: passes the process's arguments, streams and environment to run().
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "base/environment.h"
#include "cli/app.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  ingero::cli::Context context(std::cout, std::cerr);
  context.out_is_terminal = isatty(STDOUT_FILENO) != 0;
  context.err_is_terminal = isatty(STDERR_FILENO) != 0;
  context.colour = context.out_is_terminal && !ingero::environment("NO_COLOR") &&
                   ingero::environment("TERM").value_or("dumb") != "dumb";
  const int status = ingero::cli::run({argv + 1, argv + argc}, context);
  if (context.unfinished.empty()) return status;
  std::cout.flush();
  std::cerr.flush();
  _exit(status);
}
