// Threads for connections, with a bounded queue: a full one holds the accepting thread, so that connections wait in the
// kernel's backlog instead of taking the program's file descriptors. For this folder only.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include <httplib.h>

namespace ingero::serve::http {

class BoundedPool : public httplib::TaskQueue {
 public:
  BoundedPool(size_t threads, size_t waiting) : waiting_(waiting) {
    for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  void enqueue(std::function<void()> task) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tasks_.size() < waiting_ || stopped_; });
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }
  void shutdown() override {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

 private:
  void work() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !tasks_.empty() || stopped_; });
        if (tasks_.empty()) return;  // what was accepted is answered, or closed, by its task
        task = std::move(tasks_.front());
        tasks_.pop_front();
        changed_.notify_all();
      }
      task();
    }
  }

  size_t waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool stopped_ = false;
};

}  // namespace ingero::serve::http
