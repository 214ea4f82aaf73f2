// Where to put a probe. A first instruction the kernel cannot emulate is single-stepped: a second trap, which costs
// several times as much (docs/limits.md). The probe may move past instructions that leave in place what the capture
// reads (captured argument registers, the stack pointer, the stack), to the first one the kernel emulates; never
// further.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hal/lower.h"

namespace ingero::hal {

struct ProbePoint {
  uint32_t delta = 0;            // bytes past the symbol's address
  bool single_stepped = false;   // the instruction there is not emulated
  bool refused = false;          // the kernel takes no probe on it (attaching would fail, the whole link with it)
  std::string_view instruction;  // "push", "endbr64", "sub", "unknown": for the report
};

// Argument registers by their number in the calling convention, one bit each.
using ArgumentRegisters = uint32_t;
inline constexpr ArgumentRegisters kAllArguments = 0xff;
// Those whose value a recipe reads.
ArgumentRegisters captured_registers(const wire_recipe& recipe);

// `code` starts at the symbol and should be the whole function: it is scanned for direct branches into the bytes moved
// over; with one, the probe stays at the symbol. `captured` keep their value up to the probe. Pure; never fails:
// unknown code is probed at the symbol and called single-stepped.
ProbePoint choose_probe_point(std::span<const uint8_t> code, Arch arch, ArgumentRegisters captured = kAllArguments);
// The point at the symbol itself: where there is another way into the bytes that would be moved over.
ProbePoint probe_point_at_symbol(std::span<const uint8_t> code, Arch arch);

}  // namespace ingero::hal
