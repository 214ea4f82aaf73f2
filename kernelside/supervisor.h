// The supervisor: parent of a traced command; it answers the command's seccomp notifications. Private to launch.cc.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "kernelside/launch.h"

namespace ingero::kernelside {

// One SOCK_SEQPACKET message from the supervisor to the agent, which answers kFile with one byte, a SupervisorAnswer.
struct SupervisorMessage {
  enum Kind : uint32_t {
    kReady = 1,  // the command exists and waits; path says why it cannot be held, if so
    kFile = 2,   // a thread wants to map (value: descriptor) or execute (value -1: path) a file
    kEnded = 3,  // the command ended; value is its wait status
    kLate = 4,   // the answer took too long: the thread continued; no further kFile until the answer comes
  };
  uint32_t kind = 0;
  int32_t pid = 0;
  int32_t value = -1;
  char path[4096] = {};
};

enum SupervisorAnswer : char {
  kWorking = 'w',   // no answer yet, but the agent is at work
  kGo = 'g',        // not an answer to kFile: the command may start
  kSeen = 's',      // nothing to probe in the file, or done for every process that maps it
  kAskAgain = 'a',  // ask again for each process that maps it
};

struct Started {
  const std::vector<std::string>& command;
  const std::optional<RunAs>& run_as;
  bool output_to_errors = false;
  SignalState signals{};
};

// Forks the command and serves it until no process uses its filter any more. Never returns. Waits for an answer until
// `answer_timeout_ms` after the last kWorking. It keeps none of the agent's three standard files: who reads the agent's
// output would wait for it, as long as a process of the command lives.
[[noreturn]] void run_supervisor(Fd agent, const Started& started, int answer_timeout_ms);

}  // namespace ingero::kernelside
