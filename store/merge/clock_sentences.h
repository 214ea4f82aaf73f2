// What is to be said of the clocks of the nodes whose recordings were merged: which differ, and how closely events of
// two of them can be put in order. Pure; thread-safe; the texts are the caller's. Failure: none.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "store/merge/merge.h"

namespace ingero::store {

// `threshold_ns`: clocks that certainly differ by no more are not named.
std::vector<std::string> clock_sentences(const Merged& merged, const std::set<std::string>& nodes,
                                         uint64_t threshold_ns);

}  // namespace ingero::store
