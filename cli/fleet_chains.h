// The causal chains of all nodes, as `ingero explain --nodes` shows them; warnings go to the error stream.
#pragma once

#include "base/json.h"
#include "cli/app.h"
#include "fleet/fleet.h"

namespace ingero::cli {

// `input`: since, from, to, pid, as far as they were given. Fails when no node answers, and then has printed nothing.
Status explain_fleet(const fleet::Fleet& fleet, Json input, bool json, Context& context);

}  // namespace ingero::cli
