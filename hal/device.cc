// What readings of a device mean for the copies to and from it.
#include "hal/device.h"

#include <array>

namespace ingero::hal {
namespace {

constexpr std::array kGigabytesOfWidth1 = {0.0,   0.25,  0.5,  0.985,
                                           1.969, 3.938, 7.563};  // of payload a second, by generation
constexpr double kDevicesOfPort = 8;
constexpr double kMaxWidth = 32;

}  // namespace

std::optional<double> Device::value_of(ReadingId id) const {
  for (const Reading& reading : readings) {
    if (reading.id == id) return reading.value;
  }
  return std::nullopt;
}

double surest_copy_rate(const Device& device) {
  const double generation = device.value_of(ReadingId::pcie_link_generation).value_or(0);
  const double width = device.value_of(ReadingId::pcie_link_width).value_or(0);
  if (!(generation >= 1 && generation < kGigabytesOfWidth1.size()) || !(width >= 1 && width <= kMaxWidth)) return 0;
  return kGigabytesOfWidth1[static_cast<size_t>(generation)] * width / kDevicesOfPort;
}

}  // namespace ingero::hal
