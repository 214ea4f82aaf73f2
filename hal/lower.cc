// Lowers prototypes to registers and stack slots. One walk serves all conventions; only a parameter's place differs.
//
// Stack slot 0 is the first word of the argument area as the callee finds it: sp+8 on x86-64 (behind the return
// address), sp+0 on arm64, sp+4 on 32-bit x86, where a slot has four bytes.
#include "hal/lower.h"

#include <span>
#include <utility>

#include <fmt/format.h>

namespace ingero::hal {
namespace {

constexpr size_t kWordBytes = 8;

// Where a parameter is.
struct Spot {
  enum class In : uint8_t {
    kWords,    // its own words, in registers from `index` or in stack slots from `index`
    kPointer,  // a pointer to a copy of it is in that register or slot
    kVector,   // a vector register, out of our reach
    kUnknown,  // it does not follow from the row
  };
  In in = In::kWords;
  bool on_stack = false;
  size_t index = 0;
};

// What both 64-bit conventions have: integer registers, eight vector registers, and the stack behind them.
class Places {
 public:
  Spot vector() {
    if (vectors_ == 8) return on_stack(1);
    ++vectors_;
    return {Spot::In::kVector, false, 0};
  }

 protected:
  Spot in_registers(size_t n) { return {Spot::In::kWords, false, std::exchange(integers_, integers_ + n)}; }
  Spot on_stack(size_t n) { return {Spot::In::kWords, true, std::exchange(slots_, slots_ + n)}; }
  size_t integers_ = 0;  // taken

 private:
  size_t vectors_ = 0, slots_ = 0;
};

// System V AMD64 3.2.3: six integer and eight vector registers. An aggregate of at most two words goes to registers
// whole or to the stack whole, in which case later parameters may still have the registers left; a larger one goes to
// the stack and takes none.
class SystemV : public Places {
 public:
  Spot scalar(Abi) { return words(1); }
  Spot dim3() { return aggregate(2); }
  Spot aggregate(size_t n_words) { return n_words > 2 ? on_stack(n_words) : words(n_words); }

 private:
  Spot words(size_t n) { return integers_ + n > 6 ? on_stack(n) : in_registers(n); }
};

// AAPCS64 6.8.2: eight of each. An aggregate above two words is replaced by a pointer to a copy (rule B.4); one that
// does not fit the registers left ends them for every later parameter too (rule C.13).
class Aapcs64 : public Places {
 public:
  Spot scalar(Abi) { return words(1); }
  Spot dim3() { return aggregate(2); }
  Spot aggregate(size_t n_words) {
    if (n_words <= 2) return words(n_words);
    Spot place = words(1);
    place.in = Spot::In::kPointer;
    return place;
  }

 private:
  Spot words(size_t n) {
    if (integers_ + n <= 8) return in_registers(n);
    integers_ = 8;
    return on_stack(n);
  }
};

// System V i386 2.2.2: everything is on the stack, in slots of four bytes. How many of them a structure or a
// floating-point number takes is not in a row, so where anything behind one lies is not known.
class Cdecl {
 public:
  Spot scalar(Abi abi) { return abi == Abi::kI64 ? lost() : slots(abi == Abi::kU64 ? 2 : 1); }
  Spot dim3() { return slots(3); }
  Spot aggregate(size_t) { return lost(); }
  Spot vector() { return lost(); }

