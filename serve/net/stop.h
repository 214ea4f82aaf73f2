// What ends the waits of connections, once and for all. signal() may be called by any thread. Owns its descriptor, and
// outlives what waits for it. Failure: of the constructor only.
#pragma once

#include "base/fd.h"

namespace ingero::serve::net {

class Stop {
 public:
  // Throws std::system_error where no descriptor is left, as a thread does where there are no threads: what waits for
  // it would never end.
  Stop();
  void signal();
  bool is_signalled() const;
  int fd() const { return fd_.get(); }  // readable from signal() on

 private:
  Fd fd_;
};

}  // namespace ingero::serve::net
