// A thread that sends to a receiver until it is stopped: when it may try again after a failure, until when a request
// may take, how it reports failures, and how it ends. What is sent, and in what order, is said by the class that
// derives from this one, with its hooks: they run on the thread.
//
// Started and stopped by one thread; a class that derives from it is stopped before its members go.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/result.h"
#include "serve/otlp/answer.h"
#include "serve/otlp/backoff.h"
#include "serve/otlp/encode.h"
#include "serve/otlp/transport.h"

namespace ingero::serve::otlp {

class SendingThread {
 public:
  struct Words {
    const char* thread;    // its name
    const char* what;      // before each sentence
    const char* receiver;  // "the receiver"
    const char* waits;     // what happens to what cannot be sent now
  };
  struct Options {
    Receiver receiver;
    uint64_t timeout_ns = 0;             // of one request
    uint64_t stop_ns = 0;                // for what is left at the end
    std::optional<TlsContext> tls = {};  // by prepare()
  };

  virtual ~SendingThread() = default;
  SendingThread(const SendingThread&) = delete;
  SendingThread& operator=(const SendingThread&) = delete;

  // Checks all that can be checked without a connection.
  static Result<Options> prepare(Options options, const TlsFiles& tls);
  // `say`: a problem begins, changes, is over; may be empty.
  void start(std::function<void(const std::string& sentence)> say);
  // A last turn, for stop_ns at most; then the request under way is ended.
  void stop();

 protected:
  using Time = std::chrono::steady_clock::time_point;

  // `clock` must outlive this.
  SendingThread(Words words, Options options, const Clock& clock);

  // With the mutex held: is there something to do; if not, when there will be without being woken.
  virtual bool is_due() const = 0;
  virtual Time wake_up() const = 0;
  // Once it is due, and once more when it is to stop.
  virtual void turn(bool is_last) = 0;
  virtual void end() {}

  // The receiver's last word on a request; nothing: not now, and not before next_try().
  std::optional<Answer> send(const Payload& payload);
  Time next_try() const { return next_try_; }
  bool may_try() const { return std::chrono::steady_clock::now() >= next_try_; }
  bool is_out_of_time();  // it is to stop, and stop_ns are over
  const net::Stop& stop_signal() const { return stop_; }
  const Clock& clock() const { return clock_; }

  mutable std::mutex mutex_;
  std::condition_variable changed_;  // what is_due() looks at
  // Guarded by the mutex:
  uint64_t failed_tries_ = 0;
  std::string last_error_;  // what the last try failed with; empty when it did not

 private:
  void run();
  void say(const std::string& sentence) const {
    if (say_) say_(sentence);
  }

  const Words words_;
  const Options options_;
  const Clock& clock_;
  const std::unique_ptr<Transport> transport_;
  Stop stop_;
  std::function<void(const std::string&)> say_;
  std::thread thread_;

  // The thread's own:
  Backoff backoff_;
  std::mt19937_64 random_{std::random_device{}()};
  Time next_try_{};
  bool is_failing_ = false;
  std::string reported_refusal_, reported_warning_;

  // Guarded by the mutex:
  bool is_stopping_ = false, is_finished_ = false;
  Time stop_by_{};
};

}  // namespace ingero::serve::otlp
