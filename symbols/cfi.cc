// Converts libdw's unwind rules for an address to a compact form, and computes the caller's registers from them.
#include "symbols/cfi.h"

#include <elfutils/libdw.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <dwarf.h>

#include "symbols/elf_image.h"
#include "symbols/frame_entry.h"

namespace ingero::symbols {
namespace {

struct CfiEnd {
  void operator()(Dwarf_CFI* cfi) const { dwarf_cfi_end(cfi); }
};
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

constexpr size_t kMaxOperations = 64;  // of one expression; real ones have a dozen

// The value of an expression: of .eh_frame only what compilers and C libraries write there. Long because it is one
// switch over operations, in three parts by how many values of the stack each needs.
std::optional<uint64_t> evaluate(std::span<const Dwarf_Op> operations, const Registers& registers,
                                 const ReadStack& read, unsigned program_counter, std::optional<uint64_t> cfa) {
  std::vector<uint64_t> stack;
  if (operations.size() > kMaxOperations) return std::nullopt;
  const auto pop = [&stack]() {
    const uint64_t top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Dwarf_Op& operation : operations) {
    const unsigned code = operation.atom;
    if (code >= DW_OP_lit0 && code <= DW_OP_lit31) {
      stack.push_back(code - DW_OP_lit0);
      continue;
    }
    if (code >= DW_OP_breg0 && code <= DW_OP_breg31) {
      const unsigned number = code - DW_OP_breg0;
      const bool is_pc = number == program_counter;
      if (!is_pc && !registers.has(number)) return std::nullopt;
      stack.push_back((is_pc ? registers.pc : registers.values[number]) + operation.number);
      continue;
    }
    switch (code) {
      case DW_OP_call_frame_cfa:
        if (!cfa) return std::nullopt;
        stack.push_back(*cfa);
        continue;
      case DW_OP_bregx:
        if (!registers.has(operation.number)) return std::nullopt;
        stack.push_back(registers.values[operation.number] + operation.number2);
        continue;
      case DW_OP_addr:
      case DW_OP_const1u:
      case DW_OP_const1s:
      case DW_OP_const2u:
      case DW_OP_const2s:
      case DW_OP_const4u:
      case DW_OP_const4s:
      case DW_OP_const8u:
      case DW_OP_const8s:
      case DW_OP_constu:
      case DW_OP_consts:
        stack.push_back(operation.number);  // libdw has extended the sign
        continue;
      default:
        break;
    }
    if (stack.empty()) return std::nullopt;
    switch (code) {
      case DW_OP_plus_uconst:
        stack.back() += operation.number;
        continue;
      case DW_OP_deref: {
        const auto word = read(stack.back());
        if (!word) return std::nullopt;
        stack.back() = *word;
        continue;
      }
      case DW_OP_dup:
        stack.push_back(stack.back());
        continue;
      case DW_OP_drop:
        stack.pop_back();
        continue;
      case DW_OP_neg:
        stack.back() = 0 - stack.back();
        continue;
      case DW_OP_not:
        stack.back() = ~stack.back();
        continue;
      default:
        break;
    }
    if (stack.size() < 2) return std::nullopt;
    const uint64_t right = pop();
    uint64_t& left = stack.back();
    const auto signed_left = static_cast<int64_t>(left), signed_right = static_cast<int64_t>(right);
    switch (code) {
      case DW_OP_plus:
        left += right;
        break;
      case DW_OP_minus:
        left -= right;
        break;
      case DW_OP_and:
        left &= right;
        break;
      case DW_OP_or:
        left |= right;
        break;
      case DW_OP_xor:
        left ^= right;
        break;
      case DW_OP_mul:
        left *= right;
        break;
      case DW_OP_shl:
        left = right < 64 ? left << right : 0;
        break;
      case DW_OP_shr:
        left = right < 64 ? left >> right : 0;
        break;
      case DW_OP_eq:
        left = left == right;
        break;
      case DW_OP_ne:
        left = left != right;
        break;
      case DW_OP_ge:
        left = signed_left >= signed_right;
        break;
      case DW_OP_gt:
        left = signed_left > signed_right;
        break;
      case DW_OP_le:
        left = signed_left <= signed_right;
        break;
      case DW_OP_lt:
        left = signed_left < signed_right;
        break;
      default:
        return std::nullopt;
    }
  }
  if (stack.empty()) return std::nullopt;
  return stack.back();
}

// Where the caller's value of a register is.
struct Place {
  enum class Kind : uint8_t { kSame, kUndefined, kAtCfa, kCfaPlus, kRegister, kExpression } kind = Kind::kUndefined;
  bool is_value = false;  // kExpression: the value itself, not where it lies
  uint64_t number = 0;    // offset from the CFA, or register
  std::vector<Dwarf_Op> operations;
};

Place place_of(const Dwarf_Op* operations, size_t count, const Dwarf_Op* memory) {
  Place place;
  if (count == 0) {
    // libdw: an empty list of operations means "undefined" if it is in the caller's memory, else "unchanged"
    place.kind = operations == memory ? Place::Kind::kUndefined : Place::Kind::kSame;
    return place;
  }
  std::span<const Dwarf_Op> all(operations, count);
  bool is_value = false;
  if (all.back().atom == DW_OP_stack_value) {
    is_value = true;
    all = all.first(all.size() - 1);
  }
  if (!all.empty() && all[0].atom == DW_OP_call_frame_cfa && all.size() <= 2 &&
      (all.size() == 1 || all[1].atom == DW_OP_plus_uconst)) {
    place.kind = is_value ? Place::Kind::kCfaPlus : Place::Kind::kAtCfa;
    place.number = all.size() == 1 ? 0 : all[1].number;
    return place;
  }
  if (!is_value && all.size() == 1 &&
      (all[0].atom == DW_OP_regx || (all[0].atom >= DW_OP_reg0 && all[0].atom <= DW_OP_reg31))) {
    place.kind = Place::Kind::kRegister;
    place.number = all[0].atom == DW_OP_regx ? all[0].number : all[0].atom - DW_OP_reg0;
    return place;
  }
  place.kind = Place::Kind::kExpression;
  place.is_value = is_value;
  place.operations.assign(all.begin(), all.end());
  return place;
}

}  // namespace

struct Cfi::Rules {
  bool there = false;
  bool is_signal_frame = false;
  std::vector<Dwarf_Op> cfa;
  int cfa_register = -1;  // -1: evaluate `cfa`
  int64_t cfa_offset = 0;
  Place return_address, frame_pointer;
  std::array<Place, Machine::kMaxSaved> saved;  // those of the machine
};

struct Cfi::File {
  std::shared_ptr<const CodeFile> code;
  std::unordered_map<uint64_t, Rules> rules;
};

Cfi::Cfi(const Machine& machine) : machine_(machine) {}
Cfi::~Cfi() = default;

void Cfi::forget() {
  files_.clear();
  rules_ = 0;
}

const Cfi::Rules& Cfi::rules(const CodeFile& file, uint64_t address) {
  if (rules_ >= kMaxRules) forget();
  auto& known = files_[&file];
  if (!known) {
    known = std::make_unique<File>();
    known->code = file.shared_from_this();
  }
  const auto found = known->rules.find(address);
  if (found != known->rules.end()) return found->second;
  ++rules_;
  Rules& rules = known->rules[address];
  const auto entry = find_frame_entry(file, address);
  if (!entry) return rules;
  const Section section{".eh_frame", SHT_PROGBITS, SHF_ALLOC, entry->address, 0, entry->bytes.size()};
  const auto image = ElfImage::of(file.parts(), std::span(&section, 1), section.bytes,
                                  [&entry](uint64_t offset, void* out, size_t size) {
                                    std::memcpy(out, entry->bytes.data() + offset, size);
                                    return size;
                                  });
  const std::unique_ptr<Dwarf_CFI, CfiEnd> cfi(image ? dwarf_getcfi_elf(image->elf()) : nullptr);
  Dwarf_Frame* raw = nullptr;
  if (!cfi || dwarf_cfi_addrframe(cfi.get(), address, &raw) != 0) return rules;
  const std::unique_ptr<Dwarf_Frame, Free> frame(raw);
  const int return_register = dwarf_frame_info(frame.get(), nullptr, nullptr, &rules.is_signal_frame);
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (return_register < 0 || dwarf_frame_cfa(frame.get(), &operations, &count) != 0 || count == 0) return rules;
  if (count == 1 && operations[0].atom >= DW_OP_breg0 && operations[0].atom <= DW_OP_breg31) {
    rules.cfa_register = static_cast<int>(operations[0].atom - DW_OP_breg0);
    rules.cfa_offset = static_cast<int64_t>(operations[0].number);
  } else if (count == 1 && operations[0].atom == DW_OP_bregx && operations[0].number < Registers::kCount) {
    rules.cfa_register = static_cast<int>(operations[0].number);
    rules.cfa_offset = static_cast<int64_t>(operations[0].number2);
  } else {
    rules.cfa.assign(operations, operations + count);
  }
  const auto place = [&](unsigned number) {
    std::array<Dwarf_Op, 3> memory{};
    Dwarf_Op* found_operations = nullptr;
    size_t found_count = 0;
    if (dwarf_frame_register(frame.get(), static_cast<int>(number), memory.data(), &found_operations, &found_count) !=
        0) {
      return Place{};
    }
    return place_of(found_operations, found_count, memory.data());
  };
  rules.return_address = place(static_cast<unsigned>(return_register));
  rules.frame_pointer = place(machine_.frame_pointer);
  for (size_t i = 0; i < machine_.n_saved; ++i) rules.saved[i] = place(machine_.saved[i]);
  rules.there = true;
  return rules;
}

Step Cfi::step(const CodeFile& file, uint64_t address, const ReadStack& read, Registers& registers,
               bool& is_signal_frame) {
  const Rules& rules = this->rules(file, address);
  is_signal_frame = false;
  if (!rules.there) return Step::kNoRules;
  if (rules.return_address.kind == Place::Kind::kUndefined) return Step::kBottom;
  std::optional<uint64_t> cfa;
  if (rules.cfa_register >= 0) {
    const auto number = static_cast<unsigned>(rules.cfa_register);
    if (!registers.has(number)) return Step::kUnread;
    cfa = registers.values[number] + static_cast<uint64_t>(rules.cfa_offset);
  } else {
    cfa = evaluate(rules.cfa, registers, read, machine_.program_counter, std::nullopt);
  }
  if (!cfa) return Step::kUnread;
  const auto value = [&](const Place& place, unsigned number) -> std::optional<uint64_t> {
    switch (place.kind) {
      case Place::Kind::kSame:
        return registers.has(number) ? std::optional(registers.values[number]) : std::nullopt;
      case Place::Kind::kAtCfa:
        return read(*cfa + place.number);
      case Place::Kind::kCfaPlus:
        return *cfa + place.number;
      case Place::Kind::kRegister:
        return registers.has(place.number) ? std::optional(registers.values[place.number]) : std::nullopt;
      case Place::Kind::kExpression: {
        const auto result = evaluate(place.operations, registers, read, machine_.program_counter, cfa);
        return result && !place.is_value ? read(*result) : result;
      }
      case Place::Kind::kUndefined:
        break;
    }
    return std::nullopt;
  };
  const auto pc = value(rules.return_address, machine_.return_address);
  if (!pc) return Step::kUnread;
  if (*pc == 0) return Step::kBottom;
  // A frame that does not go up the stack goes nowhere: wrong rules, or a stack written over.
  if (registers.has(machine_.stack_pointer) && *cfa < registers.values[machine_.stack_pointer]) return Step::kUnread;
  Registers caller;
  caller.pc = machine_.code_address(*pc);
  caller.set(machine_.stack_pointer, *cfa);
  if (const auto pointer = value(rules.frame_pointer, machine_.frame_pointer)) {
    caller.set(machine_.frame_pointer, *pointer);
  }
  for (size_t i = 0; i < machine_.n_saved; ++i) {
    if (const auto saved = value(rules.saved[i], machine_.saved[i])) caller.set(machine_.saved[i], *saved);
  }
  if (rules.is_signal_frame) {
    // The interrupted function's own stack pointer: the C library writes it as an expression.
    is_signal_frame = true;
  }
  registers = caller;
  return Step::kCaller;
}

}  // namespace ingero::symbols
