// What a user names to choose whom to trace, as the kernel side needs it: a process with its children, a cgroup's id.
//
// Reads /proc and the cgroup hierarchy. Threads: one at a time. Owns nothing. Failure: with the cgroup's path and what
// to name instead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernelside/proc.h"

namespace ingero::kernelside {

// Adds the children of `pids` that already run, and theirs: those to come are followed by the BPF programs
// (kernelside/followed.h). What may not be read is left out.
void add_descendants(const ProcFs& proc, std::vector<uint32_t>& pids);

// kNotFound: there is no such process. kInvalid: the number is that of a thread; the hint names its process.
Status check_process(const ProcFs& proc, uint32_t pid);

// The cgroup v2 id: the inode of its directory (cgroup_id() in the kernel's include/linux/cgroup.h). `path`: as in
// /proc/PID/cgroup, or a directory. kNotFound; kInvalid: a directory that is something else.
Result<uint64_t> find_cgroup(const std::string& path);

}  // namespace ingero::kernelside
