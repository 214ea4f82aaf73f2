// The walk.
#include "symbols/unwind.h"

#include <array>
#include <cstring>

namespace ingero::symbols {
namespace {

Registers registers_of(const wire_stack& stack) {
  Registers registers;
  registers.pc = stack.registers[WIRE_STACK_IP];
  registers.set(kStackPointer, stack.registers[WIRE_STACK_SP]);
  registers.set(kFramePointer, stack.registers[WIRE_STACK_BP]);
  for (size_t i = 0; i < kSaved.size(); ++i) registers.set(kSaved[i], stack.registers[WIRE_STACK_SAVED + i]);
  return registers;
}

#if defined(__aarch64__)
bool follows_a_call(const Code&) { return true; }
#else
// Does an instruction that calls end at `code`? (Intel SDM vol. 2: e8 rel32; ff /2 with its addressing forms.)
bool follows_a_call(const Code& code) {
  if (!code.file) return false;
  constexpr size_t kLongest = 7;
  const auto bytes = code.file->code_at(code.address - kLongest, kLongest);
  if (bytes.size() < kLongest) return false;
  const auto at = [&](size_t back) { return std::to_integer<uint8_t>(bytes[kLongest - back]); };
  if (at(5) == 0xe8) return true;
  for (const size_t back : {size_t{2}, size_t{3}, size_t{4}, size_t{6}, size_t{7}}) {
    if (at(back) == 0xff && (at(back - 1) >> 3 & 7) == 2) return true;
  }
  return false;
}
#endif

}  // namespace

NativeStack Unwinder::unwind(const wire_stack& stack, std::span<const std::byte> bytes, AddressSpace& space) {
  NativeStack result;
  const uint64_t bottom = stack.registers[WIRE_STACK_SP] - stack.below;
  const size_t n_returns = std::min<size_t>(stack.n_returns, WIRE_STACK_RETURNS);
  const ReadStack read = [&](uint64_t address) -> std::optional<uint64_t> {
    // The kernel's trampoline stands where these were.
    for (size_t i = 0; i < n_returns; ++i) {
      if (stack.returns[i].sp == address) return stack.returns[i].address;
    }
    if (address < bottom || address - bottom > bytes.size() || bytes.size() - (address - bottom) < sizeof(uint64_t)) {
      return std::nullopt;
    }
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + (address - bottom), sizeof(word));
    return word;
  };

  Registers registers = registers_of(stack);
  // A call that has returned: its caller stands behind the call. A thread that waits or spins stands where it stands.
  bool is_return_address = stack.reason != WIRE_STACK_WAITING;
  while (result.frames.size() < kMostFrames) {
    NativeFrame frame{space.find(registers.pc), is_return_address};
    const bool was_unknown = !result.frames.empty() && !result.frames.back().code.file;
    if (frame.code.file || !was_unknown) result.frames.push_back(frame);
    bool is_signal_frame = false;
    Step step = Step::kNoRules;
    if (frame.code.file) {
      step = cfi_.step(*frame.code.file, frame.lookup_address(), read, registers, is_signal_frame);
    }
    if (step == Step::kBottom) {
      result.is_whole = true;
      break;
    }
    if (step == Step::kUnread) break;
    if (step == Step::kCaller) {
      is_return_address = !is_signal_frame;
      continue;
    }
    // Nothing is said of this code. If it keeps a frame pointer the caller is there; if it does not, the pointer is
    // that of a frame further out, and what is between stays unknown.
    if (!registers.has(kFramePointer)) break;
    const uint64_t pointer = registers.values[kFramePointer];
    if (pointer < registers.values[kStackPointer] || pointer % sizeof(uint64_t) != 0) break;
    const auto saved = read(pointer), caller = read(pointer + sizeof(uint64_t));
    if (!saved || !caller) break;
    const Code place = space.find(*caller);
    if (place.file ? !follows_a_call(place) : !space.is_executable(*caller)) break;
    if (frame.code.file) result.frames.push_back({{nullptr, 0}, true});
    Registers next;
    next.pc = *caller;
    next.set(kStackPointer, pointer + 2 * sizeof(uint64_t));
    next.set(kFramePointer, *saved);
    registers = next;
    is_return_address = true;
  }
  return result;
}

}  // namespace ingero::symbols
