// Which devices a process sees, and what their numbers mean: from its environment, as the vendor documents it.
//
// A runtime numbers the devices it may see from 0. Variables of the environment choose among the machine's devices, one
// after the other, each from what the one before it left. What is not certain is reported as unknown: a wrong device
// is worse than none. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/device.h"
#include "hal/event.h"

namespace ingero::hal {

// A variable that lists devices, separated by commas: by number, by UUID or its unambiguous start. The first entry
// that names no device ends the list.
struct VisibleList {
  std::string_view variable;
  std::string_view only_without = {};  // not read where this one is set to something
  bool empty_hides_all = true;         // set to nothing: no device is visible; else it is as if it were not set
  bool of_container = false;           // set by the container runtime; the devices keep the machine's order
  bool is_doubtful = false;            // the vendor's word and its code disagree: where it is set, nothing is known
};

struct DeviceNaming {
  std::span<const VisibleList> lists;
  // Numbers follow the bus only where this variable has this value; else the order is the vendor's own, which is known
  // only where all devices are alike. Empty: they always follow the machine's order.
  std::string_view order_variable = {}, order_by_bus = {};
  std::string_view uuid_prefix;
  size_t uuid_length = 0;                  // of a whole one, with its prefix
  std::string_view partition_prefix = {};  // of a device's partition
};

class VisibleDevices {
 public:
  // What the process calls `ordinal`; all absent where that is not known.
  EventDevice at(int32_t ordinal) const;
  // The only one there is: every call is about it, whatever it says.
  const EventDevice* only() const { return !open_ended_ && devices_.size() == 1 ? devices_.data() : nullptr; }

 private:
  friend class VisibleReader;
  bool open_ended_ = true;  // how many there are is not known
  bool identity_ = false;   // beyond devices_, a number is the machine's own
  std::vector<EventDevice> devices_;
};

// `variable` returns a variable of the process's environment, or nothing; its value is untrusted.
// `machine`: the vendor's devices as its sampler sees them, partitions included; empty without a sampler.
using EnvironmentLookup = std::function<std::optional<std::string_view>(std::string_view name)>;
VisibleDevices visible_devices(const DeviceNaming& naming, const EnvironmentLookup& variable, bool in_container,
                               std::span<const Device> machine);

// All variables that visible_devices() asks for.
std::vector<std::string_view> variables_of(const DeviceNaming& naming);

}  // namespace ingero::hal
