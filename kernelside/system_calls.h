// What each system call of this machine waits for: the table that bpf/wait.bpf.h looks calls up in.
// Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bpf/wire.h"

namespace ingero::kernelside {

// enum wire_syscall by number, those of 32-bit x86 programs from WIRE_SYSCALLS on; WIRE_SYSCALL_OTHER where nothing is
// known. Constant.
const std::array<uint8_t, size_t{2} * WIRE_SYSCALLS>& system_call_kinds();

// This machine's number of the system call in a record (wire_wait); none: there was none, or it is one of a 32-bit
// program that this machine has not, or not known.
std::optional<uint32_t> system_call_of(int wire_number);

}  // namespace ingero::kernelside
