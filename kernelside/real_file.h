// The file below a layered file system, so that one library seen through two containers is one library.
//
// A layered file system (overlay) has its own device and inode numbers, while the kernel places probes on the file
// below: attaching to both views would record each call twice. The agent maps the file and reads from the kernel which
// file the mapping holds.
//
// Any thread, one at a time. On other file systems the numbers are already those of the file.
#pragma once

#include <memory>

#include "base/result.h"
#include "hal/maps.h"

namespace ingero::kernelside {

class RealFiles {
 public:
  // Nothing is loaded before the first layered file.
  RealFiles();
  ~RealFiles();
  RealFiles(const RealFiles&) = delete;
  RealFiles& operator=(const RealFiles&) = delete;

  // True when `fd` lies on a file system whose numbers are not those of the file below.
  static bool layered(int fd);
  // The file behind `fd`.
  Result<hal::FileId> find(int fd);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::kernelside
