// A row of a reading: see device_rows.h.
#include "store/read/device_rows.h"

#include <algorithm>
#include <iterator>

namespace ingero::store {

bool add_reading(const Statement& row, hal::DeviceSample& sample) {
  sample.wall_ns = row.uint64(0);
  std::string uuid = row.text(5).empty() ? row.text(6) : row.text(5);
  const bool is_first = sample.devices.empty() || sample.devices.back().uuid != uuid;
  if (is_first) {
    hal::Device& device = sample.devices.emplace_back();
    device.vendor = row.text(4);
    device.uuid = std::move(uuid);
    device.pci_address = row.text(6);
    device.name = row.text(7);
  }
  const std::string name = row.text(1);
  const auto* const known = std::ranges::find(hal::kReadingTable, name, &hal::ReadingRow::name);
  if (known != std::end(hal::kReadingTable)) {
    const auto id = static_cast<hal::ReadingId>(known - std::begin(hal::kReadingTable));
    sample.devices.back().add(id, row.real(3), row.text(2));
  }
  return is_first;
}

}  // namespace ingero::store
