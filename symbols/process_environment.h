// The environment of a running process as it is now, what it has set by itself included.
//
// /proc/PID/environ shows the environment that a program was started with; a program that sets a variable puts it
// elsewhere. Here the C library's own list is read from the process's memory: untrusted, bounded. Thread-safe.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "symbols/python_process.h"

namespace ingero::symbols {

// The values of those of `names` that are set. kNotFound: the process has no C library that is known here, or it could
// not be read.
Result<std::map<std::string, std::string, std::less<>>> environment_of(const ProcessView& process,
                                                                       std::span<const std::string_view> names);

}  // namespace ingero::symbols
