// Tries, waits and ends: see sending_thread.h.
#include "serve/otlp/sending_thread.h"

#include <algorithm>

#include <fmt/format.h>

#include "serve/net/thread.h"

namespace ingero::serve::otlp {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::nanoseconds;

}  // namespace

Result<SendingThread::Options> SendingThread::prepare(Options options, const TlsFiles& tls) {
  const bool has_tls = options.receiver.endpoint.has_tls, is_grpc = options.receiver.protocol == Protocol::kGrpc;
  INGERO_TRY(net::http_available(has_tls, is_grpc ? net::HttpVersion::k2 : net::HttpVersion::k1_1));
  if (!has_tls) return options;
  auto made = TlsContext::make(tls);
  INGERO_TRY(made);
  options.tls = std::move(*made);
  return options;
}

SendingThread::SendingThread(Words words, Options options, const Clock& clock)
    : words_(words),
      options_(std::move(options)),
      clock_(clock),
      transport_(make_transport(options_.receiver, options_.tls ? &*options_.tls : nullptr, clock)) {}

void SendingThread::start(std::function<void(const std::string&)> say) {
  say_ = std::move(say);
  thread_ = std::thread([this] { run(); });
}

void SendingThread::stop() {
  if (!thread_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    is_stopping_ = true;
    stop_by_ = Steady::now() + nanoseconds(options_.stop_ns);
    changed_.notify_all();
    // A request that was under way may take longer than is left.
    changed_.wait_until(lock, stop_by_, [this] { return is_finished_; });
  }
  stop_.signal();
  thread_.join();
}

void SendingThread::run() {
  net::begin_thread(words_.thread);
  for (bool is_last = false; !is_last;) {
    {
      std::unique_lock lock(mutex_);
      while (!is_stopping_ && !is_due() && Steady::now() < wake_up()) {
        const Time wake = wake_up();
        if (wake == Time::max()) {
          changed_.wait(lock);
        } else {
          changed_.wait_until(lock, wake);
        }
      }
      is_last = is_stopping_;
      if (is_last) next_try_ = {};  // one more try, whatever was promised
    }
    turn(is_last);
  }
  end();
  const std::scoped_lock lock(mutex_);
  is_finished_ = true;
  changed_.notify_all();
}

bool SendingThread::is_out_of_time() {
  const std::scoped_lock lock(mutex_);
  return is_stopping_ && Steady::now() >= stop_by_;
}

std::optional<Answer> SendingThread::send(const Payload& payload) {
  net::Deadline deadline = Steady::now() + nanoseconds(options_.timeout_ns);
  {
    const std::scoped_lock lock(mutex_);
    if (is_stopping_) deadline = std::min(deadline, stop_by_);
  }
  Answer answer = transport_->send(payload, deadline, stop_);
  const bool has_failed = answer.send_result == SendResult::kRetry;
  const bool is_refused = answer.send_result == SendResult::kRefused;
  {
    const std::scoped_lock lock(mutex_);
    if (has_failed) ++failed_tries_;
    last_error_ = has_failed || is_refused ? answer.message : "";
  }
  const bool was_failing = std::exchange(is_failing_, has_failed);
  if (has_failed) {
    next_try_ = Steady::now() + nanoseconds(backoff_.next_ns(answer.retry_after_ns, random_()));
    if (!was_failing) say(fmt::format("{}: {}; {}", words_.what, answer.message, words_.waits));
    return std::nullopt;
  }
  backoff_.reset();
  if (was_failing) say(fmt::format("{}: {} answers again", words_.what, words_.receiver));
  std::string& reported = is_refused ? reported_refusal_ : reported_warning_;
  if (!answer.message.empty() && reported != answer.message) {
    reported = answer.message;
    const std::string says = is_refused ? "refused, and not sent again" : fmt::format("{} says", words_.receiver);
    say(fmt::format("{}: {}: {}", words_.what, says, reported));
  }
  return answer;
}

}  // namespace ingero::serve::otlp
