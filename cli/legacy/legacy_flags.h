// Flags of the legacy agent's `trace` that no longer set anything: accepted, so that existing commands and unit files
// keep working, with one sentence that says why the flag has no effect.
#pragma once

#include "cli/app.h"

namespace ingero::cli {

// Not in the help. `context` must outlive the command.
void add_legacy_flags(Command command, Context& context);

}  // namespace ingero::cli
