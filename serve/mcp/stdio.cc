// The threads of MCP over standard input and output: a reader, a writer, a few that answer, one that reports progress.
#include "serve/mcp/stdio.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/json.h"

namespace ingero::serve::mcp {
namespace {

using Steady = std::chrono::steady_clock;

constexpr size_t kMaxLineBytes = 1 << 20;
constexpr size_t kMaxWaiting = 64;
constexpr size_t kMaxUnread = 16 << 20;  // bytes of answers that wait for the client to read
constexpr size_t kThreads = 4;

class Stdio {
 public:
  Stdio(Protocol& protocol, int input, int output) : protocol_(protocol), input_(input), output_(output) {}

  // Whichever way run() ended.
  ~Stdio() { end(); }
  Stdio(const Stdio&) = delete;
  Stdio& operator=(const Stdio&) = delete;

  Status run() {
    threads_.reserve(kThreads + 1);  // no thread is started that could then not be kept
    for (size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { work(); });
    threads_.emplace_back([this] { notify_progress(); });
    writer_ = std::thread([this] { write_all(); });
    const Status status = read_all();
    end();
    if (!status.ok()) return status;
    return broken_ ? Status(Error(Errc::kIo, "write standard output: it does not take any more")) : Status{};
  }

 private:
  struct Job {
    Json message;
    std::string id;  // as text of JSON; empty: a batch
    Json progress_token;
    Steady::time_point begin = Steady::now();
    uint64_t reported = 0;
    std::atomic<bool> cancel{false};
  };

  // What was taken is answered, and the answers are written.
  void end() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    {
      const std::scoped_lock lock(out_mutex_);
      closing_ = true;
    }
    out_changed_.notify_all();
    if (writer_.joinable()) writer_.join();
  }

  Status read_all() {
    std::string line;
    bool too_long = false;
    std::vector<char> buffer(64 << 10);
    for (;;) {
      const ssize_t got = ::read(input_, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return errno_error("read standard input");
      if (got == 0) break;
      for (ssize_t i = 0; i < got; ++i) {
        const char c = buffer[static_cast<size_t>(i)];
        if (c != '\n') {
          if (line.size() < kMaxLineBytes) {
            line += c;
          } else {
            too_long = true;
          }
          continue;
        }
        if (too_long) {
          write(error_response(nullptr, kInvalidRequest, "the message is longer than a megabyte"));
        } else {
          take(line);
        }
        line.clear();
        too_long = false;
      }
    }
    if (!line.empty()) take(line);
    return {};
  }

  void take(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) return;
    Json message = parse_json(line);
    if (message.is_discarded()) {
      write(error_response(nullptr, kParseError, "not JSON"));
      return;
    }
    if (message.is_array()) {
      if (message.empty() || message.size() > kMaxInBatch) {
        write(error_response(nullptr, kInvalidRequest, "a batch holds 1 to 32 messages"));
        return;
      }
    } else if (message.is_object() && message.contains("method") && message["method"] == "notifications/cancelled") {
      cancel(message);
      return;
    }
    auto job = std::make_shared<Job>();
    if (message.is_object() && message.contains("id")) job->id = dump(message["id"]);
    if (message.is_object() && message.contains("params") && message["params"].is_object() &&
        message["params"].contains("_meta") && message["params"]["_meta"].is_object() &&
        message["params"]["_meta"].contains("progressToken")) {
      job->progress_token = message["params"]["_meta"]["progressToken"];
      if (!job->progress_token.is_string() && !job->progress_token.is_number_integer()) job->progress_token = nullptr;
    }
    job->message = std::move(message);
    {
      const std::scoped_lock lock(mutex_);
      if (waiting_.size() < kMaxWaiting) {
        waiting_.push_back(job);
        job = nullptr;
      }
    }
    if (job != nullptr) {
      refuse(job->message);
    } else {
      changed_.notify_all();
    }
  }

