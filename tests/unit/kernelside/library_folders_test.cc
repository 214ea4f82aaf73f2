// What the loader's configuration says, and which files there are described libraries.
#include "kernelside/library_folders.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hal/shapes.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

class LibraryFolders : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  uint64_t unlisted() const { return losses_.count(hal::Loss::library_unlisted); }

  const TempFolder temp_;
  const std::string& root_ = temp_.path();
  hal::LossLedger losses_;
};

TEST_F(LibraryFolders, FollowsIncludesAndKeepsTheLoadersOrder) {
  write("/etc/ld.so.conf", "# first\ninclude /etc/ld.so.conf.d/*.conf\n/opt/late/lib/\nrelative/is/ignored\n");
  write("/etc/ld.so.conf.d/a.conf", "/opt/a/lib  # why\n/usr/lib\n");
  write("/etc/ld.so.conf.d/b.conf", "include more.conf\n/opt/a/lib\n");
  write("/etc/ld.so.conf.d/more.conf", "/opt/more\n");
  const auto folders = library_folders(losses_, root_);
  ASSERT_EQ(folders.size(), 7U);
  EXPECT_EQ(folders[0], "/opt/a/lib");
  EXPECT_EQ(folders[1], "/usr/lib");
  EXPECT_EQ(folders[2], "/opt/more");
  EXPECT_EQ(folders[3], "/opt/late/lib");
  EXPECT_EQ(std::count(folders.begin(), folders.end(), "/usr/lib"), 1);
  EXPECT_EQ(unlisted(), 0U);
}

TEST_F(LibraryFolders, EndsWhereAFileIncludesItself) {
  write("/etc/ld.so.conf", "include /etc/ld.so.conf\n/opt/x\n");
  const auto folders = library_folders(losses_, root_);
  EXPECT_EQ(std::count(folders.begin(), folders.end(), "/opt/x"), 1);
  EXPECT_EQ(unlisted(), 1U);
}

TEST_F(LibraryFolders, WhatExceedsABoundIsCounted) {
  std::string many;
  for (size_t i = 0; i < kMaxLibraryFolders; ++i) many += "/opt/" + std::to_string(i) + "\n";
  write("/etc/ld.so.conf", many + "/opt/one\n/opt/0\n");
  EXPECT_EQ(library_folders(losses_, root_).size(), kMaxLibraryFolders);
  EXPECT_EQ(unlisted(), 1U + 4U) << "those that are built in as well";
  write("/etc/ld.so.conf", std::string(128 << 10, '#'));
  library_folders(losses_, root_);
  EXPECT_EQ(unlisted(), 5U + 1U) << "a file that is too long";
  write("/etc/ld.so.conf", "include conf.d/*\n");
  for (int i = 0; i < 259; ++i) write("/etc/conf.d/" + std::to_string(i), "/opt/same\n");
  EXPECT_EQ(library_folders(losses_, root_).size(), 5U);
  EXPECT_EQ(unlisted(), 6U + 3U) << "files of one include";
}

constexpr std::string_view kToySonames[] = {"libtoy.so*"};
constexpr hal::Row kToyRows[] = {{.name = "f", .kind = hal::Kind::kFree, .shape = hal::shape::kFree}};
constexpr hal::Library kToyLibraries[] = {
    {.name = "libtoy", .sonames = kToySonames, .rows = kToyRows, .layer = "TOY", .source = 9}};
constexpr hal::Backend kToy{.name = "toy", .vendor = "acme", .libraries = kToyLibraries};
constexpr const hal::Backend* kToyBackends[] = {&kToy};

TEST_F(LibraryFolders, FindsDescribedFilesOnceByWhateverName) {
  write("/lib/libtoy.so.1.2", "x");
  write("/lib/libtoyota.so", "x");
  write("/other/libtoy.so.2", "x");
  std::filesystem::create_symlink("libtoy.so.1.2", root_ + "/lib/libtoy.so.1");
  std::filesystem::create_symlink("nowhere", root_ + "/lib/libtoy.so");
  const std::vector<std::string> folders = {root_ + "/lib", root_ + "/gone", root_ + "/other"};
  EXPECT_THAT(installed_libraries(folders, kToyBackends, losses_),
              ::testing::ElementsAre(root_ + "/lib/libtoy.so.1.2", root_ + "/other/libtoy.so.2"));
  EXPECT_EQ(unlisted(), 0U);
}

TEST_F(LibraryFolders, MoreDescribedFilesThanAreListedAreCounted) {
  for (size_t i = 0; i < kMaxInstalledLibraries + 3; ++i) write("/lib/libtoy.so." + std::to_string(i), "x");
  const std::vector<std::string> folders = {root_ + "/lib"};
  EXPECT_EQ(installed_libraries(folders, kToyBackends, losses_).size(), kMaxInstalledLibraries);
  EXPECT_EQ(unlisted(), 3U);
}

}  // namespace
}  // namespace ingero::kernelside
