// What the session's row says about the machine: kernel, distribution, CPU, memory, this program's version.
#pragma once

#include "store/writer.h"

namespace ingero::cli {

// Reads /proc and /etc/os-release; what cannot be read stays unknown. Node and filters are the caller's.
store::Session session_facts();

}  // namespace ingero::cli
