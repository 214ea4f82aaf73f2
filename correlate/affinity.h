// On which CPUs threads may run, as the recording says of those that waited for one; and who shares them. Private to
// correlate/.
//
// Owned by the engine; one thread. Bounded: the last kKept of each of kMaxProcesses processes; what is beyond is not
// known. Failure: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hal/event.h"

namespace ingero::correlate {

struct Evaluation;
struct ProcessState;

class Affinities {
 public:
  // False: an older one was forgotten for it.
  bool add(const hal::Affinity& affinity);
  // The last of a process that began at `start_ns`, reported before `before_ns`. Null: not known.
  const hal::Affinity* find(uint32_t pid, uint64_t start_ns, uint64_t before_ns) const;
  void forget(uint32_t pid) { by_pid_.erase(pid); }
  const std::map<uint32_t, std::vector<hal::Affinity>>& all() const { return by_pid_; }
  static constexpr size_t kMaxProcesses = 4096, kKept = 8;

 private:
  std::map<uint32_t, std::vector<hal::Affinity>> by_pid_;
};

// A process may not run on all CPUs of the machine.
struct Confined {
  uint32_t pid = 0;
  hal::CpuList cpus, online;
  uint64_t threads = 0;          // of all that share them, that waited for a CPU and may run on no others than it may
  std::vector<uint32_t> others;  // processes with CPUs in common that may not run on all either, ascending
};
std::optional<Confined> confined(const Evaluation& seen, uint32_t pid);
// In the trailing windows, all of its threads.
uint64_t waited_for_cpu(const ProcessState& process);
// Whether both are known to be confined, to sets without a CPU in common.
bool are_apart(const Evaluation& seen, uint32_t pid, uint32_t other);
// A worker of the process that waits for a CPU: of more threads than they may use CPUs, while others are idle.
std::optional<Confined> squeezed_worker(const Evaluation& seen);
// "CPUs 0-1 only, 2 of the machine's 64"
std::string of_machine(const Confined& confined);
// What a thread that waits for a CPU would find on others: the machine is not busy, as far as is known.
bool has_idle_cpus(const Evaluation& seen);

}  // namespace ingero::correlate
