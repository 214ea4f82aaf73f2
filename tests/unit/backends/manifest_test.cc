// Backends from files: what is accepted means the same as a compiled table, and what is refused says where and why.
#include "backends/manifest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "backends/registry.h"
#include "hal/lower.h"
#include "temp_folder.h"

namespace ingero::backends {
namespace {

constexpr const char* kHead = R"(backend: toy
vendor: acme
directions: [h2d, d2h]
statuses: {0: TOY_OK, 7: TOY_BUSY, -3: TOY_BROKEN}
not_failures: [7]
)";
constexpr const char* kLibrary = R"(libraries:
  - name: libtoy
    sonames: ["libtoy.so*"]
    layer: TOY
    source: 70
    rows:
)";

std::string with_rows(const std::string& rows, const std::string& shapes = "") {
  return std::string(kHead) + shapes + kLibrary + rows;
}

std::unique_ptr<Manifest> parsed(const std::string& text) {
  auto manifest = Manifest::parse(text, "toy.yaml");
  EXPECT_TRUE(manifest.ok()) << manifest.error().text();
  return manifest.ok() ? std::move(*manifest) : nullptr;
}

// Refused, with a problem on `line` that says `part`.
void refused(const std::string& text, size_t line, const std::string& part) {
  SCOPED_TRACE(text.substr(0, 2000));
  std::vector<ManifestProblem> problems;
  const auto manifest = Manifest::parse(text, "toy.yaml", &problems);
  ASSERT_FALSE(manifest.ok());
  std::string all;
  for (const ManifestProblem& problem : problems) {
    if (problem.line == line && problem.sentence.find(part) != std::string::npos) return;
    all += problem.text("toy.yaml") + "\n";
  }
  ADD_FAILURE() << "no problem on line " << line << " says '" << part << "':\n" << all;
}

TEST(ManifestReading, GivesTheColumnsOfACompiledTable) {
  const auto manifest =
      parsed(with_rows(R"(
      - name: toyCopy
        kind: memcpy
        shape: copy
        twins: [v2, ptsz]
        flags: [async]
        element_bytes: 4
        op_name: copy
      - {name: toyMake, kind: stream, shape: [{abi: ptr, peeks: [{into: stream, when: return}]}, i32 signed device]}
      - {name: toyPlace, kind: memset, shape: [{abi: struct, bytes: 24, peeks: [{into: address, offset: 8}]}, i64 bytes]}
)",
                       "shapes: {copy: [ptr address, ptr source, i64 bytes, i32 direction, ptr stream]}\n"));
  ASSERT_NE(manifest, nullptr);
  const hal::Backend& backend = manifest->backend();
  EXPECT_EQ(backend.name, "toy");
  EXPECT_EQ(backend.vendor, "acme");
  EXPECT_EQ(hal::direction_of(backend, 1), hal::Direction::kDeviceToHost);
  EXPECT_EQ(hal::direction_of(backend, 2), hal::Direction::kUnknown);
  EXPECT_EQ(hal::status_name(backend.statuses, -3), "TOY_BROKEN");
  ASSERT_EQ(backend.not_failures.size(), 1U);
  EXPECT_EQ(backend.not_failures[0], 7);
  ASSERT_EQ(backend.libraries.size(), 1U);
  const hal::Library& library = backend.libraries[0];
  EXPECT_EQ(library.name, "libtoy");
  EXPECT_EQ(library.layer, "TOY");
  EXPECT_EQ(library.source, 70);
  ASSERT_EQ(library.rows.size(), 3U);
  const hal::Row& copy = library.rows[0];
  EXPECT_EQ(copy.name, "toyCopy");
  EXPECT_EQ(copy.kind, hal::Kind::kMemcpy);
  EXPECT_EQ(copy.flags, hal::kAsync);
  EXPECT_EQ(copy.element_bytes, 4);
  EXPECT_EQ(copy.op_name, "copy");
  EXPECT_EQ(hal::spellings(copy),
            (std::vector<std::string>{"toyCopy", "toyCopy_ptsz", "toyCopy_v2", "toyCopy_v2_ptsz"}));
  ASSERT_EQ(copy.shape.size(), 5U);
  EXPECT_EQ(copy.shape[3].abi, hal::Abi::kI32);
  EXPECT_EQ(copy.shape[3].into, hal::Field::kDirection);
  const hal::Row& make = library.rows[1];
  ASSERT_EQ(make.shape.size(), 2U);
  ASSERT_EQ(make.shape[0].peeks.size(), 1U);
  EXPECT_EQ(make.shape[0].peeks[0].into, hal::Field::kStream);
  EXPECT_EQ(make.shape[0].peeks[0].when, hal::When::kReturn);
  EXPECT_EQ(make.shape[0].peeks[0].bytes, 8);
  EXPECT_TRUE(make.shape[1].is_signed);
  EXPECT_EQ(library.rows[2].shape[0].bytes, 24);
  EXPECT_TRUE(hal::lower(copy, hal::Arch::kX86_64).ok());
}

