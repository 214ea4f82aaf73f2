// The lowering against what compilers do: for every described prototype, and for a few hundred random ones, the word
// that lower() says a value is in is where gcc and clang really put it.
//
// x86-64: a compiled caller passes distinct words to a function that stores every argument register and stack slot.
// arm64: a compiled callee returns one parameter; its instructions are followed back to where it came from. So both
// conventions are checked on an x86-64 machine; without a compiler for a target that half is skipped, visibly.
// 32-bit x86: a compiled callee returns one parameter, and all are on the stack: it reads the right bytes of it.
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "every_backend.h"
#include "fakes/arm64_eval.h"
#include "fakes/prototypes.h"
#include "hal/lower.h"
#include "temp_folder.h"

namespace ingero::fakes {
namespace {

using hal::Abi;
using hal::Arch;
using hal::Field;
using hal::Param;
using hal::Peek;
using hal::Row;

// One value a row captures, in C terms: which parameter, and which of its bytes.
struct Captured {
  Field field;
  size_t param;
  unsigned offset;  // bytes into the parameter's own value; of a peek: behind the pointer
  unsigned bytes;
  bool behind;  // read through the pointer
};

// In the order hal/prototype.h promises: parameter by parameter, the word itself first.
std::vector<Captured> captured_of(const Row& row) {
  std::vector<Captured> all;
  for (size_t i = 0; i < row.shape.size(); ++i) {
    const Param& param = row.shape[i];
    if (param.into != Field::kNone) {
      if (param.abi == Abi::kDim3) {
        all.push_back({param.into, i, 0, 8, false});
        all.push_back({param.into == Field::kGridXY ? Field::kGridZ : Field::kBlockZ, i, 8, 4, false});
      } else {
        all.push_back({param.into, i, 0, param.abi == Abi::kI32 ? 4U : 8U, false});
      }
    }
    for (const Peek& peek : param.peeks) all.push_back({peek.into, i, peek.offset, peek.bytes, param.abi == Abi::kPtr});
  }
  return all;
}

// Rows under test; owns what a made-up row points to.
struct Cases {
  std::vector<Row> rows;
  std::deque<std::vector<Param>> shapes;
  std::deque<std::vector<Peek>> peeks;
  size_t unlowered = 0;  // made-up rows whose value lies beyond the slots that are read
};

Cases described_rows() {
  Cases cases;
  std::set<std::pair<const Param*, std::string>> seen;
  for (const auto* backend : every_backend()) {
    for (const auto& library : backend->libraries) {
      for (const Row& row : library.rows) {
        if (seen.emplace(row.shape.data(), shape_key(row.shape)).second) cases.rows.push_back(row);
      }
    }
  }
  return cases;
}

// Random prototypes; for each parameter a row that captures it alone.
Cases random_rows(unsigned n_shapes) {
  Cases cases;
  std::mt19937 random(20240607);
  auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  constexpr unsigned kSizes[] = {4, 8, 12, 16, 20, 24, 32, 64, 128};
  for (unsigned s = 0; s < n_shapes; ++s) {
    std::vector<Param> base(1 + below(13));
    for (auto& param : base) {
      param.abi = static_cast<Abi>(below(10) < 7 ? below(4) : 4 + below(2));
      if (param.abi == Abi::kStruct) param.bytes = static_cast<uint16_t>(kSizes[below(std::size(kSizes))]);
    }
    for (size_t p = 0; p < base.size(); ++p) {
      auto& shape = cases.shapes.emplace_back(base);
      switch (shape[p].abi) {
        case Abi::kFloat:
          continue;
        case Abi::kDim3:
          shape[p].into = below(2) ? Field::kGridXY : Field::kBlockXY;
          break;
        case Abi::kStruct: {
          auto& members = cases.peeks.emplace_back();
          const unsigned bytes = shape[p].bytes % 8 == 0 ? 8 : 4;
          for (int k = 0; k < 3; ++k) {
            members.push_back({Field::kBytes, static_cast<uint16_t>(below(shape[p].bytes / bytes) * bytes),
                               static_cast<uint8_t>(bytes)});
          }
          shape[p].peeks = members;
          break;
        }
        default:
          shape[p].into = Field::kBytes;
          break;
      }
      Row row{.name = "made_up", .kind = hal::Kind::kLaunch, .shape = shape};
      if (hal::lower(row, Arch::kX86_64).ok() && hal::lower(row, Arch::kArm64).ok()) {
        cases.rows.push_back(row);
      } else {
        ++cases.unlowered;
      }
    }
  }
  return cases;
}

std::string struct_types(const Cases& cases) {
  std::set<unsigned> sizes;
  for (const auto& row : cases.rows) {
    for (const auto& param : row.shape) {
      if (const unsigned bytes = struct_bytes(param)) sizes.insert(bytes);
    }
  }
  return struct_declarations({sizes.begin(), sizes.end()});
}

class Workshop {
 public:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name) << text;
    return path_ + "/" + name;
  }
  std::string at(const std::string& name) const { return path_ + "/" + name; }

