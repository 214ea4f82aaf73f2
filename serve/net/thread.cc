// The beginning of a thread: see thread.h.
#include "serve/net/thread.h"

#include <csignal>

#include <pthread.h>

namespace ingero::serve::net {

void begin_thread(const char* name) {
  pthread_setname_np(pthread_self(), name);
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

}  // namespace ingero::serve::net
