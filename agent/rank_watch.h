// Which rank of its job each traced process is.
//
// A launcher passes the rank in the environment of the program that it starts (kernelside/proc.h); a framework's worker
// is forked first and then sets the variable itself. So the environment is read again after the process's first call,
// and after it has created its first communicator: a worker must know its rank by then.
// One thread. Failure: none; what cannot be read stays as it was.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "hal/event.h"
#include "kernelside/foreign.h"
#include "kernelside/proc.h"

namespace ingero::agent {

class RankWatch {
 public:
  // What is known of a traced process, to be put right here; null: nothing.
  using Traced = std::function<hal::Process*(uint32_t pid)>;

  // The arguments must outlive this.
  RankWatch(kernelside::Foreign& foreign, const kernelside::ProcFs& proc) : foreign_(foreign), proc_(proc) {}

  // A process is new, or runs another program from now on, or is over.
  void forget(uint32_t pid);
  // `made`: the processes that have made their first communicator. Appends to `changed` those whose rank is news.
  void take(std::span<const hal::Event> events, std::span<const uint32_t> made, const Traced& traced,
            std::vector<hal::Process>& changed);

 private:
  kernelside::Foreign& foreign_;
  const kernelside::ProcFs& proc_;
  std::unordered_set<uint32_t> have_called_;
  uint32_t last_ = 0;  // of these, the one seen last
};

}  // namespace ingero::agent
