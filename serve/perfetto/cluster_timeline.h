// A cluster as a timeline, from what its server answers: a process for each node, on it a track for each rank in each
// communicator with its windows, and one for each incident.
//
// What comes in is from the network: rows and incidents that are not of the expected types are left out and counted.
// Memory is that of the answers. Threads: one. Failure: the sink's. Owns nothing that outlives the call.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "serve/perfetto/timeline.h"

namespace ingero::serve::perfetto {

// The statement whose rows are windows here: those that began in this time, `most` of them, the newest.
std::string cluster_windows_sql(uint64_t from_wall_ns, uint64_t to_wall_ns, uint64_t most);

struct ClusterTotals {
  uint64_t windows = 0, incidents = 0, left_out = 0;
};

// `rows`: of that statement, by the server that was asked (its first column), as query_fleet gives them. `chains`: its
// incidents, likewise.
Result<ClusterTotals> write_cluster_timeline(const Json& rows, const Json& chains, TimelineFormat format, Sink sink);

}  // namespace ingero::serve::perfetto
