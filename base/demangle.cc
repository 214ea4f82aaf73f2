// The compiler's own demangler, which takes exponential time for some names (GCC bugs 67394 and 70909) and has no limit
// of its own. It is left in the middle when the thread's processor time runs out, or its text is long enough. That is
// allowed because it computes on its stack alone: in this form it allocates nothing and holds no lock.
#include "base/demangle.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <cstring>
#include <ctime>
#include <mutex>

// libsupc++'s, which its shared library does not export; libbacktrace declares it like this.
extern "C" int __gcclibcxx_demangle_callback(const char* mangled, void (*callback)(const char*, size_t, void*),
                                             void* opaque);

namespace ingero {
namespace {

enum class End : int { kNone = 0, kOutOfTime, kFull };

struct Attempt {
  sigjmp_buf leave;
  std::array<char, kLongestDemangled> text;
  size_t bytes = 0;
};

thread_local Attempt* volatile current = nullptr;
// Names that took too long, so that strangers' names take a sixtieth of a CPU's time at most.
class Allowance {
 public:
  bool is_used_up() {
    if (abandoned_ < kMaxAbandoned) return false;
    const int64_t now = seconds();
    int64_t since = since_;
    if (now - since < kAbandonedSeconds) return true;
    if (since_.compare_exchange_strong(since, now)) abandoned_ = 0;
    return false;
  }
  void take() {
    if (abandoned_++ == 0) since_ = seconds();
  }

 private:
  static int64_t seconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
  }
  std::atomic<int> abandoned_{0};
  std::atomic<int64_t> since_{0};
};
Allowance allowance;

void on_time_used(int) {
  if (current != nullptr) siglongjmp(current->leave, static_cast<int>(End::kOutOfTime));
}

void take_text(const char* text, size_t bytes, void* opaque) {
  auto& attempt = *static_cast<Attempt*>(opaque);
  const size_t taken = std::min(bytes, attempt.text.size() - attempt.bytes);
  std::memcpy(attempt.text.data() + attempt.bytes, text, taken);
  attempt.bytes += taken;
  if (taken < bytes) siglongjmp(attempt.leave, static_cast<int>(End::kFull));
}

// A timer of this thread's processor time, with SIGVTALRM to this thread.
class Timer {
 public:
  Timer() {
    static std::once_flag once;
    std::call_once(once, [] {
      struct sigaction action {};
      action.sa_handler = on_time_used;
      action.sa_flags = SA_RESTART;
      sigaction(SIGVTALRM, &action, nullptr);
    });
  }
  ~Timer() {
    if (process_ == getpid()) timer_delete(timer_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // 0: no more. False: there is no timer.
  bool set(int milliseconds) {
    if (process_ != getpid() && !make()) return false;
    itimerspec limit{};
    limit.it_value.tv_nsec = milliseconds * 1'000'000L;
    return timer_settime(timer_, 0, &limit, nullptr) == 0;
  }

 private:
  bool make() {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGVTALRM;
    event._sigev_un._tid = gettid();
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) != 0) return false;
    process_ = getpid();
    return true;
  }

  timer_t timer_{};
  pid_t process_ = 0;  // that made it: a fork does not take it along
};

// Apart from its caller, so that nothing is left in the middle that has a destructor.
[[gnu::noinline]] bool take_apart(const char* symbol, Attempt& attempt) {
  const int end = sigsetjmp(attempt.leave, 0);
  if (end == static_cast<int>(End::kNone)) {
    current = &attempt;
    const int status = __gcclibcxx_demangle_callback(symbol, take_text, &attempt);
    current = nullptr;
    return status == 0;
  }
  current = nullptr;
  if (end == static_cast<int>(End::kFull)) return true;
  allowance.take();
  return false;
}

}  // namespace

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z") || allowance.is_used_up()) return symbol;
  const int error = errno;  // a caller's, in the middle of a message
  thread_local Timer timer;
  sigset_t wanted, before;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGVTALRM);
  pthread_sigmask(SIG_UNBLOCK, &wanted, &before);
  Attempt attempt;
  const bool is_named = timer.set(kDemangleMs) && take_apart(symbol.c_str(), attempt);
  timer.set(0);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return is_named ? std::string(attempt.text.data(), attempt.bytes) : symbol;
}

}  // namespace ingero
