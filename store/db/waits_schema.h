// The tables of what threads waited for, and their view. Private to store/. Constant data as SQL; any thread. Failure:
// none.
#pragma once

#include <cstdint>
#include <string>

namespace ingero::store {

// Bits of waits.flags.
inline constexpr int64_t kWaitWrites = 1, kWaitTimedOut = 2, kWaitLock = 4;
// wait_totals.kind of the time from being woken to running; the others are hal::WaitKind's.
inline constexpr int64_t kWaitQueued = -1;

std::string wait_tables();            // step 28
std::string file_systems_of_waits();  // of step 34; the view too

}  // namespace ingero::store
