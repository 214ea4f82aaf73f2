// The supervisor process by itself, spoken to as the agent does: what it asks and reports, when it lets the command go
// on, and when it ends. Without root: a process that has no_new_privs may install the filter.
#include "kernelside/supervisor.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

constexpr int kTimeoutMs = 10'000;
constexpr uid_t kNoUser = 65534;

class SupervisorTest : public ::testing::Test {
 protected:
  ~SupervisorTest() override {
    if (command_ > 0 && !has_ended_) kill(command_, SIGKILL);
    agent_.reset();
    if (supervisor_ > 0) ended_with();
  }
  enum class Rights : bool { kMayHold, kMayNot };
  // The supervisor and its command, as far as kReady.
  void start(const std::vector<std::string>& command, int answer_timeout_ms = kTimeoutMs,
             Rights rights = Rights::kMayHold) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    agent_.reset(ends[0]);
    supervisor_ = fork();
    ASSERT_GE(supervisor_, 0);
    if (supervisor_ == 0) {
      agent_.reset();
      const bool is_set = rights == Rights::kMayHold ? prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                                                     : geteuid() != 0 || setresuid(kNoUser, kNoUser, kNoUser) == 0;
      const std::optional<RunAs> own;
      if (is_set) run_supervisor(Fd(ends[1]), {command, own, false}, answer_timeout_ms);
      _exit(99);
    }
    close(ends[1]);
    ASSERT_TRUE(receive());
    ASSERT_EQ(message_.kind, SupervisorMessage::kReady);
    command_ = message_.pid;
    unheld_reason_ = message_.path;
  }
  void start_held(const std::vector<std::string>& command, int answer_timeout_ms = kTimeoutMs) {
    start(command, answer_timeout_ms);
    if (!HasFatalFailure() && !unheld_reason_.empty()) GTEST_SKIP() << unheld_reason_;
  }
  // The next message; false: none came in `timeout_ms`, or the supervisor has ended.
  bool receive(int timeout_ms = kTimeoutMs) {
    pollfd wait{agent_.get(), POLLIN, 0};
    if (poll(&wait, 1, timeout_ms) != 1) return false;
    if (recv(agent_.get(), &message_, sizeof(message_), 0) != sizeof(message_)) return false;
    message_.path[sizeof(message_.path) - 1] = '\0';
    return true;
  }
  void say(char byte) { EXPECT_EQ(send(agent_.get(), &byte, 1, MSG_NOSIGNAL), 1); }
  // Answers until the command's end; its wait status.
  int serve(char answer = kSeen) {
    while (receive()) {
      if (message_.kind == SupervisorMessage::kEnded) {
        has_ended_ = true;
        EXPECT_EQ(message_.pid, command_);
        return message_.value;
      }
      if (message_.kind == SupervisorMessage::kLate) ++late_;
      if (message_.kind != SupervisorMessage::kFile) continue;
      note_file();
      say(answer);
    }
    ADD_FAILURE() << "the command's end was not reported";
    return -1;
  }
  void note_file() {
    std::string file = message_.path;
    if (message_.value >= 0) {  // the thread is held: its descriptor is open
      std::error_code error;
      file = std::filesystem::read_symlink(fmt::format("/proc/{}/fd/{}", message_.pid, message_.value), error).string();
      EXPECT_FALSE(error) << error.message();
    }
    files_.push_back(file);
  }
  size_t asked_about(std::string_view file) const {
    return static_cast<size_t>(std::count(files_.begin(), files_.end(), file));
  }
  // The supervisor's own wait status; one that does not end is killed, and what it holds then goes on.
  int ended_with() {
    const pid_t ending = std::exchange(supervisor_, -1);
    int status = -1;
    for (int tries = 0; tries < kTimeoutMs / 10; ++tries) {
      if (waitpid(ending, &status, WNOHANG) == ending) return status;
      usleep(10'000);
    }
    ADD_FAILURE() << "the supervisor does not end";
    kill(ending, SIGKILL);
    waitpid(ending, &status, 0);
    return status;
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  static bool comes(const std::string& file) {
    for (int tries = 0; tries < 1000 && !std::filesystem::exists(file); ++tries) usleep(10'000);
    return std::filesystem::exists(file);
  }

  TempFolder folder_;
  Fd agent_;
  pid_t supervisor_ = -1, command_ = -1;
  bool has_ended_ = false;
  std::string unheld_reason_;
  SupervisorMessage message_;
  std::vector<std::string> files_;
  int late_ = 0;
};

TEST_F(SupervisorTest, OnlyTheWordToGoStartsTheCommand) {
  start({"/bin/sh", "-c", "echo > " + path("ran") + "; exit 7"});
  if (HasFatalFailure()) return;
  for (const char other : {static_cast<char>(kSeen), static_cast<char>(kAskAgain), static_cast<char>(kWorking), 'x'}) {
    say(other);
  }
  EXPECT_FALSE(receive(200));
  EXPECT_FALSE(std::filesystem::exists(path("ran")));
  say(kGo);
  const int status = serve();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(ended_with(), 0);
}

TEST_F(SupervisorTest, WithoutTheRightToHoldItSaysWhyAndTheCommandRunsAllTheSame) {
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) GTEST_SKIP() << "this process may install a filter in any case";
  start({"/bin/sh", "-c", "exit 3"}, kTimeoutMs, Rights::kMayNot);
  if (HasFatalFailure()) return;
  EXPECT_EQ(unheld_reason_, "seccomp: Permission denied");
  say(kGo);
  const int status = serve();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_TRUE(files_.empty());
  EXPECT_EQ(ended_with(), 0);
}

TEST_F(SupervisorTest, ARelativeNameIsReportedWhereItsCallerSeesIt) {
  std::filesystem::copy_file("/bin/true", path("program"));
  start_held({"/bin/sh", "-c", "cd " + folder_.path() + "; ./program; exec ./program"});
  if (HasFatalFailure() || IsSkipped()) return;
  say(kGo);
  EXPECT_EQ(serve(kAskAgain), 0);
  EXPECT_EQ(asked_about(path("./program")), 2U);
}

// The way leads through links that the kernel follows only where it may wait.
TEST_F(SupervisorTest, ANameThatIsNotAtHandIsTheAgentsToFollow) {
  start_held({"/bin/sh", "-c", "for i in 1 2 3; do /proc/self/exe -c :; done"});
  if (HasFatalFailure() || IsSkipped()) return;
  say(kGo);
  EXPECT_EQ(serve(), 0);
  EXPECT_EQ(asked_about("/proc/self/exe"), 3U) << "each time: which file it is is not known";
}

TEST_F(SupervisorTest, AFileThatTookTheNumberOfASeenOneIsAskedAboutAgain) {
  const std::string file = path("program");
  start_held(
      {"/bin/sh", "-c", fmt::format("for i in 1 2 3; do cp /bin/true {0}; {0}; {0}; rm {0}; sleep 0.02; done", file)});
  if (HasFatalFailure() || IsSkipped()) return;
  say(kGo);
  EXPECT_EQ(serve(), 0);
  EXPECT_EQ(asked_about(file), 3U) << "each of the three once";
  EXPECT_EQ(asked_about("/bin/cp") + asked_about("/usr/bin/cp"), 1U) << "seen";
}

TEST_F(SupervisorTest, ALateAnswerCountsForTheNextFileNotForTheOneThatWentOn) {
  start_held(
      {"/bin/sh", "-c", fmt::format("echo > {}; while [ ! -e {} ]; do sleep 0.02; done", path("ran"), path("end"))},
      100);
  if (HasFatalFailure() || IsSkipped()) return;
  say(kGo);
  ASSERT_TRUE(receive());
  ASSERT_EQ(message_.kind, SupervisorMessage::kFile);
  const std::string first = message_.path;
  ASSERT_TRUE(receive());
  EXPECT_EQ(message_.kind, SupervisorMessage::kLate);
  EXPECT_EQ(message_.path, first) << "which file it was";
  EXPECT_TRUE(comes(path("ran"))) << "the command went on";
  EXPECT_FALSE(receive(200)) << "an agent that does not answer is asked nothing more";
  say(kAskAgain);
  ASSERT_TRUE(receive()) << "it answers again";
  EXPECT_EQ(message_.kind, SupervisorMessage::kFile);
  note_file();
  say(kSeen);
  std::ofstream(path("end")) << "now\n";
  EXPECT_EQ(serve(), 0);
}

TEST_F(SupervisorTest, AnAgentThatIsGoneWhileItIsAskedHoldsNothingUp) {
  start_held({"/bin/sh", "-c", "/bin/true; echo > " + path("ran")});
  if (HasFatalFailure() || IsSkipped()) return;
  say(kGo);
  ASSERT_TRUE(receive());
  ASSERT_EQ(message_.kind, SupervisorMessage::kFile);
  agent_.reset();
  EXPECT_TRUE(comes(path("ran")));
  has_ended_ = true;  // the supervisor, which reaps it, ends with it
  EXPECT_EQ(ended_with(), 0);
}

// The call that it held, and every one after it.
TEST_F(SupervisorTest, WhereItIsKilledTheCommandGoesOn) {
  start_held({"/bin/sh", "-c",
              fmt::format("/bin/true && echo > {}; while [ ! -e {} ]; do sleep 0.02; done; /bin/ls / > /dev/null && "
                          "/bin/true && echo > {}",
                          path("held"), path("end"), path("ran"))});
  if (HasFatalFailure() || IsSkipped()) return;
  say(kGo);
  do {
    ASSERT_TRUE(receive());
    ASSERT_EQ(message_.kind, SupervisorMessage::kFile);
    if (message_.path != std::string("/bin/true")) say(kSeen);
  } while (message_.path != std::string("/bin/true"));
  kill(supervisor_, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(ended_with()));
  EXPECT_TRUE(comes(path("held")));
  std::ofstream(path("end")) << "now\n";
  EXPECT_TRUE(comes(path("ran")));
  has_ended_ = true;
}

TEST_F(SupervisorTest, ItServesWhatTheCommandLeftBehindAndEndsWithTheLastOfIt) {
  std::filesystem::copy_file("/bin/true", path("program"));
  start_held({"/bin/sh", "-c",
              fmt::format("(while [ ! -e {} ]; do sleep 0.02; done; {}) & exit 4", path("end"), path("program"))});
  if (HasFatalFailure() || IsSkipped()) return;
  say(kGo);
  const int status = serve();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_EQ(asked_about(path("program")), 0U);
  std::ofstream(path("end")) << "now\n";
  while (receive()) {
    EXPECT_EQ(message_.kind, SupervisorMessage::kFile);
    note_file();
    say(kSeen);
  }
  EXPECT_EQ(asked_about(path("program")), 1U);
  EXPECT_EQ(ended_with(), 0);
}

TEST_F(SupervisorTest, TheCommandHasNoneOfItsDescriptors) {
  const std::string list = "ls -l /proc/self/fd | grep -c -e 'socket:' -e 'seccomp' -e '/dev/null' -e 'pipe:'";
  std::array<char, 32> plain{};
  FILE* const by_hand = popen((list + " 3<&- 2>/dev/null").c_str(), "r");
  ASSERT_NE(by_hand, nullptr);
  EXPECT_NE(std::fgets(plain.data(), plain.size(), by_hand), nullptr);
  pclose(by_hand);
  start({"/bin/sh", "-c", "(" + list + " 3<&- 2>/dev/null) | cat > " + path("list")});
  if (HasFatalFailure()) return;
  say(kGo);
  EXPECT_EQ(serve(), 0);
  std::ifstream held(path("list"));
  const std::string found{std::istreambuf_iterator<char>(held), {}};
  EXPECT_EQ(found, plain.data());
}

}  // namespace
}  // namespace ingero::kernelside
