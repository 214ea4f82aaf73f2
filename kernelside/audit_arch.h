// Instruction sets as a seccomp filter sees them: this program's, and the other one that may be traced. Private to
// kernelside/.
#pragma once

#include <linux/audit.h>

#include <cstdint>

namespace ingero::kernelside {

#if defined(__aarch64__)
inline constexpr uint32_t kAuditArch = AUDIT_ARCH_AARCH64;
#else
inline constexpr uint32_t kAuditArch = AUDIT_ARCH_X86_64;
#endif
// Of the 32-bit programs that x86-64 runs, and their numbers (arch/x86/entry/syscalls/syscall_32.tbl). Elsewhere no
// program has it.
inline constexpr uint32_t kNarrowAuditArch = AUDIT_ARCH_I386;
inline constexpr int kNarrowExecve = 11, kNarrowMmap2 = 192, kNarrowExecveat = 358;

}  // namespace ingero::kernelside
