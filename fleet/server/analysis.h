// The state of a cluster in one answer: sentences, the cause first, and the data that they are made of.
//
// Made of the cluster's other answers and of nothing else: what is said here can be asked for there. Thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "fleet/server/cluster.h"

namespace ingero::fleet::server {

struct AnalysisQuery {
  std::string cluster;    // empty: all
  uint64_t since_ns = 0;  // incidents that lasted to this time or later
  size_t top_n = 10;      // outliers, and incidents
};

Result<Json> analyse(Cluster& cluster, const AnalysisQuery& query);

}  // namespace ingero::fleet::server
