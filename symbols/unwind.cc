// Walks a copied stack frame by frame, by call frame information or the frame pointer, to its return addresses.
#include "symbols/unwind.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ingero::symbols {
namespace {

// Of a thread that was where its pc says, and had not just returned from a call.
bool is_in_place(const wire_stack& stack) { return stack.reason >= WIRE_STACK_WAITING; }

// Its page could not be read.
bool is_in_hole(const wire_stack& stack, uint64_t address) {
  const uint64_t bottom = stack.registers[WIRE_STACK_SP] - stack.below;
  const uint64_t page = address / WIRE_STACK_PAGE - bottom / WIRE_STACK_PAGE;
  return page < 32 && (stack.holes >> page & 1) != 0;
}

Registers registers_of(const Machine& machine, const wire_stack& stack) {
  Registers registers;
  // Of the upper half of a register 32-bit code says nothing.
  const uint64_t mask = machine.word_bytes == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
  registers.pc = stack.registers[WIRE_STACK_IP] & mask;
  registers.set(machine.stack_pointer, stack.registers[WIRE_STACK_SP] & mask);
  registers.set(machine.frame_pointer, stack.registers[WIRE_STACK_BP] & mask);
  for (size_t i = 0; i < machine.n_saved; ++i) {
    registers.set(machine.saved[i], stack.registers[WIRE_STACK_SAVED + i] & mask);
  }
  // A thread that waits, spins or computes may be in a function that has not stored it; one that called has.
  if (machine.link != Machine::kNone && is_in_place(stack)) {
    registers.set(machine.link, stack.registers[WIRE_STACK_LINK]);
  }
  return registers;
}

bool follows_a_call(const Machine& machine, const Code& code) {
  if (!code.file) return false;
  const auto bytes = code.file->code_at(code.address - machine.longest_call, machine.longest_call);
  return bytes.size() == machine.longest_call && machine.ends_in_call(bytes);
}

// From where a signal's handler returned to, to what the signal interrupted.
bool leave_signal(const Machine& machine, const Code& code, const ReadStack& read, Registers& registers) {
  if (machine.signal_place == 0 || !code.file || !registers.has(machine.stack_pointer)) return false;
  const auto bytes = code.file->code_at(code.address, machine.signal_return.size());
  if (!std::equal(bytes.begin(), bytes.end(), machine.signal_return.begin(), machine.signal_return.end())) return false;
  const uint64_t frame = registers.values[machine.stack_pointer];
  const auto pc = read(frame + machine.signal_place), sp = read(frame + machine.signal_stack_pointer);
  if (!pc || !sp || *sp <= frame) return false;
  Registers interrupted;
  const auto take = [&](unsigned number) {
    if (const auto value = read(frame + machine.signal_registers + number * sizeof(uint64_t))) {
      interrupted.set(number, *value);
    }
  };
  for (const unsigned number : machine.saved_registers()) take(number);
  take(machine.frame_pointer);
  take(machine.link);
  interrupted.set(machine.stack_pointer, *sp);
  interrupted.pc = *pc;
  registers = interrupted;
  return true;
}

}  // namespace

// By the file that the innermost frame is in; where that is not known, a 64-bit thread's stack is not so low.
bool Unwinder::is_narrow(const wire_stack& stack, AddressSpace& space) const {
  if (!has_narrow_) return false;
  const Code code = space.find(stack.registers[WIRE_STACK_IP]);
  if (code.file) return code.file->is_narrow();
  return stack.registers[WIRE_STACK_SP] <= UINT32_MAX && stack.registers[WIRE_STACK_IP] <= UINT32_MAX;
}

NativeStack Unwinder::unwind(const wire_stack& stack, std::span<const std::byte> bytes, AddressSpace& space) {
  Rules& rules = is_narrow(stack, space) ? narrow_ : native_;
  const Machine& machine = rules.machine;
  NativeStack result;
  const uint64_t bottom = stack.registers[WIRE_STACK_SP] - stack.below;
  const size_t n_returns = std::min<size_t>(stack.n_returns, WIRE_STACK_RETURNS);
  const bool on_stack = machine.link == Machine::kNone;
  // The kernel's trampoline stands where these were. Where calls leave the return address in a register it is known by
  // the stack pointer of the call, which is the caller's, and stands wherever the function put it.
  const auto replaced = [&](uint64_t address) -> std::optional<uint64_t> {
    for (size_t i = 0; i < n_returns; ++i) {
      if (stack.returns[i].sp == address) return stack.returns[i].address;
    }
    return std::nullopt;
  };
  const ReadStack read = [&](uint64_t address) -> std::optional<uint64_t> {
    const auto returns = on_stack ? replaced(address) : std::nullopt;
    if (returns) return returns;
    if (address < bottom || address - bottom > bytes.size() || bytes.size() - (address - bottom) < machine.word_bytes) {
      return std::nullopt;
    }
    if (is_in_hole(stack, address) || is_in_hole(stack, address + machine.word_bytes - 1)) return std::nullopt;
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + (address - bottom), machine.word_bytes);  // little-endian
    return word;
  };

  Registers registers = registers_of(machine, stack);
  uint64_t frames_end = stack.registers[WIRE_STACK_SP];  // of those walked: the next frame is above it
  // A return address is the instruction after the call; the pc of a thread that waits, spins or computes is exact.
  bool is_return_address = !is_in_place(stack);
  while (result.frames.size() < kMaxFrames) {
    NativeFrame frame{space.find(registers.pc), is_return_address};
    const bool was_unknown = !result.frames.empty() && !result.frames.back().code.file;
    if (frame.code.file || !was_unknown) result.frames.push_back(frame);
    bool is_signal_frame = false;
    Step step = Step::kNoRules;
    if (frame.code.file) {
      step = rules.cfi.step(*frame.code.file, frame.lookup_address(), read, registers, is_signal_frame);
    }
    if (step == Step::kBottom) {
      result.is_whole = true;
      break;
    }
    if (step == Step::kCaller) {
      frames_end = registers.values[machine.stack_pointer];
      if (!on_stack) registers.pc = replaced(frames_end).value_or(registers.pc);
      is_return_address = !is_signal_frame;
      continue;
    }
    if (step == Step::kNoRules && leave_signal(machine, frame.code, read, registers)) {
      frames_end = registers.values[machine.stack_pointer];
      is_return_address = false;
      continue;
    }
    // Rules that start from the stack pointer, and it is not known: only the frame pointer is left.
    if (step == Step::kUnread && registers.has(machine.stack_pointer)) break;
    // No rules for this code. If it keeps a frame pointer, the caller is found there; if not, the pointer is that of a
    // frame further out, and the frames in between stay unknown.
    if (!registers.has(machine.frame_pointer)) break;
    const uint64_t pointer = registers.values[machine.frame_pointer];
    if (pointer < frames_end || pointer % machine.word_bytes != 0) break;
    const auto saved = read(pointer), caller = read(pointer + machine.word_bytes);
    if (!saved || !caller) break;
    const uint64_t address = machine.code_address(*caller);
    const Code place = space.find(address);
    if (place.file ? !follows_a_call(machine, place) : !space.is_executable(address)) break;
    if (frame.code.file) result.frames.push_back({{nullptr, 0}, true});
    frames_end = pointer + 2 * machine.word_bytes;
    Registers next;
    next.pc = address;
    // Elsewhere the record lies somewhere in the frame: how far that reaches is not known.
    if (machine.record_tops_frame) next.set(machine.stack_pointer, frames_end);
    next.set(machine.frame_pointer, *saved);
    registers = next;
    is_return_address = true;
  }
  return result;
}

}  // namespace ingero::symbols
