// Walks from the root to the file; the path is resolved first, so that links in trusted folders are followed.
#include "base/trusted_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include <grp.h>
#include <pwd.h>

#include "base/private_file.h"
#include "base/text.h"

namespace ingero {
namespace {

// Groups below are the system's (/etc/login.defs); who is a member of one was let in by root.
constexpr gid_t kFirstUsersGroup = 1000;

bool is_trusted(uint32_t uid, const std::optional<uint32_t>& also) {
  return is_trusted_owner(uid) || (also && *also == uid);
}

// Does the group consist of this user alone, as far as its name says? Where users have such a group, what they make can
// be written by it (umask 002).
bool is_own_group(uid_t user, gid_t group) {
  std::vector<char> buffer(16 << 10), other(16 << 10);
  struct passwd account {};
  struct passwd* found = nullptr;
  if (::getpwuid_r(user, &account, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return false;
  struct group entry {};
  struct group* named = nullptr;
  if (::getgrgid_r(group, &entry, other.data(), other.size(), &named) != 0 || named == nullptr) return false;
  return found->pw_gid == group && std::string_view(found->pw_name) == named->gr_name;
}

// Can users other than its owner write to it, who were not let in by root?
bool is_open_to_others(const struct stat& status) {
  if ((status.st_mode & 0002) != 0) return true;
  if ((status.st_mode & 0020) == 0 || status.st_gid < kFirstUsersGroup) return false;
  return !is_own_group(status.st_uid, status.st_gid);
}

Status check_folder(const std::filesystem::path& folder, const std::optional<uint32_t>& also) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) {
    return errno_error(fmt::format("stat {}", printable(folder.string(), 4096)));
  }
  const auto refuse = [&](const std::string& why) {
    return Error(Errc::kPermission, fmt::format("{}: {}", printable(folder.string(), 4096), why),
                 "root writes only where no other user can exchange its files: name a file in another directory");
  };
  if (!is_trusted(status.st_uid, also)) {
    return refuse(fmt::format("the directory belongs to user {}", status.st_uid));
  }
  if (is_open_to_others(status) && (status.st_mode & S_ISVTX) == 0) {
    return refuse("other users can write to this directory");
  }
  return {};
}

Status check_file(const struct stat& status, const std::string& path, const std::optional<uint32_t>& also) {
  const auto refuse = [&](const std::string& why, const std::string& hint) {
    return Error(Errc::kPermission, fmt::format("{}: {}", printable(path, 4096), why), hint);
  };
  if (S_ISLNK(status.st_mode)) {
    return refuse("is a symbolic link, which is not followed for writing", "name the file that it points to");
  }
  if (!S_ISREG(status.st_mode)) return refuse("not a regular file", "name another file");
  if (::geteuid() != 0) return {};
  if (!is_trusted(status.st_uid, also)) {
    return refuse(fmt::format("belongs to user {}; root does not write into other users' files", status.st_uid),
                  "name another file, or move this one away");
  }
  if (is_open_to_others(status)) {
    return refuse("other users can write to this file",
                  fmt::format("chmod go-w {}, if you trust what is in it", printable(path, 4096)));
  }
  if (status.st_nlink != 1) {
    return refuse("the file has another name (a hard link)", "name another file, or move this one away");
  }
  return {};
}

}  // namespace

Status check_trusted_path(const std::string& path, std::optional<uint32_t> also) {
  namespace fs = std::filesystem;
  if (::geteuid() == 0) {
    std::error_code failed;
    fs::path folder = fs::absolute(path, failed).parent_path();
    while (!folder.empty() && folder != folder.root_path() && !fs::exists(folder, failed))
      folder = folder.parent_path();
    const fs::path real = fs::canonical(folder, failed);
    if (failed) return errno_error(fmt::format("resolve {}", printable(folder.string(), 4096)), failed.value());
    fs::path walked;
    for (const fs::path& part : real) {
      walked /= part;
      INGERO_TRY(check_folder(walked, also));
    }
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return errno_error(fmt::format("stat {}", printable(path, 4096)));
  }
  return check_file(status, path, also);
}

bool is_in_anothers_folder(const std::string& path) {
  struct stat status {};
  const std::string folder = std::filesystem::path(path).parent_path();
  return ::stat(folder.empty() ? "." : folder.c_str(), &status) == 0 && status.st_uid != ::geteuid();
}

Result<Fd> open_trusted_log(const std::string& path) {
  INGERO_TRY(check_trusted_path(path));
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600));
  if (!fd.valid()) return file_error(fmt::format("open {}", printable(path, 4096)));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return errno_error(fmt::format("stat {}", printable(path, 4096)));
  INGERO_TRY(check_file(status, path, {}));
  return fd;
}

}  // namespace ingero
