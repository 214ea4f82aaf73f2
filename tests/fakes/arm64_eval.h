// Follows values through a few straight-line arm64 instructions, byte by byte, as a compiler's assembly text gives
// them.
//
// Enough of the instruction set for "return this parameter" as gcc and clang write it at -O1, including the detour
// through the callee's own frame. Anything else ends the evaluation with the instruction named. Pure; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::fakes {

// Where one byte of a value came from when the function was entered.
struct Origin {
  enum class In : uint8_t { kUnknown, kZero, kRegister, kStack, kBehindRegister, kBehindStack };
  In in = In::kUnknown;
  int index = 0;   // register number; for stack: byte offset from the incoming sp of the word
  int offset = 0;  // byte in the register; bytes behind the pointer
  bool operator==(const Origin&) const = default;
};
using Origins = std::array<Origin, 8>;

struct Evaluation {
  Origins result{};       // x0 at ret
  std::string unhandled;  // not empty: the evaluation stopped there
};

// `body`: the lines of one function between its label and the next one.
Evaluation evaluate_arm64(const std::vector<std::string>& body);

}  // namespace ingero::fakes
