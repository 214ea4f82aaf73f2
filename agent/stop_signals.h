// SIGINT, SIGTERM and SIGHUP of a long-running command, taken by one thread when it asks for them.
//
// What was ignored when the program was started stays so, as nohup(1) and a shell's background jobs have it: SIGHUP,
// and a SIGINT that the terminal sends. One that a process sends (kill -INT) is taken, and so is each SIGTERM.
//
// Make it in the main thread before any other thread starts: those inherit that they are blocked. SIGPIPE and SIGXFSZ
// are ignored from then on, so that a reader that is gone or a full quota is an error of a write. Owns nothing: the
// mask and the ignored signals are the process's, and stay after it. Failure: none.
#pragma once

#include <csignal>
#include <cstdint>

#include "kernelside/launch.h"

namespace ingero::agent {

class StopSignals {
 public:
  StopSignals();

  struct Came {
    int number = 0;        // 0: none came in time
    bool is_sent = false;  // by a process; a SIGHUP by the kernel means that the terminal is gone
  };
  // Blocks for at most `ns`.
  Came wait(uint64_t ns) const;
  // Whether one has come that was not waited for yet. Thread-safe.
  static bool is_pending();
  // As they were when this was made.
  const kernelside::SignalState& before() const { return before_; }

 private:
  sigset_t set_{};
  kernelside::SignalState before_;
};

}  // namespace ingero::agent
