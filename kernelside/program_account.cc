// Reads the run time statistics and skipped runs of a BPF program from its bpf_prog_info.
#include "kernelside/program_account.h"

#include <bpf/bpf.h>

namespace ingero::kernelside {

std::optional<ProgramAccount> account_of(int program_fd) {
  bpf_prog_info info{};
  uint32_t size = sizeof(info);
  if (program_fd < 0 || bpf_obj_get_info_by_fd(program_fd, &info, &size) != 0) return std::nullopt;
  return ProgramAccount{info.run_cnt, info.run_time_ns, info.recursion_misses};
}

}  // namespace ingero::kernelside
