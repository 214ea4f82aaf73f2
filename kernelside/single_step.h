// What a single step costs on this machine: the part of a recorded call's time that is the probe's own where the probed
// instruction is one that the kernel cannot emulate (hal/prologue.h).
#pragma once

#include <cstdint>

#include "base/result.h"

namespace ingero::kernelside {

// The median of what a call takes longer with a probe on an instruction that is single-stepped than with one on an
// emulated instruction. Both are functions of this program, called and probed on the calling thread alone; no other
// process pays. Takes about 0.3 s, nearly all of it the kernel's, to place and remove the probes. Any thread. Needs
// CAP_SYS_ADMIN, as every perf uprobe does (privilege.h), so it is measured before that is given up; kNotSupported
// where the kernel has no probes of this kind (perf_event_open(2), PMU "uprobe").
Result<uint64_t> measure_single_step_ns();

}  // namespace ingero::kernelside
