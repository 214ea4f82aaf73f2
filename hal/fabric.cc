// Names of what fabric counters mean and how they changed, as stored and shown.
#include "hal/fabric.h"

namespace ingero::hal {

std::string_view name_of(CounterOrigin origin) {
  switch (origin) {
    case CounterOrigin::kPort:
      return "port";
    case CounterOrigin::kPortHardware:
      return "port_hw";
    case CounterOrigin::kDeviceHardware:
      return "device_hw";
  }
  return "unknown";
}

std::string_view name_of(CounterUnit unit) { return unit == CounterUnit::kBytes ? "bytes" : "count"; }

std::string_view name_of(CounterSense sense) {
  constexpr std::string_view kNames[] = {"unknown", "traffic",    "packets",   "level",   "congestion", "not_ready",
                                         "loss",    "link_fault", "link_down", "refused", "gave_up"};
  return kNames[static_cast<size_t>(sense)];
}

std::string_view name_of(CounterChange change) {
  switch (change) {
    case CounterChange::kFirst:
      return "first";
    case CounterChange::kSame:
      return "same";
    case CounterChange::kGrew:
      return "grew";
    case CounterChange::kWrapped:
      return "wrapped";
    case CounterChange::kReset:
      return "reset";
    case CounterChange::kStuck:
      return "stuck";
  }
  return "unknown";
}

}  // namespace ingero::hal
