// Names of HIP's return codes.
#pragma once

#include <cstdint>
#include <string_view>

namespace ingero::backends::hip {

// "hipErrorOutOfMemory" for 2; empty for a code not known here. Pure; thread-safe.
std::string_view status_name(int64_t code);

}  // namespace ingero::backends::hip
