// Which rank of its job each traced process is.
//
// A launcher passes the rank in the environment of the program that it starts (kernelside/proc.h); a framework's worker
// is forked first and then sets the variable itself. So the environment is read again after the process's first call,
// and after it has created its first communicator: a worker must know its rank by then. Where many processes begin at
// once, those that a turn has no time for are read in the next ones; one that ends before keeps what its launcher said.
// One thread. Failure: none; what cannot be read stays as it was.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "hal/event.h"
#include "kernelside/foreign.h"
#include "kernelside/proc.h"

namespace ingero::agent {

class RankWatch {
 public:
  // What is known of a traced process, to be put right here; null: nothing.
  using Traced = std::function<hal::Process*(uint32_t pid)>;

  // The arguments must outlive this.
  RankWatch(kernelside::Foreign& foreign, const kernelside::ProcFs& proc, const Clock& clock = system_clock())
      : foreign_(foreign), proc_(proc), clock_(clock) {}

  // A process is new, or runs another program from now on, or is over.
  void forget(uint32_t pid);
  // `made`: the processes that have made their first communicator. Appends to `changed` those whose rank is news. At
  // least one process is read, and none is begun when some milliseconds are over.
  void take(std::span<const hal::Event> events, std::span<const uint32_t> made, const Traced& traced,
            std::vector<hal::Process>& changed);

 private:
  kernelside::Foreign& foreign_;
  const kernelside::ProcFs& proc_;
  const Clock& clock_;
  std::unordered_set<uint32_t> have_called_;
  std::deque<uint32_t> wanted_;  // to be read, the longest waiting first
  uint32_t last_ = 0;            // of have_called_, the one seen last
};

}  // namespace ingero::agent
