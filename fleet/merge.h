// Answers of several nodes made one. Pure; thread-safe.
//
// What comes in fits its tool's schema (client.h); what that does not say (a row has as many cells as there are
// columns, counts are not negative) is checked here: kCorrupt, and the node counts as one that failed.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "serve/tools/schema.h"

namespace ingero::fleet {

struct NodeRows {
  std::string node;
  Json columns, data;  // as run_sql gives them
};

// kCorrupt: not columns and rows of numbers, texts and NULLs, or more than `most` rows.
Status check_rows(const Json& columns, const Json& data, uint64_t most);

struct MergedRows {
  Json columns;                    // "node" first, then each name once for each time that a node has it
  Json data;                       // rows: the node, then its cells by column name; null where it has no such column
  std::vector<std::string> notes;  // what a node lacks, in sentences
};
MergedRows merge_rows(const std::vector<NodeRows>& parts);

struct NodeFigures {
  std::string node;
  Json calls, host;  // as get_trace_stats gives them
};

// kCorrupt: counts or times that are negative.
Status check_figures(const Json& calls);
// A row for each call: counts, times and extremes over all nodes; averages and percentiles, which cannot be merged, per
// node. Most time first. Unknown on one node is unknown for all.
Json merge_figures(const std::vector<NodeFigures>& parts);

struct NodeChains {
  std::string node;
  Json chains;  // as get_causal_chains gives them
};

// All chains, worst first: each with the `node` that was asked, and as `recorded_node` what its recording calls it.
Json merge_chains(const std::vector<NodeChains>& parts);

}  // namespace ingero::fleet
