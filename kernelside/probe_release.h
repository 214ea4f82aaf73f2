// When the number of a probe that was removed may be another's: nothing has it any more (kernelside/probe_numbers.h).
//
// The capture thread only. A thread that never leaves a call keeps that call's number; it counts to its user's share.
// Owns its lists of numbers. Failure: none.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "bpf/wire.h"
#include "kernelside/drain.h"

namespace ingero::kernelside {

class ProbeRelease {
 public:
  // Numbers whose probes have been removed.
  void add(std::span<const uint32_t> retired) { removed_.insert(retired.begin(), retired.end()); }
  // The calls that were open after the last add(), and how far the rings had come after that.
  void look(std::span<const wire_call_record> open, const Drain::Position& position);
  // Those whose last records have been read: free when what was read until now is stored.
  std::vector<uint32_t> take();

 private:
  std::set<uint32_t> removed_;
  std::deque<std::pair<std::vector<uint32_t>, Drain::Position>> passing_;  // no open call has them
};

}  // namespace ingero::kernelside
