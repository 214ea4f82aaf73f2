// The tables of where the time went, and their views. Private to store/. Constant data as SQL; any thread. Failure:
// none.
#pragma once

#include <string>

namespace ingero::store {

// Bits of step_rows.flags.
inline constexpr int kStepUsual = 1, kStepSlow = 2;

std::string budget_tables();  // step 29

}  // namespace ingero::store
