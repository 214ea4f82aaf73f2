// A file of a traced process in our memory, read-only.
//
// Its owner may truncate the file while it is mapped. Access to a page that is gone would kill the agent with SIGBUS; a
// handler maps zeros in its place instead. Parsers must expect such content, because the file is untrusted anyway. The
// mapping also keeps the inode from being reused. Immutable; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/fd.h"
#include "base/result.h"

namespace ingero::symbols {

class MappedFile {
 public:
  // kFull when too many files are mapped at once.
  static Result<std::unique_ptr<MappedFile>> open(const Fd& fd);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  // Gives back what was read of it: the pages stay in the page cache, no longer in our resident set.
  void release() const;

 private:
  MappedFile(const std::byte* data, size_t size, size_t slot) : data_(data), size_(size), slot_(slot) {}
  const std::byte* data_;
  size_t size_;
  size_t slot_;
};

}  // namespace ingero::symbols
