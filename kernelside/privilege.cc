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

constexpr uint64_t bit(unsigned number) { return uint64_t{1} << number; }

// The kernel keeps the low and the high 32 in different words.
bool get_own(CapabilitySets& sets) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (syscall(SYS_capget, &header, data.data()) != 0) return false;
  sets.effective = data[0].effective | uint64_t{data[1].effective} << 32U;
  sets.permitted = data[0].permitted | uint64_t{data[1].permitted} << 32U;
  sets.inheritable = data[0].inheritable | uint64_t{data[1].inheritable} << 32U;
  return true;
}

bool set_own(const CapabilitySets& sets) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  for (unsigned word = 0; word < data.size(); ++word) {
    data[word].effective = static_cast<uint32_t>(sets.effective >> (32 * word));
    data[word].permitted = static_cast<uint32_t>(sets.permitted >> (32 * word));
    data[word].inheritable = static_cast<uint32_t>(sets.inheritable >> (32 * word));
  }
  return syscall(SYS_capset, &header, data.data()) == 0;
}

}  // namespace

PrivilegeCalls system_privileges() {
  return {get_own, set_own, [] { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }};
}

std::vector<std::string> missing_capabilities(const PrivilegeCalls& calls) {
  std::vector<std::string> missing;
  CapabilitySets sets;
  if (!calls.get(sets)) return missing;
  // Before 5.8 CAP_SYS_ADMIN stands for CAP_BPF and CAP_PERFMON; it still implies both.
  const bool admin = (sets.effective & bit(CAP_SYS_ADMIN)) != 0;
  for (const auto& capability : kCapabilities) {
    const bool implied = admin && (capability.number == CAP_BPF || capability.number == CAP_PERFMON);
    if (capability.needed && !implied && (sets.effective & bit(capability.number)) == 0) {
      missing.emplace_back(capability.name);
    }
  }
  return missing;
}

Status drop_capabilities(const PrivilegeCalls& calls) {
  CapabilitySets sets;
  if (!calls.get(sets)) return errno_error("read capabilities");
  uint64_t wanted = 0;
  for (const auto& capability : kCapabilities) wanted |= bit(capability.number);
  if (!calls.forbid_new()) return errno_error("set no_new_privs");
  if (!calls.set({sets.effective & wanted, sets.permitted & wanted, 0})) return errno_error("drop capabilities");
  return {};
}

std::vector<std::pair<std::string, bool>> tracepoints_present() {
  btf* const kernel = btf__load_vmlinux_btf();
  auto found = tracepoints_present(kernel);
  btf__free(kernel);
  return found;
}

std::vector<std::pair<std::string, bool>> tracepoints_present(const btf* types) {
  static constexpr std::array kTracepoints = {
      "sched_switch",       "sched_waking",     "sched_process_exec", "sched_process_exit",  "sched_process_fork",
      "mark_victim",        "mm_page_alloc",    "block_rq_issue",     "block_rq_complete",   "block_bio_queue",
      "tcp_retransmit_skb", "sock_send_length", "sock_recv_length",   "inet_sock_set_state",
  };
  std::vector<std::pair<std::string, bool>> found;
  for (const char* name : kTracepoints) {
    // A BTF-typed tracepoint is known by this typedef (include/trace/bpf_probe.h).
    const bool present = types != nullptr && btf__find_by_name_kind(types, (std::string("btf_trace_") + name).c_str(),
                                                                    BTF_KIND_TYPEDEF) > 0;
    found.emplace_back(name, present);
  }
  return found;
}

}  // namespace ingero::kernelside
