// Makes one incident of a node whose ranks are slow together: for one reason of that node, since ranks that only share
// it do not become slow at once.
//
// Most ranks of the node are suspects, and one is named, but not one that was slow before by itself: from then on it is
// the node's incident, until none of its ranks is named, or one alone has stayed slow (kAloneFor). What its ranks had
// as incidents of their own is merged into it. Pure and deterministic; one thread at a time. Bounded by the detector's
// ranks.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "fleet/detect/incident.h"

namespace ingero::fleet::detect {

inline constexpr size_t kAloneFor = 6;  // windows

// A rank that is heard of, after a window.
struct NodeMember {
  uint32_t rank = 0, node = 0;
  double score = 0;
  const Incident* incident = nullptr;  // where it is named
  bool stays_slow = false;             // a suspect, by the median of its last kAloneFor windows
};

class SlowNodes {
 public:
  // Of one window: `own` is what became of ranks; adds to `changes` what became of incidents.
  void fold(const std::vector<NodeMember>& members, uint64_t window, const std::vector<Incident>& own,
            std::vector<Incident>& changes);
  // Whether fold() has anything to do where no rank's incident changes.
  bool is_idle() const { return nodes_.empty() && own_.empty(); }
  // Whether the rank has an incident of its own; whether it is one of those of a node's.
  bool has_own(uint32_t rank) const { return own_.contains(rank); }
  bool has_node(uint32_t node) const { return nodes_.contains(node); }
  const std::map<uint32_t, Incident>& open() const { return nodes_; }

 private:
  struct Group {
    size_t ranks = 0;
    std::vector<uint32_t>
        suspects;  // the named ones that are not over yet are not among them where they have recovered
    std::vector<const NodeMember*> named;
    size_t slow_for_long = 0;  // of the suspects
  };
  static bool is_slow(const Group& group);
  std::map<uint32_t, Group> groups_of(const std::vector<NodeMember>& members) const;
  void begin(const std::map<uint32_t, Group>& groups, uint64_t window, std::vector<Incident>& changes);
  bool update(Incident& incident, const Group& group);
  bool is_one_alone(uint32_t node, const Group& group);

  std::map<uint32_t, Incident> nodes_;  // by node
  std::map<uint32_t, size_t> alone_;    // by node: windows in a row in which one of its ranks was slow, and no other
  std::set<uint32_t> own_;              // ranks
};

}  // namespace ingero::fleet::detect
