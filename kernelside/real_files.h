// The file below a layered file system, so that one library seen through two containers is one library.
//
// A layered file system (overlay) has its own device and inode numbers, while the kernel places probes on the file
// below: attaching to both views would record each call twice. The agent maps the file and reads from the kernel which
// file the mapping holds.
//
// Any thread, one at a time. On other file systems the numbers are already those of the file.
#pragma once

#include <sys/vfs.h>

#include <functional>

#include "base/fd.h"
#include "base/result.h"
#include "hal/maps.h"

namespace ingero::kernelside {

// What answers which file a mapping of this process holds.
struct MappingLookup {
  // Called until it succeeds once, before the first open().
  std::function<Status()> load;
  // A descriptor from which the wire_file of the mapping at `address` is read; empty: nothing is mapped there.
  std::function<Result<Fd>(uint64_t address)> open;
};
// The kernel, by a BPF iterator over this process's mappings. Needs CAP_BPF.
MappingLookup kernel_lookup();

class RealFiles {
 public:
  // Nothing is loaded before the first layered file.
  explicit RealFiles(MappingLookup lookup = kernel_lookup()) : lookup_(std::move(lookup)) {}

  // True when `fd` lies on a file system whose numbers are not those of the file below. `look`: fstatfs(2).
  static bool layered(int fd, int (*look)(int fd, struct statfs* status) = ::fstatfs);
  // The file behind `fd`.
  Result<hal::FileId> find(int fd);

 private:
  MappingLookup lookup_;
  bool is_loaded_ = false;
};

}  // namespace ingero::kernelside
