// Blocked, and taken with sigtimedwait(2): no handler runs in the middle of anything.
#include "agent/stop_signals.h"

#include <ctime>

namespace ingero::agent {

namespace {

bool is_ignored(int number) {
  struct sigaction now {};
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals() {
  sigemptyset(&before_.ignored);
  for (int number = 1; number < NSIG; ++number) {
    if (is_ignored(number)) sigaddset(&before_.ignored, number);
  }
  sigemptyset(&set_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (number != SIGHUP || !is_ignored(number)) sigaddset(&set_, number);
  }
  pthread_sigmask(SIG_BLOCK, &set_, &before_.blocked);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

StopSignals::Came StopSignals::wait(uint64_t ns) const {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  siginfo_t info{};
  const int number = sigtimedwait(&set_, &info, &time);
  const bool is_sent = info.si_code <= 0;
  // A shell has its jobs in the background ignore the terminal's Ctrl-C.
  if (number <= 0 || (number == SIGINT && !is_sent && is_ignored(SIGINT))) return {};
  return {number, is_sent};
}

bool StopSignals::is_pending() {
  sigset_t pending;
  if (sigpending(&pending) != 0) return false;
  return (sigismember(&pending, SIGINT) == 1 && !is_ignored(SIGINT)) || sigismember(&pending, SIGTERM) == 1;
}

}  // namespace ingero::agent
