// Where to put a probe. A first instruction the kernel cannot emulate is single-stepped: a second trap, ten times the
// cost (design note: docs/limits.md). The probe may move past instructions that leave the stack pointer, the argument
// registers and the return address in place, to the first one the kernel emulates; never further.
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

// `code` starts at the symbol and should be the whole function: it is scanned for direct branches into the bytes moved
// over; with one, the probe stays at the symbol. So it does where `may_move` is false (the caller knows of another way
// into those bytes). Pure; never fails: unknown code is probed at the symbol and called single-stepped.
ProbePoint choose_probe_point(std::span<const uint8_t> code, Arch arch, bool may_move = true);

}  // namespace ingero::hal
