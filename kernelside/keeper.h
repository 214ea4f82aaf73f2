// The keeper: parent of a traced command, and the one that answers its seccomp notifications. Private to launch.cc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"

namespace ingero::kernelside {

// One SOCK_SEQPACKET message from the keeper to the agent. To kFile the agent answers with one byte, a KeeperAnswer.
struct KeeperMessage {
  enum Kind : uint32_t {
    kReady = 1,  // the command exists and waits; path says why it cannot be held, if so
    kFile = 2,   // a thread wants to map (value: descriptor) or execute (value -1: path) a file
    kEnded = 3,  // the command ended; value is its wait status
    kLate = 4,   // the answer took too long: the thread went on, and no file is asked about until it comes
  };
  uint32_t kind = 0;
  int32_t pid = 0;
  int32_t value = -1;
  char path[4096] = {};
};

enum KeeperAnswer : char {
  kWorking = 'w',   // no answer yet, but it goes on
  kGo = 'g',        // no answer: the command may start
  kSeen = 's',      // nothing is in the file, or all that is needed of it is done, whoever maps it next
  kAskAgain = 'a',  // each process that maps it is to be looked at
};

// Forks the command and serves it until nobody uses its filter any more. Never returns.
[[noreturn]] void run_keeper(Fd agent, const std::vector<std::string>& command);

}  // namespace ingero::kernelside