 private:
  Spot lost() {
    is_lost_ = true;
    return {Spot::In::kUnknown, true, 0};
  }
  Spot slots(size_t n) { return is_lost_ ? lost() : Spot{Spot::In::kWords, true, std::exchange(slots_, slots_ + n)}; }
  size_t slots_ = 0;  // taken
  bool is_lost_ = false;
};

bool is_peekable(const Peek& peek) {
  return peek.into != Field::kNone && (peek.bytes == 1 || peek.bytes == 2 || peek.bytes == 4 || peek.bytes == 8);
}

Word meaning_of(const Peek& peek) {
  return {peek.into, static_cast<uint8_t>(peek.bytes * 8), peek.is_signed, peek.when == When::kReturn, 0};
}

// Collects captured words into a recipe; remembers the first thing that was wrong.
class Recipe {
 public:
  explicit Recipe(bool is_narrow) : is_narrow_(is_narrow) { lowered_.recipe.is_narrow = is_narrow ? 1 : 0; }
  uint8_t pointer_bits() const { return is_narrow_ ? 32 : 64; }
  // Of a dim3: its third number.
  size_t third_of_dim3() const { return is_narrow_ ? 2 : 1; }
  void add(const Spot& place, size_t word, const Peek* peek, const Word& meaning) {
    if (place.in == Spot::In::kVector) return fail("captures a word that is passed in a vector register");
    if (is_narrow_) return add_narrow(place, word, peek, meaning);
    const size_t from = place.index + (place.in == Spot::In::kPointer ? 0 : word);
    if (place.on_stack && from >= WIRE_MAX_STACK_ARGS) {
      return fail(fmt::format("captures stack slot {}, of which only {} are read", from, int{WIRE_MAX_STACK_ARGS}));
    }
    wire_recipe& recipe = lowered_.recipe;
    if (recipe.n_words == WIRE_MAX_WORDS) {
      return fail(fmt::format("captures more than the {} words of a record", int{WIRE_MAX_WORDS}));
    }
    const auto input = (place.on_stack ? WIRE_IN_STACK : WIRE_IN_REGISTER) + from;
    if (place.on_stack && recipe.stack_slots <= from) recipe.stack_slots = static_cast<uint8_t>(from + 1);
    put(input, peek, meaning);
    if (meaning.field != Field::kName) return;
    if (place.on_stack) return fail("reads a name behind a pointer that is on the stack");
    read_sleepable(0);
  }
  // Bytes for the sleepable name program: behind a pointer in a register, or an aggregate where the convention left it.
  void add_block(const Spot& place, bool by_value, size_t bytes, Field field) {
    if (bytes == 0 || bytes > UINT8_MAX) return fail(fmt::format("reads a block of {} bytes", bytes));
    if (is_narrow_) return;  // communicators' identities: no library of theirs has 32 bits
    if (place.on_stack && !by_value) return fail("reads a block behind a pointer that is on the stack");
    add(place, 0, nullptr, {field, 64, false, false, 0});
    read_sleepable(static_cast<uint8_t>(bytes));
  }
  // What is behind the return register: the word has that when the call returns, and is then read behind.
  void add_behind_result(const Peek& peek) {
    if (!is_peekable(peek)) return fail(fmt::format("peeks {} bytes into {}", peek.bytes, name_of(peek.into)));
    if (is_narrow_) return;  // a structure
    Peek at_return = peek;
    at_return.when = When::kReturn;
    add({}, 0, &at_return, meaning_of(at_return));
    lowered_.recipe.result_word = lowered_.recipe.n_words;
  }
  // What the callee wrote is read when the call returns, if it was asked for a name.
  void read_answer(uint16_t name_asked) {
    const auto word_of = [&](Field field) {
      uint8_t word = 0;
      while (word < lowered_.recipe.n_words && lowered_.words[word].field != field) ++word;
      return static_cast<uint8_t>(word < lowered_.recipe.n_words ? word + 1 : 0);
    };
    wire_recipe& recipe = lowered_.recipe;
    recipe.name_asked = name_asked;
    recipe.asked_word = word_of(Field::kAsked);
    recipe.answer_word = word_of(Field::kAnswer);
    if (recipe.asked_word == 0 || recipe.answer_word == 0) {
      if (!is_narrow_) return fail("is asked for a name without asked and answer");
      recipe.asked_word = 0;
      return;
    }
    ++recipe.n_return_peeks;  // without a peek of its own: what is done at return is done only where there is any
  }
  void fail(std::string what) {
    if (failure_.empty()) failure_ = std::move(what);
  }
  const std::string& failure() const { return failure_; }
  Lowered finish() {
    lowered_.recipe.use = WIRE_RECIPE_LIVE;
    return lowered_;
  }

