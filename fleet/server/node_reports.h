// What nodes' own causal engines say is wrong (points of `ingero.causal_chain`), as evidence for why a rank is late: a
// server sees that it is, and its node sees what took its CPUs, its device or its network.
//
// Bounded: kMaxNodes, until some are forgotten; kOfNode chains of each, the newest. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "fleet/detect/detector.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::server {

inline constexpr const char* kChainMetric = "ingero.causal_chain";

struct NodeReport {
  std::string id, rule, summary;      // printable; id: of the causal chain in the node's recording
  std::optional<int64_t> rank;        // of the job; none: of the machine, or not known
  uint64_t onset_ns = 0, end_ns = 0;  // by the node's clock, as its windows are
  double lost_s = 0;                  // 0: not known
};

class NodeReports {
 public:
  static constexpr size_t kMaxNodes = 4096, kOfNode = 16;

  // A chain that is reported again replaces what was known of it. False: it is not evidence.
  bool take(const wire::Point& point);
  void forget(const std::string& cluster, const std::string& node) { nodes_.erase({cluster, node}); }
  // Of those of the rank, or of no rank, that lasted in some of this time and are evidence of a class: the one that
  // lost most, where that explains half of the lateness in all of this time or is not known. Null: none. Until the next
  // take().
  const NodeReport* reason(const std::string& cluster, const std::string& node, const detect::Incident& incident,
                           uint64_t from_ns, uint64_t to_ns) const;
  // The one of class `network` that lasted in some of this time and lost most, of those of these nodes, and whose it
  // is; null: none. Until the next take().
  std::pair<const NodeReport*, std::string> network(const std::string& cluster, const std::set<std::string>& nodes,
                                                    uint64_t from_ns, uint64_t to_ns) const;

 private:
  std::map<std::pair<std::string, std::string>, std::vector<NodeReport>> nodes_;  // oldest first
};

// Of the rules (docs/rules.md) that say what kept threads or devices, the class that they are evidence of; the others
// say that work is late, ended or was never done.
struct RuleClass {
  std::string_view rule, what;
};
inline constexpr RuleClass kRuleClasses[] = {
    {"cpu_preemption", "host"},      {"oversubscription", "host"},        {"run_queue_wait", "host"},
    {"cgroup_throttling", "host"},   {"noisy_neighbour", "host"},         {"cpu_steal", "host"},
    {"interrupt_load", "host"},      {"graph_contention", "host"},        {"dataloader_starvation", "input"},
    {"block_io", "input"},           {"allocation_churn", "memory"},      {"memory_fragmentation", "memory"},
    {"memory_pressure", "memory"},   {"page_allocation_storm", "memory"}, {"device_contention", "device"},
    {"device_throttling", "device"}, {"device_error", "device"},          {"tcp_retransmits", "network"},
    {"fabric_port_down", "network"}, {"fabric_errors", "network"},        {"fabric_loss", "network"},
    {"fabric_not_ready", "network"}, {"fabric_congestion", "network"},
};
// Empty: of none.
std::string_view class_of_rule(std::string_view rule);
// {"causal_chain_id", "rule", "summary", "lost_s"}
Json report_json(const NodeReport& report);

}  // namespace ingero::fleet::server
