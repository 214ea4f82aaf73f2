// How the names of the vendors' environment variables begin. What they hold says how a vendor's runtime was configured,
// and belongs into a support bundle; other variables of a process are its user's own.
//
// Constant data; any thread.
#pragma once

#include <span>
#include <string_view>

namespace ingero::backends {

std::span<const std::string_view> variable_beginnings();

}  // namespace ingero::backends
