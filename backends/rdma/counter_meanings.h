// What counters of known names count, for people. Only for meaning: a name that is not here is sampled all the same.
#pragma once

#include <string_view>

namespace ingero::backends::rdma {

// A sentence, or empty.
std::string_view meaning_of(std::string_view counter);

}  // namespace ingero::backends::rdma
