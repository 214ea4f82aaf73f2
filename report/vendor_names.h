// What the codes of the vendors' libraries mean: return codes, events of devices, counters of fabric adapters.
//
// Asked of the backends' tables, which the caller gives and which outlive this. Immutable, so thread-safe. Failure:
// empty where no table has the code.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/call_table.h"
#include "hal/fabric.h"
#include "hal/prototype.h"

namespace ingero::report {

class VendorNames {
 public:
  explicit VendorNames(std::span<const hal::Backend* const> backends);
  // The vendor's name of what `op` returned ("invalidValue"), or empty.
  std::string status(std::string_view op, int64_t code) const;
  // The event of a device that the call `op` brought, by the number that it was recorded with; an empty name: none.
  hal::AsyncEvent event(std::string_view op, uint64_t code) const;
  // What a counter of a fabric adapter says, as the backend of such adapters knows it.
  hal::CounterMeaning counter(std::string_view driver, hal::CounterOrigin origin, std::string_view name) const;

 private:
  std::vector<const hal::Backend*> backends_;
  hal::CallTable calls_;
  std::map<std::string_view, const hal::Call*> by_op_;  // into calls_
};

}  // namespace ingero::report
