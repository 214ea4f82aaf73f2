// ingero explain --follow: what a running recording's causes do, as they do it.
//
// Pure; one thread at a time. Owns the ids and states it has seen; a Change refers into the argument. Failure: none.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/chains.h"

namespace ingero::report {

// Given each state of the stored chains once, returns what is new in it. A chain that only lasts longer is not new.
class ChainFollower {
 public:
  enum class What { kFound, kWorse, kResolved };
  struct Change {
    What what;
    const ReportedChain* chain;  // of the argument of next()
  };
  std::vector<Change> next(const std::vector<ReportedChain>& chains);
  size_t followed() const { return seen_.size(); }

 private:
  struct Seen {
    int order = 0;
    bool is_resolved = false;
  };
  std::map<std::string, Seen> seen_;  // by id
};

std::string_view name_of(ChainFollower::What what);
// For people; and one line of JSON: the chain as --chains --json has it, with "change" in front.
std::string change_text(const ChainFollower::Change& change, bool colour);
std::string change_json(const ChainFollower::Change& change);

}  // namespace ingero::report
