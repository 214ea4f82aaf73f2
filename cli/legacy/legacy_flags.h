// Flags of the legacy agent's `trace` and `fleet-push` that no longer set anything: accepted, so that existing commands
// and unit files keep working, with one sentence that says why the flag has no effect; and the flag that brings its
// metrics back.
#pragma once

#include "cli/app.h"

namespace ingero::cli {

// Not in the help. `context` must outlive the command.
void add_legacy_flags(Command command, Context& context);
void add_legacy_push_flags(Command command, Context& context);
void add_legacy_metric_names(Command command, bool& wanted);

}  // namespace ingero::cli
