// A client of the annotation socket, which waits a few seconds for an agent that does not answer, and no longer.
#include "agent/annotations/annotation_client.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include <fmt/format.h>

#include "agent/annotations/socket_path.h"
#include "base/text.h"

namespace ingero::agent {
namespace {

constexpr int kDialSeconds = 5;

Result<Fd> dial(const std::string& path) {
  const auto address = socket_address(path);
  INGERO_TRY(address);
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return errno_error("open a socket");
  const timeval timeout{kDialSeconds, 0};
  for (const int what : {SO_SNDTIMEO, SO_RCVTIMEO}) {
    ::setsockopt(fd.get(), SOL_SOCKET, what, &timeout, sizeof(timeout));
  }
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof(*address)) != 0) {
    return errno_error(fmt::format("connect to {}", printable(path)));
  }
  return fd;
}

}  // namespace

Result<Fd> dial_annotations(const std::string& chosen) {
  if (!chosen.empty()) return dial(chosen);
  std::optional<Error> error;
  for (const std::string& place : annotation_places(annotation_roots())) {
    auto fd = dial(place);
    if (fd.ok()) return fd;
    // One that is there and refuses says more than one that is not there.
    if (!error || (error->code() == Errc::kNotFound && fd.error().code() != Errc::kNotFound)) error = fd.error();
  }
  return Error(error->code(), error->message(),
               "start 'ingero trace --annotate', or ask for access to its socket (trace --annotate-socket-gid)");
}

Status send_annotations(const Fd& fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno_error("send annotations");
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return {};
}

Status send_annotations(const Fd& fd, int from) {
  char buffer[16 << 10];
  for (ssize_t got = 1; got != 0;) {
    got = ::read(from, buffer, sizeof(buffer));
    if (got < 0 && errno != EINTR) return errno_error("read annotations");
    if (got > 0) INGERO_TRY(send_annotations(fd, std::string_view(buffer, static_cast<size_t>(got))));
  }
  return {};
}

}  // namespace ingero::agent
