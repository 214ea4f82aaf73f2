// The loop, and its end by request: see periodic_thread.h.
#include "agent/periodic_thread.h"

#include <utility>

namespace ingero::agent {

PeriodicThread::PeriodicThread(std::chrono::nanoseconds interval, std::function<void()> work)
    : interval_(interval), work_(std::move(work)), thread_([this] { run(); }) {}

PeriodicThread::~PeriodicThread() {
  request_stop();
  if (thread_.joinable()) thread_.join();
}

void PeriodicThread::run() {
  std::unique_lock lock(mutex_);
  while (!has_ended_) {
    const bool is_last = is_stopping_;
    lock.unlock();
    work_();
    lock.lock();
    has_ended_ = is_last;
    if (!is_last) changed_.wait_for(lock, interval_, [this] { return is_stopping_; });
  }
  changed_.notify_all();
}

void PeriodicThread::request_stop() {
  const std::scoped_lock lock(mutex_);
  is_stopping_ = true;
  changed_.notify_all();
}

bool PeriodicThread::join_until(std::chrono::steady_clock::time_point deadline) {
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_until(lock, deadline, [this] { return has_ended_; })) return false;
  }
  if (thread_.joinable()) thread_.join();
  return true;
}

}  // namespace ingero::agent
