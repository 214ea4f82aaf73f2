// One writer per recording, machine-wide, and the question whether there is one. An flock on the database file: it ends
// with its holder, however that ends, and leaves no file behind.
//
// The descriptors used are never closed: closing any descriptor of a file drops the fcntl locks that SQLite holds on it
// in this process. There is one per file ever asked about. Thread-safe. A WriterLock owns the lock, not the descriptor.
#pragma once

#include <string>

#include "base/result.h"

namespace ingero::store {

class WriterLock {
 public:
  WriterLock() = default;
  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock() { release(); }
  // kBusy when a process, this one included, is writing the file.
  static Result<WriterLock> take(const std::string& path);
  void release();

 private:
  explicit WriterLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// A read-only descriptor of the file that must never be closed, or -1 with errno set.
int shared_descriptor(const std::string& path);

// Also false when it cannot be determined (no such file, no permission).
bool is_being_written(const std::string& path);

}  // namespace ingero::store
