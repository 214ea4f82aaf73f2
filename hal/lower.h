// Lowers the prototypes of rows to register and stack slots, for every architecture, on every host.
//
// All calling conventions are always compiled and tested; the agent uses that of the machine it runs on, and for 32-bit
// files there that of 32-bit x86. Sources: System V psABI for AMD64 3.2.3, AAPCS64 6.8.2, System V psABI for
// i386 2.2.2. Pure functions; thread-safe.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "bpf/wire.h"
#include "hal/prototype.h"

namespace ingero::hal {

enum class Arch : uint8_t { kX86_64, kArm64, kX86_32 };  // NOLINT(readability-identifier-naming): architectures' names
#if defined(__aarch64__)
inline constexpr Arch kHostArch = Arch::kArm64;
inline constexpr Arch kTracedArchs[] = {Arch::kArm64};  // whose code this machine runs and is traced in
#else
inline constexpr Arch kHostArch = Arch::kX86_64;
inline constexpr Arch kTracedArchs[] = {Arch::kX86_64, Arch::kX86_32};
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
  bool lacks_size = false;                   // a word of the byte count was left out
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
//
// For 32-bit x86 a row describes less than for the others, since structures have another layout there: a word of which
// it does not say where it is, or how wide, is left out, and its field stays unknown. Read behind pointers is only what
// begins an object and has at most four bytes.
Result<Lowered> lower(const Row& row, Arch arch);

}  // namespace ingero::hal
