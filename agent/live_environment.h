// The environment of a running process as it is now, and the rank that it gives the process.
//
// Untrusted, bounded. Thread-safe. Failure: a process that cannot be read has no environment.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "hal/event.h"
#include "kernelside/foreign.h"
#include "kernelside/proc.h"

namespace ingero::agent {

using Variables = std::map<std::string, std::string, std::less<>>;

// The values of those of `names` that are set.
Result<Variables> live_environment(kernelside::Foreign& foreign, uint32_t pid, std::span<const std::string_view> names);

// The ranks, and the job where it has none, that the process has put into its environment by itself: they replace those
// that it was started with. True: something has changed. False also where the process has ended, cannot be read, or
// says no rank.
bool update_ranks(kernelside::Foreign& foreign, const kernelside::ProcFs& proc, hal::Process& process);

}  // namespace ingero::agent
