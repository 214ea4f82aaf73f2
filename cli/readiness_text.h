// The text output of `ingero check`.
#pragma once

#include <string>

#include "agent/check/readiness.h"

namespace ingero::cli {

// `all_functions`: also those that are probed, or that a library does not have.
std::string readiness_text(const agent::Readiness& readiness, bool all_functions, bool colour);

}  // namespace ingero::cli
