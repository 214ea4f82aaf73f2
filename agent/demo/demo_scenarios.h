// The scenarios of `ingero demo`: made-up events with a planted cause, as a traced program would give them.
//
// Events come in the order of their ends. Pure. Times are nanoseconds from the scenario's beginning.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/call_table.h"
#include "hal/event.h"

namespace ingero::agent {

struct DemoScenario {
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view sentence;
  std::string_view cause;  // the rule that finds it
};
std::span<const DemoScenario> demo_scenarios();
// By name or alias; null when there is none.
const DemoScenario* find_demo(std::string_view name);

struct DemoTrace {
  std::vector<hal::Process> processes;
  std::vector<hal::Event> events;
  std::vector<hal::SystemSnapshot> snapshots;  // wall_ns as `start_wall_ns` says
};
DemoTrace make_demo(const DemoScenario& scenario, const hal::CallTable& calls, uint64_t start_mono_ns,
                    uint64_t start_wall_ns);

}  // namespace ingero::agent
