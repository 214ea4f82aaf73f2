// The tools by what they ask about: each function makes some of the list in tool.cc. For this folder only.
#pragma once

#include <vector>

#include "serve/tools/tool.h"

namespace ingero::serve::tools {

std::vector<Tool> report_tools();      // figures, causal chains, slow and unfinished calls
std::vector<Tool> compare_tools();     // two ranges, or two recordings
std::vector<Tool> collective_tools();  // communicators and their ranks
std::vector<Tool> inference_tools();   // workloads, slow steps, engines
std::vector<Tool> stack_tools();       // calls by where they were made
std::vector<Tool> graph_tools();       // captured work and its launches
std::vector<Tool> memory_tools();      // device memory by call site
std::vector<Tool> timeline_tools();    // what ran when
std::vector<Tool> sample_tools();      // fabric and devices
std::vector<Tool> sql_tools();
std::vector<Tool> fleet_tools();  // other machines
std::vector<Tool> alert_tools();  // people
std::vector<Tool> host_tools();   // this machine rather than the recording

}  // namespace ingero::serve::tools
