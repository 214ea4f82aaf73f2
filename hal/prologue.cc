// Probe placement. What "emulated" means is the kernel's: arch/x86/kernel/uprobes.c (branch and push ops) and
// arch/arm64/kernel/probes/decode-insn.c. What may be moved over is ours, and deliberately little:
// L1  The stack pointer, the stack, the callee's registers and the argument registers that the capture reads are
// as they were at the symbol.
// L2  Nothing moved over can branch, or fault in a call that would have returned, so that every such call that
// reaches the symbol reaches the probe. Loads are therefore those of a loader's dispatch: of the library's own data,
// through a pointer that came from there, or of arguments on the stack. If one of these faults, the library is broken.
// L3  Nothing branches to the bytes moved over or to the probe, so that a call hits it once.
#include "hal/prologue.h"

#include <array>
#include <cstring>
#include <optional>

#include "hal/x86_code.h"

namespace ingero::hal {
namespace {

constexpr uint32_t kMaxDelta = 64;

enum class Step : uint8_t {
  kEmulated,  // on every kernel we know
  kMaybe,     // multi-byte nops: emulated by recent kernels (6.18), single-stepped by older ones; harmless to move over
  kMovable,
  kStop,
};

// x86-64 ------------------------------------------------------------------------------------------------------------

bool is_endbr64(std::span<const uint8_t> code) {
  constexpr uint8_t kEndbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  return code.size() >= sizeof kEndbr64 && std::memcmp(code.data(), kEndbr64, sizeof kEndbr64) == 0;
}

bool is_nop90(const X86Instruction& insn) { return insn.map == 0 && insn.opcode == 0x90 && insn.rex == 0; }
bool is_long_nop(const X86Instruction& insn) { return insn.map == 1 && insn.opcode == 0x1f; }

// The kernel's own forms (x86_nops), which is what it compares with.
bool is_canonical_nop(std::span<const uint8_t> code, const X86Instruction& insn) {
  static constexpr uint8_t kForms[][8] = {
      {0x0f, 0x1f, 0x00},
      {0x0f, 0x1f, 0x40, 0x00},
      {0x0f, 0x1f, 0x44, 0x00, 0x00},
      {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
      {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
      {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
  };
  return insn.length >= 3 && insn.length <= 8 && std::memcmp(code.data(), kForms[insn.length - 3], insn.length) == 0;
}

bool is_push(const X86Instruction& insn) { return insn.map == 0 && insn.opcode >= 0x50 && insn.opcode <= 0x57; }

bool is_jcc(const X86Instruction& insn) {
  return (insn.map == 0 && insn.opcode >= 0x70 && insn.opcode <= 0x7f) ||
         (insn.map == 1 && insn.opcode >= 0x80 && insn.opcode <= 0x8f);
}

bool is_jump(const X86Instruction& insn) { return insn.map == 0 && (insn.opcode == 0xeb || insn.opcode == 0xe9); }

// No probe at all: the kernel's table of opcodes goes by the opcode byte alone, so that it holds for VEX and EVEX too
// ("vmovdqa" as a first instruction is refused because its 6f is "outs" without the prefix). Checked against 6.18.
bool is_refused(const X86Instruction& insn) {
  static constexpr OpcodeSet kRefused{
      {0x06, 0x07}, {0x0e, 0x0f}, {0x16, 0x17}, {0x1e, 0x1f}, {0x26, 0x27}, {0x2e, 0x2f}, {0x36, 0x37},
      {0x3e, 0x4f}, {0x60, 0x62}, {0x66, 0x67}, {0x6c, 0x6f}, {0x82, 0x82}, {0x9a, 0x9a}, {0xc4, 0xc5},
      {0xcc, 0xcf}, {0xd4, 0xd6}, {0xe4, 0xe7}, {0xea, 0xea}, {0xec, 0xf1}, {0xf4, 0xf4}, {0xfa, 0xfb}};
  if (insn.legacy_prefix) return true;
  return (insn.map == 0 || insn.map == X86Instruction::kVector) && kRefused[insn.opcode];
}

bool is_emulated(const X86Instruction& insn) {
  if (insn.legacy_prefix) return false;
  if (is_push(insn)) return insn.length == 1 || (insn.length == 2 && insn.rex == 0x41);
  if (insn.map == 0 && insn.opcode == 0xe8) return !insn.operand_16;
  if (is_jump(insn) || is_jcc(insn)) return !insn.operand_16;
  return is_nop90(insn);
}

// x86-64 registers by number (rax rcx rdx rbx rsp rbp rsi rdi r8...), one bit each.
using Registers = uint32_t;
constexpr Registers bit(unsigned reg) { return 1U << reg; }

// What the registers are to the bytes moved over.
struct RegisterUse {
  Registers scratch = 0;   // may be written: caller-saved, and not read by the capture
  Registers own_data = 0;  // written so far: with the library's own data, or with nothing that may be read through
};

// The callee need not restore them.
constexpr Registers kNoArgument = bit(0) | bit(10) | bit(11);
constexpr std::array<unsigned, 6> kArgumentOrder = {7, 6, 2, 1, 8, 9};  // rdi rsi rdx rcx r8 r9

Registers scratch_of(ArgumentRegisters captured) {
  Registers scratch = kNoArgument;
  for (size_t i = 0; i < kArgumentOrder.size(); ++i) {
    if ((captured >> i & 1) == 0) scratch |= bit(kArgumentOrder[i]);
  }
  return scratch;
}

// Memory whose read cannot fault: the library's own, also through a pointer in it, and the arguments on the stack (L2).
bool reads_safely(const X86Instruction& insn, const RegisterUse& use) {
  if (!insn.has_modrm || insn.register_form() || insn.odd_address) return false;
  if (insn.rip_relative() || insn.stack_relative()) return true;
  const bool is_absolute = (insn.modrm & 0xc7) == 0x05;
  return !insn.has_sib() && !is_absolute && (use.own_data & bit(insn.rm())) != 0;
}

// cmp and test, on registers, immediates and safe memory: they change the flags alone.
bool only_compares(const X86Instruction& insn, const RegisterUse& use) {
  if (insn.map != 0) return false;
  const bool operand_safe = insn.register_form() || reads_safely(insn, use);
  switch (insn.opcode) {
    case 0x38:
    case 0x39:
    case 0x3a:
    case 0x3b:
    case 0x84:
    case 0x85:
      return operand_safe;
    case 0x80:
    case 0x81:
    case 0x83:
      return operand_safe && insn.extension() == 7;
    case 0xf6:
    case 0xf7:
      return operand_safe && insn.extension() == 0;
    case 0x3c:
    case 0x3d:
    case 0xa8:
    case 0xa9:
      return true;
    default:
      return false;
  }
}

// A register that is filled, and whether what is in it then is the library's own data.
struct Fill {
  unsigned reg = 0;
  bool with_own_data = false;
};

// Fills a register and does nothing else: from a register, an immediate, an address, or safe memory.
std::optional<Fill> fill_of(const X86Instruction& insn, const RegisterUse& use) {
  const bool loads = reads_safely(insn, use);
  const Fill from_operand{insn.reg(), loads && !insn.stack_relative()};
  const bool operand_safe = insn.register_form() || loads;
  if (insn.map == 1) {  // movzx, movsx
    const bool extends = insn.opcode == 0xb6 || insn.opcode == 0xb7 || insn.opcode == 0xbe || insn.opcode == 0xbf;
    return extends && operand_safe ? std::optional(from_operand) : std::nullopt;
  }
  if (insn.map != 0) return std::nullopt;
  switch (insn.opcode) {
    case 0x89:
      return insn.register_form() ? std::optional(Fill{insn.rm()}) : std::nullopt;
    case 0x63:  // movsxd
    case 0x8b:
      return operand_safe ? std::optional(from_operand) : std::nullopt;
    case 0x31:
    case 0x33:
      return insn.register_form() && insn.rm() == insn.reg() ? std::optional(Fill{insn.reg()}) : std::nullopt;
    case 0x8d:  // lea
      return insn.register_form() ? std::nullopt : std::optional(Fill{insn.reg(), insn.rip_relative()});
    case 0xc7:
      return insn.register_form() && insn.extension() == 0 ? std::optional(Fill{insn.rm()}) : std::nullopt;
    default:
      return insn.opcode >= 0xb8 && insn.opcode <= 0xbf ? std::optional(Fill{insn.opcode_register()}) : std::nullopt;
  }
}

// Whether it only fills a scratch register (L1); `use` then knows with what.
bool only_fills_scratch(const X86Instruction& insn, RegisterUse& use) {
  const auto fill = fill_of(insn, use);
  if (!fill || (use.scratch & bit(fill->reg)) == 0) return false;
  use.own_data = fill->with_own_data ? use.own_data | bit(fill->reg) : use.own_data & ~bit(fill->reg);
  return true;
}

std::string_view x86_name(std::span<const uint8_t> code, const X86Instruction& insn) {
  if (is_endbr64(code)) return "endbr64";
  if (is_nop90(insn) || is_long_nop(insn)) return "nop";
  if (is_push(insn)) return "push";
  if (is_jcc(insn)) return "jcc";
  if (is_jump(insn)) return "jmp";
  if (insn.map != 0) return "other";
  static constexpr std::string_view kArithmetic[] = {"add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"};
  const uint8_t opcode = insn.opcode;
  if (opcode < 0x40 && (opcode & 7) < 6) return kArithmetic[opcode >> 3];
  if (opcode >= 0x80 && opcode <= 0x83) return kArithmetic[insn.extension()];
  if (opcode >= 0xb0 && opcode <= 0xbf) return "mov";
  switch (opcode) {
    case 0x63:
    case 0x88:
    case 0x89:
    case 0x8a:
    case 0x8b:
    case 0xc6:
    case 0xc7:
      return "mov";
    case 0x68:
    case 0x6a:
      return "push";
    case 0x84:
    case 0x85:
    case 0xa8:
    case 0xa9:
      return "test";
    case 0xf6:
    case 0xf7:
      return insn.extension() < 2 ? "test" : "other";
    case 0x8d:
      return "lea";
    case 0xc3:
    case 0xc2:
      return "ret";
    case 0xe8:
      return "call";
    case 0xff:
      return insn.extension() == 4 ? "jmp" : insn.extension() == 2 ? "call" : "other";
    default:
      return "other";
  }
}

Step x86_step(std::span<const uint8_t> code, const X86Instruction& insn, RegisterUse& use) {
  if (is_emulated(insn)) return Step::kEmulated;
  if (is_canonical_nop(code, insn)) return Step::kMaybe;
  if (is_endbr64(code) || is_long_nop(insn) || only_compares(insn, use) || only_fills_scratch(insn, use)) {
    return Step::kMovable;
  }
  return Step::kStop;
}

// Does a branch end in the bytes moved over, or at the probe (L3)? Decodes the function in sequence; from a byte it
// cannot decode on, takes every byte for a possible branch: a false alarm only costs speed.
bool branches_into(std::span<const uint8_t> code, uint32_t delta) {
  const auto lands = [delta](uint64_t next, int32_t relative) {
    const auto target = static_cast<int64_t>(next) + relative;
    return target > 0 && target <= static_cast<int64_t>(delta);
  };
  size_t at = 0;
  while (at < code.size()) {
    const auto insn = decode_x86(code.subspan(at));
    if (!insn) break;
    at += insn->length;
    if (insn->direct_branch && lands(at, insn->relative)) return true;
  }
  for (; at + 1 < code.size(); ++at) {
    const uint8_t byte = code[at];
    const bool short_branch = (byte >= 0x70 && byte <= 0x7f) || (byte >= 0xe0 && byte <= 0xe3) || byte == 0xeb;
    if (short_branch && lands(at + 2, static_cast<int8_t>(code[at + 1]))) return true;
    int32_t relative = 0;
    const size_t opcode_bytes = byte == 0xe8 || byte == 0xe9                    ? 1
                                : byte == 0x0f && (code[at + 1] & 0xf0) == 0x80 ? 2
                                                                                : 0;
    if (opcode_bytes == 0 || at + opcode_bytes + sizeof relative > code.size()) continue;
    std::memcpy(&relative, code.data() + at + opcode_bytes, sizeof relative);
    if (lands(at + opcode_bytes + sizeof relative, relative)) return true;
  }
  return false;
}

ProbePoint stay_x86(std::span<const uint8_t> code) {
  const auto first = decode_x86(code);
  if (!first) return {0, true, false, "unknown"};
  const bool quick = is_emulated(*first) || is_canonical_nop(code, *first);
  return {0, !quick, is_refused(*first), x86_name(code, *first)};
}

// Of 32-bit code the probe stays at the symbol. What begins it means the same there as in 64-bit code but for the
// opcodes that are REX there, and the kernel refuses fewer of them (good_insns_32).
ProbePoint stay_x86_32(std::span<const uint8_t> code) {
  static constexpr OpcodeSet kRefused{{0x06, 0x07}, {0x0e, 0x0e}, {0x16, 0x17}, {0x1e, 0x1f},
                                      {0x63, 0x63}, {0x6c, 0x6f}, {0xcc, 0xcf}, {0xe4, 0xe7},
                                      {0xec, 0xef}, {0xf1, 0xf1}, {0xf4, 0xf4}, {0xfa, 0xfb}};
  constexpr OpcodeSet kBadPrefix{{0x26, 0x26}, {0x2e, 0x2e}, {0x36, 0x36}, {0x3e, 0x3e}, {0xf0, 0xf0}};
  constexpr uint8_t kEndbr32[] = {0xf3, 0x0f, 0x1e, 0xfb};
  if (code.empty()) return {0, true, false, "unknown"};
  const uint8_t opcode = code[0];
  if (code.size() >= sizeof kEndbr32 && std::memcmp(code.data(), kEndbr32, sizeof kEndbr32) == 0) {
    return {0, true, false, "endbr32"};
  }
  if (opcode >= 0x40 && opcode <= 0x4f) return {0, true, false, opcode < 0x48 ? "inc" : "dec"};
  const bool is_refused_here = kRefused[opcode] || kBadPrefix[opcode];
  const auto first = decode_x86(code);
  if (!first) return {0, true, is_refused_here, "unknown"};
  return {0, !is_emulated(*first), is_refused_here, x86_name(code, *first)};
}

ProbePoint choose_x86(std::span<const uint8_t> code, ArgumentRegisters captured) {
  const ProbePoint stay = stay_x86(code);
  RegisterUse use{scratch_of(captured), 0};
  std::optional<ProbePoint> second_best;
  for (uint32_t delta = 0; delta <= kMaxDelta;) {
    const auto rest = code.subspan(delta);
    const auto insn = decode_x86(rest);
    if (!insn) break;
    const Step step = x86_step(rest, *insn, use);
    const ProbePoint here{delta, false, false, x86_name(rest, *insn)};
    if (step == Step::kEmulated) return delta != 0 && branches_into(code, delta) ? stay : here;
    if (step == Step::kStop) break;
    if (step == Step::kMaybe && !second_best) second_best = here;
    delta += insn->length;
  }
  if (second_best && (second_best->delta == 0 || !branches_into(code, second_best->delta))) return *second_best;
  return stay;
}

// arm64 -------------------------------------------------------------------------------------------------------------

constexpr uint32_t kNop = 0xd503201f;                                     // simulated by recent kernels
bool is_bti(uint32_t word) { return (word & 0xffffff3f) == 0xd503241f; }  // bti, bti c, bti j, bti jc

// Simulated by the kernel: branches and addresses relative to the program counter. pacia* signs the return address, so
// nothing moves past it; it is single-stepped like any other instruction.
bool is_simulated(uint32_t word) {
  return (word & 0x7c000000) == 0x14000000      // b, bl
         || (word & 0xff000010) == 0x54000000   // b.cond
         || (word & 0x7e000000) == 0x34000000   // cbz, cbnz
         || (word & 0x7e000000) == 0x36000000   // tbz, tbnz
         || (word & 0xff9ffc1f) == 0xd61f0000   // br, blr, ret
         || (word & 0x1f000000) == 0x10000000;  // adr, adrp
}

bool is_literal_load(uint32_t word) { return (word & 0x3b000000) == 0x18000000; }

// Hints that may be stepped: nop, xpaclri, pac*, aut*, bti.
bool is_steppable_hint(uint32_t word) {
  constexpr uint64_t kAllowed = 1ULL << 0 | 1ULL << 7 | 0x55ULL << 8 | 0xffULL << 24 | 0x55ULL << 32;
  const unsigned hint = (word >> 5) & 0x7f;
  return hint < 64 && (kAllowed >> hint & 1) != 0;
}

// No probe at all. Literal loads: taken until 6.12, but they read the wrong memory.
bool is_arm64_refused(uint32_t word) {
  return is_literal_load(word)                                                      //
         || (word & 0x3f800000) == 0x08000000                                       // exclusive loads and stores
         || (word & 0xff000000) == 0xd4000000                                       // svc, brk and their like
         || (word & 0xfff00000) == 0xd5100000 || (word & 0xfff8f01f) == 0xd500401f  // msr
         || ((word & 0xfffff01f) == 0xd503201f && !is_steppable_hint(word));
}

std::string_view arm64_name(uint32_t word) {
  if (word == kNop) return "nop";
  if (is_bti(word)) return "bti";
  if (word == 0xd503233f || word == 0xd503237f) return "paciasp";
  if ((word & 0x1f000000) == 0x10000000) return "adr";
  if (is_literal_load(word)) return "ldr";
  if (is_simulated(word)) return "branch";
  if ((word & 0x7fc00000) == 0x29800000) return "stp";
  if ((word & 0x7f000000) == 0x51000000) return "sub";
  return "other";
}

// Reads word i of the code, as long as it is there.
std::optional<uint32_t> word_at(std::span<const uint8_t> code, size_t offset) {
  uint32_t word = 0;
  if (offset > code.size() || sizeof word > code.size() - offset) return std::nullopt;
  std::memcpy(&word, code.data() + offset, sizeof word);
  return word;
}

// How wide the target of a direct branch is, in words from it; 0 for other instructions.
unsigned displacement_bits(uint32_t word) {
  if ((word & 0x7c000000) == 0x14000000) return 26;                                       // b, bl
  if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000) return 19;  // b.cond, cbz, cbnz
  if ((word & 0x7e000000) == 0x36000000) return 14;                                       // tbz, tbnz
  return 0;
}

bool arm64_branches_into(std::span<const uint8_t> code, uint32_t delta) {
  for (size_t at = 0; const auto word = word_at(code, at); at += sizeof *word) {
    const unsigned bits = displacement_bits(*word);
    if (bits == 0) continue;
    const unsigned shift = bits == 26 ? 0 : 5;
    const uint32_t field = *word >> shift << (32 - bits);
    const int64_t target = static_cast<int64_t>(at) + int64_t{static_cast<int32_t>(field) >> (32 - bits)} * 4;
    if (target > 0 && target <= static_cast<int64_t>(delta)) return true;
  }
  return false;
}

ProbePoint stay_arm64(std::span<const uint8_t> code) {
  const auto first = word_at(code, 0);
  if (!first) return {0, true, false, "unknown"};
  return {0, !is_simulated(*first) && *first != kNop, is_arm64_refused(*first), arm64_name(*first)};
}

ProbePoint choose_arm64(std::span<const uint8_t> code) {
  const ProbePoint stay = stay_arm64(code);
  for (uint32_t delta = 0; delta <= kMaxDelta; delta += sizeof(uint32_t)) {
    const auto word = word_at(code, delta);
    if (!word) break;
    if (is_simulated(*word)) {
      return delta != 0 && arm64_branches_into(code, delta) ? stay : ProbePoint{delta, false, false, arm64_name(*word)};
    }
    if (!is_bti(*word) && *word != kNop) break;
  }
  return stay;
}

}  // namespace

ArgumentRegisters captured_registers(const wire_recipe& recipe) {
  ArgumentRegisters captured = 0;
  for (size_t word = 0; word < recipe.n_words; ++word) {
    const Source source = source_of(recipe, word);
    if (!source.on_stack && !source.is_result) captured |= 1U << source.index;
  }
  return captured;
}

ProbePoint choose_probe_point(std::span<const uint8_t> code, Arch arch, ArgumentRegisters captured) {
  switch (arch) {
    case Arch::kX86_64:
      return choose_x86(code, captured);
    case Arch::kX86_32:
      return stay_x86_32(code);
    case Arch::kArm64:
      break;
  }
  return choose_arm64(code);
}

ProbePoint probe_point_at_symbol(std::span<const uint8_t> code, Arch arch) {
  return arch == Arch::kX86_64 ? stay_x86(code) : arch == Arch::kX86_32 ? stay_x86_32(code) : stay_arm64(code);
}

}  // namespace ingero::hal
