// What samplers of devices and fabric adapters may look at: the world as an argument.
//
// Its functions are the caller's and outlive the samplers. They may block for as long as a driver does; each sampler
// calls them on a thread of its own. What they cannot have is an Error that names it.
#pragma once

#include <string>

#include "base/clock.h"

namespace ingero::hal {

struct SamplerWorld {
  std::string sys_root = "/sys";
  std::string management_library = {};  // a vendor's device library by path; empty: by its usual name
  const Clock* clock = &system_clock();
};

}  // namespace ingero::hal
