// The driver's error lines in the kernel log: "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python3, GPU has fallen
// ...".
#pragma once

#include <optional>
#include <string_view>

#include "hal/device.h"

namespace ingero::backends::cuda {

// The error in one line of the kernel log, without its time; nothing when the line is not an Xid message. Pure.
std::optional<hal::DeviceError> xid_of(std::string_view line);

}  // namespace ingero::backends::cuda
