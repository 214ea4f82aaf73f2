// What the agent itself costs: CPU, memory, files, from /proc/self. What cannot be read is left out.
#pragma once

#include <string>

#include "serve/metrics/page.h"

namespace ingero::serve::metrics {

void write_process(Page& page, const std::string& proc_root = "/proc");

}  // namespace ingero::serve::metrics
