// Flags of the legacy agent's `trace` and `fleet-push` that no longer set anything: accepted, so that existing commands
// and unit files keep working, with one sentence that says why the flag has no effect; those that are refused with a
// sentence that says what to do; and the flag that brings its metrics back.
#pragma once

#include <string_view>

#include "cli/app.h"

namespace ingero::cli {

// Not in the help. `context` must outlive the command.
void add_legacy_flags(Command command, Context& context);
void add_legacy_push_flags(Command command, Context& context);
// Those of command `name`, "ingero" for the program's own.
void refuse_legacy_flags(Command command, const char* name, Context& context);
// Says on the error stream which variables that are set have no effect, of commands that serve.
void note_legacy_variables(Context& context);
// Why there is no such command any more; empty: there never was one.
std::string_view legacy_command_text(std::string_view word);

inline constexpr const char* kLegacyTokenVariable = "INGERO_MCP_BEARER_TOKEN";  // of `mcp`

void add_legacy_metric_names(Command command, bool& wanted);

}  // namespace ingero::cli
