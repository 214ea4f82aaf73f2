// Functions of this program that exist to be probed, on this program's own file: to find out what a kernel can attach,
// and what a probe costs here.
#pragma once

#include <cstdint>

// The first instruction of one is single-stepped under a probe, that of the other emulated (arch_uprobe_analyze_insn of
// the kernel's arch/x86/kernel/uprobes.c and arch/arm64/kernel/probes/decode-insn.c). They do nothing.
extern "C" {
__attribute__((visibility("hidden"))) void ingero_stepped();
__attribute__((visibility("hidden"))) void ingero_emulated();
}

namespace ingero::kernelside {

// Where a function of the main program is in /proc/self/exe; 0: it is not there. Any thread.
uint64_t own_file_offset(void (*function)());

}  // namespace ingero::kernelside