  // Of a batch, each of its requests.
  void refuse(const Json& message) {
    constexpr const char* kWhy = "too many requests wait; try again";
    if (!message.is_array()) {
      if (message.is_object() && message.contains("id")) write(error_response(message["id"], kTooMany, kWhy));
      return;
    }
    Json refused = Json::array();
    for (const Json& one : message) {
      if (one.is_object() && one.contains("id")) refused.push_back(error_response(one["id"], kTooMany, kWhy));
    }
    if (!refused.empty()) write(refused);
  }

  void cancel(const Json& message) {
    if (!message.contains("params") || !message["params"].is_object() || !message["params"].contains("requestId"))
      return;
    const std::string id = dump(message["params"]["requestId"]);
    const std::scoped_lock lock(mutex_);
    for (const auto* list : {&waiting_, &running_}) {
      for (const auto& job : *list) {
        if (job->id == id) job->cancel = true;
      }
    }
  }

  void work() {
    for (;;) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !waiting_.empty() || ended_; });
        if (waiting_.empty()) return;
        job = waiting_.front();
        waiting_.pop_front();
        running_.push_back(job);
      }
      answer(*job);
      const std::scoped_lock lock(mutex_);
      std::erase(running_, job);
      changed_.notify_all();
    }
  }

  void answer(Job& job) {
    if (!job.message.is_array()) {
      const auto response = protocol_.handle(job.message, &job.cancel);
      // A cancelled request gets no answer: its client has forgotten it.
      if (response && !job.cancel) write(*response);
      return;
    }
    Json responses = Json::array();
    for (const Json& message : job.message) {
      if (auto response = protocol_.handle(message)) responses.push_back(std::move(*response));
    }
    if (!responses.empty()) write(responses);
  }

  void notify_progress() {
    std::unique_lock lock(mutex_);
    while (!(ended_ && waiting_.empty() && running_.empty())) {
      // Without a running request there is nothing to report, so the thread sleeps without a timeout.
      changed_.wait(lock, [&] { return !running_.empty() || (ended_ && waiting_.empty()); });
      changed_.wait_for(lock, std::chrono::milliseconds(200));
      for (const auto& job : running_) {
        if (job->progress_token.is_null()) continue;
        const auto seconds =
            static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(Steady::now() - job->begin).count());
        if (seconds <= job->reported) continue;
        job->reported = seconds;
        write({{"jsonrpc", "2.0"},
               {"method", "notifications/progress"},
               {"params",
                {{"progressToken", job->progress_token},
                 {"progress", seconds},
                 {"message", "still reading the recording"}}}});
      }
    }
  }

  // Hands a line to the thread that writes: a client that sends much before it reads must not stop the reading here.
  void write(const Json& message) {
    std::string line = dump(message) + "\n";
    std::unique_lock lock(out_mutex_);
    out_changed_.wait(lock, [&] { return out_bytes_ < kMaxUnread || broken_; });
    if (broken_) return;
    out_bytes_ += line.size();
    out_.push_back(std::move(line));
    out_changed_.notify_all();
  }

  void write_all() {
    std::unique_lock lock(out_mutex_);
    for (;;) {
      out_changed_.wait(lock, [&] { return !out_.empty() || closing_; });
      if (out_.empty()) return;
      const std::string line = std::move(out_.front());
      out_.pop_front();
      lock.unlock();
      const bool written = broken_ || put(line);
      lock.lock();
      if (!written) broken_ = true;
      out_bytes_ -= line.size();
      out_changed_.notify_all();
    }
  }

  bool put(const std::string& line) const {
    for (size_t at = 0; at < line.size();) {
      const ssize_t done = ::write(output_, line.data() + at, line.size() - at);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      at += static_cast<size_t>(done);
    }
    return true;
  }

  Protocol& protocol_;
  int input_, output_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> waiting_, running_;
  bool ended_ = false;
  std::mutex out_mutex_;  // of what follows; may be taken while mutex_ is held, not the other way about
  std::condition_variable out_changed_;
  std::deque<std::string> out_;
  size_t out_bytes_ = 0;
  bool closing_ = false;
  std::atomic<bool> broken_{false};
  std::vector<std::thread> threads_;
  std::thread writer_;
};

}  // namespace

Status serve_stdio(Protocol& protocol, int input, int output) { return Stdio(protocol, input, output).run(); }

}  // namespace ingero::serve::mcp
