// The kernel's statistics of a BPF program. Plain values, owns nothing; thread-safe.
//
// A tracing program is not re-entered on a CPU: when an interrupt arrives inside it and hits the same tracepoint, that
// run is skipped, and only the kernel counts it (bpf_prog_info.recursion_misses, since 5.12).
#pragma once

#include <cstdint>
#include <optional>

namespace ingero::kernelside {

struct ProgramAccount {
  uint64_t runs = 0;  // this and the next: only while the kernel's statistics are enabled (BPF_STATS_RUN_TIME)
  uint64_t run_time_ns = 0;
  uint64_t skipped = 0;
};

// Of a loaded program, by its descriptor; none where the kernel does not say (or it is not loaded: -1).
std::optional<ProgramAccount> account_of(int program_fd);

}  // namespace ingero::kernelside
