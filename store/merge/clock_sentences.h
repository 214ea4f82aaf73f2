// What is to be said of the clocks of the nodes whose recordings were merged: which differ, and how closely events of
// two of them can be put in order. Pure; thread-safe; the texts are the caller's. Failure: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/read/node_clocks.h"

namespace ingero::store {

// `threshold_ns`: clocks that certainly differ by no more are not named.
std::vector<std::string> clock_sentences(const NodeClocks& clocks, uint64_t threshold_ns);

}  // namespace ingero::store
