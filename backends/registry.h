// Every backend this program was built with. Adding one is a folder and a line in backends.def, nothing here.
//
// The returned data is constant, lives for the whole program, owns nothing; thread-safe.
#pragma once

#include <span>

#include "hal/prototype.h"

namespace ingero::backends {

// In the order of backends.def.
std::span<const hal::Backend* const> all_backends();

}  // namespace ingero::backends
