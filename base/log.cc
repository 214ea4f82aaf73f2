// Writes diagnostics to standard error and the log file, one write per line, so that threads do not mix.
#include "base/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log_rotation.h"
#include "base/text.h"

namespace ingero {
namespace {

constexpr size_t kMaxLineBytes = 4096;

std::atomic<LogLevel> threshold{LogLevel::kWarning};

struct LogFile {
  std::mutex mutex;
  Fd fd;             // guarded by mutex
  std::string path;  // guarded by mutex
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

Result<Fd> open_log(const std::string& path) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return file_error(fmt::format("open the log file {}", printable(path)));
  return fd;
}

// Does the path still lead to the file that is open?
bool is_same_file(const std::string& path, int fd) {
  struct stat named {};
  struct stat open {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(fd, &open) == 0 && named.st_dev == open.st_dev &&
         named.st_ino == open.st_ino;
}

}  // namespace

void set_log_level(LogLevel level) { threshold.store(level, std::memory_order_relaxed); }

LogLevel log_level() { return threshold.load(std::memory_order_relaxed); }

Status set_log_file(const std::string& path) {
  auto fd = open_log(path);
  INGERO_TRY(fd);
  const std::lock_guard lock(log_file().mutex);
  log_file().fd = std::move(*fd);
  log_file().path = path;
  return {};
}

Status reopen_log_file() {
  const std::lock_guard lock(log_file().mutex);
  LogFile& file = log_file();
  if (!file.fd.valid() || is_same_file(file.path, file.fd.get())) return {};
  auto fd = open_log(file.path);
  INGERO_TRY(fd);
  file.fd = std::move(*fd);
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
