// What a file defines, asked of its outline: the same answer as from all of its symbols, by each way of looking.
#include "hal/elf_outline.h"

#include <elf.h>
#include <fcntl.h>

#include <cstring>
#include <random>
#include <set>
#include <sstream>

#include "fixture.h"
#include "hal/elf.h"

namespace ingero::hal {
namespace {

bool defines(const ElfOutline& file, std::string_view name) {
  const std::string_view names[] = {"no_such_function", name};
  const auto answer = file.defines_any(names);
  EXPECT_TRUE(answer) << name << ": " << answer.error().text();
  return answer && *answer;
}

// Flags of the compiler. The first two have the GNU hash table; without it all of .dynsym is read.
class OutlineOf : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto path = fixture::library("cc", GetParam());
    if (!path) GTEST_SKIP() << "cc " << GetParam() << " does not build the fixture here";
    bytes_ = fixture::contents(*path);
  }
  std::string bytes_;
};

INSTANTIATE_TEST_SUITE_P(Flags, OutlineOf, testing::Values("-s", fixture::kNarrow, "-s -Wl,--hash-style=sysv", ""));

TEST_P(OutlineOf, DefinesWhatItsSymbolsSay) {
  const auto outline = ElfOutline::open(fixture::file_of(bytes_), "fixture");
  ASSERT_TRUE(outline) << outline.error().text();
  const auto image = ElfImage::open(fixture::file_of(bytes_), "fixture");
  ASSERT_TRUE(image) << image.error().text();
  ASSERT_FALSE(image->functions().empty());
  for (const Symbol& symbol : image->functions()) {
    EXPECT_TRUE(defines(*outline, symbol.name)) << symbol.name;
    EXPECT_FALSE(defines(*outline, std::string(symbol.name) + "_")) << symbol.name;
  }
  EXPECT_EQ(defines(*outline, "local_one"), !outline->is_stripped());
  for (const char* name : {"a_variable", "sink", "printf", "", "V1", "expor", "xported", "versioned_old@V1"}) {
    EXPECT_EQ(defines(*outline, name), !image->find(name).empty()) << name;
  }
}

TEST_P(OutlineOf, AnswersWithoutSectionsAsTheDynamicLinkerDoes) {
  const bool is_narrow = bytes_[EI_CLASS] == ELFCLASS32;
  if (is_narrow) {
    auto& header = *reinterpret_cast<Elf32_Ehdr*>(bytes_.data());
    header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
  } else {
    auto& header = *reinterpret_cast<Elf64_Ehdr*>(bytes_.data());
    header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
  }
  const auto outline = ElfOutline::open(fixture::file_of(bytes_), "bare");
  ASSERT_TRUE(outline) << outline.error().text();
  EXPECT_EQ(outline->soname(), "libfixture.so.7");
  for (const char* name : {"exported", "weak_one", "versioned", "retired", "_Z6twinedi"}) {
    EXPECT_TRUE(defines(*outline, name)) << name;
  }
  EXPECT_FALSE(defines(*outline, "local_one"));
}

TEST_P(OutlineOf, SurvivesRandomDamage) {
  std::mt19937_64 random(20261127);
  const std::string_view names[] = {"exported", "versioned", "local_one", "no_such_function"};
  size_t answered = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = bytes_;
    for (uint64_t i = 0; i < 1 + random() % 8; ++i) {
      damaged[(random() % 2 == 0 ? random() % 4096 : random()) % damaged.size()] =
          static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    const auto outline = ElfOutline::open(fixture::file_of(damaged), "damaged");
    if (!outline) continue;
    (void)outline->has_section(".text");
    if (outline->defines_any(names)) ++answered;
  }
  EXPECT_GT(answered, 100U);
}

// readelf is the witness here: of each library that there is, every function that it exports is found and no name that
// is none.
TEST(OutlineOfARealLibrary, FindsWhatReadelfLists) {
  size_t checked = 0;
  for (const char* path :
       {"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
        "/usr/local/cuda/lib64/libcudart.so", "/usr/lib/x86_64-linux-gnu/libamdhip64.so.5", "/bin/bash"}) {
    const auto outline = ElfOutline::open(Fd(::open(path, O_RDONLY | O_CLOEXEC)), path);
    if (!outline) continue;
    std::set<std::string> functions, others;
    for (const std::string& line : fixture::output_of(fmt::format("readelf -W --dyn-syms {}", path))) {
      std::istringstream fields(line);
      std::string number, value, size, type, bind, visibility, section, name;
      fields >> number >> value >> size >> type >> bind >> visibility >> section >> name;
      const bool is_function = type == "FUNC" && section != "UND" && section != "ABS";
      if (!name.empty()) (is_function ? functions : others).insert(name.substr(0, name.find('@')));
    }
    for (const std::string& name : functions) EXPECT_TRUE(defines(*outline, name)) << path << ": " << name;
    for (const std::string& name : others) {
      if (outline->is_stripped() && !functions.contains(name)) {
        EXPECT_FALSE(defines(*outline, name)) << path << ": " << name;
      }
    }
    checked += functions.size();
  }
  if (checked == 0) GTEST_SKIP() << "no readelf, or none of the libraries";
}

}  // namespace
}  // namespace ingero::hal
