// Lowers the prototypes of rows to register and stack slots, for every architecture, on every host.
//
// Both calling conventions are always compiled and tested; the agent uses the one it runs on. Sources: System V psABI
// for AMD64 3.2.3 and AAPCS64 6.8.2. Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "bpf/wire.h"
#include "hal/prototype.h"

namespace ingero::hal {

enum class Arch : uint8_t { kX86_64, kArm64 };  // NOLINT(readability-identifier-naming): the architecture's name
#if defined(__aarch64__)
inline constexpr Arch kHostArch = Arch::kArm64;
#else
inline constexpr Arch kHostArch = Arch::kX86_64;
#endif

// What captured word i of a call means and how many of its bits count.
struct Word {
  Field field = Field::kNone;
  uint8_t bits = 64;  // low bits that carry the value: 8, 16, 32 or 64
  bool is_signed = false;
  bool at_return = false;  // written by the callee: meaningless when the call failed
  uint8_t shift = 0;       // the value starts at this bit (a member of a struct passed by value)
};

struct Lowered {
  wire_recipe recipe{};
  std::array<Word, WIRE_MAX_WORDS> words{};  // recipe.n_words of them count
};

// Where a word of a recipe comes from, in words people use.
struct Source {
  bool on_stack = false;
  bool is_result = false;           // the return register, and index means nothing
  unsigned index = 0;               // argument register or stack slot
  const wire_peek* peek = nullptr;  // the word is read behind that; lives as long as the recipe
};
Source source_of(const wire_recipe& recipe, size_t word);

// Fails (kInvalid, naming the row) when the row captures more words than a record holds, puts a captured word in a
// vector register, peeks through something that is not a pointer, or needs more stack slots than are read.
Result<Lowered> lower(const Row& row, Arch arch);

}  // namespace ingero::hal
