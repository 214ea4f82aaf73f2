// Where root writes: not through links, not into other users' files, not where others could exchange the file.
#include "base/trusted_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/environment.h"
#include "base/group.h"
#include "base/output_file.h"
#include "temp_folder.h"

namespace ingero {
namespace {

using ::testing::HasSubstr;

class TrustedPath : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  static std::string refusal(const std::string& path, std::optional<uint32_t> also = {}) {
    const Status checked = check_trusted_path(path, also);
    return checked.ok() ? "" : checked.error().text();
  }
  static bool is_root() { return ::geteuid() == 0; }
  const TempFolder folder_;
};

TEST_F(TrustedPath, AFileOfOursAndOneThatIsNotThereYetAreAccepted) {
  EXPECT_EQ(refusal(path("new")), "");
  EXPECT_EQ(refusal(path("no/such/folder/new")), "");
  std::ofstream(path("ours")) << "x";
  EXPECT_EQ(refusal(path("ours")), "");
}

TEST_F(TrustedPath, LinksAndWhatIsNoFileAreRefused) {
  std::ofstream(path("victim")) << "precious";
  std::filesystem::create_symlink(path("victim"), path("link"));
  std::filesystem::create_symlink(path("nothing"), path("dangling"));
  EXPECT_THAT(refusal(path("link")), HasSubstr("is a symbolic link"));
  EXPECT_THAT(refusal(path("dangling")), HasSubstr("is a symbolic link"));
  EXPECT_THAT(refusal(folder_.path()), HasSubstr("not a regular file"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal(path("pipe")), HasSubstr("not a regular file"));
  EXPECT_FALSE(open_trusted_log(path("link")).ok());
  EXPECT_FALSE(open_trusted_log(path("dangling")).ok());
  EXPECT_FALSE(std::filesystem::exists(path("nothing")));
}

TEST_F(TrustedPath, OtherUsersFilesAreRefusedForRoot) {
  if (!is_root()) GTEST_SKIP() << "needs root: gives files to another user";
  std::ofstream(path("theirs")) << "x";
  ASSERT_EQ(::chown(path("theirs").c_str(), 12345, 12345), 0);
  EXPECT_THAT(refusal(path("theirs")), HasSubstr("belongs to user 12345"));
  EXPECT_EQ(refusal(path("theirs"), 12345), "") << "the user that is named";
  EXPECT_FALSE(open_trusted_log(path("theirs")).ok());
  std::ofstream(path("open")) << "x";
  ASSERT_EQ(::chmod(path("open").c_str(), 0622), 0);
  EXPECT_THAT(refusal(path("open")), HasSubstr("other users can write to this file"));
  std::ofstream(path("named twice")) << "x";
  ASSERT_EQ(::link(path("named twice").c_str(), path("again").c_str()), 0);
  EXPECT_THAT(refusal(path("again")), HasSubstr("another name"));
}

TEST_F(TrustedPath, EveryFolderOnTheWayCounts) {
  if (!is_root()) GTEST_SKIP() << "needs root: gives folders to another user";
  std::filesystem::create_directories(path("a/b"));
  const std::string file = path("a/b/file");
  const auto mode = [&](mode_t bits) { ASSERT_EQ(::chmod(path("a").c_str(), bits), 0); };
  mode(0777);
  EXPECT_THAT(refusal(file), HasSubstr("/a: other users can write to this directory"));
  mode(01777);
  EXPECT_EQ(refusal(file), "") << "the sticky bit";
  mode(0755);
  ASSERT_EQ(::chown(path("a").c_str(), 12345, 0), 0);
  EXPECT_THAT(refusal(file), HasSubstr("/a: the directory belongs to user 12345"));
  EXPECT_EQ(refusal(file, 12345), "");
  ASSERT_EQ(::chown(path("a").c_str(), 0, 54321), 0);
  mode(0775);
  EXPECT_THAT(refusal(file), HasSubstr("/a: other users can write to this directory"));
  ASSERT_EQ(::chown(path("a").c_str(), 0, 4), 0);
  EXPECT_EQ(refusal(file), "") << "a group of the system, such as that of logs";
  // The group of this user alone, where the machine has such a user.
  for (const char* name : {"nobody", "_apt", "daemon"}) {
    const auto user = find_user(name);
    if (!user.ok() || user->gid < 1000) continue;
    ASSERT_EQ(::chown(path("a").c_str(), user->uid, user->gid), 0);
    EXPECT_THAT(refusal(file, user->uid), HasSubstr("other users can write")) << "its group has another name";
  }
  ASSERT_EQ(::chown(path("a").c_str(), 0, 4), 0);
  // A folder is what it leads to.
  std::filesystem::create_directory_symlink(path("a"), path("to a"));
  mode(0777);
  EXPECT_THAT(refusal(path("to a/b/file")), HasSubstr("/a: other users can write to this directory"));
}

TEST_F(TrustedPath, ALogIsItsOwnersAloneAndAppendedTo) {
  const mode_t mask = ::umask(0);
  for (const char* text : {"one\n", "two\n"}) {
    const auto log = open_trusted_log(path("log"));
    ASSERT_TRUE(log.ok()) << log.error().text();
    ASSERT_EQ(::write(log->get(), text, 4), 4);
  }
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(path("log").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  EXPECT_EQ(status.st_size, 8);
}

TEST_F(TrustedPath, OutputIsItsOwnersAloneWhateverTheUmask) {
  for (const mode_t bits : {0U, 0022U, 0777U}) {
    const mode_t mask = ::umask(bits);
    auto file = OutputFile::create(path("out"));
    ASSERT_TRUE(file.ok()) << file.error().text();
    EXPECT_TRUE(file->write("x").ok());
    EXPECT_TRUE(file->commit().ok());
    ::umask(mask);
    struct stat status {};
    ASSERT_EQ(::stat(path("out").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600U) << bits;
  }
}

TEST(FindGroup, ByNameAndByNumber) {
  EXPECT_EQ(*find_group("root"), 0U);
  EXPECT_EQ(*find_group("4242"), 4242U);
  const auto none = find_group("no-such-group-here");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().text(), HasSubstr("group no-such-group-here does not exist"));
}

}  // namespace
}  // namespace ingero
