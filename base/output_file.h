// A file that appears complete or not at all: written without a name (or under a temporary name in the same directory),
// and moved to its path when it is complete.
//
// Owns the file until commit(); without commit() nothing is left, not even when the program is killed, if the file
// system supports O_TMPFILE. A new file is its owner's alone (0600), whatever the umask; one that is there already, or
// a link, is replaced and not written into. A pipe or device is written to directly. One thread.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace ingero {

class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Status write(std::string_view bytes);
  Status commit();
  // For libraries that write by themselves; stays this object's.
  int descriptor() const { return fd_.get(); }

 private:
  OutputFile(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;       // where it belongs
  std::string temporary_;  // its name until then; empty: none
  bool is_plain_ = false;  // no regular file: nothing to put in place
  Fd fd_;
};

}  // namespace ingero
