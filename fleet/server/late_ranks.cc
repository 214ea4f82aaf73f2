// See late_ranks.h.
#include "fleet/server/late_ranks.h"

#include <algorithm>
#include <span>

#include <fmt/ranges.h>

#include "base/text.h"
#include "fleet/server/incident_rows.h"

namespace ingero::fleet::server {
namespace {

constexpr size_t kMaxHeavyRoles = 8, kMaxRanksShown = 8;

// Ascending ones: "8 to 15", or "8, 9, 11, ...".
std::string ranks_in_words(const std::vector<uint32_t>& ranks) {
  if (ranks.size() > 2 && ranks.back() - ranks.front() + 1 == ranks.size()) {
    return fmt::format("{} to {}", ranks.front(), ranks.back());
  }
  const size_t count = std::min(ranks.size(), kMaxRanksShown);
  return fmt::format("{}{}", fmt::join(ranks.begin(), ranks.begin() + static_cast<ptrdiff_t>(count), ", "),
                     count < ranks.size() ? ", ..." : "");
}

}  // namespace

const char* kind_of(const detect::Incident& incident, bool is_score) {
  return is_score ? kLowScore : incident.is_of_node() ? kSlowNode : kStraggler;
}

std::string sentence_of(const std::string& node, const detect::Incident& incident, const std::string* group) {
  if (group != nullptr) {
    return fmt::format("the health score of {}{}{} is {:.0f} % below that of its peers", node,
                       group->empty() ? "" : " in control group ", *group, 100 * incident.effect);
  }
  const std::string late = fmt::format("{} more for each step than {} peers ({:.0f} %)",
                                       format_duration(static_cast<uint64_t>(1e9 * incident.lateness_s)),
                                       incident.is_of_node() ? "their" : "its", 100 * incident.effect);
  if (!incident.is_of_node()) return fmt::format("rank {} on {} needs {}", incident.rank, node, late);
  const auto& ranks = incident.ranks;
  const bool are_all = ranks.size() >= incident.node_ranks;
  return fmt::format("{} {} ranks on {} ({}) need {}", are_all ? "all" : std::to_string(ranks.size()) + " of",
                     incident.node_ranks, node, ranks_in_words(ranks), late);
}

Json evidence_of(const detect::Incident& incident) {
  Json evidence{{"effect", rounded(incident.effect)},
                {"lateness_s_per_step", rounded(incident.lateness_s)},
                {"usual_s_per_step", rounded(incident.usual_s)},
                {"cpu_wait_s_per_step", rounded(incident.reasons.host_s)},
                {"storage_wait_s_per_step", rounded(incident.reasons.storage_s)},
                {"asleep_s_per_step", rounded(incident.reasons.asleep_s)},
                {"observed_ranks", incident.observed},
                {"nranks", incident.nranks}};
  if (!incident.is_of_node()) return evidence;
  const auto some = std::span(incident.ranks).first(std::min(incident.ranks.size(), kMaxDelayed));
  evidence["ranks"] = std::vector<uint32_t>(some.begin(), some.end());
  evidence["rank_count"] = incident.ranks.size();
  evidence["node_ranks"] = incident.node_ranks;
  return evidence;
}

Json evidence_of_score(const detect::Incident& incident, const std::string& group) {
  return {{"effect", rounded(incident.effect)},
          {"health_score", rounded(incident.usual_s - incident.lateness_s)},
          {"usual_score", rounded(incident.usual_s)},
          {"cgroup_path_hash", group.empty() ? Json(nullptr) : Json(group)},
          {"compared_nodes", incident.observed}};
}

Json imbalance_json(const std::vector<detect::HeavyRole>& roles) {
  Json list = Json::array();
  for (const auto& role : roles) {
    if (list.size() == kMaxHeavyRoles) break;
    const auto some = std::span(role.ranks).first(std::min(role.ranks.size(), kMaxRanksShown));
    list.push_back({{"ranks", std::vector<uint32_t>(some.begin(), some.end())},
                    {"rank_count", role.ranks.size()},
                    {"effect", rounded(role.effect)}});
  }
  return list;
}

}  // namespace ingero::fleet::server