 private:
  TempFolder temp_;
  const std::string& path_ = temp_.path();
};

bool run(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

bool can_compile(const Workshop& shop, const std::string& compiler) {
  const std::string source = shop.write("try.c", "int f(int a) { return a; }\n");
  return run(fmt::format("{} -S -O1 -o {} {}", compiler, shop.at("try.s"), source));
}

// The word a test passes as word `word` of parameter `param`: no two alike, in their low halves neither.
uint64_t mark(size_t param, size_t word) {
  return 0x5a00c00000000000U | param << 32U | 0x71000000U | param << 12U | word;
}

uint64_t expected_value(const Captured& value) {
  if (value.behind) return mark(value.param, 0);
  uint64_t expected = mark(value.param, value.offset / 8) >> (value.offset % 8 * 8);
  return value.bytes == 8 ? expected : expected & ((uint64_t{1} << (value.bytes * 8)) - 1);
}

constexpr unsigned kRecordedSlots = 40;

constexpr const char* kRecorder = R"(
#include <string.h>
unsigned long recorded[6 + 40];
void record_call(void);
__asm__(".text\n.globl record_call\n.type record_call,@function\nrecord_call:\n"
        "movq recorded@GOTPCREL(%rip), %rax\n"
        "movq %rdi, (%rax)\nmovq %rsi, 8(%rax)\nmovq %rdx, 16(%rax)\nmovq %rcx, 24(%rax)\nmovq %r8, 32(%rax)\n"
        "movq %r9, 40(%rax)\nxorl %ecx, %ecx\n"
        "1: movq 8(%rsp,%rcx,8), %rdx\nmovq %rdx, 48(%rax,%rcx,8)\nincq %rcx\ncmpq $40, %rcx\njne 1b\nret\n");
)";

std::string caller_source(const Cases& cases) {
  std::string text = kRecorder + struct_types(cases);
  for (size_t c = 0; c < cases.rows.size(); ++c) {
    const auto shape = cases.rows[c].shape;
    std::string types, arguments, set_up;
    for (size_t p = 0; p < shape.size(); ++p) {
      const std::string comma = p ? ", " : "";
      types += comma + c_type(shape[p]);
      if (struct_bytes(shape[p])) {
        std::string words;
        for (unsigned w = 0; w < words_of(shape[p]); ++w) words += fmt::format("{:#x}UL, ", mark(p, w));
        set_up += fmt::format("  const unsigned long w{}[] = {{{}}};\n  {} a{};\n  memcpy(&a{}, w{}, sizeof a{});\n", p,
                              words, c_type(shape[p]), p, p, p, p);
        arguments += fmt::format("{}a{}", comma, p);
      } else if (shape[p].abi == Abi::kFloat) {
        arguments += comma + "1.5";
      } else {
        arguments += fmt::format("{}({}){:#x}UL", comma, c_type(shape[p]), mark(p, 0));
      }
    }
    text += fmt::format("void call_{}(void) {{\n{}  ((void (*)({}))record_call)({});\n}}\n", c, set_up,
                        shape.empty() ? "void" : types, arguments);
  }
  return text;
}

