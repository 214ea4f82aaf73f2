// The container, pod, batch job and rank of a process, from its cgroup path and environment.
//
// Pure functions of texts; thread-safe. The text is untrusted: a path component and an environment are what their owner
// chose. Only ids of exactly the right shape are taken, and everything else is unknown (empty, or -1). Returns copies.
// Failure: none, but for what stays unknown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::kernelside {

struct CgroupNames {
  std::string path;          // the v2 path, or on hybrid and v1 hosts the longest of all hierarchies
  std::string v2_path;       // "0::" line; empty without one
  std::string container_id;  // 64 hex digits
  std::string pod_uid;       // with dashes, whatever the cgroup driver wrote
  std::string slurm_job;     // digits
};

// A process whose cgroups are looked at.
struct CgroupMember {
  uint32_t pid = 0;
  uint64_t cgroup_id = 0;  // of version 2; 0: not known
};

// Of /proc/PID/cgroup: folders below the mount where a controller's files may speak of the process, "/job/step" of
// version 2 or "/cpu/job/step" of version 1, each before those above it, where a limit may stand as well; the root has
// none.
std::vector<std::string> cgroup_folders(std::string_view untrusted_lines, std::string_view controller);
// Whether version 1 has the controller.
bool has_controller_apart(std::string_view untrusted_lines, std::string_view controller);

// /proc/PID/cgroup.
CgroupNames parse_cgroup(std::string_view untrusted_text);

struct JobNames {
  std::string slurm_job;
  std::string launcher_job;  // as hal::Process has it
  int32_t rank = -1;
  int32_t local_rank = -1;
  int32_t world_size = -1;
  std::string settings;  // as hal::Process has them
};

inline constexpr std::string_view kThisMachine = "localhost:";

// /proc/PID/environ (zero-separated; may be cut anywhere). Settings are those of a list of names, each with a value of
// at most 32 plain characters: nothing else of an environment is kept. Ranks come from one launcher only, the first
// that gives a valid rank: torch (RANK), Slurm, Open MPI, MVAPICH, PMI; values of two launchers are never mixed. The
// launcher's job is torch's run id, PMIx's or Open MPI's job, or else the address by which ranks find each other; of at
// most 64 plain characters. One that is of this machine alone begins with kThisMachine.
JobNames parse_environ(std::string_view untrusted_text);

// The variables that it reads.
const std::vector<std::string_view>& job_variables();

}  // namespace ingero::kernelside
