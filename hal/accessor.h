// Where an accessor of a library finds what it answers.
//
// A library's objects are opaque; functions such as ncclCommUserRank(object, int* answer) read a word of one. Where
// that word lies can be had from the function's own instructions, in any version and without debug information: the one
// 32-bit load from the first argument that is stored, soon after, to where the second points.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "hal/lower.h"

namespace ingero::hal {

// The offset in the object that `code`, a whole function, reads its answer from. None where no load fits, or loads of
// several offsets do: nothing is guessed. Pure; thread-safe; the code is untrusted.
std::optional<uint32_t> offset_answered(std::span<const uint8_t> code, Arch arch);

}  // namespace ingero::hal
