// Diagnostics reach standard error and the log file as whole, printable lines, and only from the wanted level up.
#include "base/log.h"

#include <sys/stat.h>

#include <filesystem>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ingero
