// The threads that answer requests. Heavy requests have half of them at most, and one is kept for light ones, so that
// the page and health never wait for a query, nor one question for queries that never end. Its owner bounds what it
// submits. Private to serve/http/.
#pragma once

#include <system_error>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/threads.h"
#include "serve/http/weight.h"

namespace ingero::serve::http {

class Workers {
 public:
  using Task = std::function<void()>;

  // Of `wanted` threads, as many as can be started; none: std::system_error.
  explicit Workers(size_t wanted) {
    const std::scoped_lock lock(mutex_);
    threads_ = start_threads(wanted, [this] { work(); });
    const size_t threads = threads_.size();
    if (threads == 0) throw std::system_error(EAGAIN, std::generic_category(), "start a thread");
    limits_ = {threads, std::max<size_t>(1, threads - 1), std::max<size_t>(1, threads / 2)};
  }
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void submit(Task task, Weight weight) {
    {
      const std::scoped_lock lock(mutex_);
      waiting_[static_cast<size_t>(weight)].push_back(std::move(task));
    }
    changed_.notify_one();  // any of them may take it, or none
  }

  // Waits for the tasks that run; drops those that have not begun.
  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  static constexpr size_t kWeights = 3;

  // The lightest that waits and may run: fewer of its weight and of heavier ones run than its limit. kWeights: none.
  size_t next() const {
    for (size_t weight = 0; weight < kWeights; ++weight) {
      size_t running = 0;
      for (size_t other = weight; other < kWeights; ++other) running += running_[other];
      if (!waiting_[weight].empty() && running < limits_[weight]) return weight;
    }
    return kWeights;
  }

  void work() {
    pthread_setname_np(pthread_self(), "ingero-http");
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return next() < kWeights || is_stopping_; });
      if (is_stopping_) return;
      const size_t weight = next();
      const Task task = std::move(waiting_[weight].front());
      waiting_[weight].pop_front();
      ++running_[weight];
      if (next() < kWeights) changed_.notify_one();
      lock.unlock();
      task();
      lock.lock();
      --running_[weight];
    }
  }

  std::array<size_t, kWeights> limits_{}, running_{};
  std::array<std::deque<Task>, kWeights> waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ingero::serve::http
