// A thread that does the same work at an interval and ends when asked.
//
// The thread may be stuck inside a driver. A thread cannot be ended from outside, and one that is abandoned would use
// objects that have since been destroyed, so the owner asks it to end with a time limit and learns whether it has. If
// it has not, it is still owned: an owner that cannot wait longer keeps this object, and all that the work uses, until
// the process ends (Context::unfinished). Destroying it joins, however long that takes.
//
// The work runs on the thread created here, the rest on the owner's. Failure: none.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ingero::agent {

class PeriodicThread {
 public:
  // Calls `work` at once, then every `interval`, and a last time when asked to end.
  PeriodicThread(std::chrono::nanoseconds interval, std::function<void()> work);
  ~PeriodicThread();
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;

  // Asks it to end, and does not wait.
  void request_stop();
  // After request_stop(). True: it has ended and is joined. False: it is still inside its work at `deadline`.
  bool join_until(std::chrono::steady_clock::time_point deadline);

 private:
  void run();

  const std::chrono::nanoseconds interval_;
  const std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;  // guarded by mutex_
  bool has_ended_ = false;    // guarded by mutex_
  std::thread thread_;        // last: it uses the others
};

}  // namespace ingero::agent
