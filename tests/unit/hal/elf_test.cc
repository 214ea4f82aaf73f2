// ELF symbols: what the linker and real libraries contain is found; damaged files give an error or less, never a crash.
#include "hal/elf.h"

#include <elf.h>
#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "fixture.h"

namespace ingero::hal {
namespace {

using testing::Test;

Result<ElfImage> open_path(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return errno_error("open(" + path + ")");
  return ElfImage::open(std::move(fd), path);
}

// Flags of the compiler: none, or those of a 32-bit library that needs nothing else.
class FixtureElf : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto path = fixture::library("cc", GetParam());
    if (!path) GTEST_SKIP() << "cc " << GetParam() << " does not build the fixture here";
    bytes_ = fixture::contents(*path);
    auto image = open_path(*path);
    ASSERT_TRUE(image) << image.error().text();
    image_.emplace(*std::move(image));
    path_ = *path;
  }
  Symbol only(std::string_view name) const {
    const auto found = image_->find(name);
    EXPECT_EQ(found.size(), 1U) << name;
    return found.empty() ? Symbol{} : found.front();
  }

  // Calls `change` with the file's header, of whichever class it is.
  template <typename Change>
  void with_header(const Change& change) {
    if (bytes_[EI_CLASS] == ELFCLASS32) {
      change(*reinterpret_cast<Elf32_Ehdr*>(bytes_.data()));
    } else {
      change(*reinterpret_cast<Elf64_Ehdr*>(bytes_.data()));
    }
  }

  std::string path_;
  std::string bytes_;
  std::optional<ElfImage> image_;
};

INSTANTIATE_TEST_SUITE_P(OfClass, FixtureElf, testing::Values("", fixture::kNarrow),
                         [](const auto& made) { return std::string(*made.param == '\0' ? "64" : "32"); });

TEST_P(FixtureElf, ReportsWhatTheFileIs) {
  EXPECT_EQ(image_->outline().soname(), "libfixture.so.7");
  EXPECT_FALSE(image_->outline().is_executable());
  EXPECT_FALSE(image_->outline().is_stripped());
  EXPECT_EQ(image_->outline().build_id().size(), 40U);
  EXPECT_EQ(image_->outline().path(), path_);
}

TEST_P(FixtureElf, BuildIdIsTheOneReadelfPrints) {
  std::string expected;
  for (const std::string& line : fixture::output_of("readelf -n " + path_)) {
    const size_t at = line.find("Build ID: ");
    if (at != std::string::npos) expected = line.substr(at + 10);
  }
  if (expected.empty()) GTEST_SKIP() << "no readelf";
  EXPECT_EQ(image_->outline().build_id(), expected);
}

TEST_P(FixtureElf, FindsWeakAndLocalFunctions) {
  EXPECT_FALSE(only("weak_one").is_local);
  const Symbol local = only("local_one");
  EXPECT_TRUE(local.is_local);
  EXPECT_GT(local.size, 0U);
}

TEST_P(FixtureElf, AliasesShareAnAddressAndKeepTheirNames) {
  EXPECT_EQ(only("aliased").file_offset, only("exported").file_offset);
  EXPECT_EQ(only("aliased").name, "aliased");
}

TEST_P(FixtureElf, PutsTheDefaultVersionFirst) {
  const auto found = image_->find("versioned");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].version, "V2");
  EXPECT_TRUE(found[0].is_default);
  EXPECT_EQ(found[1].version, "V1");
  EXPECT_FALSE(found[1].is_default);
  EXPECT_NE(found[0].file_offset, found[1].file_offset);
}

TEST_P(FixtureElf, FindsNeitherDataNorImportsNorFragmentsOfNames) {
  EXPECT_TRUE(image_->find("a_variable").empty());
  EXPECT_TRUE(image_->find("export").empty());
  EXPECT_TRUE(image_->find("exported_").empty());
  EXPECT_TRUE(image_->find("").empty());
  EXPECT_TRUE(image_->find("__cxa_finalize").empty());
}

TEST_P(FixtureElf, MatchesMangledNamesByGlobalBaseNameOnly) {
  const auto found = image_->find_mangled("twined");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "_Z6twinedi");
  EXPECT_TRUE(image_->find_mangled("twine").empty());
  EXPECT_TRUE(image_->find_mangled("inner").empty());
}

TEST_P(FixtureElf, FileOffsetsAreWhereTheCodeIs) {
  for (const Symbol& symbol : image_->functions()) {
    const auto code = image_->bytes_at(symbol.file_offset, symbol.size);
    ASSERT_EQ(code.size(), symbol.size) << symbol.name;
    EXPECT_TRUE(std::equal(code.begin(), code.end(), bytes_.begin() + static_cast<ptrdiff_t>(symbol.file_offset),
                           [](uint8_t read, char byte) { return read == static_cast<uint8_t>(byte); }))
        << symbol.name;
  }
  EXPECT_TRUE(image_->bytes_at(bytes_.size(), 16).empty());
  EXPECT_EQ(image_->bytes_at(bytes_.size() - 3, 16).size(), 3U);
  EXPECT_TRUE(image_->bytes_at(UINT64_MAX, 16).empty());
}

