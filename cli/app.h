// The command line as a function: arguments in, text and an exit status out.
//
// Exit status: 0 done, 1 failed, 2 used wrongly. A failure is one sentence on the error stream, and then nothing was
// written to the output stream. Threads: one call at a time; the Context outlives it.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/configuration.h"
#include "cli/parser.h"
#include "store/db/location.h"

namespace ingero::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

// What a command may use of the world. The tests make their own.
struct Context {
  Context(std::ostream& out_stream, std::ostream& err_stream) : out(out_stream), err(err_stream) {}

  std::ostream& out;  // results
  std::ostream& err;  // everything else
  bool out_is_terminal = false;
  bool err_is_terminal = false;  // progress is shown
  bool colour = false;
  const Clock* clock = &system_clock();
  Environment environment = system_environment();
  Configuration configuration;   // of commands whose flags it may set; read once the command is known
  std::optional<Error> refusal;  // of a flag that is known and not taken
  // Set by the subcommand that was parsed: does its work and gives the exit status.
  std::function<Result<int>()> action;
  // What could not be ended, with all that it uses: a thread that is stuck in a driver. Where there is any, main() ends
  // the process without destroying it.
  std::vector<std::shared_ptr<const void>> unfinished;
};

// Runs `arguments` (without the program's name).
int run(std::vector<std::string> arguments, Context& context);

// The parser with all commands and flags, as run() uses it. `context` outlives it.
Parser make_parser(Context& context);

}  // namespace ingero::cli
