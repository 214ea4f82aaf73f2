// Who else is on the machine: the processes that had a CPU while a traced one of a container, pod or job wanted it.
// What they belong to decides whether they are neighbours, and is read while they live.
//
// One thread. Failure: none; one that has ended already stays unknown.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "hal/event.h"
#include "kernelside/proc.h"

namespace ingero::cli {

class Neighbours {
 public:
  // `proc` must outlive this.
  explicit Neighbours(const kernelside::ProcFs& proc) : proc_(proc) {}

  // What is known of a traced process; null: nothing.
  using Traced = std::function<const hal::Process*(uint32_t pid)>;
  // Appends those met for the first time among who ran instead in `events`.
  void take(std::span<const hal::Event> events, const Traced& traced, std::vector<hal::Process>& met);

 private:
  const kernelside::ProcFs& proc_;
  std::unordered_map<uint32_t, std::array<char, 16>> seen_;  // pid: its name then, for numbers are used again
};

}  // namespace ingero::cli
