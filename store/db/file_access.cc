// Files that are there are reached through O_PATH: closing an ordinary descriptor would drop SQLite's own locks.
#include "store/db/file_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/text.h"
#include "base/trusted_path.h"

namespace ingero::store {
namespace {

constexpr const char* kTails[] = {"", "-wal", "-shm", "-journal"};
constexpr auto kSame = static_cast<uid_t>(-1);

mode_t mode_of(std::optional<uint32_t> group) { return group ? 0640 : 0600; }

}  // namespace

Status make_directories(const std::string& directory, const std::optional<Owner>& owner) {
  if (directory.empty()) return {};
  struct stat status {};
  if (::stat(directory.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return {};
    return Error(Errc::kInvalid, fmt::format("{}: not a directory", directory));
  }
  const std::string above = std::filesystem::path(directory).parent_path().string();
  if (above != directory) INGERO_TRY(make_directories(above, owner));
  if (::mkdir(directory.c_str(), 0755) != 0) {
    if (errno == EEXIST) return {};
    return errno_error(fmt::format("{}: create the directory", directory));
  }
  if (owner && ::lchown(directory.c_str(), owner->uid, owner->gid) != 0) {
    return errno_error(fmt::format("{}: give the directory to user {}", directory, owner->uid));
  }
  return {};
}

Result<Fd> create_recording_file(const std::string& path, const std::optional<Owner>& owner,
                                 std::optional<uint32_t> group) {
  Fd made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!made.valid() && errno == EEXIST) return made;
  if (!made.valid()) return file_error(fmt::format("{}: create", printable(path, 4096)));
  if ((owner && ::fchown(made.get(), owner->uid, owner->gid) != 0) ||
      (group && ::fchown(made.get(), kSame, *group) != 0)) {
    const Error error = errno_error(fmt::format("{}: set the new file's owner and group", printable(path, 4096)));
    ::unlink(path.c_str());
    return error;
  }
  if (::fchmod(made.get(), mode_of(group)) != 0) return errno_error(fmt::format("chmod {}", printable(path, 4096)));
  return made;
}

Status check_recording_place(const std::string& path, const std::optional<Owner>& owner) {
  for (const char* tail : kTails) {
    INGERO_TRY(check_trusted_path(path + tail, owner ? std::optional<uint32_t>(owner->uid) : std::nullopt));
  }
  return {};
}

Status keep_recording_private(const std::string& path, std::optional<uint32_t> group) {
  for (const char* tail : kTails) {
    const std::string name = path + tail;
    const Fd fd(::open(name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!fd.valid() || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const mode_t mode = mode_of(group);
    if ((status.st_mode & 07777) == mode && (!group || status.st_gid == *group)) continue;
    const std::string open_name = fmt::format("/proc/self/fd/{}", fd.get());
    if ((group && ::fchownat(fd.get(), "", kSame, *group, AT_EMPTY_PATH) != 0) ||
        ::chmod(open_name.c_str(), mode) != 0) {
      if (errno == EPERM && ::geteuid() != 0) continue;
      return errno_error(fmt::format("{}: make it readable by its owner only", printable(name, 4096)));
    }
  }
  return {};
}

}  // namespace ingero::store
