// The questions about a cluster, each declared once: its names, what it takes and gives as JSON Schema, and what
// answers it. Every interface shows these declarations and asks here, so that the same question has the same answer
// everywhere.
//
// An input is held to the schema that is shown. An answer is an object of at most a megabyte; `cut` says in sentences
// what it leaves out; what senders wrote is printable. Failure: classified as a node's tools (serve/tools/tool.h).
// Thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "fleet/server/cluster.h"

namespace ingero::fleet::server {

struct ClusterTool {
  std::string_view name, plain_name;  // "fleet.cluster.hangs"; the same for clients that take no dots
  std::string_view title, description;
  Json input, output;
  bool is_heavy = false;  // may take as long as a statement does
  // The input has its defaults, and names one of the readable clusters where it names any.
  Result<Json> (*answer)(Cluster& cluster, const Json& input, const store::Clusters& readable) = nullptr;
};

const std::vector<ClusterTool>& cluster_tools();
// By its name, its name without dots, or its last part; null: there is none.
const ClusterTool* find_cluster_tool(std::string_view name);
// Of those that are heavy the last part of the name, which all of its names have.
const std::vector<std::string_view>& heavy_names();
// `readable`: the clusters that who asks may read; kPermission: the question is about others.
Result<Json> ask(Cluster& cluster, const ClusterTool& tool, const Json& input, const store::Clusters& readable);

}  // namespace ingero::fleet::server
