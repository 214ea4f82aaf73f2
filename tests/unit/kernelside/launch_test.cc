// A held command, for real: what the agent is asked and when, that the command goes on without an answer and without an
// agent, and what it ends with. Without root: a thread that has no_new_privs may install the filter.
#include "kernelside/launch.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

class LaunchTest : public ::testing::Test {
 protected:
  // Starts the command, held where `is_held` and this machine can.
  void start(const std::vector<std::string>& command, int answer_timeout_ms = Launch::kAnswerTimeoutMs,
             Launch::Output output = Launch::Output::kOwn, const std::optional<RunAs>& run_as = std::nullopt,
             const SignalState& signals = {}) {
    std::thread([&] {  // no_new_privs is the thread's, and what it forks
      if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
      auto started = Launch::start(command, answer_timeout_ms, output, run_as, signals);
      ASSERT_TRUE(started.ok()) << started.error().text();
      launch_ = std::move(*started);
    })
        .join();
    ASSERT_NE(launch_, nullptr);
  }
  // Likewise, and skipped where the command cannot be held.
  void start_held(const std::vector<std::string>& command, int answer_timeout_ms = Launch::kAnswerTimeoutMs) {
    start(command, answer_timeout_ms);
    if (!launch_->unheld_reason().empty()) GTEST_SKIP() << launch_->unheld_reason();
  }
  std::optional<int> serve(const std::function<bool(const std::string& open_path)>& answer = {}) {
    return launch_->serve(
        [&](uint32_t pid, const std::string& open_path, const std::string& name) {
          EXPECT_NE(pid, 0U);
          files_.push_back(name);
          return answer ? answer(open_path) : false;
        },
        [&](uint32_t) { ++late_; });
  }
  size_t asked_about(std::string_view end) const {
    return static_cast<size_t>(
        std::count_if(files_.begin(), files_.end(), [&](const std::string& file) { return file.ends_with(end); }));
  }
  static int exit_status(const std::optional<int>& status) {
    EXPECT_TRUE(status.has_value());
    return status && WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
  }

  TempFolder folder_;
  std::unique_ptr<Launch> launch_;
  std::vector<std::string> files_;
  int late_ = 0;
};

TEST_F(LaunchTest, OfNoCommandNothingIsStarted) {
  const auto started = Launch::start({});
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code(), Errc::kInvalid);
}

TEST_F(LaunchTest, TheCommandWaitsUntilItMayGoAndItsStatusComesBack) {
  const std::string mark = folder_.path() + "/ran";
  start({"/bin/sh", "-c", "echo > " + mark + "; exit 7"});
  EXPECT_GT(launch_->pid(), 0);
  usleep(100'000);
  EXPECT_FALSE(std::filesystem::exists(mark));
  ASSERT_TRUE(launch_->go().ok());
  EXPECT_EQ(exit_status(serve()), 7);
  EXPECT_TRUE(std::filesystem::exists(mark));
}

TEST_F(LaunchTest, WhatTheCommandPrintsGoesToStandardErrorWhereTheAgentNeedsItsOwnOutput) {
  // Redirected inside, so that the two differ whatever this test itself was given.
  const std::string errors = folder_.path() + "/errors";
  const int kept = dup(STDERR_FILENO);
  FILE* const file = std::fopen(errors.c_str(), "w");
  ASSERT_NE(file, nullptr);
  ASSERT_GE(dup2(fileno(file), STDERR_FILENO), 0);
  start({"/bin/sh", "-c", "echo printed"}, Launch::kAnswerTimeoutMs, Launch::Output::kToErrors);
  dup2(kept, STDERR_FILENO);
  close(kept);
  std::fclose(file);
  ASSERT_TRUE(launch_->go().ok());
  EXPECT_EQ(exit_status(serve()), 0);
  std::string line;
  std::getline(std::ifstream(errors), line);
  EXPECT_EQ(line, "printed");
}

// It lives as long as any process of the command: who reads the agent's output must not wait for it.
TEST_F(LaunchTest, TheSupervisorKeepsNoStandardFile) {
  start({"/bin/sh", "-c", "exit 0"});
  std::ifstream stat(fmt::format("/proc/{}/stat", launch_->pid()));
  std::string pid, name, state;
  int supervisor = 0;
  stat >> pid >> name >> state >> supervisor;
  ASSERT_GT(supervisor, 0);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    EXPECT_EQ(std::filesystem::read_symlink(fmt::format("/proc/{}/fd/{}", supervisor, standard)), "/dev/null");
  }
  ASSERT_TRUE(launch_->go().ok());
  EXPECT_EQ(exit_status(serve()), 0);
}

