// Rows to probes: every spelling, one probe per address, and a reason for each that is missing.
#include "hal/resolve.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "fixture.h"

namespace ingero::hal {
namespace {

constexpr std::string_view kSonames[] = {"libfixture.so*"};
constexpr std::string_view kAnchors[] = {"no_such_anchor", "local_one"};

Row row(std::string_view name, uint8_t variants = kNoVariant, uint32_t flags = kNoFlag, std::string_view instead = {}) {
  Row made{name, Kind::kLaunch, {}};
  made.variants = variants;
  made.flags = flags;
  made.instead = instead;
  return made;
}

class Resolve : public testing::Test {
 protected:
  void SetUp() override {
    const auto path = fixture::library();
    if (!path) GTEST_SKIP() << "no C compiler (cc) to build the fixture with";
    open(*path);
  }
  void open(const std::string& path) {
    auto image = ElfImage::open(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path);
    ASSERT_TRUE(image) << image.error().text();
    image_.emplace(*std::move(image));
  }
  std::vector<ResolvedRow> resolve_rows(std::span<const Row> rows) {
    const Library library{"libfixture", kSonames, rows, "LAYER", 0, false, kAnchors};
    return resolve(library, *image_, kHostArch);
  }
  static std::vector<std::string> symbols(const std::vector<ResolvedRow>& rows, RowState state) {
    std::vector<std::string> names;
    for (const ResolvedRow& one : rows) {
      if (one.state == state) names.push_back(one.symbol);
    }
    return names;
  }

