// The text output of `ingero check`. Pure; thread-safe; owns nothing and does not fail.
#pragma once

#include <string>

#include "agent/check/readiness.h"

namespace ingero::agent {

// `all_functions`: also those that are probed, or that a library does not have.
std::string readiness_text(const Readiness& readiness, bool all_functions, bool colour);

}  // namespace ingero::agent
