// Which nodes of a simulated job would call themselves stragglers, by what the server pushed back (fleet/send), and by
// their own past alone; and which of them are.
//
// Time is the job's: a window that is sent is of now. Windows of a node in ascending order; different nodes in several
// threads. Owns all it keeps. Failure: none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fleet/send/node_state.h"
#include "fleet/simulate/plan.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::simulate {

class SelfClassified {
 public:
  explicit SelfClassified(const Plan& plan) : plan_(plan), nodes_(plan.nodes()) {}

  // `pushed`: with the answer to these windows.
  void take(uint32_t node, uint32_t window, std::span<const wire::Window> windows,
            const std::optional<send::PushedThreshold>& pushed);
  // A line of what came of it.
  std::string in_words() const;

 private:
  struct Way {
    send::NodeState state;
    bool was_wrong = false;
    std::optional<uint32_t> after;  // windows from the onset, where it was right
  };
  struct Node {
    Way by_peers, by_past;
  };
  const Straggler* planted_on(uint32_t node, uint32_t window) const;
  void note(uint32_t node, uint32_t window, bool is_straggler, Way& way) const;
  std::string in_words(Way Node::*way) const;

  const Plan& plan_;
  std::vector<Node> nodes_;
};

}  // namespace ingero::fleet::simulate