void check_x86_64(const Cases& cases, const std::string& compiler) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "needs an x86-64 machine to run the calls on";
#else
  Workshop shop;
  if (!can_compile(shop, compiler)) GTEST_SKIP() << compiler << " is not installed";
  const std::string source = shop.write("calls.c", caller_source(cases));
  const std::string library = shop.at("calls.so");
  ASSERT_TRUE(run(fmt::format("{} -O2 -shared -fPIC -o {} {}", compiler, library, source))) << compiler;
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  const auto* recorded = static_cast<const uint64_t*>(dlsym(handle, "recorded"));
  ASSERT_NE(recorded, nullptr);

  size_t words = 0;
  for (size_t c = 0; c < cases.rows.size(); ++c) {
    const Row& row = cases.rows[c];
    SCOPED_TRACE(fmt::format("{} ({})", row.name, parameter_list(row.shape)));
    void* symbol = dlsym(handle, fmt::format("call_{}", c).c_str());
    ASSERT_NE(symbol, nullptr);
    reinterpret_cast<void (*)()>(symbol)();
    const auto lowered = hal::lower(row, Arch::kX86_64);
    ASSERT_TRUE(lowered.ok()) << lowered.error().text();
    const auto wanted = captured_of(row);
    // What is behind the returned pointer comes last, and from no parameter.
    ASSERT_EQ(lowered->recipe.n_words, wanted.size() + (lowered->recipe.result_word != 0 ? 1 : 0));
    for (size_t i = 0; i < wanted.size(); ++i) {
      const auto source = hal::source_of(lowered->recipe, i);
      EXPECT_FALSE(source.is_result);
      const auto& word = lowered->words[i];
      const bool on_stack = source.on_stack;
      ASSERT_LT(source.index, on_stack ? kRecordedSlots : 6U);
      if (on_stack) {
        EXPECT_LT(source.index, lowered->recipe.stack_slots) << "word " << i;
      }
      uint64_t found = recorded[on_stack ? 6 + source.index : source.index];
      uint64_t expected = expected_value(wanted[i]);
      EXPECT_EQ(word.field, wanted[i].field) << "word " << i;
      EXPECT_EQ(word.bits, wanted[i].bytes * 8) << "word " << i;
      if (wanted[i].behind) {
        ASSERT_NE(source.peek, nullptr) << "word " << i;
        EXPECT_EQ(source.peek->bytes, wanted[i].bytes) << "word " << i;
        EXPECT_EQ(source.peek->offset, static_cast<int>(wanted[i].offset)) << "word " << i;
      } else {
        EXPECT_EQ(source.peek, nullptr) << "word " << i;
        found >>= word.shift;
        if (word.bits < 64) found &= (uint64_t{1} << word.bits) - 1;
      }
      EXPECT_EQ(found, expected) << fmt::format("word {} ({}) is not in {} {}", i, hal::name_of(word.field),
                                                on_stack ? "stack slot" : "register", source.index);
      ++words;
    }
  }
  dlclose(handle);
  EXPECT_GT(words, 0U);
  testing::Test::RecordProperty("words", static_cast<int>(words));
#endif
}

std::string callee_source(const Cases& cases) {
  std::string text = struct_types(cases);
  for (size_t c = 0; c < cases.rows.size(); ++c) {
    const Row& row = cases.rows[c];
    const auto wanted = captured_of(row);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const Param& param = row.shape[wanted[i].param];
      const std::string name = fmt::format("p{}", wanted[i].param);
      std::string value = name;
      if (struct_bytes(param)) {
        const char* type = wanted[i].bytes == 8   ? "unsigned long"
                           : wanted[i].bytes == 4 ? "unsigned"
                           : wanted[i].bytes == 2 ? "unsigned short"
                                                  : "unsigned char";
        text +=
            fmt::format("{} take_{}_{}({}) {{ {} v; __builtin_memcpy(&v, (char *)&{} + {}, sizeof v); return v; }}\n",
                        type, c, i, parameter_list(row.shape), type, name, wanted[i].offset);
        continue;
      }
      text +=
          fmt::format("{} take_{}_{}({}) {{ return {}; }}\n", c_type(param), c, i, parameter_list(row.shape), value);
    }
  }
  return text;
}

std::string where(const Origin& origin) {
  static constexpr const char* kNames[] = {"unknown", "zero", "register", "stack", "behind register", "behind stack"};
  return fmt::format("{} {} byte {}", kNames[static_cast<int>(origin.in)], origin.index, origin.offset);
}

// Assembly text by function, in one pass: searching it anew for each of thousands of functions takes minutes.
std::unordered_map<std::string, std::vector<std::string>> functions_of(const std::string& assembly) {
  std::unordered_map<std::string, std::vector<std::string>> functions;
  std::vector<std::string>* current = nullptr;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("take_", 0) == 0) {
      current = &functions[line.substr(0, line.find(':'))];
    } else if (current != nullptr && line.find(".size") != std::string::npos) {
      current = nullptr;
    } else if (current != nullptr) {
      current->push_back(line);
    }
  }
  return functions;
}

