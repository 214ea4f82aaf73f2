// Processes as /proc shows them: identity, family, command, cgroup, job.
//
// Reads only; the roots are arguments. Everything a process can choose (name, arguments, environment, cgroup) is
// bounded and made printable or validated. A process is read through one descriptor of its directory, which stays with
// that process: a pid reused meanwhile gives an error, never a mixture of two. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "hal/event.h"
#include "hal/loss.h"

namespace ingero::kernelside {

// How long the machine has been suspended so far: /proc counts a start in boot time, events in monotonic time.
uint64_t measure_suspended_ns();

// Whether the pids here are those by which the kernel records: kNotSupported in a PID namespace of a container, where
// another process, or none, has each number.
Status check_pid_namespace(const std::string& proc = "/proc");

struct ProcRoots {
  std::string proc = "/proc";
  std::string cgroup = "/sys/fs/cgroup";  // v2 here, or below in unified/ on hybrid hosts
  std::function<uint64_t()> suspended_ns = measure_suspended_ns;
  // Reads the first bytes of a file of /proc/PID that the kernel makes with the process's memory locked, which a
  // process can keep locked (kernelside/foreign.h). Empty: it is waited for.
  std::function<Result<std::string>(uint32_t pid, std::string_view name, size_t max_bytes)> text = {};
  bool keeps_secrets = false;  // of command lines: else base/secrets.h takes them out
};

// The real user, from the text of /proc/PID/status.
std::optional<uint32_t> uid_of(std::string_view status);

class ProcFs {
 public:
  explicit ProcFs(ProcRoots roots = {}) : roots_(std::move(roots)) {}

  const std::string& root() const { return roots_.proc; }
  // Every process there now, ascending.
  Result<std::vector<uint32_t>> pids() const;
  // kNotFound when it is gone (also when it goes while being read). What may not be read stays unknown. start_mono_ns
  // has the kernel's tick for resolution: compare with hal::same_start().
  Result<hal::Process> process(uint32_t pid) const;
  // Of a process that is gone (its cgroup_id is the kernel side's word): what the path of its cgroup says, which often
  // outlives it. Leaves unknown what is; needs CAP_DAC_READ_SEARCH.
  void name_by_cgroup(hal::Process& gone) const;
  // Only stat's identity: a cheap test that the pid still means the same process.
  Result<uint64_t> start_mono_ns(uint32_t pid) const;
  // From stat, too: nothing that a process can hold up.
  Result<uint32_t> parent(uint32_t pid) const;
  // Whose the process is and which: both of one process, even where the pid is used again meanwhile.
  struct Owner {
    uint32_t uid = 0;
    uint64_t start_ticks = 0;  // since boot, as stat has it
  };
  Result<Owner> owner(uint32_t pid) const;

 private:
  Result<Fd> open_process(uint32_t pid) const;
  struct Identity {
    hal::Process process;
    uint64_t start_ticks = 0;
  };
  Result<Identity> identity(const Fd& directory, uint32_t pid) const;
  Result<uint32_t> uid(const Fd& directory, uint32_t pid) const;

  ProcRoots roots_;
};

// Finds the process that holds a socket: the fallback for sockets whose owner the kernel side has not seen.
// A search reads every descriptor of the machine, so a search of all processes happens at most once a second and its
// findings are kept for ten; in between, unknown is unknown. Not thread-safe.
class SocketOwners {
 public:
  static constexpr size_t kMaxDescriptors = 65536;      // looked at per process
  static constexpr uint64_t kMaxSearchNs = 20'000'000;  // of one search: what it has not come to is unknown
  static constexpr size_t kMaxSockets = 262144;         // remembered over all

  // All must outlive this.
  SocketOwners(const ProcFs& proc, const Clock& clock, hal::LossLedger& ledger)
      : proc_(proc), clock_(clock), ledger_(ledger) {}
  // The holder of the socket with this inode. Of several (descriptors are inherited) one of `preferred` (the traced
  // processes) wins, else the oldest pid. Nothing, and counted: not found, in a search that is bounded and is made once
  // a second at most. Inode 0: the socket is closed, and nothing holds it.
  std::optional<uint32_t> owner(uint64_t inode, std::span<const uint32_t> preferred);

 private:
  void search(std::span<const uint32_t> pids, uint64_t until_mono_ns);

  const ProcFs& proc_;
  const Clock& clock_;
  hal::LossLedger& ledger_;
  std::unordered_map<uint64_t, uint32_t> found_;
  std::optional<uint64_t> searched_mono_ns_;
};

}  // namespace ingero::kernelside
