// A file that is there whole or not at all: written without a name (or beside its place under a name of its own), and
// put in its place when it is complete.
//
// Owns the file until commit(); without it nothing is left, not even when the program is killed, where the file system
// knows files without names. What is not a regular file (a pipe, a device) is written to as it is. One thread.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace ingero::cli {

class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Status write(std::string_view bytes);
  Status commit();

 private:
  OutputFile(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  std::string path_;       // where it belongs
  std::string temporary_;  // its name until then; empty: none
  bool is_plain_ = false;  // no regular file: nothing to put in place
  Fd fd_;
};

}  // namespace ingero::cli
