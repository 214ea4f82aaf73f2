// On which CPUs a thread may run: what sched_setaffinity(2) and the cpusets of its cgroups leave of those that are
// online. One system call that waits for nothing.
//
// Any thread; owns nothing. Failure: the thread has ended, or a security module refuses.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "hal/cpu_list.h"

namespace ingero::kernelside {

Result<hal::CpuList> allowed_cpus(uint32_t tid);

}  // namespace ingero::kernelside
