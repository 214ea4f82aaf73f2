// Lowers prototypes to registers and stack slots. One walk serves both conventions; only a parameter's place differs.
//
// Stack slot 0 is the first word of the argument area as the callee finds it: sp+8 on x86-64 (behind the return
// address), sp+0 on arm64.
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
  };
  In in = In::kWords;
  bool on_stack = false;
  size_t index = 0;
};

// What both conventions have: integer registers, eight vector registers, and the stack behind them.
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
  Spot scalar() { return words(1); }
  Spot aggregate(size_t n_words) { return n_words > 2 ? on_stack(n_words) : words(n_words); }

 private:
  Spot words(size_t n) { return integers_ + n > 6 ? on_stack(n) : in_registers(n); }
};

// AAPCS64 6.8.2: eight of each. An aggregate above two words is replaced by a pointer to a copy (rule B.4); one that
// does not fit the registers left ends them for every later parameter too (rule C.13).
class Aapcs64 : public Places {
 public:
  Spot scalar() { return words(1); }
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

bool is_peekable(const Peek& peek) {
  return peek.into != Field::kNone && (peek.bytes == 1 || peek.bytes == 2 || peek.bytes == 4 || peek.bytes == 8);
}

Word meaning_of(const Peek& peek) {
  return {peek.into, static_cast<uint8_t>(peek.bytes * 8), peek.is_signed, peek.when == When::kReturn, 0};
}

// Collects captured words into a recipe; remembers the first thing that was wrong.
class Recipe {
 public:
  void add(const Spot& place, size_t word, const Peek* peek, const Word& meaning) {
    if (place.in == Spot::In::kVector) return fail("captures a word that is passed in a vector register");
    const size_t from = place.index + (place.in == Spot::In::kPointer ? 0 : word);
    if (place.on_stack && from >= WIRE_MAX_STACK_ARGS) {
      return fail(fmt::format("captures stack slot {}, of which only {} are read", from, int{WIRE_MAX_STACK_ARGS}));
    }
    wire_recipe& recipe = lowered_.recipe;
    if (recipe.n_words == WIRE_MAX_WORDS) {
      return fail(fmt::format("captures more than the {} words of a record", int{WIRE_MAX_WORDS}));
    }
    const auto input = (place.on_stack ? WIRE_IN_STACK : WIRE_IN_REGISTER) + from;
    recipe.inputs |= uint64_t{input} << (recipe.n_words * WIRE_INPUT_BITS);
    if (place.on_stack && recipe.stack_slots <= from) recipe.stack_slots = static_cast<uint8_t>(from + 1);
    if (peek != nullptr) {
      const bool at_return = peek->when == When::kReturn;
      recipe.peeks[recipe.n_peeks++] = {recipe.n_words, peek->bytes, at_return, 0, peek->offset};
      if (at_return) ++recipe.n_return_peeks;
    }
    lowered_.words[recipe.n_words++] = meaning;
    if (meaning.field != Field::kName) return;
    if (place.on_stack) return fail("reads a name behind a pointer that is on the stack");
    read_sleepable(0);
  }
  // Bytes for the sleepable name program: behind a pointer in a register, or an aggregate where the convention left it.
  void add_block(const Spot& place, bool by_value, size_t bytes, Field field) {
    if (bytes == 0 || bytes > UINT8_MAX) return fail(fmt::format("reads a block of {} bytes", bytes));
    if (place.on_stack && !by_value) return fail("reads a block behind a pointer that is on the stack");
    add(place, 0, nullptr, {field, 64, false, false, 0});
    read_sleepable(static_cast<uint8_t>(bytes));
  }
  // What is behind the return register: the word has that when the call returns, and is then read behind.
  void add_behind_result(const Peek& peek) {
    if (!is_peekable(peek)) return fail(fmt::format("peeks {} bytes into {}", peek.bytes, name_of(peek.into)));
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
    if (recipe.asked_word == 0 || recipe.answer_word == 0) return fail("is asked for a name without asked and answer");
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
  // The word added last names what the sleepable name program reads: a string, or a number of bytes.
  void read_sleepable(uint8_t bytes) {
    if (lowered_.recipe.sleepable_word != 0) return fail("has two words for the sleepable read, which can read one");
    lowered_.recipe.sleepable_word = lowered_.recipe.n_words;
    lowered_.recipe.sleepable_bytes = bytes;
  }

  Lowered lowered_;
  std::string failure_;
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
  if (param.into != Field::kNone) recipe.add(place, 0, nullptr, {param.into, 64, false, false, 0});
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
  recipe.add(place, 1, nullptr, {is_grid ? Field::kGridZ : Field::kBlockZ, 32, false, false, 0});
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
      case Abi::kI64: {
        const Spot place = convention.scalar();
        const auto bits = static_cast<uint8_t>(param.abi == Abi::kI32 ? 32 : 64);
        if (param.into != Field::kNone) recipe.add(place, 0, nullptr, {param.into, bits, param.is_signed, false, 0});
        break;
      }
      case Abi::kPtr:
        add_pointer(param, convention.scalar(), recipe);
        break;
      case Abi::kDim3:
        add_dim3(param, convention.aggregate(2), recipe);
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
  Source source{input >= WIRE_IN_STACK, recipe.result_word == word + 1, input % WIRE_IN_STACK, nullptr};
  for (const wire_peek& peek : std::span(recipe.peeks).first(recipe.n_peeks)) {
    if (peek.word == word) source.peek = &peek;
  }
  return source;
}

Result<Lowered> lower(const Row& row, Arch arch) {
  Recipe recipe;
  if (arch == Arch::kX86_64) {
    walk<SystemV>(row.shape, recipe);
  } else {
    walk<Aapcs64>(row.shape, recipe);
  }
  if (row.behind_result.into != Field::kNone) recipe.add_behind_result(row.behind_result);
  if (row.name_asked != 0) recipe.read_answer(row.name_asked);
  if (!recipe.failure().empty()) {
    return Error(Errc::kInvalid, fmt::format("row {}: {}", row.name, recipe.failure()));
  }
  return recipe.finish();
}

}  // namespace ingero::hal
