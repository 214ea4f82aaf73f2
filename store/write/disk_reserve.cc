// A file that never has a name, or loses it at once.
#include "store/write/disk_reserve.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace ingero::store {

DiskReserve DiskReserve::hold(const std::string& path, uint64_t bytes) {
  std::string folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  DiskReserve reserve;
  reserve.file_.reset(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!reserve.file_.valid()) {  // not every file system has such files
    std::string name = path + "-reserveXXXXXX";
    reserve.file_.reset(::mkostemp(name.data(), O_CLOEXEC));
    if (reserve.file_.valid()) ::unlink(name.c_str());
  }
  if (reserve.file_.valid() && ::posix_fallocate(reserve.file_.get(), 0, static_cast<off_t>(bytes)) != 0) {
    reserve.release();
  }
  return reserve;
}

}  // namespace ingero::store
