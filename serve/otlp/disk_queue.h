// Requests that could not be sent yet, on disk: they outlive the program, and are bounded in bytes and in number.
//
// A directory of files, one request each, named by their order; only their owner can read them (0700, 0600). A file is
// written under another name and renamed: a crash of the program leaves a whole request or none. It is not synced,
// which would cost the machine's disk more than it is worth: what a power cut leaves of it is seen by its checksum.
// What is in a file is checked before it is believed. When the bound is reached, or the disk is full, the oldest give
// way. Everything that is dropped is counted. One program at a time (a lock); one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "serve/otlp/model.h"

namespace ingero::serve::otlp {

struct QueueOptions {
  std::string directory;  // made when it is not there, with the one above it and no other
  uint64_t max_bytes = 64 << 20;
  size_t max_files = 100'000;
};

struct QueueCounts {
  uint64_t dropped_requests = 0, dropped_items = 0;  // to keep the bound, or because the disk was full
  uint64_t damaged_files = 0;                        // not what was written: cut, altered, or another program's
};

class DiskQueue {
 public:
  // kBusy: another program uses the directory. kPermission: it is not the caller's alone.
  static Result<DiskQueue> open(QueueOptions options);

  // Never fails: what cannot be kept is dropped and counted.
  void push(const Payload& payload);
  // The oldest that can be read; damaged ones before it are removed and counted. Nothing when it is empty.
  std::optional<Payload> front();
  // Removes what front() gave last.
  void pop();

  bool empty() const { return files_.empty(); }
  size_t size() const { return files_.size(); }
  uint64_t bytes() const { return bytes_; }
  const QueueCounts& counts() const { return counts_; }

 private:
  struct File {
    uint64_t number = 0;
    uint64_t bytes = 0;
  };
  explicit DiskQueue(QueueOptions options) : options_(std::move(options)) {}
  Status scan();
  Status write(uint64_t number, const std::string& bytes) const;
  void drop_oldest();
  void remove_front();

  QueueOptions options_;
  Fd directory_;
  std::deque<File> files_;  // ascending
  uint64_t bytes_ = 0;
  uint64_t next_ = 1;
  QueueCounts counts_;
};

}  // namespace ingero::serve::otlp
