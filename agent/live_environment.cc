// Reads a process's environment through its memory, and the rank in it.
#include "agent/live_environment.h"

#include <vector>

#include "agent/process_access.h"
#include "hal/maps.h"
#include "hal/same_start.h"
#include "kernelside/cgroup.h"
#include "symbols/process_environment.h"

namespace ingero::agent {
namespace {

constexpr size_t kMaxMaps = 64 << 20;

}  // namespace

Result<Variables> live_environment(kernelside::Foreign& foreign, uint32_t pid,
                                   std::span<const std::string_view> names) {
  const auto maps = foreign.text(pid, "maps", kMaxMaps);
  INGERO_TRY(maps);
  const std::vector<hal::Mapping> mappings = hal::executable_mappings(*maps);
  ProcessAccess process(foreign, pid);
  return symbols::environment_of(process.view(mappings), names);
}

bool update_ranks(kernelside::Foreign& foreign, const kernelside::ProcFs& proc, hal::Process& process) {
  const auto found = live_environment(foreign, process.pid, kernelside::job_variables());
  if (!found.ok()) return false;
  // Its number may have become another process's by the time it was read.
  const auto start = proc.start_mono_ns(process.pid);
  if (!start.ok() || !hal::same_start(*start, process.start_mono_ns)) return false;
  std::string text;
  for (const auto& [name, value] : *found) text.append(name).append("=").append(value).push_back('\0');
  kernelside::JobNames names = kernelside::parse_environ(text);
  bool is_new = false;
  if (process.slurm_job.empty() && !names.slurm_job.empty()) {
    process.slurm_job = std::move(names.slurm_job);
    is_new = true;
  }
  if (process.launcher_job.empty() && !names.launcher_job.empty()) {
    process.launcher_job = std::move(names.launcher_job);
    is_new = true;
  }
  if (!names.settings.empty() && names.settings != process.settings) {
    process.settings = std::move(names.settings);
    is_new = true;
  }
  const bool same =
      names.rank == process.rank && names.local_rank == process.local_rank && names.world_size == process.world_size;
  if (names.rank < 0 || same) return is_new;
  process.rank = names.rank;
  process.local_rank = names.local_rank;
  process.world_size = names.world_size;
  return true;
}

}  // namespace ingero::agent
