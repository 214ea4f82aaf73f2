// Call frame information: from the registers inside a function to those of its caller (DWARF 5, 6.4), by what libdw
// makes of a copy of the code's entry in .eh_frame.
//
// What libdw finds for an address is cached in a compact form, because the same few hundred return addresses recur, and
// its file is kept until forget(). One thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "symbols/code_file.h"
#include "symbols/machine.h"

namespace ingero::symbols {

// Registers by DWARF number; of those not in `known` nothing is known.
struct Registers {
  static constexpr size_t kCount = 33;
  std::array<uint64_t, kCount> values{};
  uint64_t known = 0;
  uint64_t pc = 0;

  bool has(uint64_t number) const { return number < kCount && ((known >> number) & 1U) != 0; }
  void set(unsigned number, uint64_t value) {
    values[number] = value;
    known |= uint64_t{1} << number;
  }
};

// A word of the thread's stack, or nothing where it was not copied.
using ReadStack = std::function<std::optional<uint64_t>(uint64_t address)>;

enum class Step : uint8_t {
  kCaller,   // the registers are the caller's now
  kBottom,   // this is the outermost frame
  kNoRules,  // no rules cover this address
  kUnread,   // the rules want something that was not copied, or are beyond us
};

class Cfi {
 public:
  explicit Cfi(const Machine& machine);
  ~Cfi();
  Cfi(const Cfi&) = delete;
  Cfi& operator=(const Cfi&) = delete;

  // One frame up. `address` is inside `file`, where the rules are looked up: the frame's own, or the one before its
  // return address. `is_signal_frame` is set when what it goes up to was interrupted, not calling.
  Step step(const CodeFile& file, uint64_t address, const ReadStack& read, Registers& registers, bool& is_signal_frame);

  // Gives back all that was kept; what is asked for next is read again.
  void forget();

  static constexpr size_t kMaxRules = 1 << 17;

 private:
  struct File;
  struct Rules;
  const Machine& machine_;
  const Rules& rules(const CodeFile& file, uint64_t address);
  std::unordered_map<const CodeFile*, std::unique_ptr<File>> files_;
  size_t rules_ = 0;
};

}  // namespace ingero::symbols
