// The table, made from the numbers that the compiler's headers have for this instruction set; what came later has the
// same number on all of them.
#include "kernelside/system_calls.h"

#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

namespace ingero::kernelside {
namespace {

constexpr int kReads = WIRE_SYSCALL_DESCRIPTOR | WIRE_SYSCALL_READS;
constexpr int kWrites = WIRE_SYSCALL_DESCRIPTOR | WIRE_SYSCALL_WRITES;
constexpr int kBoth = WIRE_SYSCALL_READS | WIRE_SYSCALL_WRITES;
constexpr int kMilliseconds = WIRE_SYSCALL_MILLISECONDS;

struct Row {
  long number;
  int kind;
};

constexpr Row kRows[] = {
    {SYS_read, kReads},
    {SYS_readv, kReads},
    {SYS_pread64, kReads},
    {SYS_preadv, kReads},
    {SYS_preadv2, kReads},
    {SYS_recvfrom, kReads},
    {SYS_recvmsg, kReads},
    {SYS_recvmmsg, kReads},
    {SYS_accept, kReads},
    {SYS_accept4, kReads},
    {SYS_write, kWrites},
    {SYS_writev, kWrites},
    {SYS_pwrite64, kWrites},
    {SYS_pwritev, kWrites},
    {SYS_pwritev2, kWrites},
    {SYS_sendto, kWrites},
    {SYS_sendmsg, kWrites},
    {SYS_sendmmsg, kWrites},
    {SYS_connect, kWrites},
    {SYS_shutdown, kWrites},
    {SYS_vmsplice, kWrites},
    {SYS_sendfile, WIRE_SYSCALL_TWO | kBoth},
    {SYS_tee, WIRE_SYSCALL_TWO | kBoth},
    {SYS_splice, WIRE_SYSCALL_TWO | kBoth | kMilliseconds},
    {SYS_copy_file_range, WIRE_SYSCALL_TWO | kBoth | kMilliseconds},
    {SYS_futex, WIRE_SYSCALL_FUTEX},
#ifdef SYS_poll
    {SYS_poll, WIRE_SYSCALL_POLL | kMilliseconds},
    {SYS_select, WIRE_SYSCALL_SELECT},
    {SYS_epoll_wait, WIRE_SYSCALL_EPOLL | kMilliseconds},
    {SYS_pause, WIRE_SYSCALL_SLEEP},
#endif
    {SYS_ppoll, WIRE_SYSCALL_POLL},
    {SYS_pselect6, WIRE_SYSCALL_SELECT},
    {SYS_epoll_pwait, WIRE_SYSCALL_EPOLL | kMilliseconds},
    {441, WIRE_SYSCALL_EPOLL},  // epoll_pwait2
    {SYS_wait4, WIRE_SYSCALL_CHILD},
    {SYS_waitid, WIRE_SYSCALL_CHILD},
    {SYS_nanosleep, WIRE_SYSCALL_SLEEP},
    {SYS_clock_nanosleep, WIRE_SYSCALL_SLEEP},
    {SYS_ioctl, WIRE_SYSCALL_DRIVER},
    {SYS_fsync, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_fdatasync, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_sync_file_range, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_syncfs, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_ftruncate, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_fallocate, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_flock, WIRE_SYSCALL_FILE | WIRE_SYSCALL_LOCKS},
    {SYS_fcntl, WIRE_SYSCALL_FILE | WIRE_SYSCALL_LOCKS},
    {426, WIRE_SYSCALL_IO_URING},  // io_uring_enter
    {SYS_exit, WIRE_SYSCALL_EXIT},
    {SYS_exit_group, WIRE_SYSCALL_EXIT},
    {SYS_kill, WIRE_SYSCALL_SIGNAL},
    {SYS_tkill, WIRE_SYSCALL_SIGNAL},
    {SYS_tgkill, WIRE_SYSCALL_SIGNAL},
    {SYS_rt_sigqueueinfo, WIRE_SYSCALL_SIGNAL},
    {SYS_rt_tgsigqueueinfo, WIRE_SYSCALL_SIGNAL},
    {424, WIRE_SYSCALL_SIGNAL},  // pidfd_send_signal
    {SYS_ptrace, WIRE_SYSCALL_SIGNAL},
    {SYS_close, WIRE_SYSCALL_CLOSE},
    {436, WIRE_SYSCALL_CLOSE},  // close_range
    {SYS_dup3, WIRE_SYSCALL_CLOSE},
#ifdef SYS_dup2
    {SYS_dup2, WIRE_SYSCALL_CLOSE},
#endif
#ifdef __x86_64__
    {335, WIRE_SYSCALL_UPROBE},  // uretprobe (6.11)
    {336, WIRE_SYSCALL_UPROBE},  // uprobe (6.18)
#endif
};

constexpr std::array<uint8_t, WIRE_SYSCALLS> made() {
  std::array<uint8_t, WIRE_SYSCALLS> kinds{};
  for (const Row& row : kRows) kinds[static_cast<size_t>(row.number)] = static_cast<uint8_t>(row.kind);
  return kinds;
}

}  // namespace

const std::array<uint8_t, WIRE_SYSCALLS>& system_call_kinds() {
  static constexpr std::array<uint8_t, WIRE_SYSCALLS> kKinds = made();
  return kKinds;
}

}  // namespace ingero::kernelside
