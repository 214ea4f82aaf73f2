// Diagnostics reach standard error and the log file as whole, printable lines, and only from the wanted level up.
#include "base/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/fd.h"
#include "base/log_rotation.h"
#include "base/text.h"
#include "temp_folder.h"

namespace ingero {
namespace {

class Log : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(set_log_file(path_).ok()); }
  void TearDown() override { set_log_level(LogLevel::kWarning); }
  std::string logged() const { return read_file(path_).value(); }
  const TempFolder temp_;
  const std::string& folder_ = temp_.path();
  const std::string path_ = folder_ + "/log";
};

TEST_F(Log, DropsLinesBelowTheLevel) {
  log_info("quiet {}", 1);
  log_warning("loud {}", 2);
  EXPECT_EQ(logged().find("quiet"), std::string::npos);
  EXPECT_NE(logged().find("ingero: warning: loud 2\n"), std::string::npos);
  set_log_level(LogLevel::kInfo);
  log_info("now {}", 3);
  EXPECT_NE(logged().find("ingero: info: now 3\n"), std::string::npos);
}

TEST_F(Log, MakesWhatATracedProcessSaysPrintable) {
  log_error("comm {}", "a\x1b[2J\nforged: line");
  EXPECT_NE(logged().find("comm a?[2J?forged: line\n"), std::string::npos);
}

TEST_F(Log, KeepsLinesOfSeveralThreadsWhole) {
  constexpr int kThreads = 4;
  constexpr int kLines = 50;
  ::testing::internal::CaptureStderr();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < kLines; ++i) log_warning("{}", std::string(100, 'x'));
    });
  }
  for (auto& thread : threads) thread.join();
  const std::string captured = ::testing::internal::GetCapturedStderr();
  const std::string expected = "ingero: warning: " + std::string(100, 'x');
  const auto lines = split(trim(captured), '\n');
  EXPECT_EQ(lines.size(), static_cast<size_t>(kThreads * kLines));
  for (const auto line : lines) EXPECT_EQ(line, expected);
}

TEST_F(Log, IsReadableByItsOwnerOnly) {
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(Log, SaysWhyALogFileCannotBeOpened) {
  const auto status = set_log_file(folder_ + "/no/such/log");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message().find("/no/such/log"), std::string::npos);
}

TEST_F(Log, GoesOnInANewFileWhereTheOldOneWasRenamed) {
  log_warning("before");
  std::filesystem::rename(path_, path_ + ".1");
  log_warning("between");
  ASSERT_TRUE(reopen_log_file().ok());
  log_warning("after");
  EXPECT_EQ(read_file(path_ + ".1").value().find("after"), std::string::npos);
  EXPECT_NE(read_file(path_ + ".1").value().find("between"), std::string::npos);
  EXPECT_NE(logged().find("after"), std::string::npos);
  EXPECT_EQ(logged().find("before"), std::string::npos);
  ASSERT_TRUE(reopen_log_file().ok());  // the same file: nothing happens
  log_warning("later");
  EXPECT_NE(logged().find("later"), std::string::npos);
}

TEST_F(Log, WritesOnWhereANewFileCannotBeMade) {
  std::filesystem::rename(path_, folder_ + "/kept");
  std::filesystem::create_directory(path_);
  EXPECT_FALSE(reopen_log_file().ok());
  log_warning("still");
  EXPECT_NE(read_file(folder_ + "/kept").value().find("still"), std::string::npos);
}

// Its folder's owner may exchange what is in it, and the folder itself, while root logs there.
TEST_F(Log, DoesNotWaitForTheReaderOfAPipe) {
  std::filesystem::rename(path_, folder_ + "/kept");
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(reopen_log_file().ok());
  EXPECT_FALSE(set_log_file(path_).ok());
  const Fd reader(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));  // to open it would not wait now
  ASSERT_TRUE(reader.valid());
  const auto status = reopen_log_file();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message().find("not a regular file"), std::string::npos);
  log_warning("still");
  EXPECT_NE(read_file(folder_ + "/kept").value().find("still"), std::string::npos);
}

TEST_F(Log, StaysInItsFolder) {
  const std::string logs = folder_ + "/logs", elsewhere = folder_ + "/elsewhere";
  std::filesystem::create_directory(logs);
  std::filesystem::create_directory(elsewhere);
  ASSERT_TRUE(set_log_file(logs + "/cron").ok());
  std::filesystem::rename(logs, folder_ + "/old");
  std::filesystem::create_symlink(elsewhere, logs);
  std::filesystem::rename(folder_ + "/old/cron", folder_ + "/old/cron.1");
  ASSERT_TRUE(reopen_log_file().ok());
  log_warning("here");
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere));
  EXPECT_NE(read_file(folder_ + "/old/cron").value().find("here"), std::string::npos);
}

TEST_F(Log, IsNotAFileWithASecondName) {
  std::filesystem::rename(path_, folder_ + "/kept");
  std::ofstream(folder_ + "/precious") << "mine";
  std::filesystem::create_hard_link(folder_ + "/precious", path_);
  EXPECT_FALSE(reopen_log_file().ok());
  log_warning("lost?");
  EXPECT_EQ(read_file(folder_ + "/precious").value(), "mine");
}

TEST_F(Log, BelongsToItsFoldersOwnerOrToATrustedOne) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root: chown";
  constexpr uid_t kFolders = 1001, kOther = 1002;
  std::filesystem::rename(path_, folder_ + "/kept");
  ASSERT_EQ(chown(folder_.c_str(), kFolders, kFolders), 0);
  std::ofstream(path_) << "";
  ASSERT_EQ(chown(path_.c_str(), kOther, kOther), 0);
  EXPECT_FALSE(reopen_log_file().ok());
  ASSERT_EQ(chown(path_.c_str(), kFolders, kFolders), 0);
  EXPECT_TRUE(reopen_log_file().ok());
}

}  // namespace
}  // namespace ingero
