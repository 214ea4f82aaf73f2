// The thread that answers for a traced command: which files it is about to map, and when it has ended.
//
// The thread is created here and joined by end() or the destructor, so it never outlives its owner.
// The launch and all that the callbacks use must outlive this. Failure: none. One thread uses this, except
// has_ended(), which is thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "kernelside/launch.h"

namespace ingero::agent {

class CommandThread {
 public:
  // Serves `launch` (Launch::serve) from now on.
  CommandThread(kernelside::Launch& launch, kernelside::Launch::OnFile on_file,
                std::function<void(uint32_t pid)> on_late);
  ~CommandThread();
  CommandThread(const CommandThread&) = delete;
  CommandThread& operator=(const CommandThread&) = delete;

  // The command has ended, or can be served no longer.
  bool has_ended() const { return has_ended_; }
  // Serves no more and joins; the command goes on. Again: nothing.
  void end();
  // After end(): the command's wait status; nothing where it has not ended.
  std::optional<int> status() const { return status_; }

 private:
  kernelside::Launch& launch_;
  std::atomic<bool> has_ended_{false};
  std::optional<int> status_;  // the thread's until it is joined
  std::thread thread_;         // last: it uses the others
};

}  // namespace ingero::agent