 private:
  // What a 32-bit call does not say is left out: nothing of it is wrong in the row.
  void add_narrow(const Spot& place, size_t slot, const Peek* peek, const Word& meaning) {
    wire_recipe& recipe = lowered_.recipe;
    const bool is_wide = peek == nullptr && meaning.bits == 64;
    const size_t from = place.index + slot, end = from + (is_wide ? 2 : 1);
    const bool has_other_layout = peek != nullptr && (peek->offset != 0 || peek->bytes > sizeof(uint32_t));
    if (place.in == Spot::In::kUnknown || has_other_layout || end > WIRE_INPUTS || recipe.n_words == WIRE_MAX_WORDS) {
      lowered_.lacks_size = lowered_.lacks_size || is_size(meaning.field);
      return;
    }
    if (is_wide) recipe.wide_words = static_cast<uint16_t>(recipe.wide_words | 1U << recipe.n_words);
    if (recipe.stack_slots < end) recipe.stack_slots = static_cast<uint8_t>(end);
    put(from, peek, meaning);
    if (meaning.field == Field::kName) read_sleepable(0);
  }
  void put(size_t input, const Peek* peek, const Word& meaning) {
    wire_recipe& recipe = lowered_.recipe;
    recipe.inputs |= uint64_t{input} << (recipe.n_words * WIRE_INPUT_BITS);
    if (peek != nullptr) {
      const bool at_return = peek->when == When::kReturn;
      recipe.peeks[recipe.n_peeks++] = {recipe.n_words, peek->bytes, at_return, 0, peek->offset};
      if (at_return) ++recipe.n_return_peeks;
    }
    lowered_.words[recipe.n_words++] = meaning;
  }
  // The word added last names what the sleepable name program reads: a string, or a number of bytes.
  void read_sleepable(uint8_t bytes) {
    if (lowered_.recipe.sleepable_word != 0) return fail("has two words for the sleepable read, which can read one");
    lowered_.recipe.sleepable_word = lowered_.recipe.n_words;
    lowered_.recipe.sleepable_bytes = bytes;
  }

