// Flags of the earlier agent's `trace` that have nothing to set any more: taken, so that commands and unit files
// written for it go on working, and answered with one sentence of why.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/app.h"

namespace ingero::cli {

// Not in the help. `context` must outlive the command.
void add_earlier_flags(CLI::App& command, Context& context);

}  // namespace ingero::cli
