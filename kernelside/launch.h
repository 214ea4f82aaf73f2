// Starts a command and holds it whenever it is about to map new code, until that code's probes are attached, so that no
// call is missed. This includes children, and libraries loaded later.
//
// How: a seccomp filter in the command (inherited by its children) passes every mmap(PROT_EXEC) of a file and every
// execve to a supervisor process, which asks the agent to examine the file and then lets the system call continue
// (seccomp_unotify(2), SECCOMP_USER_NOTIF_FLAG_CONTINUE, kernel 5.5). The supervisor is a separate process so that the
// command runs on, neither held nor broken, when the agent ends first. This is not a security boundary and is not used
// as one.
//
// Rejected: SIGSTOP from a probe on the dynamic loader (visible to job control, misses static programs), ptrace (stops
// at every system call), a filter without a supervisor (calls fail with ENOSYS once the agent is gone).
//
// Threads: start() before any other thread exists (it forks); serve() on one thread; the rest on any.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ingero::kernelside {

// Who runs the command, where that is not the agent's own user.
struct RunAs {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  std::vector<std::string> environment;  // NAME=VALUE, all of it
};

// What a program was started with: signals that it ignores, and that the calling thread blocks. None by default.
struct SignalState {
  sigset_t ignored{}, blocked{};
};

class Launch {
 public:
  static constexpr int kAnswerTimeoutMs = 30'000;

  // Forks the supervisor and the command; the command waits before its exec until go(). An agent that does not answer
  // for `answer_timeout_ms` does not hang the command. kToErrors: what the command writes to standard output goes to
  // standard error, because the agent's own output is there. `run_as`: none: as the agent's own user. `signals`: with
  // which the command starts, whatever they are here. Else it has what the calling thread
  // has, capabilities and no_new_privs: call it before they are changed.
  enum class Output : bool { kOwn, kToErrors };
  static Result<std::unique_ptr<Launch>> start(const std::vector<std::string>& command,
                                               int answer_timeout_ms = kAnswerTimeoutMs, Output output = Output::kOwn,
                                               const std::optional<RunAs>& run_as = std::nullopt,
                                               const SignalState& signals = {});
  ~Launch();  // the command is not killed
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  pid_t pid() const;  // of the command
  // Called for each file about to be mapped or executed, with a path this process can open and the name the command
  // knows it by; the command's thread waits until it returns. False: the next process that maps the file need not wait.
  using OnFile = std::function<bool(uint32_t pid, const std::string& open_path, const std::string& untrusted_path)>;
  // Answers the supervisor until the command ends or stop(); returns its wait status, or nothing when stopped.
  // `on_late`: on_file() took too long (half a minute without working()), and the command went on meanwhile without
  // what it was held for.
  std::optional<int> serve(const OnFile& on_file, const std::function<void(uint32_t pid)>& on_late);
  // on_file() has not returned yet, but it goes on. From any thread.
  void working();
  // Lets the command start.
  Status go();
  void stop();
  // Why the command is not held (no such kernel feature), or empty. Its first calls after a dlopen may then be missed.
  const std::string& unheld_reason() const;

 private:
  struct Impl;
  explicit Launch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::kernelside
