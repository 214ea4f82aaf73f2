// Where traced threads' time goes besides calls: decides when wake-ups are looked at and CPUs sampled, reads the kernel
// side's totals, and gives names to what threads wait for.
//
// Looking at wake-ups costs every wake-up of the machine a little, and sampling interrupts each CPU, so each is on only
// while it says something: the one while some process makes calls, the other while a followed thread computes outside
// of them. One thread: the capture thread's. Failure: what this kernel cannot is logged once and left out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/batch_queue.h"
#include "agent/process_sockets.h"
#include "hal/wait.h"
#include "kernelside/foreign.h"
#include "kernelside/objects.h"

namespace ingero::agent {

// How long a thread could run and did not, for want of a CPU.
struct CpuWait {
  uint32_t pid = 0, tid = 0;
  uint64_t ns = 0;
};

class WaitWatch {
 public:
  // What it asks the kernel side for: Objects', unless a test says otherwise.
  struct Kernel {
    std::function<Status(bool)> watch_wakers;
    std::function<Status(bool)> sample_cpus;  // empty: stacks are off
    std::function<Result<std::vector<wire_totals>>()> totals;
    std::function<std::string(uint32_t file_system, uint64_t inode)> file_name = {};  // empty: it keeps none
  };
  // /proc as it is, and as one may wait for.
  struct Proc {
    std::string root = "/proc";
    std::function<Result<std::string>(uint32_t pid, std::string_view name, size_t max_bytes)> text;
    std::function<bool(uint32_t pid, uint64_t address)> is_interpreter_lock = {};  // empty: no Python is known
  };
  WaitWatch(Kernel kernel, Proc proc)
      : kernel_(std::move(kernel)), proc_(std::move(proc)), sockets_(proc_.text, proc_.root) {}

  // Completes the waits of a batch (is the other end a client, or it a lock?) and adds names of objects that are new.
  void take(EventBatch& batch, uint64_t now_mono_ns);
  // Once a second: the totals that changed; and what is to be on.
  void every_second(EventBatch& batch, uint64_t now_mono_ns);
  // Of the second before that, by thread.
  const std::vector<CpuWait>& cpu_waits() const { return cpu_waits_; }

 private:
  struct Thread {
    hal::WaitTotals totals;
    uint64_t ran_ns = 0;
    uint64_t in_calls_ns = 0;  // on the CPU, since the totals were read
    unsigned round = 0;
  };
  // Whether who ends the wait is a client.
  void complete_peer(uint32_t pid, hal::Wait& wait, uint64_t now_mono_ns);
  // `is_gil`: it is for the lock of a Python interpreter.
  void name(const hal::Event& event, const hal::Wait& wait, bool is_gil, EventBatch& batch);
  std::string file_name(uint32_t pid, const hal::Wait& wait);
  void set(bool on, bool& is_on, const std::function<Status(bool)>& ask, std::string_view what);

  const Kernel kernel_;
  const Proc proc_;
  ProcessSockets sockets_;
  std::unordered_map<uint32_t, Thread> threads_;  // by tid
  std::set<std::tuple<hal::WaitKind, uint64_t, std::optional<uint32_t>>> named_;
  std::vector<CpuWait> cpu_waits_;
  unsigned looks_ = 0;  // at /proc in this second
  unsigned round_ = 0;
  uint64_t last_call_mono_ns_ = 0;
  uint64_t last_computed_mono_ns_ = 0;
  bool wakers_on_ = false, samples_on_ = false;
  std::set<std::string_view> refused_;
};

}  // namespace ingero::agent
