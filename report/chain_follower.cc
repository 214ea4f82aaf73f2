// Detects changes of causal chains between two reads: found, worse, resolved.
#include "report/chain_follower.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace ingero::report {

std::string_view name_of(ChainFollower::What what) {
  switch (what) {
    case ChainFollower::What::kFound:
      return "found";
    case ChainFollower::What::kWorse:
      return "worse";
    case ChainFollower::What::kResolved:
      return "resolved";
  }
  return "";
}

std::vector<ChainFollower::Change> ChainFollower::next(const std::vector<ReportedChain>& chains) {
  std::vector<Change> changes;
  for (const ReportedChain& chain : chains) {
    const Seen now{hal::severity_order(chain.severity), chain.resolved};
    const auto [seen, is_new] = seen_.try_emplace(chain.id, now);
    if (is_new) {
      changes.push_back({What::kFound, &chain});
      continue;
    }
    if (now.order < seen->second.order) changes.push_back({What::kWorse, &chain});
    if (now.is_resolved && !seen->second.is_resolved) changes.push_back({What::kResolved, &chain});
    seen->second = now;
  }
  return changes;
}

std::string change_text(const ChainFollower::Change& change, bool colour) {
  if (change.what == ChainFollower::What::kFound) return "\n" + chain_text(*change.chain, colour);
  const ReportedChain& chain = *change.chain;
  return fmt::format("\n{} {}: {}{}\n", change.what == ChainFollower::What::kWorse ? "Now" : "Over",
                     severity_text(chain.severity, colour), printable(chain.summary, 1000),
                     chain.lost_ns ? fmt::format(" ({} lost)", format_duration(*chain.lost_ns)) : "");
}

std::string change_json(const ChainFollower::Change& change) {
  Json json{{"change", name_of(change.what)}};
  json.update(chain_json(*change.chain));
  return dump(json) + "\n";
}

}  // namespace ingero::report
