// Which backends a trace probes: those that need no flag, and those whose flag was given.
//
// Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "hal/prototype.h"

namespace ingero::agent {

// `fabric_calls`: --rdma-verbs was given.
std::vector<const hal::Backend*> chosen_backends(std::span<const hal::Backend* const> backends, bool fabric_calls);

// Refuses a file whose name is that of a library not among `probed`, with the flag that it waits for.
Status check_library_is_probed(const std::string& path, std::span<const hal::Backend* const> backends,
                               std::span<const hal::Backend* const> probed);

}  // namespace ingero::agent
