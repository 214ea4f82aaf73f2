// What a counter's new value means compared with its last one, when the counter is narrower than its printed number.
//
// Widths of the port counters are those of the management datagrams that carry them (IBA 1.4 vol. 1, 16.1.3.5; the list
// in Linux Documentation/ABI/stable/sysfs-class-infiniband). They saturate; data and packet counters without the
// extended set wrap in practice. A value beyond the assumed width proves that the counter is wider. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hal/fabric.h"

namespace ingero::backends::rdma {

// Bits a counter file of `counters/` has at least; 64 for names that are not in the table.
unsigned assumed_bits(std::string_view name, bool has_extended_set);

class CounterTrack {
 public:
  explicit CounterTrack(unsigned bits) : bits_(bits) {}
  struct Step {
    hal::CounterChange change;
    std::optional<uint64_t> delta;
  };
  // `value` as the file gives it, before any scaling.
  Step next(uint64_t value);

 private:
  unsigned bits_;
  std::optional<uint64_t> last_;
};

}  // namespace ingero::backends::rdma
