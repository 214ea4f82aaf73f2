// Room on the recording's file system for its last words: what was lost, and that it has ended.
//
// A full disk takes neither events nor the count of those that it did not take. So a few pages are set aside while
// there is room: blocks of a file without a name, which end with the process however that ends. release() gives them
// back just before the last transaction. Best effort: another program may be faster, and a file system may know
// neither. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"

namespace ingero::store {

class DiskReserve {
 public:
  DiskReserve() = default;
  // On the file system of `path`. Empty where it is full already.
  static DiskReserve hold(const std::string& path, uint64_t bytes);
  void release() { file_.reset(); }
  bool is_held() const { return file_.valid(); }

 private:
  Fd file_;
};

}  // namespace ingero::store
