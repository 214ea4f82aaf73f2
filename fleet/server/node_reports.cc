// Chains by node, and the class of each rule: see node_reports.h.
#include "fleet/server/node_reports.h"

#include <algorithm>

#include "base/text.h"
#include "fleet/server/incident_rows.h"

namespace ingero::fleet::server {
namespace {

constexpr double kExplains = 0.5;  // of the lateness, as of a node's own measurements

// The share of the rank's slow time that the chain took, as if it had lasted to its end, against the share that the
// rank is late by: what began when it had been slow for long is not why.
bool explains(const NodeReport& report, const detect::Incident& incident, uint64_t from_ns, uint64_t to_ns) {
  if (report.lost_s <= 0) return true;  // not known: it was there, in that time
  const auto seconds = [](uint64_t since_ns, uint64_t until_ns) {
    return static_cast<double>(until_ns - since_ns) / 1e9;
  };
  const double lasted_s = seconds(report.onset_ns, report.end_ns), slow_s = seconds(from_ns, to_ns);
  const double step_s = incident.usual_s + incident.lateness_s;
  if (step_s <= 0 || lasted_s <= 0 || slow_s <= 0) return false;
  const double share = seconds(std::max(report.onset_ns, from_ns), to_ns) / slow_s;
  return share * report.lost_s / lasted_s >= kExplains * incident.lateness_s / step_s;
}

}  // namespace

std::string_view class_of_rule(std::string_view rule) {
  const auto found = std::ranges::find(kRuleClasses, rule, &RuleClass::rule);
  return found == std::end(kRuleClasses) ? std::string_view() : found->what;
}

Json report_json(const NodeReport& report) {
  return {{"causal_chain_id", report.id},
          {"rule", report.rule},
          {"summary", report.summary},
          {"lost_s", report.lost_s > 0 ? Json(rounded(report.lost_s)) : Json(nullptr)}};
}

bool NodeReports::take(const wire::Point& point) {
  if (point.metric != kChainMetric) return false;
  const Json attributes = parse_json(point.attributes);
  NodeReport report;
  report.id = text_member(attributes, "causal_chain_id");
  report.rule = text_member(attributes, "rule");
  report.summary = text_member(attributes, "summary");
  report.rank = point.rank;
  report.end_ns = point.time_ns;
  // As text, as 64-bit numbers are in OTLP's JSON, or as a number.
  const auto onset = attributes.find("onset_ns");
  const bool is_number = onset != attributes.end() && onset->is_number_unsigned();
  const uint64_t onset_ns =
      is_number ? onset->get<uint64_t>() : parse_u64(text_member(attributes, "onset_ns")).value_or(0);
  report.onset_ns = onset_ns == 0 ? point.time_ns : std::min(onset_ns, point.time_ns);
  report.lost_s = point.value_double.value_or(0);
  if (report.id.empty() || class_of_rule(report.rule).empty()) return false;
  const std::pair key(point.sender.cluster, point.sender.node);
  if (nodes_.size() >= kMaxNodes && !nodes_.contains(key)) return false;
  auto& chains = nodes_[key];
  const auto known = std::ranges::find(chains, report.id, &NodeReport::id);
  if (known != chains.end()) {
    if (report.end_ns >= known->end_ns) *known = std::move(report);
    return true;
  }
  if (chains.size() >= kOfNode) chains.erase(chains.begin());
  chains.push_back(std::move(report));
  return true;
}

const NodeReport* NodeReports::reason(const std::string& cluster, const std::string& node,
                                      const detect::Incident& incident, uint64_t from_ns, uint64_t to_ns) const {
  const auto found = nodes_.find({cluster, node});
  if (found == nodes_.end()) return nullptr;
  const NodeReport* worst = nullptr;
  for (const NodeReport& report : found->second) {
    if (report.rank && *report.rank != incident.rank && !std::ranges::count(incident.ranks, *report.rank)) continue;
    if (report.end_ns <= from_ns || report.onset_ns >= to_ns || !explains(report, incident, from_ns, to_ns)) continue;
    if (worst == nullptr || report.lost_s > worst->lost_s) worst = &report;
  }
  return worst;
}

std::pair<const NodeReport*, std::string> NodeReports::network(const std::string& cluster,
                                                               const std::set<std::string>& nodes, uint64_t from_ns,
                                                               uint64_t to_ns) const {
  std::pair<const NodeReport*, std::string> worst{nullptr, {}};
  for (const std::string& node : nodes) {
    const auto found = nodes_.find({cluster, node});
    if (found == nodes_.end()) continue;
    for (const NodeReport& report : found->second) {
      const bool is_then = report.end_ns > from_ns && report.onset_ns < to_ns;
      if (!is_then || class_of_rule(report.rule) != "network") continue;
      if (worst.first == nullptr || report.lost_s > worst.first->lost_s) worst = {&report, node};
    }
  }
  return worst;
}

}  // namespace ingero::fleet::server
