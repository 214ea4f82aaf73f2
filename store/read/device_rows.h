// Readings of devices as rows: one reading each, those of a sample and a device one after the other. Private to store/.
// The database's thread; owns nothing. Failure: none; a reading whose name is not known is left out.
#pragma once

#include "hal/device.h"
#include "store/db/sqlite.h"

namespace ingero::store {

// The first columns of a query over device_values v and devices d, for add_reading().
inline constexpr const char* kReadingColumns =
    "v.timestamp, v.name, v.part, v.value, d.vendor, d.uuid, d.pci_address, d.name";

// Into the sample, with its device where the row is that one's first: true.
bool add_reading(const Statement& row, hal::DeviceSample& sample);

}  // namespace ingero::store
