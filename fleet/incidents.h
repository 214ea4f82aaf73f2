// Incidents of a cluster, as its server gives them (docs/fleet.md, "Asking"), in the form of causal chains, so that
// they are shown with those of nodes. Pure; thread-safe. Failure: none; what comes in fits incidents_schema().
#pragma once

#include "base/json.h"

namespace ingero::fleet {

inline constexpr size_t kMaxIncidents = 1000;  // that a server gives

// What the answer of the tool run_analysis must look like.
Json incidents_schema();
// Each as chain_json (report/chains.h) has it, as far as it is known: `node` is the culprit's, `symptoms` say who was
// delayed, `incident` is what the server gave. Its incidents; and hangs and named ranks of now, which it may not have
// stored.
Json chains_of_cluster(const Json& analysis);

}  // namespace ingero::fleet