  Lowered lowered_;
  std::string failure_;
  const bool is_narrow_;
};

// Members of a struct passed by value: bits of one of its words, or, where the callee is handed a pointer to a copy,
// a read behind it.
void add_members(const Param& param, const Spot& place, Recipe& recipe) {
  for (const Peek& member : param.peeks) {
    const size_t in_word = member.offset % kWordBytes;
    if (!is_peekable(member) || member.when != When::kEntry || in_word + member.bytes > kWordBytes ||
        member.offset + size_t{member.bytes} > param.bytes) {
      return recipe.fail(fmt::format("reads {} bytes at offset {} of a {}-byte struct passed by value", member.bytes,
                                     member.offset, param.bytes));
    }
    Word word = meaning_of(member);
    if (place.in == Spot::In::kPointer) {
      recipe.add(place, 0, &member, word);
    } else {
      word.shift = static_cast<uint8_t>(in_word * 8);
      recipe.add(place, member.offset / kWordBytes, nullptr, word);
    }
  }
}

bool is_block(Field field) { return field == Field::kId || field == Field::kExcluded; }

void add_pointer(const Param& param, const Spot& place, Recipe& recipe) {
  if (is_block(param.into)) return recipe.add_block(place, false, param.bytes, param.into);
  if (param.into != Field::kNone) recipe.add(place, 0, nullptr, {param.into, recipe.pointer_bits(), false, false, 0});
  for (const Peek& peek : param.peeks) {
    if (!is_peekable(peek)) {
      return recipe.fail(fmt::format("peeks {} bytes into {}", peek.bytes, name_of(peek.into)));
    }
    recipe.add(place, 0, &peek, meaning_of(peek));
  }
}

void add_dim3(const Param& param, const Spot& place, Recipe& recipe) {
  if (param.into == Field::kNone) return;
  const bool is_grid = param.into == Field::kGridXY;
  if (!is_grid && param.into != Field::kBlockXY) {
    return recipe.fail(fmt::format("puts a three-dimensional size into {}", name_of(param.into)));
  }
  recipe.add(place, 0, nullptr, {param.into, 64, false, false, 0});
  recipe.add(place, recipe.third_of_dim3(), nullptr, {is_grid ? Field::kGridZ : Field::kBlockZ, 32, false, false, 0});
}

template <typename Convention>
void walk(Shape shape, Recipe& recipe) {
  Convention convention;
  for (const Param& param : shape) {
    if (!param.peeks.empty() && param.abi != Abi::kPtr && param.abi != Abi::kStruct) {
      recipe.fail("peeks through something that is not a pointer");
    }
    switch (param.abi) {
      case Abi::kI32:
      case Abi::kI64:
      case Abi::kSize:
      case Abi::kU64: {
        const Spot place = convention.scalar(param.abi);
        const uint8_t bits = param.abi == Abi::kI32 ? 32 : param.abi == Abi::kSize ? recipe.pointer_bits() : 64;
        if (param.into != Field::kNone) recipe.add(place, 0, nullptr, {param.into, bits, param.is_signed, false, 0});
        break;
      }
      case Abi::kPtr:
        add_pointer(param, convention.scalar(param.abi), recipe);
        break;
      case Abi::kDim3:
        add_dim3(param, convention.dim3(), recipe);
        break;
      case Abi::kStruct: {
        if (param.bytes == 0) recipe.fail("passes a struct of unknown size by value");
        const Spot place = convention.aggregate((param.bytes + kWordBytes - 1) / kWordBytes);
        if (param.into == Field::kId && param.bytes > 2 * kWordBytes) {
          recipe.add_block(place, true, param.bytes, param.into);
        } else if (param.into != Field::kNone) {
          recipe.fail("captures a struct as one word; name its members instead");
        }
        add_members(param, place, recipe);
        break;
      }
      case Abi::kFloat: {
        const Spot place = convention.vector();
        if (param.into != Field::kNone) recipe.add(place, 0, nullptr, {param.into, 64, false, false, 0});
        break;
      }
    }
  }
}

}  // namespace

Source source_of(const wire_recipe& recipe, size_t word) {
  const auto input = static_cast<unsigned>(recipe.inputs >> (word * WIRE_INPUT_BITS)) & (WIRE_INPUTS - 1U);
  const bool is_narrow = recipe.is_narrow != 0;
  Source source{is_narrow || input >= WIRE_IN_STACK, recipe.result_word == word + 1,
                is_narrow ? input : input % WIRE_IN_STACK, nullptr};
  for (const wire_peek& peek : std::span(recipe.peeks).first(recipe.n_peeks)) {
    if (peek.word == word) source.peek = &peek;
  }
  return source;
}

Result<Lowered> lower(const Row& row, Arch arch) {
  Recipe recipe(arch == Arch::kX86_32);
  switch (arch) {
    case Arch::kX86_64:
      walk<SystemV>(row.shape, recipe);
      break;
    case Arch::kArm64:
      walk<Aapcs64>(row.shape, recipe);
      break;
    case Arch::kX86_32:
      walk<Cdecl>(row.shape, recipe);
      break;
  }
  if (row.behind_result.into != Field::kNone) recipe.add_behind_result(row.behind_result);
  if (row.name_asked != 0) recipe.read_answer(row.name_asked);
  if (!recipe.failure().empty()) {
    return Error(Errc::kInvalid, fmt::format("row {}: {}", row.name, recipe.failure()));
  }
  return recipe.finish();
}

}  // namespace ingero::hal
