// A seccomp filter that refuses what is listed. A list of what is allowed would be stricter, and would break with the
// next version of the C library, of a device driver's library or of libcurl, on the user's machine.
//
// Refused is EPERM, not death: a driver's library that finds its device missing runs a program to make it, and its
// failure must not be the recording's. Two dozen comparisons cost nothing: since Linux 5.11 the kernel knows by number
// which calls a filter always allows.
#include "kernelside/confinement.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <vector>

#include "base/text.h"
#include "kernelside/audit_arch.h"

namespace ingero::kernelside {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kX32 = 0x40000000;  // the other numbering of the same architecture
#endif

constexpr std::array kRefusedToAll = {
    // another program; other processes
    __NR_execve, __NR_execveat, __NR_process_vm_writev, __NR_pidfd_getfd, __NR_kcmp,
#if !defined(__SANITIZE_ADDRESS__)  // the leak sanitizer stops its own threads by it
    __NR_ptrace,
#endif
    // another view of files, or of the machine
    __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_move_mount, __NR_open_tree, __NR_fsopen, __NR_fsconfig,
    __NR_fsmount, __NR_fspick, __NR_mount_setattr, __NR_setns, __NR_unshare, __NR_swapon, __NR_swapoff, __NR_acct,
    __NR_quotactl, __NR_sethostname, __NR_setdomainname,
    // the kernel and its clocks
    __NR_init_module, __NR_finit_module, __NR_delete_module, __NR_kexec_load, __NR_kexec_file_load, __NR_reboot,
    __NR_syslog, __NR_settimeofday, __NR_clock_settime, __NR_adjtimex, __NR_clock_adjtime,
#if defined(__x86_64__)
    __NR_iopl, __NR_ioperm, __NR_modify_ldt,
#endif
    // ways around a filter, and parts of the kernel that attacks begin with
    __NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register, __NR_userfaultfd, __NR_add_key, __NR_request_key,
    __NR_keyctl};

constexpr std::array kRefusedToAgent = {__NR_process_vm_readv};  // helpers do that

constexpr std::array kRefusedToHelper = {__NR_socket, __NR_connect, __NR_bind, __NR_listen,
                                         __NR_accept, __NR_accept4, __NR_bpf,  __NR_perf_event_open};

constexpr uint32_t kNewNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

constexpr sock_filter read_field(size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
}
constexpr sock_filter answer_with(uint32_t answer) { return BPF_STMT(BPF_RET | BPF_K, answer); }
// Skips the next instruction unless the value is `what`.
constexpr sock_filter skip_unless(uint32_t what) { return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, what, 0, 1); }
constexpr uint32_t refused_with(int error) { return SECCOMP_RET_ERRNO | static_cast<uint32_t>(error); }

std::vector<sock_filter> filter_for(Confined what) {
  std::vector<sock_filter> code = {read_field(offsetof(seccomp_data, arch)),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kAuditArch, 1, 0),
                                   answer_with(refused_with(EPERM)), read_field(offsetof(seccomp_data, nr))};
#if defined(__x86_64__)
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1));
  code.push_back(answer_with(refused_with(EPERM)));
#endif
  const auto refuse_all = [&code](std::span<const int> numbers) {
    for (const int number : numbers) {
      code.push_back(skip_unless(static_cast<uint32_t>(number)));
      code.push_back(answer_with(refused_with(EPERM)));
    }
  };
  refuse_all(kRefusedToAll);
  if (what == Confined::kAgent) refuse_all(kRefusedToAgent);
  if (what == Confined::kHelper) refuse_all(kRefusedToHelper);
  // Its flags lie in memory, which a filter cannot read. The C library knows what to do without it: clone().
  code.push_back(skip_unless(__NR_clone3));
  code.push_back(answer_with(refused_with(ENOSYS)));
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3));
  code.push_back(read_field(offsetof(seccomp_data, args)));  // low half, little-endian
  code.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kNewNamespaces, 0, 1));
  code.push_back(answer_with(refused_with(EPERM)));
  code.push_back(answer_with(SECCOMP_RET_ALLOW));
  return code;
}

}  // namespace

Status confine(Confined what) {
  const std::vector<sock_filter> code = filter_for(what);
  const sock_fprog program{static_cast<unsigned short>(code.size()), const_cast<sock_filter*>(code.data())};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno_error("set no_new_privs");
  // Before Linux 5.16 a filter would otherwise slow down every read from memory (SSBD): that is for code that is not
  // trusted, and here it is only data.
  constexpr unsigned kFlags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  const long status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &program);
  if (status > 0)
    return Error(Errc::kBusy, fmt::format("refuse system calls: thread {} has a filter of its own", status));
  if (status == 0) return {};
  if (errno == ENOSYS || errno == EINVAL) {
    return Error(Errc::kNotSupported, "refuse system calls: this kernel has no seccomp filters");
  }
  return errno_error("refuse system calls (seccomp)");
}

}  // namespace ingero::kernelside
