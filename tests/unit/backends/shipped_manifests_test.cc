// The manifests in the program are those of backends/manifests/, each of them, and a user's own come first.
#include "backends/shipped_manifests.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "backends/registry.h"
#include "temp_folder.h"

namespace ingero::backends {
namespace {

constexpr const char* kFolder = INGERO_SOURCE_DIR "/backends/manifests";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

const hal::Backend* find(std::span<const hal::Backend* const> backends, std::string_view name) {
  const auto found = std::ranges::find(backends, name, &hal::Backend::name);
  return found == backends.end() ? nullptr : *found;
}

TEST(ShippedManifests, AreTheFilesOfTheFolder) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    ++files;
    const auto shipped = std::ranges::find(shipped_manifests(), entry.path().stem().string(), &ShippedManifest::name);
    ASSERT_NE(shipped, shipped_manifests().end()) << entry.path() << " is not in the program";
    EXPECT_EQ(shipped->text, text_of(entry.path())) << entry.path();
  }
  EXPECT_EQ(shipped_manifests().size(), files);
}

TEST(ShippedManifests, AreKnownWithoutAFlag) {
  EXPECT_EQ(known_backends().size(), all_backends().size() + shipped_manifests().size());
  for (const ShippedManifest& shipped : shipped_manifests()) {
    EXPECT_NE(find(known_backends(), shipped.name), nullptr) << shipped.name;
    EXPECT_EQ(find(all_backends(), shipped.name), nullptr) << shipped.name;
  }
}

TEST(ShippedManifests, GiveWayToAUsersDescription) {
  TempFolder folder;
  const std::string mine = folder.path() + "/mine.yaml";
  std::filesystem::copy_file(std::filesystem::path(kFolder) / "opencl.yaml", mine);
  Registry registry;
  ASSERT_TRUE(registry.add_file(mine).ok());
  registry.add_shipped();
  const hal::Backend* opencl = find(registry.all(), "opencl");
  ASSERT_NE(opencl, nullptr);
  EXPECT_EQ(registry.file_of(*opencl), mine);
  EXPECT_EQ(registry.all().size(), known_backends().size());
}

TEST(ShippedManifests, AreNotLeftOutForANumber) {
  TempFolder folder;
  const std::string mine = folder.path() + "/toy.yaml";
  std::ofstream(mine) << R"(backend: toy
vendor: acme
statuses: {0: TOY_OK}
libraries:
  - name: libtoy
    sonames: ["libtoy.so*"]
    layer: TOY
    source: 64
    rows:
      - {name: toyLoad, kind: module, shape: []}
)";
  Registry registry;
  const auto added = registry.add_file(mine);
  ASSERT_FALSE(added.ok());
  EXPECT_NE(added.error().text().find("the backend opencl"), std::string::npos) << added.error().text();
  registry.add_shipped();
  EXPECT_EQ(registry.all().size(), known_backends().size());
}

}  // namespace
}  // namespace ingero::backends
