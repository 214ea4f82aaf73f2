// The file below a layered file system, so that one library seen through two containers is one library.
//
// Layers (overlay) give a file numbers of their own, while the kernel's probes sit on the file below: attaching to both
// views would record each call twice. The agent maps the file and asks the kernel which one the mapping holds.
//
// Any thread, one at a time. On other file systems nothing is asked: their numbers are the file's.
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
