// On which CPUs the threads may run that wait for one: asked of the kernel for processes whose threads wait, each at
// most every few seconds, and reported when it is news.
//
// One thread: the capture thread's. Bounded: kMaxProcesses are asked for in a second, of each the kMaxThreads that wait
// longest. Failure: a thread that has ended by then, or that the kernel says nothing about, is left out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/batch_queue.h"
#include "agent/wait_watch.h"
#include "base/result.h"
#include "hal/event.h"

namespace ingero::agent {

class AffinityWatch {
 public:
  // The kernel, unless a test says otherwise.
  struct Kernel {
    std::function<Result<hal::CpuList>(uint32_t tid)> allowed;
    std::function<std::string()> online;
  };
  explicit AffinityWatch(Kernel kernel) : kernel_(std::move(kernel)) {}

  // `waits`: of the last second, for a CPU.
  void every_second(const std::vector<CpuWait>& waits, uint64_t now_mono_ns, EventBatch& batch);
  void process_ended(uint32_t pid) { known_.erase(pid); }

  static constexpr size_t kMaxProcesses = 16, kMaxThreads = 16, kMaxKnown = 4096;
  static constexpr uint64_t kEnoughNs = 30'000'000;    // of a second, all threads of a process together
  static constexpr uint64_t kAgainNs = 5'000'000'000;  // until a process is asked for again

 private:
  struct Known {
    uint64_t asked_mono_ns = 0;
    hal::Affinity reported;
  };
  std::optional<hal::Affinity> ask(std::vector<CpuWait> waits) const;

  const Kernel kernel_;
  std::unordered_map<uint32_t, Known> known_;  // by pid
};

}  // namespace ingero::agent
