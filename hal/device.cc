// What readings of a device mean for the copies to and from it.
#include "hal/device.h"

#include <array>

namespace ingero::hal {
namespace {

constexpr std::array kGigabytesOfWidth1 = {0.0,   0.25,  0.5,  0.985,
                                           1.969, 3.938, 7.563};  // of payload a second, by generation
constexpr double kDevicesOfPort = 8;
constexpr double kMaxWidth = 32;

double value_of(const Device& device, ReadingId id) {
  for (const Reading& reading : device.readings) {
    if (reading.id == id) return reading.value;
  }
  return 0;
}

}  // namespace

double surest_copy_rate(const Device& device) {
  const double generation = value_of(device, ReadingId::pcie_link_generation);
  const double width = value_of(device, ReadingId::pcie_link_width);
  if (!(generation >= 1 && generation < kGigabytesOfWidth1.size()) || !(width >= 1 && width <= kMaxWidth)) return 0;
  return kGigabytesOfWidth1[static_cast<size_t>(generation)] * width / kDevicesOfPort;
}

}  // namespace ingero::hal
