// Secrets are read only from files that no other user can read or change, and what was checked is what is read.
#include "base/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "base/fd.h"
#include "temp_folder.h"

namespace ingero {
namespace {

class PrivateFile : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text, mode_t mode = 0600) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << text;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  static std::string error_of(const std::string& path, size_t max_bytes = kMaxPrivateFileBytes) {
    const auto text = read_private(path, max_bytes);
    return text.ok() ? "read" : text.error().text();
  }
  const TempFolder folder_;
};

TEST_F(PrivateFile, IsReadWhole) {
  const auto text = read_private(file("secret", "bearer x\n"));
  ASSERT_TRUE(text.ok()) << text.error().text();
  EXPECT_EQ(*text, "bearer x\n");
  EXPECT_TRUE(read_private(file("read only", "x", 0400)).ok());
}

TEST_F(PrivateFile, IsRefusedWithAnyPermissionOfOthers) {
  for (const mode_t mode : {0640, 0620, 0610, 0604, 0602, 0601}) {
    const std::string path = file("shared", "x", mode);
    EXPECT_NE(error_of(path).find("chmod 600 " + path), std::string::npos) << std::oct << mode << error_of(path);
  }
}

TEST_F(PrivateFile, IsRefusedWhenItBelongsToAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root: gives a file to another user";
  const std::string path = file("theirs", "x");
  ASSERT_EQ(::chown(path.c_str(), 12345, 0), 0);
  const char* before = std::getenv("SUDO_UID");
  const std::string saved = before == nullptr ? "" : before;
  ::unsetenv("SUDO_UID");
  EXPECT_NE(error_of(path).find("belongs to user 12345"), std::string::npos) << error_of(path);
  ::setenv("SUDO_UID", "12345", 1);
  EXPECT_EQ(error_of(path), "read");
  ::setenv("SUDO_UID", "12346", 1);
  EXPECT_NE(error_of(path), "read");
  if (before == nullptr) {
    ::unsetenv("SUDO_UID");
  } else {
    ::setenv("SUDO_UID", saved.c_str(), 1);
  }
}

TEST_F(PrivateFile, IsRefusedPastItsBound) {
  EXPECT_EQ(error_of(file("full", std::string(100, 'x')), 100), "read");
  EXPECT_NE(error_of(file("longer", std::string(101, 'x')), 100).find("longer than"), std::string::npos);
  EXPECT_NE(error_of(file("long", std::string(kMaxPrivateFileBytes + 1, 'x'))).find("longer than"), std::string::npos);
}

TEST_F(PrivateFile, NeitherPipesNorDevicesNorFoldersAreRead) {
  const std::string pipe = folder_.path() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(error_of(pipe).find("not a regular file"), std::string::npos) << error_of(pipe);  // and does not block
  // With a writer that has something to say, too.
  const Fd writer(::open(pipe.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  ASSERT_EQ(::write(writer.get(), "x", 1), 1);
  EXPECT_NE(error_of(pipe).find("not a regular file"), std::string::npos) << error_of(pipe);
  EXPECT_NE(error_of("/dev/zero").find("not a regular file"), std::string::npos) << error_of("/dev/zero");
  EXPECT_NE(error_of(folder_.path()).find("not a regular file"), std::string::npos) << error_of(folder_.path());
  EXPECT_NE(error_of(folder_.path() + "/none").find("No such file"), std::string::npos);
}

TEST_F(PrivateFile, ALinkIsCheckedAtItsEnd) {
  std::filesystem::create_symlink(file("secret", "x"), folder_.path() + "/link");
  EXPECT_EQ(error_of(folder_.path() + "/link"), "read");
  std::filesystem::create_symlink(file("shared", "x", 0644), folder_.path() + "/link to shared");
  EXPECT_NE(error_of(folder_.path() + "/link to shared").find("accessible to its group or to others"),
            std::string::npos);
}

// A link that is turned around all the time must never make what others can write pass as a secret.
TEST_F(PrivateFile, ALinkTurnedAroundMeanwhileDoesNotPass) {
  const std::string secret = file("secret", "secret"), shared = file("shared", "planted", 0666);
  const std::string link = folder_.path() + "/link";
  std::filesystem::create_symlink(secret, link);
  std::atomic<bool> done{false};
  std::thread turning([&] {
    for (int i = 0; !done; ++i) {
      const std::string next = link + ".next";
      if (::symlink((i % 2 == 0 ? shared : secret).c_str(), next.c_str()) == 0) ::rename(next.c_str(), link.c_str());
    }
  });
  int read = 0, refused = 0, planted = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end) {
    const auto text = read_private(link);
    ++(text.ok() ? read : refused);
    if (text.ok() && *text != "secret") ++planted;
  }
  done = true;
  turning.join();
  EXPECT_EQ(planted, 0);
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace ingero
