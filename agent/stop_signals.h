// SIGINT, SIGTERM and SIGHUP of a long-running command, taken by one thread when it asks for them.
//
// Make it in the main thread before any other thread starts: those inherit that they are blocked. SIGPIPE and SIGXFSZ
// are ignored from then on, so that a reader that is gone or a full quota is an error of a write. Owns nothing: the
// mask and the ignored signals are the process's, and stay after it. Failure: none.
#pragma once

#include <csignal>
#include <cstdint>

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

 private:
  sigset_t set_{};
};

}  // namespace ingero::agent
