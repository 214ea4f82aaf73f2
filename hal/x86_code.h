// One x86-64 instruction's length and the few parts of it that decide where a probe may stand.
//
// Lengths are right for everything compilers emit (checked against a disassembler over whole libraries, see the test);
// what is not known decodes to nothing. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace ingero::hal {

// Which of 256 opcodes have a property, from inclusive ranges.
struct OpcodeSet {
  struct Range {
    uint8_t first, last;
  };
  bool bits[256] = {};
  constexpr OpcodeSet(std::initializer_list<Range> ranges) {
    for (const Range range : ranges) {
      for (unsigned i = range.first; i <= range.last; ++i) bits[i] = true;
    }
  }
  constexpr bool operator[](uint8_t opcode) const { return bits[opcode]; }
};

struct X86Instruction {
  uint8_t length = 0;
  uint8_t map = 0;  // 0: one-byte opcodes, 1: 0f, 2: 0f 38, 3: 0f 3a; kVector for VEX, EVEX and XOP
  uint8_t opcode = 0;
  uint8_t rex = 0;  // the whole byte, 0 without one
  uint8_t modrm = 0;
  uint8_t sib = 0;  // meaningful with has_sib()
  bool has_modrm = false;
  bool operand_16 = false;     // prefix 66
  bool odd_address = false;    // fs or gs override, or 32-bit address arithmetic
  bool legacy_prefix = false;  // es, cs, ss, ds or lock
  int32_t displacement = 0;    // of a memory operand
  int32_t relative = 0;        // of a direct branch: target minus the next instruction
  bool direct_branch = false;

  static constexpr uint8_t kVector = 0xff;

  bool register_form() const { return has_modrm && modrm >> 6 == 3; }
  bool rip_relative() const { return has_modrm && (modrm & 0xc7) == 0x05 && !odd_address; }
  bool has_sib() const { return has_modrm && modrm >> 6 != 3 && (modrm & 7) == 4; }
  // Memory at the stack pointer and a displacement, without an index.
  bool stack_relative() const { return has_sib() && (sib & 0x3f) == 0x24 && (rex & 3U) == 0 && !odd_address; }
  // Register numbers 0..15 (rax rcx rdx rbx rsp rbp rsi rdi r8...).
  unsigned reg() const { return ((modrm >> 3) & 7U) | ((rex & 4U) << 1); }
  unsigned rm() const { return (modrm & 7U) | ((rex & 1U) << 3); }
  unsigned opcode_register() const { return (opcode & 7U) | ((rex & 1U) << 3); }
  // The register of memory at a register and the displacement, without an index.
  std::optional<unsigned> base() const {
    if (!has_modrm || register_form() || rip_relative() || odd_address) return std::nullopt;
    if (!has_sib()) return rm();
    const bool has_index = (sib >> 3 & 7U) != 4 || (rex & 2U) != 0;
    const bool has_base = (sib & 7U) != 5 || modrm >> 6 != 0;
    return has_index || !has_base ? std::nullopt : std::optional((sib & 7U) | ((rex & 1U) << 3));
  }
  unsigned extension() const { return (modrm >> 3) & 7U; }
};

// The instruction at the front of `code`; none when it is cut short or not known.
std::optional<X86Instruction> decode_x86(std::span<const uint8_t> code);

}  // namespace ingero::hal