TEST(ManifestReading, ToleratesNoUnknownKeyAnywhere) {
  refused(with_rows("      - {name: f, kind: sync, shape: [], flags: [synchronising], knd: 1}\n"), 12,
          "unknown key 'knd'");
  refused("bakend: x\n" + with_rows("      - {name: f, kind: sync, shape: [], flags: [synchronising]}\n"), 1,
          "unknown key 'bakend'");
  refused(with_rows("      - {name: f, kind: sync, shape: [{abi: ptr, peaks: []}], flags: [synchronising]}\n"), 12,
          "unknown key 'peaks'");
}

TEST(ManifestReading, NamesTheLineOfEachMistake) {
  const auto row = [](const std::string& text) { return with_rows("      - " + text + "\n"); };
  refused(row("{kind: sync, shape: []}"), 12, "needs the key 'name'");
  refused(row("{name: a-b, kind: sync, shape: []}"), 12, "'a-b' is not a symbol");
  refused(row("{name: f, kind: snyc, shape: []}"), 12, "'snyc' is not a known kind: use one of");
  refused(row("{name: f, kind: launch, shape: [ptr strem]}"), 12, "'strem' is not a field");
  refused(row("{name: f, kind: launch, shape: [pointer stream]}"), 12, "is not a parameter");
  refused(row("{name: f, kind: launch, shape: [ptr function more]}"), 12, "one word too many");
  refused(row("{name: f, kind: launch, shape: shared}"), 12, "unknown shape 'shared'");
  refused(row("{name: f, kind: launch, shape: [ptr function], flags: [asynch]}"), 12, "'asynch' is not a known flag");
  refused(row("{name: f, kind: launch, shape: [ptr function], twins: [v9]}"), 12, "'v9' is not a known variant");
  refused(row("{name: f, kind: launch, shape: [ptr function], returns: int}"), 12,
          "'int' is not a known way to return");
  refused(row("{name: f, kind: launch, shape: [ptr function], element_bytes: 0}"), 12, "from 1 to 64");
  refused(row("{name: f, kind: launch, shape: {a: b}}"), 12, "is not a list");
  refused(row("{name: f, kind: launch, shape: [{abi: struct, peeks: []}]}"), 12, "needs 'bytes'");
  refused(row("{name: f, kind: launch, shape: [{abi: i32, peeks: [{into: function}]}]}"), 12, "can have peeks");
  refused(row("f"), 12, "a row must be a map of keys");
}

