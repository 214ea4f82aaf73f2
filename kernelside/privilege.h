// What this process may do, what it gives up, and what the kernel offers. Linux only; per thread where the kernel is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ingero::kernelside {

// Of the capabilities tracing needs (CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, ...), those the process lacks, by name.
std::vector<std::string> missing_capabilities();

// Gives up every capability that recording does not need, for this thread and those it starts, for good; and the way
// back through set-user-id programs. Call after files that need them are open. Fails without harm.
Status drop_capabilities();

// The tracepoints our programs use, and whether this kernel has them (from its BTF).
std::vector<std::pair<std::string, bool>> tracepoints_present();

}  // namespace ingero::kernelside
