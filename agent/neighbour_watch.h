// Processes that are not traced and kept a traced one: that preempted one of a container, pod or job (their own decides
// whether they are noisy neighbours), or that it waited for. What they are is read while they live.
//
// One thread. Failure: none; a process that has already ended stays unknown.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hal/event.h"
#include "hal/wait.h"
#include "kernelside/proc.h"

namespace ingero::agent {

class NeighbourWatch {
 public:
  // `proc` must outlive this.
  explicit NeighbourWatch(const kernelside::ProcFs& proc) : proc_(proc) {}

  // What is known of a traced process; null: nothing.
  using Traced = std::function<const hal::Process*(uint32_t pid)>;
  using Waits = std::span<const std::pair<size_t, hal::Wait>>;  // with the index of their event
  // Appends the processes that kept a traced one in `events` and were not seen before.
  void take(std::span<const hal::Event> events, Waits waits, const Traced& traced, std::vector<hal::Process>& found);
  // Likewise, those that used its disks.
  void take(std::span<const hal::DiskUse> uses, const Traced& traced, std::vector<hal::Process>& found);

 private:
  void look(uint32_t pid, const std::array<char, 16>& comm, const Traced& traced, std::vector<hal::Process>& found);

  const kernelside::ProcFs& proc_;
  std::unordered_map<uint32_t, std::array<char, 16>> seen_;  // pid: its name then, for numbers are used again
};

}  // namespace ingero::agent
