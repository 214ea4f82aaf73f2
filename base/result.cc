// Makes an Error from an errno: its kind, and a message with the object, the operation and the errno's text.
#include "base/result.h"

#include <system_error>

#include <cerrno>
#include <cstring>
#include <new>

namespace ingero {
namespace {

Errc code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ESRCH:
    case ENXIO:
      return Errc::kNotFound;
    case EPERM:
    case EACCES:
    case EROFS:
      return Errc::kPermission;
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
      return Errc::kFull;
    case EBUSY:
    case EAGAIN:
      return Errc::kBusy;
    case ENOSYS:
    case EOPNOTSUPP:
      return Errc::kNotSupported;
    case EINVAL:
      return Errc::kInvalid;
    default:
      return Errc::kIo;
  }
}

}  // namespace

Error errno_error(std::string_view what, int error_number) {
  return {code_of(error_number), fmt::format("{}: {}", what, std::strerror(error_number))};
}

std::string text_of_exception(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "out of memory (give the machine, or the cgroup it runs in, more)";
  }
  const auto* failed = dynamic_cast<const std::system_error*>(&error);
  if (failed != nullptr && failed->code() == std::errc::resource_unavailable_try_again) {
    return "no more threads can be started (raise the limit: ulimit -u, pids.max of the cgroup, or TasksMax of the "
           "unit)";
  }
  return fmt::format("internal error: {}", error.what());
}

Error errno_error(std::string_view what) { return errno_error(what, errno); }

Error file_error(std::string_view what) {
  const Error error = errno_error(what);
  switch (error.code()) {
    case Errc::kNotFound:
      return {error.code(), error.message(), "check the path; its directory must exist"};
    case Errc::kPermission:
      return {error.code(), error.message(), "check who may use the file and its directory"};
    case Errc::kFull:
      return {error.code(), error.message(), "free space, or name a file elsewhere"};
    default:
      return error;
  }
}

}  // namespace ingero
