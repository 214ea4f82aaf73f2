// The recording as people see it while it runs, and once more when it ends: calls, host, losses, calls in flight.
//
// Reads the Recorder; owns nothing. Any one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "agent/live_stats.h"
#include "agent/recorder.h"
#include "hal/call_table.h"

namespace ingero::agent {

// The whole text. `max_rows` calls at most per section (0: all).
std::string render_trace(const Recorder& recorder, const hal::CallTable& calls, uint64_t elapsed_ns, size_t max_rows,
                         bool colour);

// Its two tables: calls, and what the host did.
std::string render_rows(std::span<const LiveRow> rows, const hal::CallTable& calls, uint64_t elapsed_ns,
                        size_t max_rows, bool colour);

// What was found and could not be: one line per library file.
std::string render_discovery(Recorder& recorder, size_t skip = 0);
// What this machine does not let us see.
std::string render_degraded(const Recorder& recorder);

// Loss lines alone; empty when nothing was lost.
std::string render_losses(const Recorder& recorder, bool colour);

}  // namespace ingero::agent
