// Follows both arguments through copies between registers, in the order of the instructions and not of their execution:
// compilers copy arguments to registers that calls preserve, once, and put the load into a far block behind checks and
// logging. Seen so in NCCL 2.22 to 2.29 (gcc) and RCCL 2.13 (clang), x86-64; for arm64, of code compiled for the test.
#include "hal/accessor.h"

#include <array>
#include <cstring>

#include "hal/x86_code.h"

namespace ingero::hal {
namespace {

constexpr unsigned kNear = 4;  // instructions from the load to the store, no call among them

// What the registers hold. A register that calls preserve holds an argument for good: its restoration at a return
// says nothing of the blocks behind.
class Registers {
 public:
  Registers(unsigned object, unsigned answer) {
    held_[object].object = 0;
    held_[answer].is_answer = true;
  }
  // How far behind the object it points; none: elsewhere.
  std::optional<uint32_t> object(unsigned reg) const { return held_[reg].object; }
  bool is_answer(unsigned reg) const { return held_[reg].is_answer; }
  void copy(unsigned from, unsigned to, uint32_t behind = 0) {
    held_[to] = held_[from];
    if (held_[to].object) *held_[to].object += behind;
    if (behind != 0) held_[to].is_answer = false;
  }
  void call(uint32_t clobbered) {
    for (size_t reg = 0; reg < held_.size(); ++reg) {
      if ((clobbered >> reg & 1) != 0) held_[reg] = {};
    }
  }

 private:
  struct Held {
    std::optional<uint32_t> object;
    bool is_answer = false;
  };
  std::array<Held, 32> held_{};
};

// A load that has not been stored yet, and what was found so far.
class Search {
 public:
  void load(unsigned reg, uint32_t offset) { loads_[reg] = {offset, kNear + 1}; }
  void store(unsigned reg) {
    if (loads_[reg].left == 0) return;
    if (found_ && *found_ != loads_[reg].offset) is_ambiguous_ = true;
    found_ = loads_[reg].offset;
  }
  void next() {
    for (Load& load : loads_) load.left -= load.left > 0 ? 1 : 0;
  }
  void call() { loads_ = {}; }
  std::optional<uint32_t> answer() const { return is_ambiguous_ ? std::nullopt : found_; }

 private:
  struct Load {
    uint32_t offset = 0;
    unsigned left = 0;  // instructions in which a store counts
  };
  std::array<Load, 32> loads_{};
  std::optional<uint32_t> found_;
  bool is_ambiguous_ = false;
};

std::optional<uint32_t> of_x86(std::span<const uint8_t> code) {
  constexpr unsigned kFirst = 7, kSecond = 6;  // rdi, rsi
  // rax rcx rdx rsi rdi r8 to r11
  constexpr uint32_t kClobbered = 1U << 0 | 1U << 1 | 1U << 2 | 1U << 6 | 1U << 7 | 0xfU << 8;
  Registers registers(kFirst, kSecond);
  Search search;
  while (!code.empty()) {
    const auto insn = decode_x86(code);
    if (!insn) break;
    code = code.subspan(insn->length);
    search.next();
    const bool is_plain = insn->map == 0 && !insn->operand_16 && !insn->odd_address && !insn->legacy_prefix;
    const bool is_wide = (insn->rex & 8U) != 0;
    if (insn->map == 0 && (insn->opcode == 0xe8 || (insn->opcode == 0xff && insn->extension() == 2))) {
      registers.call(kClobbered);
      search.call();
    } else if (is_plain && insn->opcode == 0x89 && insn->register_form() && is_wide) {
      registers.copy(insn->reg(), insn->rm());
    } else if (is_plain && insn->opcode == 0x8b && insn->register_form() && is_wide) {
      registers.copy(insn->rm(), insn->reg());
    } else if (is_plain && insn->opcode == 0x8b && !is_wide) {
      const auto base = insn->base();
      const auto behind = base ? registers.object(*base) : std::nullopt;
      if (behind && insn->displacement >= 0) {
        search.load(insn->reg(), *behind + static_cast<uint32_t>(insn->displacement));
      }
    } else if (is_plain && insn->opcode == 0x89 && !is_wide) {
      const auto base = insn->base();
      if (base && registers.is_answer(*base) && insn->displacement == 0) search.store(insn->reg());
    }
  }
  return search.answer();
}

std::optional<uint32_t> of_arm64(std::span<const uint8_t> code) {
  constexpr uint32_t kClobbered = 0x4007ffff;  // x0 to x18, x30
  Registers registers(0, 1);
  Search search;
  std::array<std::optional<uint32_t>, 32> constants{};
  for (; code.size() >= sizeof(uint32_t); code = code.subspan(sizeof(uint32_t))) {
    uint32_t word = 0;
    std::memcpy(&word, code.data(), sizeof word);
    const unsigned to = word & 31, base = word >> 5 & 31, other = word >> 16 & 31;
    search.next();
    if ((word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000) {  // bl, blr
      registers.call(kClobbered);
      search.call();
    } else if ((word & 0xffe0ffe0) == 0xaa0003e0) {  // mov xd, xm
      registers.copy(other, to);
    } else if ((word & 0xff800000) == 0x91000000) {  // add xd, xn, #imm
      const uint32_t amount = (word >> 10 & 0xfff) << ((word >> 22 & 1) != 0 ? 12 : 0);
      if (base != 31 && to != 31) registers.copy(base, to, amount);
    } else if ((word & 0x7fe00000) == 0x52800000) {  // movz, low half
      constants[to] = word >> 5 & 0xffff;
    } else if ((word & 0x7fe00000) == 0x72a00000 && constants[to]) {  // movk, lsl 16
      constants[to] = (*constants[to] & 0xffff) | (word >> 5 & 0xffff) << 16;
    } else if ((word & 0xffc00000) == 0xb9400000) {  // ldr wd, [xn, #imm]
      if (const auto behind = registers.object(base)) search.load(to, *behind + (word >> 10 & 0xfff) * 4);
    } else if ((word & 0xffe0fc00) == 0xb8606800) {  // ldr wd, [xn, xm]
      const auto behind = registers.object(base);
      if (behind && constants[other]) search.load(to, *behind + *constants[other]);
    } else if ((word & 0xfffffc00) == 0xb9000000) {  // str wd, [xn]
      if (registers.is_answer(base)) search.store(to);
    }
  }
  return search.answer();
}

}  // namespace

std::optional<uint32_t> offset_answered(std::span<const uint8_t> code, Arch arch) {
  switch (arch) {
    case Arch::kX86_64:
      return of_x86(code);
    case Arch::kArm64:
      return of_arm64(code);
    case Arch::kX86_32:  // no such library has 32 bits
      break;
  }
  return std::nullopt;
}

}  // namespace ingero::hal
