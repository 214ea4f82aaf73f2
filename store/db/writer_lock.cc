// flock(2) on descriptors shared by inode, because closing a second descriptor would drop SQLite's own locks.
#include "store/db/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>

namespace ingero::store {
namespace {

struct LockedFile {
  int fd = -1;
  bool held = false;  // by a WriterLock of this process
};

std::mutex g_mutex;
std::map<std::pair<dev_t, ino_t>, LockedFile>& known_files() {
  static auto* files = new std::map<std::pair<dev_t, ino_t>, LockedFile>();  // outlives every user
  return *files;
}

// The file's entry; null when it cannot be opened (errno says why). Called with the mutex held.
LockedFile* find(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return nullptr;
  LockedFile& known = known_files()[{status.st_dev, status.st_ino}];
  if (known.fd < 0) known.fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return known.fd < 0 ? nullptr : &known;
}

}  // namespace

WriterLock::WriterLock(WriterLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Result<WriterLock> WriterLock::take(const std::string& path) {
  const std::lock_guard lock(g_mutex);
  LockedFile* known = find(path);
  if (known == nullptr) return errno_error(fmt::format("{}: open for locking", path));
  if (known->held || ::flock(known->fd, LOCK_EX | LOCK_NB) != 0) {
    return Error(Errc::kBusy, fmt::format("{}: another agent is recording into it", path),
                 "stop that one, or record into another file with --db");
  }
  known->held = true;
  return WriterLock(known->fd);
}

void WriterLock::release() {
  if (fd_ < 0) return;
  const std::lock_guard lock(g_mutex);
  ::flock(fd_, LOCK_UN);
  for (auto& [file, known] : known_files()) {
    if (known.fd == fd_) known.held = false;
  }
  fd_ = -1;
}

int shared_descriptor(const std::string& path) {
  const std::lock_guard lock(g_mutex);
  const LockedFile* known = find(path);
  return known == nullptr ? -1 : known->fd;
}

bool is_being_written(const std::string& path) {
  const std::lock_guard lock(g_mutex);
  LockedFile* known = find(path);
  if (known == nullptr) return false;
  if (known->held) return true;
  if (::flock(known->fd, LOCK_SH | LOCK_NB) != 0) return true;
  ::flock(known->fd, LOCK_UN);
  return false;
}

}  // namespace ingero::store
