// Looks up counter widths by name, and distinguishes a wrap from a reset.
#include "backends/rdma/counter_track.h"

#include <iterator>

namespace ingero::backends::rdma {
namespace {

struct Width {
  std::string_view name;
  uint8_t bits;
};
constexpr Width kWidths[] = {
    {"symbol_error", 16},
    {"link_error_recovery", 8},
    {"link_downed", 8},
    {"port_rcv_errors", 16},
    {"port_rcv_remote_physical_errors", 16},
    {"port_rcv_switch_relay_errors", 16},
    {"port_xmit_discards", 16},
    {"port_xmit_constraint_errors", 8},
    {"port_rcv_constraint_errors", 8},
    {"local_link_integrity_errors", 4},
    {"excessive_buffer_overrun_errors", 4},
    {"VL15_dropped", 16},
    {"port_xmit_wait", 32},
};
// 32 bits without the extended set.
constexpr std::string_view kExtended[] = {"port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets"};

constexpr uint64_t last_of(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

}  // namespace

unsigned assumed_bits(std::string_view name, bool has_extended_set) {
  for (const Width& width : kWidths) {
    if (width.name == name) return width.bits;
  }
  for (const std::string_view extended : kExtended) {
    if (extended == name) return has_extended_set ? 64 : 32;
  }
  return 64;
}

CounterTrack::Step CounterTrack::next(uint64_t value) {
  using hal::CounterChange;
  while (value > last_of(bits_)) bits_ = bits_ < 32 ? 32 : 64;
  const std::optional<uint64_t> before = last_;
  last_ = value;
  // Narrow error counters stop at their end; what came after is not known.
  const bool is_stuck = bits_ < 32 && value == last_of(bits_);
  if (!before) return {is_stuck ? CounterChange::kStuck : CounterChange::kFirst, std::nullopt};
  if (value == *before) return {CounterChange::kSame, is_stuck ? std::nullopt : std::optional<uint64_t>(0)};
  if (value > *before) return {is_stuck ? CounterChange::kStuck : CounterChange::kGrew, value - *before};
  // Smaller: a wrap only if it was near the end of 32 bits and is near the start now. A driver that prints its 32-bit
  // counters says so nowhere.
  constexpr uint64_t kQuarter = uint64_t{1} << 30;
  const bool was_near_end = *before <= last_of(32) && *before >= last_of(32) - kQuarter;
  if (bits_ >= 32 && was_near_end && value < kQuarter) {
    return {CounterChange::kWrapped, value + (last_of(32) - *before) + 1};
  }
  return {CounterChange::kReset, std::nullopt};
}

}  // namespace ingero::backends::rdma
