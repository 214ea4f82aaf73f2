// The instruction set of this program, as a seccomp filter sees it. Private to kernelside/.
#pragma once

#include <linux/audit.h>

#include <cstdint>

namespace ingero::kernelside {

#if defined(__aarch64__)
inline constexpr uint32_t kAuditArch = AUDIT_ARCH_AARCH64;
#else
inline constexpr uint32_t kAuditArch = AUDIT_ARCH_X86_64;
#endif

}  // namespace ingero::kernelside
