// The threads that answer requests. Heavy requests have half of them at most, and one is kept for light ones, so that
// the page and health never wait for a query, nor one question for queries that never end. Clients that wait take
// turns, and of the threads for heavy requests each leaves one to the others. Its owner bounds what it submits. Private
// to serve/http/.
#pragma once

#include <system_error>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
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

  void submit(Task task, Weight weight, const std::string& client) {
    {
      const std::scoped_lock lock(mutex_);
      queues_[static_cast<size_t>(weight)].waiting[client].push_back(std::move(task));
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
  using Waiting = std::map<std::string, std::deque<Task>>;  // by client; none is empty

  // Requests of one weight.
  struct Queue {
    Waiting waiting;
    std::map<std::string, size_t> running;  // by client; none is 0
    size_t all_running = 0;
    std::string last;  // the client whose turn was the last
  };
  struct Next {
    size_t weight = 0;
    Waiting::iterator of;
  };

  size_t limit_of_client(size_t weight) const {
    const bool can_share = weight == static_cast<size_t>(Weight::kHeavy) && limits_[weight] > 1;
    return limits_[weight] - (can_share ? 1 : 0);
  }

  // Whose turn it is: of the clients that wait and may have one more, the next after the last.
  Waiting::iterator turn_of(Queue& queue, size_t limit) {
    auto at = queue.waiting.upper_bound(queue.last);
    for (size_t left = queue.waiting.size(); left > 0; --left, ++at) {
      if (at == queue.waiting.end()) at = queue.waiting.begin();
      const auto running = queue.running.find(at->first);
      if (running == queue.running.end() || running->second < limit) return at;
    }
    return queue.waiting.end();
  }

  // Of the lightest weight that waits and may run: fewer of it and of heavier ones run than its limit.
  std::optional<Next> next() {
    for (size_t weight = 0; weight < kWeights; ++weight) {
      size_t running = 0;
      for (size_t other = weight; other < kWeights; ++other) running += queues_[other].all_running;
      if (running >= limits_[weight]) continue;
      const auto of = turn_of(queues_[weight], limit_of_client(weight));
      if (of != queues_[weight].waiting.end()) return Next{weight, of};
    }
    return std::nullopt;
  }

  Task begin(const Next& next) {
    Queue& queue = queues_[next.weight];
    Task task = std::move(next.of->second.front());
    next.of->second.pop_front();
    queue.last = next.of->first;
    ++queue.running[queue.last];
    ++queue.all_running;
    if (next.of->second.empty()) queue.waiting.erase(next.of);
    return task;
  }

  void end(size_t weight, const std::string& client) {
    Queue& queue = queues_[weight];
    --queue.all_running;
    const auto running = queue.running.find(client);
    if (--running->second == 0) queue.running.erase(running);
  }

  void work() {
    pthread_setname_np(pthread_self(), "ingero-http");
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return next() || is_stopping_; });
      if (is_stopping_) return;
      const Next found = *next();
      const size_t weight = found.weight;
      const std::string client = found.of->first;
      const Task task = begin(found);
      if (next()) changed_.notify_one();
      lock.unlock();
      task();
      lock.lock();
      end(weight, client);
    }
  }

  std::array<size_t, kWeights> limits_{};
  std::array<Queue, kWeights> queues_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ingero::serve::http