TEST(ManifestReading, HoldsATableToTheRulesAtItsLine) {
  const auto row = [](const std::string& text) { return with_rows("      - " + text + "\n"); };
  refused(row("{name: f, kind: launch, shape: [ptr stream]}"), 12, "without function");
  refused(row("{name: f, kind: sync, shape: [ptr stream]}"), 12, "not marked as synchronising");
  refused(row("{name: f, kind: launch, shape: [ptr function, ptr stream, ptr stream]}"), 12, "fills stream twice");
  refused(row("{name: f, kind: launch, shape: [ptr function], flags: [async, synchronising]}"), 12, "cannot be both");
  refused(row("{name: f, kind: launch, shape: [float function]}"), 12, "vector register");
  refused(row("{name: f, kind: host, shape: [ptr function]}"), 12, "has the kind host");
  refused(row("{name: f, kind: launch, shape: [ptr function, ptr name]}"), 12, "add the flag registers_name");
  refused(row("{name: f, kind: module, shape: [ptr function], name_asked: 7}"), 12, "without asked and answer");
  refused(row("{name: f, kind: module, shape: [ptr function, i32 asked, ptr answer]}"), 12, "belong together");
  refused(row("{name: f, kind: module, shape: [ptr handle, i32 asked, ptr answer], name_asked: 7}"), 12,
          "a function that it does not have");
  refused(row("{name: f, kind: launch, shape: [ptr function], flags: [only_where_target]}"), 12, "without saying how");
  refused(row("{name: f, kind: launch, shape: [ptr function], twins: [not_base]}"), 12, "no spelling");
  refused(row("{name: f, kind: stream, returns: void, shape: [{abi: ptr, peeks: [{into: stream, when: return}]}]}"), 12,
          "reads stream at return");
  refused(row("{name: f, kind: launch, shape: [{abi: ptr, peeks: [{into: function, bytes: 3}]}]}"), 12, "3 bytes");
  refused(row("{name: f, kind: alloc, shape: [], result: address}"), 12, "returns a result that is not a pointer");
  refused(row("{name: f, kind: alloc, shape: [], returns: pointer}"), 12, "without address or handle");
  refused(row("{name: f, kind: fabric, shape: [ptr handle], behind_result: {into: handle2}}"), 12,
          "behind its return value, which is not a pointer");
  refused(row("{name: f, kind: fabric, shape: [ptr handle], returns: pointer, behind_result: {into: handle}}"), 12,
          "handle twice");
  refused(row("{name: f, kind: alloc, shape: [ptr address], returns: pointer, result: address}"), 12, "address twice");
  refused(with_rows("      - {name: f, kind: launch, shape: [ptr function], twins: [v2]}\n"
                    "      - {name: f_v2, kind: launch, shape: [ptr function]}\n"),
          13, "describes f_v2 a second time");
  refused(with_rows("      - {name: f, kind: launch, shape: [ptr function]}\n", "shapes:\n  other: [ptr function]\n"),
          7, "shape 'other' is not used by any row");
}

TEST(ManifestReading, RefusesWhatOnlyHarmsOrConfuses) {
  const std::string good = with_rows("      - {name: f, kind: launch, shape: [ptr function]}\n");
  ASSERT_NE(parsed(good), nullptr);
  refused("x: &a [1]\ny: *a\n" + good, 1, "anchors");
  refused("x: *a\n", 1, "");
  refused("backend: !!str toy\n", 1, "tags");
  refused(good + "---\n" + good, 13, "a single YAML document");
  refused(good + "backend: again\n", 13, "duplicate key 'backend', first on line 1");
  refused("a: [[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]\n", 1, "nested deeper");
  refused(std::string(200, '['), 1, "brackets");
  refused("a: [1\n", 2, "");
  refused("", 0, "map of keys");
  refused(std::string(kMaxManifestBytes + 1, '#'), 0, "larger");
  refused("backend: " + std::string(2000, 'a') + "\n", 1, "longer than");
}

TEST(ManifestReading, RefusesPatternsThatClaimEveryFile) {
  const auto patterns = [](const std::string& list) {
    std::string text = with_rows("      - {name: f, kind: launch, shape: [ptr function]}\n");
    return text.replace(text.find("[\"libtoy.so*\"]"), 14, list);
  };
  for (const char* list : {"[\"*\"]", "[\"?ib.so\"]", "[\"li*\"]", "[\"lib/x.so\"]", "[\"[a-z]*\"]", "[\"lib x\"]"}) {
    refused(patterns(list), 8, "is not a file name pattern");
  }
}

