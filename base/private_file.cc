// Opens once, checks the open file, reads from the same descriptor: see private_file.h.
#include "base/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/fd.h"
#include "base/text.h"

namespace ingero {

bool is_trusted_owner(uint32_t uid) {
  if (uid == 0 || uid == ::geteuid()) return true;
  if (::geteuid() != 0) return false;
  const auto typed_sudo = parse_u64(environment("SUDO_UID").value_or(""));
  return typed_sudo && *typed_sudo == uid;
}

Status check_private(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return errno_error(fmt::format("fstat({})", printable(path)));
  if (!S_ISREG(status.st_mode)) {
    return Error(Errc::kInvalid, fmt::format("{}: not a regular file", printable(path)),
                 "secrets are read from regular files only");
  }
  if (!is_trusted_owner(status.st_uid)) {
    return Error(
        Errc::kInvalid,
        fmt::format("{}: belongs to user {}, who can read and change this secret", printable(path), status.st_uid),
        fmt::format("chown {} {}", ::geteuid(), printable(path)));
  }
  if ((status.st_mode & 077) != 0) {
    return Error(Errc::kInvalid,
                 fmt::format("{}: this secret is accessible to its group or to others", printable(path)),
                 fmt::format("chmod 600 {}", printable(path)));
  }
  return {};
}

Result<std::string> read_private(const std::string& path, size_t max_bytes) {
  // Not blocking: a named pipe in the place of the file must not hang the agent before the check refuses it.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) return file_error(fmt::format("open({})", printable(path)));
  INGERO_TRY(check_private(fd.get(), path));
  return read_file(fd.get(), path, max_bytes);
}

}  // namespace ingero