TEST_P(FixtureElf, CoveringFindsTheFunctionAroundEveryByteOfIt) {
  const Symbol symbol = only("calls_local");
  for (uint64_t at = 0; at < symbol.size; ++at) {
    const Symbol* covering = image_->covering(symbol.file_offset + at);
    ASSERT_NE(covering, nullptr);
    EXPECT_EQ(covering->name, "calls_local");
  }
  EXPECT_EQ(image_->covering(0), nullptr);
}

TEST_P(FixtureElf, ReadsTheDynamicSegmentWhenThereAreNoSections) {
  with_header([](auto& header) { header.e_shoff = header.e_shnum = header.e_shstrndx = 0; });
  auto bare = ElfImage::open(fixture::file_of(bytes_), "bare");
  ASSERT_TRUE(bare) << bare.error().text();
  EXPECT_TRUE(bare->outline().is_stripped());
  EXPECT_EQ(bare->outline().soname(), "libfixture.so.7");
  EXPECT_TRUE(bare->find("local_one").empty());
  for (const char* name : {"exported", "weak_one", "versioned", "retired", "copy_v2_ptds", "_Z6twinedi"}) {
    const auto with = image_->find(name), without = bare->find(name);
    ASSERT_EQ(with.size(), without.size()) << name;
    for (size_t i = 0; i < with.size(); ++i) {
      EXPECT_EQ(with[i].file_offset, without[i].file_offset);
      EXPECT_EQ(with[i].version, without[i].version);
    }
  }
}

TEST_P(FixtureElf, OutlivesItsMove) {
  const Symbol before = only("exported");
  ElfImage moved = *std::move(image_);
  const auto after = moved.find("exported");
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].file_offset, before.file_offset);
  EXPECT_EQ(moved.outline().soname(), "libfixture.so.7");
}

// Everything the image can be asked, so that damage has something to hit.
void use(const ElfImage& image, uint64_t file_bytes) {
  for (const Symbol& symbol : image.functions()) {
    ASSERT_LT(symbol.file_offset, file_bytes);
    ASSERT_FALSE(symbol.name.empty());
    ASSERT_NE(image.covering(symbol.file_offset), nullptr);
  }
  (void)image.find("exported");
  (void)image.find("versioned");
  (void)image.find_mangled("twined");
  (void)image.outline().build_id();
  (void)image.bytes_at(0, 64);
}

TEST_P(FixtureElf, SurvivesBeingCutAtEveryLength) {
  size_t opened = 0;
  for (size_t length = 0; length < bytes_.size(); ++length) {
    auto cut = ElfImage::open(fixture::file_of(std::string_view(bytes_).substr(0, length)), "cut");
    if (cut) {
      ++opened;
      use(*cut, length);
    } else {
      EXPECT_NE(cut.error().message().find("cut"), std::string::npos);
    }
  }
  EXPECT_LT(opened, bytes_.size());  // section headers are at the end: most cuts lose them and say so
}

TEST_P(FixtureElf, SurvivesRandomDamage) {
  std::mt19937_64 random(20261121);
  size_t opened = 0;
  uint64_t tables = 0;
  with_header([&](const auto& header) { tables = header.e_shoff; });
  constexpr int kRounds = 6000;
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = bytes_;
    const int changes = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < changes; ++i) {
      // Headers and tables are where damage matters: half of it goes to the first 4 KiB or the section headers.
      const uint64_t at = random() % 4 == 0   ? random() % 4096
                          : random() % 2 == 0 ? tables + random() % (bytes_.size() - tables)
                                              : random() % bytes_.size();
      damaged[at % damaged.size()] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    auto image = ElfImage::open(fixture::file_of(damaged), "damaged");
    if (!image) continue;
    ++opened;
    use(*image, damaged.size());
  }
  EXPECT_GT(opened, 100U);
  EXPECT_LT(opened, static_cast<size_t>(kRounds));
}

TEST(Elf, RefusesOtherFilesWithASentence) {
  std::string small(64, '\0');
  std::memcpy(small.data(), ELFMAG, SELFMAG);
  small[EI_CLASS] = ELFCLASS32;
  small[EI_DATA] = ELFDATA2LSB;
  const auto of_machine = [&](uint16_t machine) {
    std::string bytes = small;
    std::memcpy(bytes.data() + offsetof(Elf32_Ehdr, e_machine), &machine, sizeof machine);
    return bytes;
  };
  std::string big_endian = of_machine(EM_386);
  big_endian[EI_DATA] = ELFDATA2MSB;
  for (const std::string& bytes : {std::string{}, std::string("#!/bin/sh\n"), std::string(100, 'x'), small,
                                   of_machine(EM_ARM), of_machine(EM_X86_64), big_endian}) {
    auto image = ElfImage::open(fixture::file_of(bytes), "/some/file");
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().code(), Errc::kNotSupported);
    EXPECT_NE(image.error().message().find("/some/file"), std::string::npos);
  }
  auto closed = ElfImage::open(Fd(-1), "/gone");
  ASSERT_FALSE(closed);
  EXPECT_NE(closed.error().message().find("Bad file descriptor"), std::string::npos);
  auto directory = ElfImage::open(Fd(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), "/");
  ASSERT_FALSE(directory);
  EXPECT_NE(directory.error().message().find("not a regular file"), std::string::npos);
}

