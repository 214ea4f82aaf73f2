// What each system call of this machine waits for: the table that bpf/wait.bpf.h looks calls up in.
// Pure; any thread.
#pragma once

#include <array>
#include <cstdint>

#include "bpf/wire.h"

namespace ingero::kernelside {

// enum wire_syscall by number; WIRE_SYSCALL_OTHER where nothing is known. Constant.
const std::array<uint8_t, WIRE_SYSCALLS>& system_call_kinds();

}  // namespace ingero::kernelside