  std::optional<ElfImage> image_;
};

using Names = std::vector<std::string>;

TEST_F(Resolve, TriesEverySpellingTheRowNamesAndNoOther) {
  const Row all[] = {row("copy", kPtsz | kPtds | kV2 | kV3 | kSpt)};
  EXPECT_EQ(symbols(resolve_rows(all), RowState::kResolved), (Names{"copy", "copy_ptsz", "copy_v2", "copy_v2_ptds"}));
  const Row some[] = {row("copy", kV2)};
  EXPECT_EQ(symbols(resolve_rows(some), RowState::kResolved), (Names{"copy", "copy_v2"}));
  const Row plain[] = {row("copy")};
  EXPECT_EQ(symbols(resolve_rows(plain), RowState::kResolved), (Names{"copy"}));
}

TEST_F(Resolve, ReportsAnAbsentRowOnce) {
  const Row rows[] = {row("no_such_call", kPtsz | kV2)};
  const auto resolved = resolve_rows(rows);
  ASSERT_EQ(resolved.size(), 1U);
  EXPECT_EQ(resolved[0].state, RowState::kAbsent);
  EXPECT_EQ(resolved[0].row, &rows[0]);
  EXPECT_EQ(resolved[0].symbol, "no_such_call");
  EXPECT_FALSE(resolved[0].reason.empty());
}

TEST_F(Resolve, ProbesTheDefaultVersionAndNamesItWhereThereAreSeveral) {
  const Row rows[] = {row("versioned"), row("exported"), row("retired")};
  const auto resolved = resolve_rows(rows);
  EXPECT_EQ(symbols(resolved, RowState::kResolved), (Names{"versioned@V2", "exported", "retired"}));
  const auto found = image_->find("versioned");
  EXPECT_EQ(resolved[0].file_offset - resolved[0].point.delta, found[0].file_offset);
}

TEST_F(Resolve, AnAddressIsProbedOnceAndTheOtherRowSaysWhy) {
  const Row rows[] = {row("exported"), row("aliased")};
  const auto resolved = resolve_rows(rows);
  ASSERT_EQ(resolved.size(), 2U);
  EXPECT_EQ(resolved[0].state, RowState::kResolved);
  EXPECT_EQ(resolved[1].state, RowState::kRefused);
  EXPECT_NE(resolved[1].reason.find("exported"), std::string::npos);
}

TEST_F(Resolve, FindsMangledVariantsOnlyWhereTheRowAsksForThem) {
  const Row with[] = {row("twined", kNoVariant, kMangledVariants)};
  EXPECT_EQ(symbols(resolve_rows(with), RowState::kResolved), (Names{"twined", "_Z6twinedi"}));
  const Row without[] = {row("twined")};
  EXPECT_EQ(symbols(resolve_rows(without), RowState::kResolved), (Names{"twined"}));
}

TEST_F(Resolve, AWrapperIsRefusedWhereItsTargetResolves) {
  const Row rows[] = {row("wrapper", kPtsz, kNotWhereTarget, "target"), row("target", kPtsz)};
  const auto resolved = resolve_rows(rows);
  EXPECT_EQ(symbols(resolved, RowState::kRefused), (Names{"wrapper", "wrapper_ptsz"}));
  EXPECT_EQ(symbols(resolved, RowState::kResolved), (Names{"target", "target_ptsz"}));
  EXPECT_NE(resolved[1].reason.find("target_ptsz"), std::string::npos);
  const Row alone[] = {row("wrapper", kPtsz, kNotWhereTarget, "not_here")};
  EXPECT_EQ(symbols(resolve_rows(alone), RowState::kResolved), (Names{"wrapper", "wrapper_ptsz"}));
}

TEST_F(Resolve, OfSeveralPrototypesOnlyTheOneOfThisFilesVersionIsProbed) {
  const Row rows[] = {row("copy", kPtsz, kOnlyWhereTarget, "target"), row("copy", kPtsz, kNotWhereTarget, "target")};
  for (const ResolvedRow& one : resolve_rows(rows)) EXPECT_EQ(one.row, &rows[0]) << one.symbol;
  EXPECT_EQ(symbols(resolve_rows(rows), RowState::kResolved), (Names{"copy", "copy_ptsz"}));
  const Row older[] = {row("copy", kPtsz, kOnlyWhereTarget, "not_here"),
                       row("copy", kPtsz, kNotWhereTarget, "not_here")};
  for (const ResolvedRow& one : resolve_rows(older)) EXPECT_EQ(one.row, &older[1]) << one.symbol;
  EXPECT_EQ(symbols(resolve_rows(older), RowState::kResolved), (Names{"copy", "copy_ptsz"}));
}

TEST_F(Resolve, ABareNameWithAnotherPrototypeIsItsOwnRows) {
  const Row rows[] = {row("copy", kV2 | kNotBase), row("copy")};
  const auto resolved = resolve_rows(rows);
  ASSERT_EQ(resolved.size(), 2U);
  EXPECT_EQ(resolved[0].symbol, "copy_v2");
  EXPECT_EQ(resolved[0].row, &rows[0]);
  EXPECT_EQ(resolved[1].symbol, "copy");
  EXPECT_EQ(resolved[1].row, &rows[1]);
}

TEST_F(Resolve, ANameWithSeveralPrototypesIsAbsentOnceAndOnlyIfNoneIsThere) {
  const Row found[] = {row("exported"), row("exported", kV3 | kNotBase)};
  EXPECT_EQ(symbols(resolve_rows(found), RowState::kAbsent), Names{});
  const Row missing[] = {row("not_here"), row("not_here", kV2 | kNotBase)};
  EXPECT_EQ(symbols(resolve_rows(missing), RowState::kAbsent), Names{"not_here"});
}

TEST_F(Resolve, FindsLocalFunctionsWhereNothingIsExported) {
  const Row rows[] = {row("local_one")};
  EXPECT_EQ(symbols(resolve_rows(rows), RowState::kResolved), (Names{"local_one"}));
}

TEST_F(Resolve, NoProbeIsOutsideItsFunction) {
  const Row rows[] = {row("copy", kPtsz | kV2), row("exported"), row("versioned"), row("calls_local"), row("target")};
  for (const ResolvedRow& one : resolve_rows(rows)) {
    ASSERT_EQ(one.state, RowState::kResolved) << one.symbol;
    const Symbol* covering = image_->covering(one.file_offset);
    ASSERT_NE(covering, nullptr);
    EXPECT_EQ(covering->file_offset, one.file_offset - one.point.delta);
  }
}

TEST_F(Resolve, MovesPastTheLandingPadOfEveryFunctionWithAPush) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "endbr64 is an x86-64 instruction";
#endif
  const auto path = fixture::library("cc", "-O0 -fcf-protection=full");
  ASSERT_TRUE(path);
  open(*path);
  const Row rows[] = {row("copy", kPtsz | kV2), row("exported")};
  for (const ResolvedRow& one : resolve_rows(rows)) {
    EXPECT_EQ(one.point.delta, 4U) << one.symbol;
    EXPECT_EQ(one.point.instruction, "push");
    EXPECT_FALSE(one.point.single_stepped);
  }
}

TEST_F(Resolve, AFileForAnotherProcessorIsRefusedWithTheReason) {
  const Row rows[] = {row("copy")};
  const Library library{"libfixture", kSonames, rows, "LAYER"};
  const auto resolved = resolve(library, *image_, kHostArch == Arch::kX86_64 ? Arch::kArm64 : Arch::kX86_64);
  ASSERT_EQ(resolved.size(), 1U);
  EXPECT_EQ(resolved[0].state, RowState::kRefused);
  EXPECT_NE(resolved[0].reason.find("processor"), std::string::npos);
}

TEST_F(Resolve, ReadsTheOtherArchitecturesFilesToo) {
  const auto path = fixture::library("aarch64-linux-gnu-gcc", "-nostdlib -mbranch-protection=standard");
  if (!path) GTEST_SKIP() << "no aarch64-linux-gnu-gcc";
  open(*path);
  const Row rows[] = {row("copy", kPtsz | kV2), row("wrapper")};
  const Library library{"libfixture", kSonames, rows, "LAYER"};
  const auto resolved = resolve(library, *image_, Arch::kArm64);
  EXPECT_EQ(symbols(resolved, RowState::kResolved), (Names{"copy", "copy_ptsz", "copy_v2", "wrapper"}));
  for (const ResolvedRow& one : resolved) {  // bti c; adrp
    EXPECT_FALSE(one.point.single_stepped) << one.symbol << " " << one.point.instruction;
    EXPECT_EQ(one.point.delta, 4U) << one.symbol;
  }
}

TEST_F(Resolve, Reads32BitFilesWhereX86RunsThem) {
  const auto path = fixture::library("cc", fixture::kNarrow);
  if (!path) GTEST_SKIP() << "cc -m32 does not work here";
  open(*path);
  const Row rows[] = {row("copy", kPtsz | kV2), row("wrapper")};
  const Library library{"libfixture", kSonames, rows, "LAYER"};
  EXPECT_EQ(arch_of(*image_, Arch::kX86_64), Arch::kX86_32);
  const auto resolved = resolve(library, *image_, Arch::kX86_32);
  EXPECT_EQ(symbols(resolved, RowState::kResolved), (Names{"copy", "copy_ptsz", "copy_v2", "wrapper"}));
  for (const ResolvedRow& one : resolved) EXPECT_EQ(one.file_offset, image_->find(one.symbol)[0].file_offset);
  EXPECT_EQ(arch_of(*image_, Arch::kArm64), Arch::kArm64);
  for (const ResolvedRow& one : resolve(library, *image_, Arch::kArm64)) EXPECT_EQ(one.state, RowState::kRefused);
}

TEST_F(Resolve, AStaticCopyIsProvedByAnyAnchor) {
  const Library library{"libfixture", kSonames, {}, "LAYER", 0, true, kAnchors};
  EXPECT_TRUE(*holds_static_copy(library, image_->outline()));
  constexpr std::string_view kOther[] = {"no_such_anchor"};
  const Library other{"libother", kSonames, {}, "LAYER", 0, true, kOther};
  EXPECT_FALSE(*holds_static_copy(other, image_->outline()));
}

TEST(SonameMatches, ByPatternOnBaseNamesAndThroughWheelHashes) {
  constexpr std::string_view patterns[] = {"libcudart.so*", "libother-[0-9].so"};
  const Library library{"libcudart", patterns, {}, "LAYER"};
  for (const char* name : {"libcudart.so", "libcudart.so.13", "libcudart.so.13.0.96", "/usr/local/lib/libcudart.so.12",
                           "libcudart-a1b2c3d4.so.12", "/x/libcudart-d0da41ae.so.11.0", "libother-3.so"}) {
    EXPECT_TRUE(soname_matches(library, name)) << name;
  }
  for (const char* name :
       {"", "libcudart", "xlibcudart.so.13", "libcudart_static.a", "libcudart-a1b2c3d.so.12", "libcudart-A1B2C3D4.so",
        "libcudart-a1b2c3d4-a1b2c3d4.so.1", "libcudart.so.13/other", "-a1b2c3d4.so", "a1b2c3d4.so", ".so"}) {
    EXPECT_FALSE(soname_matches(library, name)) << name;
  }
}

TEST(LibraryVersion, ComesFromTheLongerOfFileNameAndSoname) {
  EXPECT_EQ(library_version("/usr/local/cuda-13.0/lib/libcudart.so.13.0.96", "libcudart.so.13"), "13.0.96");
  EXPECT_EQ(library_version("libcudart.so.13", "libcudart.so.13"), "13");
  EXPECT_EQ(library_version("libcudart.so", "libcudart.so.13"), "13");
  EXPECT_EQ(library_version("libcudart-d0da41ae.so.11.0", "libcudart-d0da41ae.so.11.0"), "11.0");
  EXPECT_EQ(library_version("libcuda.so.535.261.03", "libcuda.so.1"), "535.261.03");
  EXPECT_EQ(library_version("libx.so.5.2.bak", ""), "5.2");
  EXPECT_EQ(library_version("libx.so.5.", ""), "5");
  EXPECT_EQ(library_version("libx.so.v5", ""), "");
  EXPECT_EQ(library_version("program", ""), "");
  EXPECT_EQ(library_version("", ""), "");
}

// Every exported function of a real library as a row of its own.
void resolve_everything(const std::string& path, double stepped_share_limit) {
  const auto start = std::chrono::steady_clock::now();
  auto image = ElfImage::open(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path);
  ASSERT_TRUE(image) << image.error().text();
  std::vector<Row> rows;
  for (const Symbol& symbol : image->functions()) {
    if (!symbol.is_local) rows.push_back(row(symbol.name));
  }
  const Library library{"library", {}, rows, "LAYER"};
  const auto resolved = resolve(library, *image, kHostArch);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::map<std::string, size_t> by_instruction;
  size_t probes = 0, stepped = 0;
  for (const ResolvedRow& one : resolved) {
    EXPECT_NE(one.state, RowState::kAbsent) << one.symbol;
    if (one.state != RowState::kResolved) continue;
    ++probes;
    stepped += one.point.single_stepped ? 1 : 0;
    ++by_instruction[fmt::format("{}{}", one.point.instruction, one.point.delta != 0 ? " (moved)" : "")];
  }
  EXPECT_GT(probes, 0U);
  EXPECT_LE(static_cast<double>(stepped), stepped_share_limit * static_cast<double>(probes));
  std::string summary;
  for (const auto& [instruction, count] : by_instruction) summary += fmt::format(" {}:{}", instruction, count);
  fmt::print("{}: {} probes, {} single-stepped,{} in {:.1f} ms\n", path, probes, stepped, summary, took.count());
}

TEST(RealLibrary, NearlyAllCudartProbesAreEmulated) {
  const auto path = fixture::first_of({"/usr/local/cuda/lib64/libcudart.so", "/usr/lib/x86_64-linux-gnu/libcudart.so"});
  if (!path) GTEST_SKIP() << "no libcudart on this machine";
  resolve_everything(*path, 0.01);
}

TEST(RealLibrary, NearlyAllHipProbesAreEmulated) {
  const auto path = fixture::first_of({"/usr/lib/x86_64-linux-gnu/libamdhip64.so.5", "/opt/rocm/lib/libamdhip64.so"});
  if (!path) GTEST_SKIP() << "no libamdhip64 on this machine";
  resolve_everything(*path, 0.05);
}

TEST(RealLibrary, MostNcclProbesAreEmulated) {
  const auto path = fixture::first_of({"/usr/local/cuda/lib64/libnccl.so.2", "/usr/lib/x86_64-linux-gnu/libnccl.so.2"});
  if (!path) GTEST_SKIP() << "no libnccl on this machine";
  resolve_everything(*path, 0.25);
}

}  // namespace
}  // namespace ingero::hal