TEST(ManifestReading, ReportsAllProblemsAtOnceAndTheNumberInOneLine) {
  std::vector<ManifestProblem> problems;
  const auto manifest =
      Manifest::parse(with_rows("      - {name: f, kind: x, shape: [y]}\n      - {nme: g}\n"), "toy.yaml", &problems);
  ASSERT_FALSE(manifest.ok());
  EXPECT_GE(problems.size(), 4U);
  EXPECT_EQ(manifest.error().text().rfind("toy.yaml:12:", 0), 0U) << manifest.error().text();
  EXPECT_NE(manifest.error().text().find("more)"), std::string::npos);
}

TEST(ManifestReading, TakesACodeWithTheHighBitEitherWay) {
  std::string text = with_rows("      - {name: f, kind: launch, shape: [ptr function]}\n");
  text.replace(text.find("-3: TOY_BROKEN"), 14, "0x80000001: TOY_BROKEN");
  const auto manifest = parsed(text);
  ASSERT_NE(manifest, nullptr);
  EXPECT_EQ(hal::status_name(manifest->backend().statuses, static_cast<int32_t>(0x80000001U)), "TOY_BROKEN");
}

class RegistryFiles : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  const TempFolder temp_;
  const std::string& folder_ = temp_.path();
};

TEST_F(RegistryFiles, AddsAFileBehindTheCompiledBackends) {
  Registry registry;
  const size_t compiled = registry.all().size();
  ASSERT_EQ(compiled, all_backends().size());
  const std::string path = write("toy.yaml", with_rows("      - {name: f, kind: launch, shape: [ptr function]}\n"));
  ASSERT_TRUE(registry.add_file(path).ok());
  ASSERT_EQ(registry.all().size(), compiled + 1);
  EXPECT_EQ(registry.all().back()->name, "toy");
  EXPECT_EQ(registry.file_of(*registry.all().back()), path);
  EXPECT_EQ(registry.file_of(*registry.all().front()), "");
}

TEST_F(RegistryFiles, RefusesWhatAnotherBackendHas) {
  const std::string good = with_rows("      - {name: f, kind: launch, shape: [ptr function]}\n");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  Registry registry;
  ASSERT_TRUE(registry.add_file(write("toy.yaml", good)).ok());
  for (const auto& [text, part] :
       {std::pair{good, "name toy"}, {changed("backend: toy", "backend: other"), "library libtoy"}}) {
    const Status added = registry.add_file(write("other.yaml", text));
    ASSERT_FALSE(added.ok());
    EXPECT_NE(added.error().text().find(part), std::string::npos) << added.error().text();
  }
  std::string third = changed("backend: toy", "backend: other");
  third.replace(third.find("name: libtoy"), 12, "name: libother");
  const Status added = registry.add_file(write("other.yaml", third));
  ASSERT_FALSE(added.ok());
  EXPECT_NE(added.error().text().find("source 70"), std::string::npos) << added.error().text();
  const std::string name(all_backends().front()->name);
  EXPECT_FALSE(registry.add_file(write("c.yaml", changed("backend: toy", "backend: " + name))).ok());
}

TEST_F(RegistryFiles, AddsTheGoodFilesOfAFolderAndReportsTheBad) {
  write("b.yaml", with_rows("      - {name: f, kind: launch, shape: [ptr function]}\n"));
  write("a.yaml", "nonsense");
  write("c.txt", "not looked at");
  Registry registry;
  const auto errors = registry.add_folder(folder_);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].text().find("a.yaml:1:1"), std::string::npos) << errors[0].text();
  EXPECT_EQ(registry.all().back()->name, "toy");
  EXPECT_TRUE(registry.add_folder(folder_ + "/nothing").empty());
}

}  // namespace
}  // namespace ingero::backends
