// Groups of the account database. Thread-safe; no state.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"

namespace ingero {

// The number of the group called `name`, or kNotFound. A number stands for itself.
Result<gid_t> find_group(const std::string& name);

}  // namespace ingero
