// What unwinding needs to know of x86-64, 32-bit x86 and arm64: register numbers, call instructions, signal frames.
#include "symbols/machine.h"

#include <cstring>

namespace ingero::symbols {
namespace {

// e8 rel32; ff /2 with its addressing forms (Intel SDM vol. 2).
bool x86_ends_in_call(std::span<const std::byte> code) {
  const auto at = [&](size_t back) { return std::to_integer<uint8_t>(code[code.size() - back]); };
  if (code.size() >= 5 && at(5) == 0xe8) return true;
  for (const size_t back : {size_t{2}, size_t{3}, size_t{4}, size_t{6}, size_t{7}}) {
    if (code.size() >= back && at(back) == 0xff && (at(back - 1) >> 3 & 7) == 2) return true;
  }
  return false;
}

// bl; blr; blraa, blrab and their forms with a zero modifier (Arm ARM C4.1).
bool arm64_ends_in_call(std::span<const std::byte> code) {
  uint32_t word = 0;
  if (code.size() < sizeof word) return false;
  std::memcpy(&word, code.data() + code.size() - sizeof word, sizeof word);
  return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000 || (word & 0xfefff800) == 0xd63f0800;
}

// mov x8, #139 (rt_sigreturn); svc #0: __kernel_rt_sigreturn of the kernel's vdso, without tables since 5.8.
constexpr std::array<std::byte, 8> kArm64SignalReturn = {std::byte{0x68}, std::byte{0x11}, std::byte{0x80},
                                                         std::byte{0xd2}, std::byte{0x01}, std::byte{0x00},
                                                         std::byte{0x00}, std::byte{0xd4}};
// struct rt_sigframe (arch/arm64/kernel/signal.c): siginfo, then ucontext, whose mcontext (asm/sigcontext.h) begins
// with the fault address.
constexpr uint64_t kArm64SignalRegisters = 128 + 176 + 8;

constexpr Machine kX86_64 = {.frame_pointer = 6,
                             .stack_pointer = 7,
                             .return_address = 16,
                             .program_counter = 16,
                             .saved = {3, 12, 13, 14, 15},
                             .n_saved = 5,
                             .record_tops_frame = true,
                             .longest_call = 7,
                             .ends_in_call = x86_ends_in_call};

// The caller's si and di are not copied: they stay unknown.
constexpr Machine kX86_32 = {.word_bytes = 4,
                             .frame_pointer = 5,
                             .stack_pointer = 4,
                             .return_address = 8,
                             .program_counter = 8,
                             .saved = {3},
                             .n_saved = 1,
                             .record_tops_frame = true,
                             .address_mask = UINT32_MAX,
                             .longest_call = 7,
                             .ends_in_call = x86_ends_in_call};

constexpr Machine kArm64 = {.frame_pointer = 29,
                            .stack_pointer = 31,
                            .return_address = 30,
                            .link = 30,
                            .saved = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28},
                            .n_saved = 10,
                            .address_mask = (uint64_t{1} << 48) - 1,
                            .signal_return = kArm64SignalReturn,
                            .signal_registers = kArm64SignalRegisters,
                            .signal_stack_pointer = kArm64SignalRegisters + 31 * 8,
                            .signal_place = kArm64SignalRegisters + 32 * 8,
                            .longest_call = 4,
                            .ends_in_call = arm64_ends_in_call};

}  // namespace

const Machine& machine_of(hal::Arch arch) {
  switch (arch) {
    case hal::Arch::kX86_64:
      return kX86_64;
    case hal::Arch::kX86_32:
      return kX86_32;
    case hal::Arch::kArm64:
      break;
  }
  return kArm64;
}

}  // namespace ingero::symbols
