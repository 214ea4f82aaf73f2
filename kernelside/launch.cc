// The agent's side of a held command: starts the supervisor and answers it. The supervisor's side is supervisor.cc.
#include "kernelside/launch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/fd.h"
#include "base/text.h"
#include "kernelside/privilege.h"
#include "kernelside/supervisor.h"

namespace ingero::kernelside {

struct Launch::Impl {
  Fd supervisor;  // SOCK_SEQPACKET to the supervisor
  Fd stopping;
  pid_t supervisor_pid = -1;
  pid_t command_pid = -1;
  std::string unheld_reason;
};

Launch::Launch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Launch::~Launch() {
  impl_->supervisor.reset();  // the supervisor sees the end and continues on its own
  if (impl_->supervisor_pid > 0) waitpid(impl_->supervisor_pid, nullptr, WNOHANG);
}

Result<std::unique_ptr<Launch>> Launch::start(const std::vector<std::string>& command, int answer_timeout_ms,
                                              Output output, const std::optional<RunAs>& run_as,
                                              const SignalState& signals) {
  if (command.empty()) return Error(Errc::kInvalid, "no command to run");
  auto impl = std::make_unique<Impl>();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return errno_error("create the socket to the supervisor process");
  impl->supervisor.reset(ends[0]);
  Fd supervisor_end(ends[1]);
  impl->stopping.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!impl->stopping.valid()) return errno_error("create the stop event");
  impl->supervisor_pid = fork();
  if (impl->supervisor_pid < 0) return errno_error("fork the supervisor process");
  if (impl->supervisor_pid == 0) {
    impl->supervisor.reset();
    impl->stopping.reset();
    run_supervisor(std::move(supervisor_end), {command, run_as, output == Output::kToErrors, signals},
                   answer_timeout_ms);  // does not return
  }
  supervisor_end.reset();
  SupervisorMessage hello;
  if (recv(impl->supervisor.get(), &hello, sizeof(hello), 0) != sizeof(hello) ||
      hello.kind != SupervisorMessage::kReady) {
    return Error(Errc::kIo, "start the command: the supervisor process ended before it was ready");
  }
  impl->command_pid = hello.pid;
  hello.path[sizeof(hello.path) - 1] = '\0';
  impl->unheld_reason = hello.path;
  return std::unique_ptr<Launch>(new Launch(std::move(impl)));
}

pid_t Launch::pid() const { return impl_->command_pid; }
const std::string& Launch::unheld_reason() const { return impl_->unheld_reason; }

Status Launch::go() {
  const char byte = kGo;
  if (send(impl_->supervisor.get(), &byte, 1, MSG_NOSIGNAL) != 1) return errno_error("start the command");
  return {};
}

void Launch::stop() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(impl_->stopping.get(), &one, sizeof(one));
}

void Launch::working() {
  const char byte = kWorking;
  send(impl_->supervisor.get(), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::optional<int> Launch::serve(const OnFile& on_file, const std::function<void(uint32_t pid)>& on_late) {
  while (true) {
    pollfd waits[2] = {{impl_->supervisor.get(), POLLIN, 0}, {impl_->stopping.get(), POLLIN, 0}};
    if (poll(waits, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return std::nullopt;
    }
    if ((waits[0].revents & (POLLIN | POLLHUP)) != 0) {
      SupervisorMessage message;
      const ssize_t got = recv(impl_->supervisor.get(), &message, sizeof(message), 0);
      // It ended with something of ours unread; what it sent before that is still to be read.
      if (got < 0 && (errno == ECONNRESET || errno == EINTR)) continue;
      if (got != sizeof(message)) return std::nullopt;
      message.path[sizeof(message.path) - 1] = '\0';
      if (message.kind == SupervisorMessage::kEnded) return message.value;
      const auto pid = static_cast<uint32_t>(message.pid);
      if (message.kind == SupervisorMessage::kLate) on_late(pid);
      if (message.kind != SupervisorMessage::kFile) continue;
      std::string open_path, name;
      if (message.value >= 0) {  // a descriptor of the held thread
        open_path = fmt::format("/proc/{}/fd/{}", pid, message.value);
        char link[4096];
        const Raised raised;
        const ssize_t length = readlink(open_path.c_str(), link, sizeof(link));
        if (length > 0) name.assign(link, static_cast<size_t>(length));
      } else {
        open_path = fmt::format("/proc/{}/root{}", pid, message.path);
        name = message.path;
      }
      const char answer = on_file(pid, open_path, name) ? kAskAgain : kSeen;
      // That fails when the command ended meanwhile: its status is there to be read.
      send(impl_->supervisor.get(), &answer, 1, MSG_NOSIGNAL);
      continue;
    }
    if ((waits[1].revents & POLLIN) != 0) return std::nullopt;
  }
}

}  // namespace ingero::kernelside
