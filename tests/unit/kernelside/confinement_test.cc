// What a confined process can do no more, tried in one that is forked for it; and that the rest goes on.
#include "kernelside/confinement.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

constexpr int kNoSeccomp = 77;

// What `work` returns in a process of its own, where it is confined: 0, or the number of what went wrong.
int confined(Confined what, int (*work)()) {
  const pid_t child = fork();
  if (child == 0) {
    const Status done = confine(what);
    if (!done.ok()) _exit(done.error().code() == Errc::kNotSupported ? kNoSeccomp : 99);
    _exit(work());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

void expect_confined(Confined what, int (*work)()) {
  const int status = confined(what, work);
  if (status == kNoSeccomp) GTEST_SKIP() << "no seccomp on this kernel";
  EXPECT_EQ(status, 0);
}

int try_what_is_refused() {
  char* const nothing[] = {nullptr};
  if (execve("/bin/true", nothing, nothing) != -1 || errno != EPERM) return 1;
  if (syscall(SYS_execveat, AT_FDCWD, "/bin/true", nothing, nothing, 0) != -1 || errno != EPERM) return 2;
  if (mount("none", "/nowhere", "tmpfs", 0, nullptr) != -1 || errno != EPERM) return 3;
  if (chroot("/") != -1 || errno != EPERM) return 4;
  if (unshare(CLONE_NEWUSER) != -1 || errno != EPERM) return 5;
  if (syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr) != -1 || errno != EPERM) return 6;
  char byte = 0;
  iovec own{&byte, 1};
  if (process_vm_writev(getpid(), &own, 1, &own, 1, 0) != -1 || errno != EPERM) return 7;
#if !defined(__SANITIZE_ADDRESS__)
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != -1 || errno != EPERM) return 8;
#endif
  return 0;
}

TEST(Confinement, NeitherRunsAnotherProgramNorChangesOthersOrTheMachine) {
  expect_confined(Confined::kAgent, try_what_is_refused);
  expect_confined(Confined::kHelper, try_what_is_refused);
}

TEST(Confinement, ThreadsAndProcessesOfItsOwnStillStart) {
  expect_confined(Confined::kAgent, [] {
    int seen = 0;
    std::thread([&seen] { seen = 1; }).join();
    if (seen != 1) return 1;
    const pid_t child = fork();
    if (child == 0) _exit(try_what_is_refused() == 0 ? 42 : 43);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 2;
    return WIFEXITED(status) && WEXITSTATUS(status) == 42 ? 0 : 3;
  });
}

TEST(Confinement, HoldsForThreadsThatWereThereBefore) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<int> turn{0};
    int result = 1;
    std::thread before([&] {
      while (turn == 0) usleep(1000);
      result = try_what_is_refused() != 0 ? 2 : prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 ? 3 : 0;
    });
    const Status done = confine(Confined::kAgent);
    turn = 1;
    before.join();
    _exit(done.ok() ? result : done.error().code() == Errc::kNotSupported ? kNoSeccomp : 99);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSeccomp) GTEST_SKIP() << "no seccomp on this kernel";
  EXPECT_EQ(status, 0);
}

TEST(Confinement, OfAHelperMakesNoSocketAndReadsMemoryAndOfTheAgentTheOtherWay) {
  expect_confined(Confined::kHelper, [] {
    if (socket(AF_INET, SOCK_STREAM, 0) != -1 || errno != EPERM) return 1;
    char from = 'a', to = 'b';
    iovec local{&to, 1}, remote{&from, 1};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != 1 || to != 'a') return 2;
    return 0;
  });
  expect_confined(Confined::kAgent, [] {
    if (socket(AF_INET, SOCK_STREAM, 0) < 0) return 1;
    char from = 'a', to = 'b';
    iovec local{&to, 1}, remote{&from, 1};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != -1 || errno != EPERM) return 2;
    return 0;
  });
}

}  // namespace
}  // namespace ingero::kernelside
