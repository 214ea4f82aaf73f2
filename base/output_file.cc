// Writes to an unnamed or temporary file and links it into place at the end, so that a reader never sees half of it.
#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"

namespace ingero {
namespace {

constexpr mode_t kMode = 0600;

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// A name in the directory of `path` that no file should have.
std::string sibling_name(const std::string& path, unsigned attempt) {
  return fmt::format("{}.{}.{}.part", path, ::getpid(), attempt);
}

// A umask may also have taken the owner's bits.
Status make_private(const Fd& fd, const std::string& path) {
  if (::fchmod(fd.get(), kMode) == 0) return {};
  return errno_error(fmt::format("chmod {}", printable(path)));
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    if (S_ISDIR(there.st_mode)) return errno_error(fmt::format("write {}", printable(path)), EISDIR);
    Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd.valid()) return file_error(fmt::format("open {}", printable(path)));
    OutputFile file(path, std::move(fd));
    file.is_plain_ = true;
    return file;
  }
  Fd unnamed(::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode));
  if (unnamed.valid()) {
    INGERO_TRY(make_private(unnamed, path));
    return OutputFile(path, std::move(unnamed));
  }
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    const std::string name = sibling_name(path, attempt);
    Fd fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kMode));
    if (fd.valid()) {
      INGERO_TRY(make_private(fd, path));
      OutputFile file(path, std::move(fd));
      file.temporary_ = name;
      return file;
    }
    if (errno != EEXIST) return file_error(fmt::format("create {}", printable(path)));
  }
  return errno_error(fmt::format("create {}", printable(path)), EEXIST);
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno_error(fmt::format("write {}", printable(path_)));
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Status OutputFile::commit() {
  if (is_plain_) return {};
  for (unsigned attempt = 0; temporary_.empty() && attempt < 100; ++attempt) {
    const std::string name = sibling_name(path_, attempt);
    const std::string unnamed = fmt::format("/proc/self/fd/{}", fd_.get());
    if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
    } else if (errno != EEXIST) {
      return errno_error(fmt::format("rename the finished file to {}", printable(path_)));
    }
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return errno_error(fmt::format("rename the finished file to {}", printable(path_)));
  }
  temporary_.clear();
  return {};
}

}  // namespace ingero
