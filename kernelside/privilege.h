// What this process may do, what it gives up, and what the kernel offers. Linux only.
//
// Capabilities, no_new_privs and system call filters are each thread's own, and inherited by the threads and processes
// that it starts. So the agent gives them up on its main thread before it starts those that record and serve: at
// that time it has forked what must keep more (the traced command) or other ones (helper processes). One thread is
// there already: it loads BPF programs, with what the agent was started with, and ends. The filter is given to all
// threads that there are (confinement.h), for a driver's library may have started one.
//
// After that no thread has an effective capability. Those that record may take back, for the length of one call, what
// that call needs (Raised); those that read sockets have nothing to take back (without_capabilities).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

struct btf;  // libbpf's

namespace ingero::kernelside {

// A thread's capabilities, a bit for each of the kernel's numbers (capabilities(7)).
struct CapabilitySets {
  uint64_t effective = 0;
  uint64_t permitted = 0;
  uint64_t inheritable = 0;
};

// The calling thread's, as the kernel keeps them. Each sets errno when it returns false.
struct PrivilegeCalls {
  std::function<bool(CapabilitySets& sets)> get;        // capget(2)
  std::function<bool(const CapabilitySets& sets)> set;  // capset(2)
  std::function<bool()> forbid_new;                     // PR_SET_NO_NEW_PRIVS of prctl(2)
  std::function<bool(unsigned number)> knows;           // whether this kernel has that capability
  std::function<bool()> open_timer;                     // perf_event_open(2) of a CPU's clock, closed again
};
PrivilegeCalls system_privileges();

// Of the capabilities tracing needs (CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, ...), those the process lacks, by name.
std::vector<std::string> missing_capabilities(const PrivilegeCalls& calls = system_privileges());

// Whether this process can trace at all: as root, or with CAP_BPF and CAP_PERFMON.
bool may_trace();

enum class Keep {
  kRecording,     // what recording needs
  kForeignFiles,  // of a helper process: what opening the files of other users and reading their memory needs
  kNothing,
};
// What recording needs besides, on this machine.
struct Needs {
  bool perf_probes = false;     // they take CAP_SYS_ADMIN (perf_uprobe_event_init() in the kernel)
  bool others_folders = false;  // files of ours lie in a folder of another user's: CAP_DAC_OVERRIDE
  bool admin_timers = false;    // timers are opened with CAP_SYS_ADMIN only (timers_need_admin)
};
// Upstream, CAP_PERFMON is enough to sample CPUs. The kernels of Debian and Ubuntu, where kernel.perf_event_paranoid is
// 3 or 4, their default, ask for CAP_SYS_ADMIN. Tried on the calling thread, before capabilities are dropped.
bool timers_need_admin(const PrivilegeCalls& calls = system_privileges());
// Gives up every other capability, for this thread and those it starts, for good; and the way back through
// set-user-id programs. Call after files that need them are open. Fails without harm.
Status drop_capabilities(Keep keep, Needs needs = {}, const PrivilegeCalls& calls = system_privileges());

// Takes what the calling thread has out of effect, for it and those it starts: from now on they have it while a Raised
// lives.
Status lower_capabilities(const PrivilegeCalls& calls = system_privileges());

// While it lives, what the calling thread may have is in effect. Does nothing before lower_capabilities(), and on a
// thread without any; may be nested. Stays on its thread. errno is kept.
class Raised {
 public:
  Raised();
  ~Raised();
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;
};

// Runs `work` on a thread that has no capability, so that those that it starts have none either, and waits for it.
// Before lower_capabilities(): on the calling thread.
void without_capabilities(const std::function<void()>& work);

// The tracepoints our programs use, and whether this kernel has them (from its BTF).
std::vector<std::pair<std::string, bool>> tracepoints_present();
// Likewise, by these types; null: none are known.
std::vector<std::pair<std::string, bool>> tracepoints_present(const btf* types);

}  // namespace ingero::kernelside
