// Capabilities by the plain system calls (capset(2)), tracepoints by BTF.
#include "kernelside/privilege.h"

#include <bpf/btf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <thread>

#include "base/fd.h"
#include "base/log.h"

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

constexpr std::array kCapabilities = {
    Capability{CAP_BPF, "CAP_BPF", true},          // load programs; before Linux 6.0 every use of a map
    Capability{CAP_PERFMON, "CAP_PERFMON", true},  // programs that read memory, probes, timers
    Capability{CAP_SYS_PTRACE, "CAP_SYS_PTRACE", true},
    Capability{CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH", false},        // files that only their owner may read
    Capability{CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE", false},  // /proc/PID/map_files
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

bool open_cpu_clock() {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.disabled = 1;
  const int cpu = sched_getcpu();
  return Fd(static_cast<int>(syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC))).valid();
}

uint64_t kept_bits(Keep keep, Needs needs, const PrivilegeCalls& calls) {
  if (keep == Keep::kNothing) return 0;
  if (keep == Keep::kForeignFiles) return bit(CAP_SYS_PTRACE) | bit(CAP_DAC_READ_SEARCH);
  uint64_t bits = 0;
  for (const auto& capability : kCapabilities) bits |= bit(capability.number);
  // What is CAP_BPF, CAP_PERFMON and CAP_CHECKPOINT_RESTORE since Linux 5.8 and 5.9 was this before.
  if (needs.perf_probes || needs.admin_timers || !calls.knows(CAP_CHECKPOINT_RESTORE)) bits |= bit(CAP_SYS_ADMIN);
  if (needs.others_folders) bits |= bit(CAP_DAC_OVERRIDE);
  return bits;
}

std::atomic<bool> is_lowered{false};
thread_local int raise_depth = 0;

// Fails silently: what follows then fails by itself, and says what.
void put_into_effect(bool all) {
  const int kept_errno = errno;
  CapabilitySets sets;
  if (get_own(sets) && sets.permitted != 0) {
    sets.effective = all ? sets.permitted : 0;
    (void)set_own(sets);
  }
  errno = kept_errno;
}

}  // namespace

PrivilegeCalls system_privileges() {
  return {get_own, set_own, [] { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; },
          [](unsigned number) { return prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; }, open_cpu_clock};
}

bool timers_need_admin(const PrivilegeCalls& calls) {
  CapabilitySets sets;
  if (!calls.get(sets) || (sets.effective & bit(CAP_SYS_ADMIN)) == 0) return false;
  CapabilitySets without = sets;
  without.effective &= ~bit(CAP_SYS_ADMIN);
  if (!calls.set(without)) return false;
  const bool opens = calls.open_timer();
  return calls.set(sets) && !opens && calls.open_timer();
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

Status drop_capabilities(Keep keep, Needs needs, const PrivilegeCalls& calls) {
  CapabilitySets sets;
  if (!calls.get(sets)) return errno_error("read capabilities");
  const uint64_t wanted = kept_bits(keep, needs, calls);
  if (!calls.forbid_new()) return errno_error("set no_new_privs");
  if (!calls.set({sets.effective & wanted, sets.permitted & wanted, 0})) return errno_error("drop capabilities");
  return {};
}

bool may_trace() {
  if (geteuid() == 0) return true;
  const auto missing = missing_capabilities();
  return std::ranges::none_of(missing, [](const std::string& one) { return one == "CAP_BPF" || one == "CAP_PERFMON"; });
}

Status lower_capabilities(const PrivilegeCalls& calls) {
  CapabilitySets sets;
  if (!calls.get(sets)) return errno_error("read capabilities");
  sets.effective = 0;
  if (!calls.set(sets)) return errno_error("take capabilities out of effect");
  is_lowered = true;
  return {};
}

Raised::Raised() {
  if (raise_depth++ == 0 && is_lowered) put_into_effect(true);
}

Raised::~Raised() {
  if (--raise_depth == 0 && is_lowered) put_into_effect(false);
}

void without_capabilities(const std::function<void()>& work) {
  if (!is_lowered) return work();
  std::thread([&work] {
    if (const Status dropped = drop_capabilities(Keep::kNothing); !dropped.ok()) {
      log_warning("{}", dropped.error().text());
    }
    work();
  }).join();
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
