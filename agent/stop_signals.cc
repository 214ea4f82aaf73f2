// Blocked, and taken with sigtimedwait(2): no handler runs in the middle of anything.
#include "agent/stop_signals.h"

#include <ctime>

namespace ingero::agent {

StopSignals::StopSignals() {
  sigemptyset(&set_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, number);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

StopSignals::Came StopSignals::wait(uint64_t ns) const {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  siginfo_t info{};
  const int number = sigtimedwait(&set_, &info, &time);
  return number > 0 ? Came{number, info.si_code <= 0} : Came{};
}

bool StopSignals::is_pending() {
  sigset_t pending;
  if (sigpending(&pending) != 0) return false;
  return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
}

}  // namespace ingero::agent
