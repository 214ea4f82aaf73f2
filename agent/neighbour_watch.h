// Noisy neighbours: the processes that preempted a traced process of a container, pod or job. Their own container, pod
// or job decides whether they are neighbours, and is read while they live.
//
// One thread. Failure: none; a process that has already ended stays unknown.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "hal/event.h"
#include "kernelside/proc.h"

namespace ingero::agent {

class NeighbourWatch {
 public:
  // `proc` must outlive this.
  explicit NeighbourWatch(const kernelside::ProcFs& proc) : proc_(proc) {}

  // What is known of a traced process; null: nothing.
  using Traced = std::function<const hal::Process*(uint32_t pid)>;
  // Appends the processes that preempted a traced one in `events` and were not seen before.
  void take(std::span<const hal::Event> events, const Traced& traced, std::vector<hal::Process>& found);

 private:
  const kernelside::ProcFs& proc_;
  std::unordered_map<uint32_t, std::array<char, 16>> seen_;  // pid: its name then, for numbers are used again
};

}  // namespace ingero::agent
