// Writes diagnostics to standard error and the log file, one write per line, so that threads do not mix.
#include "base/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log_rotation.h"
#include "base/private_file.h"
#include "base/text.h"

namespace ingero {
namespace {

constexpr size_t kMaxLineBytes = 4096;

std::atomic<LogLevel> threshold{LogLevel::kWarning};

// The folder is the one that was named at first, wherever a path through it leads later: with another user's folder
// that user could have root write elsewhere.
struct LogPlace {
  Fd folder;
  std::string name;  // in the folder
  std::string path;  // for messages
};

struct LogFile {
  std::mutex mutex;
  Fd fd;                                  // guarded by mutex
  std::shared_ptr<const LogPlace> place;  // guarded by mutex
};

LogFile& log_file() {
  static LogFile file;
  return file;
}

std::string_view word(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "error";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kInfo:
      return "info";
  }
  return "error";
}

void write_best_effort(int fd, std::string_view text) {
  const ssize_t written = ::write(fd, text.data(), text.size());
  static_cast<void>(written);  // there is nowhere left to complain to
}

Result<LogPlace> find_place(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string folder = whole.has_parent_path() ? whole.parent_path().string() : ".";
  LogPlace place{Fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), whole.filename().string(), path};
  if (!place.folder.valid()) return file_error(fmt::format("open the log file {}", printable(path)));
  return place;
}

// Never waits, not even for the reader of a pipe. The file is a regular one with no second name, and belongs to the
// folder's owner or a trusted one.
Result<Fd> open_log(const LogPlace& place) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  Fd fd(::openat(place.folder.get(), place.name.c_str(), kFlags, 0600));
  const std::string what = fmt::format("open the log file {}", printable(place.path));
  if (!fd.valid()) return file_error(what);
  struct stat file {};
  struct stat folder {};
  if (::fstat(fd.get(), &file) != 0 || ::fstat(place.folder.get(), &folder) != 0) return errno_error(what);
  const auto refuse = [&](const std::string& why) {
    return Error(Errc::kPermission, fmt::format("{}: {}", what, why), "remove it, or name another file with --log");
  };
  if (!S_ISREG(file.st_mode)) return refuse("not a regular file");
  if (file.st_nlink > 1) return refuse("the file has another name (a hard link)");
  if (!is_trusted_owner(file.st_uid) && file.st_uid != folder.st_uid) {
    return refuse(fmt::format("belongs to user {}", file.st_uid));
  }
  return fd;
}

// Is the file in this place the one that is open?
bool is_same_file(const LogPlace& place, const struct stat& open) {
  struct stat named {};
  return ::fstatat(place.folder.get(), place.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

}  // namespace

void set_log_level(LogLevel level) { threshold.store(level, std::memory_order_relaxed); }

LogLevel log_level() { return threshold.load(std::memory_order_relaxed); }

Status set_log_file(const std::string& path) {
  auto place = find_place(path);
  INGERO_TRY(place);
  auto fd = open_log(*place);
  INGERO_TRY(fd);
  auto kept = std::make_shared<const LogPlace>(std::move(*place));
  const std::lock_guard lock(log_file().mutex);
  log_file().fd = std::move(*fd);
  log_file().place = std::move(kept);
  return {};
}

// The file system may keep this waiting: nothing that logs waits for it.
Status reopen_log_file() {
  LogFile& file = log_file();
  std::shared_ptr<const LogPlace> place;
  struct stat open {};
  {
    const std::lock_guard lock(file.mutex);
    if (!file.fd.valid()) return {};
    if (::fstat(file.fd.get(), &open) != 0) return errno_error("stat the log file");
    place = file.place;
  }
  if (is_same_file(*place, open)) return {};
  auto fd = open_log(*place);
  INGERO_TRY(fd);
  const std::lock_guard lock(file.mutex);
  if (file.place == place) file.fd = std::move(*fd);
  return {};
}

void log_line(LogLevel level, std::string_view text) {
  if (level > log_level()) return;
  const std::string line = fmt::format("ingero: {}: {}\n", word(level), printable(text, kMaxLineBytes));
  write_best_effort(STDERR_FILENO, line);
  LogFile& file = log_file();
  const std::lock_guard lock(file.mutex);
  if (file.fd.valid()) write_best_effort(file.fd.get(), format_wall(system_clock().wall_ns()) + " " + line);
}

}  // namespace ingero