void check_arm64(const Cases& cases, const std::string& compiler) {
  Workshop shop;
  if (!can_compile(shop, compiler)) GTEST_SKIP() << compiler << " is not installed";
  const std::string source = shop.write("callees.c", callee_source(cases));
  const std::string output = shop.at("callees.s");
  ASSERT_TRUE(run(fmt::format("{} -O1 -fomit-frame-pointer -fno-stack-protector -ffreestanding -w -S -o {} {}",
                              compiler, output, source)))
      << compiler;
  std::stringstream assembly;
  assembly << std::ifstream(output).rdbuf();
  const auto functions = functions_of(assembly.str());

  size_t words = 0;
  for (size_t c = 0; c < cases.rows.size(); ++c) {
    const Row& row = cases.rows[c];
    SCOPED_TRACE(fmt::format("{} ({})", row.name, parameter_list(row.shape)));
    const auto lowered = hal::lower(row, Arch::kArm64);
    ASSERT_TRUE(lowered.ok()) << lowered.error().text();
    const auto wanted = captured_of(row);
    ASSERT_EQ(lowered->recipe.n_words, wanted.size() + (lowered->recipe.result_word != 0 ? 1 : 0));
    for (size_t i = 0; i < wanted.size(); ++i) {
      const auto source = hal::source_of(lowered->recipe, i);
      EXPECT_FALSE(source.is_result);
      const auto& word = lowered->words[i];
      const auto body = functions.find(fmt::format("take_{}_{}", c, i));
      ASSERT_NE(body, functions.end());
      const Evaluation evaluation = evaluate_arm64(body->second);
      ASSERT_TRUE(evaluation.unhandled.empty()) << "arm64_eval does not know: " << evaluation.unhandled;
      EXPECT_EQ(word.field, wanted[i].field) << "word " << i;
      EXPECT_EQ(word.bits, wanted[i].bytes * 8) << "word " << i;
      const bool on_stack = source.on_stack;
      const auto place = static_cast<int>(on_stack ? source.index * 8 : source.index);  // or which register
      // A struct that travels as a pointer to a copy is read behind it, though the prototype shows no pointer.
      const bool is_block = lowered->recipe.sleepable_word == i + 1 && lowered->recipe.sleepable_bytes != 0;
      const bool block_by_copy = is_block && row.shape[wanted[i].param].abi == Abi::kStruct;
      const bool by_copy = (source.peek != nullptr && !wanted[i].behind) || block_by_copy;
      const unsigned bytes = wanted[i].behind ? 8 : wanted[i].bytes;
      for (unsigned b = 0; b < bytes; ++b) {
        Origin expected;
        if (by_copy) {
          expected = {on_stack ? Origin::In::kBehindStack : Origin::In::kBehindRegister, place,
                      (is_block ? 0 : source.peek->offset) + static_cast<int>(b)};
        } else {
          expected = {on_stack ? Origin::In::kStack : Origin::In::kRegister, place,
                      static_cast<int>(b) + word.shift / 8};
        }
        ASSERT_EQ(evaluation.result[b], expected)
            << fmt::format("word {} ({}) byte {}: lowered to {}, the compiler uses {}", i, hal::name_of(word.field), b,
                           where(expected), where(evaluation.result[b]));
      }
      ++words;
    }
  }
  EXPECT_GT(words, 0U);
  testing::Test::RecordProperty("words", static_cast<int>(words));
}

// Where in the stack a function of 32-bit x86 reads, as offsets from the stack pointer at its start.
std::set<unsigned> stack_reads(const std::vector<std::string>& body) {
  std::set<unsigned> offsets;
  for (const std::string& line : body) {
    const size_t end = line.find("(%esp)");
    if (end == std::string::npos) continue;
    size_t begin = end;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
    offsets.insert(static_cast<unsigned>(std::stoul(line.substr(begin, end - begin))));
  }
  return offsets;
}

// Prototypes of what a 32-bit call is captured of; for each parameter a row that captures it alone.
Cases narrow_rows() {
  constexpr Abi kAbis[] = {Abi::kI32, Abi::kPtr, Abi::kSize, Abi::kU64, Abi::kDim3};
  Cases cases;
  std::mt19937 random(20261126);
  for (unsigned s = 0; s < 100; ++s) {
    std::vector<Param> base(1 + random() % 9);
    for (Param& param : base) param.abi = kAbis[random() % std::size(kAbis)];
    for (size_t p = 0; p < base.size(); ++p) {
      auto& shape = cases.shapes.emplace_back(base);
      shape[p].into = shape[p].abi == Abi::kDim3 ? Field::kGridXY : Field::kBytes;
      cases.rows.push_back({.name = "made_up", .kind = hal::Kind::kLaunch, .shape = shape});
    }
  }
  return cases;
}

