// Unpacks gzip (RFC 1952) within bounds: what a few bytes can unpack to is up to a thousand times as long. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ingero::fleet::wire {

inline constexpr size_t kMaxInflatedBytes = 32 << 20, kMaxInflateRatio = 100;

// kFull above kMaxInflatedBytes, or above kMaxInflateRatio once 1 MiB is there; kCorrupt where it is not gzip, of
// one member or several.
Result<std::string> inflate_gzip(std::string_view packed);

}  // namespace ingero::fleet::wire
