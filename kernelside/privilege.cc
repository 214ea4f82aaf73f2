// Capabilities by the plain system calls (capset(2)), tracepoints by BTF.
#include "kernelside/privilege.h"

#include <bpf/btf.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace ingero::kernelside {
namespace {

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

struct Capability {
  unsigned number;
  const char* name;
  bool needed;  // to trace at all; the others make more visible
};

// CAP_SYS_ADMIN: /proc/PID/map_files before 5.9, BPF before 5.8, task iteration by pidfd of other users.
constexpr std::array kCapabilities = {
    Capability{CAP_BPF, "CAP_BPF", true},
    Capability{CAP_PERFMON, "CAP_PERFMON", true},
    Capability{CAP_SYS_PTRACE, "CAP_SYS_PTRACE", true},
    Capability{CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH", false},
    Capability{CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE", false},
    Capability{CAP_SYS_ADMIN, "CAP_SYS_ADMIN", false},
    Capability{CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE", false},  // a recording in the sudo user's directory
};

using Sets = std::array<__user_cap_data_struct, 2>;

bool get(Sets& sets) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  return syscall(SYS_capget, &header, sets.data()) == 0;
}

bool has(const Sets& sets, unsigned number) { return (sets[number / 32].effective & (1U << (number % 32))) != 0; }

}  // namespace

std::vector<std::string> missing_capabilities() {
  std::vector<std::string> missing;
  Sets sets{};
  if (!get(sets)) return missing;
  // Before 5.8 CAP_SYS_ADMIN stands for CAP_BPF and CAP_PERFMON; it still implies both.
  const bool admin = has(sets, CAP_SYS_ADMIN);
  for (const auto& capability : kCapabilities) {
    const bool implied = admin && (capability.number == CAP_BPF || capability.number == CAP_PERFMON);
    if (capability.needed && !implied && !has(sets, capability.number)) missing.emplace_back(capability.name);
  }
  return missing;
}

Status drop_capabilities() {
  Sets sets{};
  if (!get(sets)) return errno_error("read capabilities");
  Sets kept{};
  for (const auto& capability : kCapabilities) {
    const unsigned word = capability.number / 32;
    const unsigned bit = 1U << (capability.number % 32);
    kept[word].permitted |= sets[word].permitted & bit;
    kept[word].effective |= sets[word].effective & bit;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno_error("set no_new_privs");
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  if (syscall(SYS_capset, &header, kept.data()) != 0) return errno_error("drop capabilities");
  return {};
}

std::vector<std::pair<std::string, bool>> tracepoints_present() {
  static constexpr std::array kTracepoints = {
      "sched_switch",       "sched_waking",     "sched_process_exec", "sched_process_exit",  "sched_process_fork",
      "mark_victim",        "mm_page_alloc",    "block_rq_issue",     "block_rq_complete",   "block_bio_queue",
      "tcp_retransmit_skb", "sock_send_length", "sock_recv_length",   "inet_sock_set_state",
  };
  std::vector<std::pair<std::string, bool>> found;
  btf* kernel = btf__load_vmlinux_btf();
  for (const char* name : kTracepoints) {
    // A BTF-typed tracepoint is known by this typedef (include/trace/bpf_probe.h).
    const bool present = kernel != nullptr && btf__find_by_name_kind(kernel, (std::string("btf_trace_") + name).c_str(),
                                                                     BTF_KIND_TYPEDEF) > 0;
    found.emplace_back(name, present);
  }
  btf__free(kernel);
  return found;
}

}  // namespace ingero::kernelside