std::string narrow_source(const Cases& cases) {
  std::string text = struct_types(cases);
  for (size_t c = 0; c < cases.rows.size(); ++c) {
    const auto wanted = captured_of(cases.rows[c]);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const Param& param = cases.rows[c].shape[wanted[i].param];
      const bool is_pair = struct_bytes(param) != 0 && wanted[i].bytes == 8;
      const std::string name = fmt::format("p{}", wanted[i].param);
      text += fmt::format("{} take_{}_{}({}) {{ return {}; }}\n",
                          struct_bytes(param) == 0 ? c_type(param)
                          : is_pair                ? "unsigned long long"
                                                   : "unsigned",
                          c, i, parameter_list(cases.rows[c].shape),
                          struct_bytes(param) == 0 ? name
                          : is_pair                ? fmt::format("{0}.w[0] | (unsigned long long){0}.w[1] << 32", name)
                                                   : name + ".w[2]");
    }
  }
  return text;
}

void check_x86_32(const std::string& compiler) {
  Workshop shop;
  if (!can_compile(shop, compiler)) GTEST_SKIP() << compiler << " does not work here";
  const Cases cases = narrow_rows();
  const std::string source = shop.write("callees.c", narrow_source(cases)), output = shop.at("callees.s");
  ASSERT_TRUE(
      run(fmt::format("{} -O2 -fomit-frame-pointer -fno-stack-protector -fcf-protection=none -fno-pic "
                      "-ffreestanding -w -S -o {} {}",
                      compiler, output, source)));
  std::stringstream assembly;
  assembly << std::ifstream(output).rdbuf();
  const auto functions = functions_of(assembly.str());
  size_t words = 0;
  for (size_t c = 0; c < cases.rows.size(); ++c) {
    SCOPED_TRACE(parameter_list(cases.rows[c].shape));
    const auto lowered = hal::lower(cases.rows[c], Arch::kX86_32);
    ASSERT_TRUE(lowered.ok()) << lowered.error().text();
    for (size_t i = 0; i < lowered->recipe.n_words; ++i) {
      const auto body = functions.find(fmt::format("take_{}_{}", c, i));
      ASSERT_NE(body, functions.end());
      const unsigned at = 4 + 4 * hal::source_of(lowered->recipe, i).index;
      const bool is_wide = (lowered->recipe.wide_words >> i & 1) != 0;
      EXPECT_EQ(is_wide, lowered->words[i].bits == 64);
      EXPECT_EQ(stack_reads(body->second), is_wide ? (std::set<unsigned>{at, at + 4}) : std::set<unsigned>{at});
      ++words;
    }
  }
  EXPECT_GT(words, 300U) << "more lie beyond the slots that are read than not";
}

constexpr unsigned kRandomShapes = 200;

class LowerX86 : public testing::TestWithParam<const char*> {};
TEST_P(LowerX86, EveryDescribedWordIsWhereTheCallerPutsIt) { check_x86_64(described_rows(), GetParam()); }
TEST_P(LowerX86, EveryWordOfRandomPrototypesIsWhereTheCallerPutsIt) {
  check_x86_64(random_rows(kRandomShapes), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Compilers, LowerX86, testing::Values("gcc", "clang-14"),
                         [](const auto& info) { return info.index == 0 ? "gcc" : "clang"; });

class LowerArm64 : public testing::TestWithParam<const char*> {};
TEST_P(LowerArm64, EveryDescribedWordIsWhereTheCalleeFindsIt) { check_arm64(described_rows(), GetParam()); }
TEST_P(LowerArm64, EveryWordOfRandomPrototypesIsWhereTheCalleeFindsIt) {
  check_arm64(random_rows(kRandomShapes), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Compilers, LowerArm64,
                         testing::Values("aarch64-linux-gnu-gcc", "clang-14 --target=aarch64-linux-gnu"),
                         [](const auto& info) { return info.index == 0 ? "gcc" : "clang"; });

class LowerX86Of32Bits : public testing::TestWithParam<const char*> {};
TEST_P(LowerX86Of32Bits, EveryWordOfRandomPrototypesIsWhereTheCalleeFindsIt) { check_x86_32(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Compilers, LowerX86Of32Bits, testing::Values("gcc -m32", "clang-14 -m32"),
                         [](const auto& info) { return info.index == 0 ? "gcc" : "clang"; });

TEST(LowerCases, MostRandomPrototypesCanBeLowered) {
  const Cases cases = random_rows(kRandomShapes);
  EXPECT_GT(cases.rows.size(), 600U);
  EXPECT_LT(cases.unlowered, cases.rows.size() / 2);
}

TEST(LowerCases, RegistryHasRows) { EXPECT_GT(described_rows().rows.size(), 10U); }

}  // namespace
}  // namespace ingero::fakes
