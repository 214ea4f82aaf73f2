// A stop signal as an eventfd that is never read, so that every poll on it wakes up.
#include "serve/net/stop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>

#include <cerrno>

namespace ingero::serve::net {

Stop::Stop() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!fd_.valid()) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Stop::signal() {
  const uint64_t one = 1;
  (void)!::write(fd_.get(), &one, sizeof(one));
}

bool Stop::is_signalled() const {
  pollfd wanted{fd_.get(), POLLIN, 0};
  return ::poll(&wanted, 1, 0) == 1;
}

}  // namespace ingero::serve::net
