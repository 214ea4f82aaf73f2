// What unwinding must know of an instruction set: its registers by DWARF number, and how calls and return addresses
// look. All are always compiled and tested; the agent uses that of the machine it runs on, and for 32-bit x86 programs
// there theirs. Pure; thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hal/lower.h"

namespace ingero::symbols {

// System V x86-64 psABI 3.6.2; System V i386 psABI 2.4.2; AADWARF64 4.1. What the kernel side copies is in bpf/wire.h
// (wire_stack_register).
struct Machine {
  static constexpr size_t kMaxSaved = 10;
  static constexpr unsigned kNone = ~0U;

  size_t word_bytes = 8;  // of a register and of an address
  unsigned frame_pointer = 0, stack_pointer = 0, return_address = 0;
  unsigned program_counter = kNone;  // as expressions name it, where they can
  unsigned link = kNone;             // where a call leaves its return address, if in a register
  std::array<unsigned, kMaxSaved> saved{};
  size_t n_saved = 0;
  // Does the frame pointer's record lie at the top of a frame, so that the caller's stack begins above it?
  bool record_tops_frame = false;
  // Bits of a return address that are not address: pointer authentication's (Arm ARM D8.10). Code above 2^48, which a
  // process only has where it asks for that address, is not found.
  uint64_t address_mask = ~uint64_t{0};
  // The code that a signal handler returns to, if no table describes it, and what the kernel put above the stack
  // pointer there: the interrupted registers, one after the other from number 0 on, the stack pointer and the place.
  std::array<std::byte, 8> signal_return{};
  uint64_t signal_registers = 0, signal_stack_pointer = 0, signal_place = 0;  // 0: not needed
  // Longest instruction that calls, and whether one ends these bytes.
  size_t longest_call = 0;
  bool (*ends_in_call)(std::span<const std::byte> code) = nullptr;

  std::span<const unsigned> saved_registers() const { return std::span(saved).first(n_saved); }
  uint64_t code_address(uint64_t return_address_word) const { return return_address_word & address_mask; }
};

const Machine& machine_of(hal::Arch arch);

}  // namespace ingero::symbols
