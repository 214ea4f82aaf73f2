// Started, stopped and joined in one place: see command_thread.h.
#include "agent/command_thread.h"

#include <utility>

namespace ingero::agent {

CommandThread::CommandThread(kernelside::Launch& launch, kernelside::Launch::OnFile on_file,
                             std::function<void(uint32_t pid)> on_late)
    : launch_(launch), thread_([this, on_file = std::move(on_file), on_late = std::move(on_late)] {
        status_ = launch_.serve(on_file, on_late);
        has_ended_ = true;
      }) {}

CommandThread::~CommandThread() { end(); }

void CommandThread::end() {
  if (!thread_.joinable()) return;
  launch_.stop();
  thread_.join();
}

}  // namespace ingero::agent
