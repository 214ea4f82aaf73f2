// The events of a running trace as lines: for people, or one JSON object each (docs/formats/trace_json.md).
//
// Reads the Recorder; owns nothing. The thread that the events are given on. Failure: none; what is not known is left
// out of the line.
#pragma once

#include <string>

#include "agent/batch_queue.h"
#include "agent/recorder.h"
#include "hal/call_table.h"

namespace ingero::agent {

std::string render_events(const EventBatch& batch, const Recorder& recorder, const hal::CallTable& calls, bool json);

// A call that has not returned for long, and from where it was made.
std::string render_hang(const LiveCall& call, const Recorder& recorder, const hal::CallTable& calls);

}  // namespace ingero::agent
