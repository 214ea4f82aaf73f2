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
    {SYS_sendto, kWrites | WIRE_SYSCALL_TO},
    {SYS_sendmsg, kWrites | WIRE_SYSCALL_HEADER},
    {SYS_sendmmsg, kWrites | WIRE_SYSCALL_HEADER},
    {SYS_connect, kWrites},
    {SYS_shutdown, kWrites},
    {SYS_vmsplice, kWrites},
    {SYS_mq_timedsend, kWrites},
    {SYS_mq_timedreceive, kReads},
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
    {SYS_clone, WIRE_SYSCALL_CHILD | WIRE_SYSCALL_FLAGS},
    {435, WIRE_SYSCALL_CHILD | WIRE_SYSCALL_FLAGS | WIRE_SYSCALL_VFORKS},  // clone3
#ifdef SYS_vfork
    {SYS_vfork, WIRE_SYSCALL_CHILD | WIRE_SYSCALL_VFORKS},
#endif
    {SYS_nanosleep, WIRE_SYSCALL_SLEEP},
    {SYS_clock_nanosleep, WIRE_SYSCALL_SLEEP},
    {SYS_ioctl, WIRE_SYSCALL_DRIVER},
    {SYS_fsync, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_fdatasync, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_sync_file_range, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_syncfs, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_msync, WIRE_SYSCALL_OTHER | WIRE_SYSCALL_WRITES},  // which file is behind the address is not known
    {SYS_ftruncate, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_fallocate, WIRE_SYSCALL_FILE | WIRE_SYSCALL_WRITES},
    {SYS_flock, WIRE_SYSCALL_FILE | WIRE_SYSCALL_LOCKS},
    {SYS_fcntl, WIRE_SYSCALL_FILE | WIRE_SYSCALL_LOCKS},
    {426, WIRE_SYSCALL_IO_URING},  // io_uring_enter
    {SYS_exit, WIRE_SYSCALL_EXIT},
    {SYS_exit_group, WIRE_SYSCALL_EXIT},
    {SYS_execve, WIRE_SYSCALL_EXIT},
    {SYS_execveat, WIRE_SYSCALL_EXIT},
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

#ifdef __x86_64__
// Of 32-bit programs: their numbers (arch/x86/entry/syscalls/syscall_32.tbl) of the same calls, also where times or
// offsets are wider in one of several. Those that pass a structure of arguments (socketcall, ipc, the first select) are
// not known; of integers of 64 bits, which take two arguments there, none is looked at.
struct NarrowRow {
  int number;
  int native;
};
constexpr NarrowRow kNarrowRows[] = {
    {3, SYS_read},
    {145, SYS_readv},
    {180, SYS_pread64},
    {333, SYS_preadv},
    {378, SYS_preadv2},
    {279, SYS_mq_timedsend},
    {418, SYS_mq_timedsend},
    {280, SYS_mq_timedreceive},
    {419, SYS_mq_timedreceive},
    {371, SYS_recvfrom},
    {372, SYS_recvmsg},
    {337, SYS_recvmmsg},
    {417, SYS_recvmmsg},
    {364, SYS_accept4},
    {4, SYS_write},
    {146, SYS_writev},
    {181, SYS_pwrite64},
    {334, SYS_pwritev},
    {379, SYS_pwritev2},
    {369, SYS_sendto},
    {370, SYS_sendmsg},
    {345, SYS_sendmmsg},
    {362, SYS_connect},
    {373, SYS_shutdown},
    {316, SYS_vmsplice},
    {187, SYS_sendfile},
    {239, SYS_sendfile},
    {315, SYS_tee},
    {313, SYS_splice},
    {377, SYS_copy_file_range},
    {240, SYS_futex},
    {422, SYS_futex},
    {168, SYS_poll},
    {309, SYS_ppoll},
    {414, SYS_ppoll},
    {142, SYS_select},
    {308, SYS_pselect6},
    {413, SYS_pselect6},
    {256, SYS_epoll_wait},
    {319, SYS_epoll_pwait},
    {29, SYS_pause},
    {162, SYS_nanosleep},
    {267, SYS_clock_nanosleep},
    {407, SYS_clock_nanosleep},
    {7, SYS_wait4},
    {114, SYS_wait4},
    {284, SYS_waitid},
    {120, SYS_clone},
    {190, SYS_vfork},
    {54, SYS_ioctl},
    {118, SYS_fsync},
    {144, SYS_msync},
    {148, SYS_fdatasync},
    {314, SYS_sync_file_range},
    {344, SYS_syncfs},
    {93, SYS_ftruncate},
    {194, SYS_ftruncate},
    {324, SYS_fallocate},
    {143, SYS_flock},
    {55, SYS_fcntl},
    {221, SYS_fcntl},
    {1, SYS_exit},
    {252, SYS_exit_group},
    {11, SYS_execve},
    {358, SYS_execveat},
    {37, SYS_kill},
    {238, SYS_tkill},
    {270, SYS_tgkill},
    {178, SYS_rt_sigqueueinfo},
    {335, SYS_rt_tgsigqueueinfo},
    {26, SYS_ptrace},
    {6, SYS_close},
    {63, SYS_dup2},
    {330, SYS_dup3},
    {192, SYS_mmap},
};
constexpr int kSameFrom = 424;  // later ones have one number everywhere
#endif

using Kinds = std::array<uint8_t, size_t{2} * WIRE_SYSCALLS>;

constexpr int native_of([[maybe_unused]] int narrow) {
#ifdef __x86_64__
  for (const NarrowRow& row : kNarrowRows) {
    if (row.number == narrow) return row.native;
  }
  if (narrow >= kSameFrom) return narrow;
#endif
  return -1;
}

constexpr Kinds made() {
  Kinds kinds{};
  for (const Row& row : kRows) kinds[static_cast<size_t>(row.number)] = static_cast<uint8_t>(row.kind);
  for (int number = 0; number < WIRE_SYSCALLS; ++number) {
    if (const int native = native_of(number); native >= 0) {
      kinds[static_cast<size_t>(number) + WIRE_SYSCALLS] = kinds[static_cast<size_t>(native)];
    }
  }
  return kinds;
}

}  // namespace

std::optional<uint32_t> system_call_of(int wire_number) {
  const int number = wire_number >= WIRE_SYSCALLS ? native_of(wire_number - WIRE_SYSCALLS) : wire_number;
  return number >= 0 ? std::optional(static_cast<uint32_t>(number)) : std::nullopt;
}

const std::array<uint8_t, size_t{2} * WIRE_SYSCALLS>& system_call_kinds() {
  static constexpr Kinds kKinds = made();
  return kKinds;
}

}  // namespace ingero::kernelside
