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
  const TempFolder temp_;
  const std::string& root_ = temp_.path();
};

TEST_F(LibraryFolders, FollowsIncludesAndKeepsTheLoadersOrder) {
  write("/etc/ld.so.conf", "# first\ninclude /etc/ld.so.conf.d/*.conf\n/opt/late/lib/\nrelative/is/ignored\n");
  write("/etc/ld.so.conf.d/a.conf", "/opt/a/lib  # why\n/usr/lib\n");
  write("/etc/ld.so.conf.d/b.conf", "include more.conf\n/opt/a/lib\n");
  write("/etc/ld.so.conf.d/more.conf", "/opt/more\n");
  const auto folders = library_folders(root_);
  ASSERT_EQ(folders.size(), 7U);
  EXPECT_EQ(folders[0], "/opt/a/lib");
  EXPECT_EQ(folders[1], "/usr/lib");
  EXPECT_EQ(folders[2], "/opt/more");
  EXPECT_EQ(folders[3], "/opt/late/lib");
  EXPECT_EQ(std::count(folders.begin(), folders.end(), "/usr/lib"), 1);
}

TEST_F(LibraryFolders, EndsWhereAFileIncludesItself) {
  write("/etc/ld.so.conf", "include /etc/ld.so.conf\n/opt/x\n");
  const auto folders = library_folders(root_);
  EXPECT_EQ(std::count(folders.begin(), folders.end(), "/opt/x"), 1);
}

TEST_F(LibraryFolders, FindsDescribedFilesOnceByWhateverName) {
  constexpr std::string_view kSonames[] = {"libtoy.so*"};
  constexpr hal::Row kRows[] = {{.name = "f", .kind = hal::Kind::kFree, .shape = hal::shape::kFree}};
  const hal::Library libraries[] = {
      {.name = "libtoy", .sonames = kSonames, .rows = kRows, .layer = "TOY", .source = 9}};
  const hal::Backend backend{.name = "toy", .vendor = "acme", .libraries = libraries};
  const hal::Backend* const backends[] = {&backend};
  write("/lib/libtoy.so.1.2", "x");
  write("/lib/libtoyota.so", "x");
  write("/other/libtoy.so.2", "x");
  std::filesystem::create_symlink("libtoy.so.1.2", root_ + "/lib/libtoy.so.1");
  std::filesystem::create_symlink("nowhere", root_ + "/lib/libtoy.so");
  const std::vector<std::string> folders = {root_ + "/lib", root_ + "/gone", root_ + "/other"};
  EXPECT_THAT(installed_libraries(folders, backends),
              ::testing::ElementsAre(root_ + "/lib/libtoy.so.1.2", root_ + "/other/libtoy.so.2"));
}

}  // namespace
}  // namespace ingero::kernelside
