// Which signals end a long-running command, as it was started: in the foreground, in a shell's background, by nohup(1).
#include "agent/stop_signals.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <initializer_list>

#include <gtest/gtest.h>

namespace ingero::agent {
namespace {

// In a process of its own, which starts with these signals ignored: the mask and the dispositions stay.
int status_of(std::initializer_list<int> ignored, const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_DFL);
    for (const int number : ignored) signal(number, SIG_IGN);
    _exit(holds() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// As the terminal does, or the kernel when it is gone. A process may claim that of itself.
void from_the_kernel(int number) {
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = SI_KERNEL;
  syscall(SYS_rt_sigqueueinfo, getpid(), number, &info);
}

constexpr uint64_t kShort = 1'000'000;

TEST(StopSignals, EndACommand) {
  EXPECT_EQ(status_of({},
                      [] {
                        const StopSignals signals;
                        bool all = signals.wait(kShort).number == 0;
                        for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
                          kill(getpid(), number);
                          const auto sent = signals.wait(kShort);
                          from_the_kernel(number);
                          const auto typed = signals.wait(kShort);
                          all =
                              all && sent.number == number && sent.is_sent && typed.number == number && !typed.is_sent;
                        }
                        return all;
                      }),
            0);
}

TEST(StopSignals, ThatWereIgnoredStaySo) {
  EXPECT_EQ(status_of({SIGHUP, SIGINT, SIGPIPE},
                      [] {
                        const StopSignals signals;
                        from_the_kernel(SIGINT);
                        const bool is_cancelled = StopSignals::is_pending();
                        const int typed = signals.wait(kShort).number;
                        kill(getpid(), SIGHUP);
                        from_the_kernel(SIGHUP);
                        const int hung_up = signals.wait(kShort).number;
                        const sigset_t& ignored = signals.before().ignored;
                        return !is_cancelled && typed == 0 && hung_up == 0 && sigismember(&ignored, SIGHUP) == 1 &&
                               sigismember(&ignored, SIGPIPE) == 1 && sigismember(&ignored, SIGTERM) == 0;
                      }),
            0);
}

TEST(StopSignals, ThatAreMeantForUsEndIt) {
  EXPECT_EQ(status_of({SIGINT, SIGTERM},
                      [] {
                        const StopSignals signals;
                        kill(getpid(), SIGINT);
                        const auto sent = signals.wait(kShort);
                        from_the_kernel(SIGTERM);
                        return sent.number == SIGINT && sent.is_sent && StopSignals::is_pending() &&
                               signals.wait(kShort).number == SIGTERM;
                      }),
            0);
}

}  // namespace
}  // namespace ingero::agent
