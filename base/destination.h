// Where a command's bytes go: to the file that a flag names, which appears when it is complete, or to a stream.
//
// Owns the file until commit(); without that nothing is left of it. The stream is the caller's and outlives this. One
// thread. Failure: the file's; kIo of a stream that takes no more.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "base/output_file.h"
#include "base/result.h"

namespace ingero {

class Destination {
 public:
  // `path`: empty or "-": the stream.
  static Result<Destination> open(const std::string& path, std::ostream& stream) {
    Destination destination(stream);
    if (path.empty() || path == "-") return destination;
    auto file = OutputFile::create(path);
    if (!file.ok()) return file.error();
    destination.file_.emplace(std::move(*file));
    return destination;
  }
  Status write(std::string_view bytes) {
    bytes_ += bytes.size();
    if (file_) return file_->write(bytes);
    stream_->write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    // The reason is reported at the end, unless the reader has closed the pipe, which is not an error.
    return stream_->good() ? Status{} : Status{Error(Errc::kIo, "cannot write to standard output")};
  }
  Status commit() { return file_ ? file_->commit() : Status{}; }
  uint64_t bytes() const { return bytes_; }
  bool is_file() const { return file_.has_value(); }

 private:
  explicit Destination(std::ostream& stream) : stream_(&stream) {}
  std::ostream* stream_;
  std::optional<OutputFile> file_;
  uint64_t bytes_ = 0;
};

}  // namespace ingero
