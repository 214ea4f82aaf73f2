// The table of system calls: those of 32-bit programs are this machine's by another number.
#include "kernelside/system_calls.h"

#include <sys/syscall.h>

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

constexpr int kNarrow = WIRE_SYSCALLS;

TEST(SystemCalls, KeepThisMachinesNumber) {
  EXPECT_EQ(system_call_of(SYS_futex), uint32_t{SYS_futex});
  EXPECT_EQ(system_call_of(0), 0U);
  EXPECT_EQ(system_call_of(-1), std::nullopt);
}

TEST(SystemCalls, OfA32BitProgramAreTheSameByAnotherNumber) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "this machine runs no 32-bit x86 programs";
#else
  const auto& kinds = system_call_kinds();
  struct Case {
    int narrow;
    long native;
  };
  // arch/x86/entry/syscalls/syscall_32.tbl
  for (const Case& one : {Case{240, SYS_futex}, Case{422, SYS_futex}, Case{3, SYS_read}, Case{168, SYS_poll},
                          Case{7, SYS_wait4}, Case{190, SYS_vfork}, Case{435, 435}, Case{11, SYS_execve},
                          Case{252, SYS_exit_group}, Case{54, SYS_ioctl}, Case{441, 441}, Case{144, SYS_msync}}) {
    EXPECT_EQ(system_call_of(kNarrow + one.narrow), static_cast<uint32_t>(one.native)) << one.narrow;
    EXPECT_EQ(kinds[static_cast<size_t>(kNarrow + one.narrow)], kinds[static_cast<size_t>(one.native)]) << one.narrow;
    EXPECT_NE(kinds[static_cast<size_t>(kNarrow + one.narrow)], WIRE_SYSCALL_OTHER) << one.narrow;
  }
  for (const int unknown : {0, 102, 117, 82, 90}) {  // restart_syscall, socketcall, ipc, select and mmap of old
    EXPECT_EQ(system_call_of(kNarrow + unknown), std::nullopt) << unknown;
    EXPECT_EQ(kinds[static_cast<size_t>(kNarrow + unknown)], WIRE_SYSCALL_OTHER) << unknown;
  }
#endif
}

}  // namespace
}  // namespace ingero::kernelside