TEST_F(LaunchTest, ASignalThatEndsTheCommandIsItsStatus) {
  start({"/bin/sh", "-c", "kill -TERM $$"});
  ASSERT_TRUE(launch_->go().ok());
  const auto status = serve();
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFSIGNALED(*status));
  EXPECT_EQ(WTERMSIG(*status), SIGTERM);
}

TEST_F(LaunchTest, WhatWeDoWithSignalsIsNotTheCommands) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  for (const auto& [name, number] :
       {std::pair("USR1", SIGUSR1), std::pair("INT", SIGINT), std::pair("PIPE", SIGPIPE)}) {
    start({"/bin/sh", "-c", fmt::format("kill -{} $$", name)});  // the supervisor ignores the latter two
    ASSERT_TRUE(launch_->go().ok());
    const auto status = serve();
    ASSERT_TRUE(status.has_value()) << name;
    EXPECT_TRUE(WIFSIGNALED(*status)) << name;
    EXPECT_EQ(WTERMSIG(*status), number) << name;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// As under nohup(1), in a shell's background and in a service of systemd.
TEST_F(LaunchTest, WhatTheAgentWasStartedToIgnoreOrBlockTheCommandDoesToo) {
  SignalState signals;
  for (const int number : {SIGHUP, SIGINT, SIGPIPE}) sigaddset(&signals.ignored, number);
  sigaddset(&signals.blocked, SIGUSR2);
  const std::string seen = folder_.path() + "/ignored";
  // No shell: it has a mask of its own.
  start({"/bin/cp", "/proc/self/status", seen}, Launch::kAnswerTimeoutMs, Launch::Output::kOwn, std::nullopt, signals);
  ASSERT_TRUE(launch_->go().ok());
  EXPECT_EQ(exit_status(serve()), 0);
  std::map<std::string, std::string> status;
  std::ifstream file(seen);
  for (std::string name, value; file >> name && std::getline(file, value);) status[name] = value;
  EXPECT_EQ(std::stoull(status["SigBlk:"], nullptr, 16), uint64_t{1} << (SIGUSR2 - 1));
  const uint64_t mask = std::stoull(status["SigIgn:"], nullptr, 16);
  // The C library keeps signals 32 and 33 to itself. No program can set them: what posix_spawn(3) has left
  // of them in this process (glibc 2.36 has its child ignore them), the command inherits.
  constexpr uint64_t kOfTheLibrary = uint64_t{3} << 31;
  EXPECT_EQ(mask & ~kOfTheLibrary, 0x1003) << std::hex << mask;
}

TEST_F(LaunchTest, ACommandThatCannotBeRunEndsAsAShellWouldSay) {
  start({"/nowhere/no-such-program"});
  ASSERT_TRUE(launch_->go().ok());
  EXPECT_EQ(exit_status(serve()), 127);
}

TEST_F(LaunchTest, AnotherUsersCommandHasThatUsersNumbersGroupsAndEnvironment) {
  const RunAs user{4711, 4712, {4712, 4713}, {"HOME=/home/x", "PATH=/usr/bin:/bin"}};
  start({"/bin/sh", "-c", "test \"$(id -u)/$(id -g)/$(id -G)/$HOME/$USER\" = '4711/4712/4712 4713//home/x/'"},
        Launch::kAnswerTimeoutMs, Launch::Output::kOwn, user);
  ASSERT_TRUE(launch_->go().ok());
  EXPECT_EQ(exit_status(serve()), geteuid() == 0 ? 0 : 126) << "only root may: without it, nothing is run";
}

TEST_F(LaunchTest, ACommandThatWasNeverLetGoEndsWithItsAgent) {
  const std::string mark = folder_.path() + "/ran";
  start({"/bin/sh", "-c", "echo > " + mark});
  const std::string process = fmt::format("/proc/{}", launch_->pid());
  launch_.reset();
  for (int tries = 0; tries < 500 && std::filesystem::exists(process); ++tries) usleep(10'000);
  EXPECT_FALSE(std::filesystem::exists(process));
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(LaunchTest, ServingEndsWhenItIsStopped) {
  start({"/bin/sleep", "30"});
  ASSERT_TRUE(launch_->go().ok());
  std::thread other([&] {
    usleep(50'000);
    launch_->stop();
  });
  EXPECT_FALSE(serve().has_value());
  other.join();
  EXPECT_EQ(kill(launch_->pid(), SIGKILL), 0) << "the command runs on";
}

TEST_F(LaunchTest, EachFileIsAskedAboutBeforeItRunsAndCanBeOpened) {
  start_held({"/bin/sh", "-c", "exit 3"});
  if (IsSkipped()) return;
  ASSERT_TRUE(launch_->go().ok());
  size_t opened = 0;
  EXPECT_EQ(exit_status(serve([&](const std::string& open_path) {
              opened += access(open_path.c_str(), R_OK) == 0 ? 1 : 0;
              return false;
            })),
            3);
  EXPECT_EQ(asked_about("/sh"), 1U) << "the program itself, by its execve";
  EXPECT_EQ(asked_about("/libc.so.6"), 1U) << "and its C library, by the descriptor that it maps";
  for (const std::string& file : files_) EXPECT_TRUE(file.starts_with('/')) << file;
  EXPECT_EQ(opened, files_.size());
  EXPECT_EQ(late_, 0);
}

TEST_F(LaunchTest, AFileThatNeedsNothingIsAskedAboutOnceAndOthersEachTime) {
  start_held({"/bin/sh", "-c", "/bin/true; /bin/true; /bin/true"});
  if (IsSkipped()) return;
  ASSERT_TRUE(launch_->go().ok());
  EXPECT_EQ(exit_status(serve()), 0);
  EXPECT_EQ(asked_about("/true"), 1U);
  files_.clear();
  start_held({"/bin/sh", "-c", "/bin/true; /bin/true; /bin/true"});
  ASSERT_TRUE(launch_->go().ok());
  EXPECT_EQ(exit_status(serve([](const std::string&) { return true; })), 0);
  EXPECT_GE(asked_about("/true"), 3U);
}

TEST_F(LaunchTest, AnAnswerThatTakesTooLongIsReportedAndTheCommandGoesOn) {
  const std::string mark = folder_.path() + "/ran";
  start_held({"/bin/sh", "-c", "echo > " + mark + "; exit 5"}, 100);
  if (IsSkipped()) return;
  ASSERT_TRUE(launch_->go().ok());
  bool has_run = false;
  EXPECT_EQ(exit_status(serve([&](const std::string&) {
              for (int tries = 0; tries < 500 && !has_run; ++tries) {
                usleep(10'000);
                has_run = std::filesystem::exists(mark);
              }
              return false;
            })),
            5);
  EXPECT_TRUE(has_run) << "while the answer was still missing";
  EXPECT_EQ(late_, 1);
  EXPECT_EQ(files_.size(), 1U) << "nothing is asked before the late answer has come";
}

TEST_F(LaunchTest, AfterALateAnswerFilesAreAskedAboutAgain) {
  const std::string mark = folder_.path() + "/ran", end = folder_.path() + "/end";
  start_held({"/bin/sh", "-c", "echo > " + mark + "; while [ ! -e " + end + " ]; do /bin/true; done"}, 100);
  if (IsSkipped()) return;
  ASSERT_TRUE(launch_->go().ok());
  const auto make_end = [&] { std::ofstream(end) << "now\n"; };
  std::thread other([&] {  // for a command that is asked about nothing more
    for (int tries = 0; tries < 2000 && !std::filesystem::exists(end); ++tries) usleep(10'000);
    make_end();
  });
  EXPECT_EQ(exit_status(serve([&](const std::string&) {
              if (files_.size() > 1) make_end();
              for (int tries = 0; tries < 500 && !std::filesystem::exists(mark); ++tries) usleep(10'000);
              return false;
            })),
            0);
  other.join();
  EXPECT_EQ(late_, 1);
  EXPECT_GE(files_.size(), 2U);
}

TEST_F(LaunchTest, WorkingGivesTheAnswerMoreTime) {
  start_held({"/bin/sh", "-c", "exit 5"}, 1000);
  if (IsSkipped()) return;
  ASSERT_TRUE(launch_->go().ok());
  EXPECT_EQ(exit_status(serve([&](const std::string&) {
              if (files_.size() > 1) return false;
              for (int i = 0; i < 8; ++i) {
                usleep(200'000);
                launch_->working();
              }
              return false;
            })),
            5);
  EXPECT_EQ(late_, 0);
}

TEST_F(LaunchTest, AHeldCommandGoesOnWithoutItsAgent) {
  const std::string mark = folder_.path() + "/ran";
  start_held({"/bin/sh", "-c", "/bin/true; echo > " + mark});
  if (IsSkipped()) return;
  ASSERT_TRUE(launch_->go().ok());
  std::thread server([&] {
    serve([&](const std::string&) {
      launch_->stop();
      return false;
    });
  });
  server.join();
  launch_.reset();
  for (int tries = 0; tries < 1000 && !std::filesystem::exists(mark); ++tries) usleep(10'000);
  EXPECT_TRUE(std::filesystem::exists(mark));
}

}  // namespace
}  // namespace ingero::kernelside