TEST(Elf, FindsAStaticCopyByLocalSymbolsUnlessStripped) {
  const auto path = fixture::program(), stripped_path = fixture::stripped_program();
  if (!path || !stripped_path) GTEST_SKIP() << "no C compiler (cc) to build the fixture with";
  auto program = open_path(*path);
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_TRUE(program->outline().is_executable());
  EXPECT_FALSE(program->outline().is_stripped());
  const auto found = program->find("exported");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].is_local);
  auto stripped = open_path(*stripped_path);
  ASSERT_TRUE(stripped) << stripped.error().text();
  EXPECT_TRUE(stripped->outline().is_executable());
  EXPECT_TRUE(stripped->outline().is_stripped());
  EXPECT_TRUE(stripped->find("exported").empty());
}

// readelf is the independent witness: every function it lists is found at the offset it implies, and no other.
void compare_with_readelf(const std::string& path) {
  auto image = open_path(path);
  ASSERT_TRUE(image) << image.error().text();
  std::set<std::pair<std::string, uint64_t>> expected, actual;
  for (const std::string& line : fixture::output_of("readelf -W --dyn-syms " + path)) {
    std::istringstream fields(line);
    std::string number, value, size, type, bind, visibility, section, name;
    fields >> number >> value >> size >> type >> bind >> visibility >> section >> name;
    if (type != "FUNC" || section == "UND" || section == "ABS") continue;
    const bool is_default = name.find("@@") != std::string::npos || name.find('@') == std::string::npos;
    expected.insert({name.substr(0, name.find('@')) + (is_default ? "" : "(old)"), std::stoull(value, nullptr, 16)});
  }
  if (expected.empty()) GTEST_SKIP() << "no readelf";
  for (const auto& [name, address] : expected) {
    const std::string plain = name.substr(0, name.find('('));
    for (const Symbol& symbol : image->find(plain)) {
      actual.insert({plain + (symbol.is_default ? "" : "(old)"), symbol.address});
    }
  }
  // One address per name is kept: an old version at its successor's address may be missing, nothing else.
  for (const auto& entry : actual) EXPECT_TRUE(expected.contains(entry)) << entry.first;
  for (const auto& [name, address] : expected) {
    const std::string plain = name.substr(0, name.find('('));
    EXPECT_TRUE(actual.contains({plain, address}) || actual.contains({plain + "(old)", address})) << name;
  }
}

TEST(RealLibrary, CudartSymbolsAreThoseOfReadelf) {
  const auto path = fixture::first_of({"/usr/local/cuda/lib64/libcudart.so", "/usr/lib/x86_64-linux-gnu/libcudart.so"});
  if (!path) GTEST_SKIP() << "no libcudart on this machine";
  compare_with_readelf(*path);
}

TEST(RealLibrary, HipSymbolsAreThoseOfReadelf) {
  const auto path = fixture::first_of({"/usr/lib/x86_64-linux-gnu/libamdhip64.so.5", "/opt/rocm/lib/libamdhip64.so"});
  if (!path) GTEST_SKIP() << "no libamdhip64 on this machine";
  compare_with_readelf(*path);
}

TEST(RealLibrary, VerbsDefaultVersionsAreThoseOfReadelf) {
  const auto path = fixture::first_of({"/usr/lib/x86_64-linux-gnu/libibverbs.so.1", "/usr/lib64/libibverbs.so.1"});
  if (!path) GTEST_SKIP() << "no libibverbs on this machine";
  compare_with_readelf(*path);
  auto image = open_path(*path);
  ASSERT_TRUE(image);
  const auto found = image->find("ibv_create_qp");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].version, "IBVERBS_1.1");
  EXPECT_EQ(found[1].version, "IBVERBS_1.0");
}

TEST(RealLibrary, NcclWeakAndAliasedSymbolsShareOffsets) {
  const auto path = fixture::first_of({"/usr/local/cuda/lib64/libnccl.so.2", "/usr/lib/x86_64-linux-gnu/libnccl.so.2"});
  if (!path) GTEST_SKIP() << "no libnccl on this machine";
  auto image = open_path(*path);
  ASSERT_TRUE(image) << image.error().text();
  const auto plain = image->find("ncclAllReduce"), profiling = image->find("pncclAllReduce");
  ASSERT_EQ(plain.size(), 1U);
  ASSERT_EQ(profiling.size(), 1U);
  EXPECT_EQ(plain[0].file_offset, profiling[0].file_offset);
}

}  // namespace
}  // namespace ingero::hal
