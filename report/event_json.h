// One event as one line of JSON, as docs/formats/trace_json.md has it: keys users already parse, then ours.
//
// Pure; thread-safe. Text from traced processes is escaped. Unknown values are left out, never written as 0 (but for
// gpu_id, return_code and cgroup_id, which old scripts expect: they are null).
#pragma once

#include <string>
#include <string_view>

#include "hal/call_table.h"
#include "hal/event.h"

namespace ingero::report {

// The further fields of a call of a collective library, as one JSON object. `on`: what is known of the communicator
// that it was made on, or null.
std::string exchange_json(const hal::Exchange& exchange, const hal::Call& call, const hal::Communicator* on);

// `collective_json`: of exchange_json(), or empty. `stack_json`: the frames, an array; empty: none.
std::string event_json(const hal::Event& event, const hal::CallTable& calls, std::string_view process_name,
                       std::string_view library, const hal::EventDevice& device, std::string_view collective_json,
                       std::string_view stack_json = {});

}  // namespace ingero::report
